from __future__ import annotations

from django.db import models

from annotation.models.surveys import Item, Seat


class Edit(models.Model):
    """A text as one worker left it: a draft until their page is handed in.

    Corrections of texts on valid pages are references of these texts: see
    `human_scores.corrections`.
    """

    NAMED = ("edit", "edits")

    seat = models.ForeignKey(Seat, models.CASCADE, related_name="edits")
    item = models.ForeignKey(Item, models.PROTECT, related_name="edits")
    opening = models.TextField(blank=True)  # given to the system, and fixed
    rest = models.TextField(blank=True)  # as the worker left it
    unchanged = models.BooleanField(default=False)  # "nothing to correct"
    updated_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["seat", "item"], name="one_edit_per_seat_and_item"
            )
        ]

    def __str__(self) -> str:
        return f"edit of {self.item}"

    @property
    def text(self) -> str:
        return self.opening + self.rest
