from __future__ import annotations

from django.db import models

from annotation.models import Study
from annotation.models.surveys import Item, Seat


class DoubtWords(models.Model):
    """What the tick beside each text of a study says."""

    study = models.OneToOneField(Study, models.CASCADE, related_name="doubt_words")
    words = models.CharField(max_length=40)


class Doubt(models.Model):
    """A text of which one worker was not sure."""

    seat = models.ForeignKey(Seat, models.CASCADE, related_name="doubts")
    item = models.ForeignKey(Item, models.PROTECT, related_name="doubts")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["seat", "item"], name="one_doubt_per_seat_and_item"
            )
        ]
