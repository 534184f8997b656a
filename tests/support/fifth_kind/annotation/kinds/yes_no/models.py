from __future__ import annotations

from django.db import models

from annotation.models.surveys import Item, Seat


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
