from __future__ import annotations

from django.conf import settings
from django.db import models

from annotation.models.studies import Study
from annotation.models.surveys import Item, Seat


class Report(models.Model):
    """A worker says that something is wrong with a text: for a person to look at."""

    class State(models.TextChoices):
        OPEN = "open"
        KEPT = "kept"  # looked at, the text stays
        EXCLUDED = "excluded"  # looked at, the text counts no more

    seat = models.ForeignKey(Seat, models.CASCADE, related_name="reports")
    item = models.ForeignKey(Item, models.PROTECT, related_name="reports")
    reason = models.TextField()
    reported_at = models.DateTimeField()
    state = models.CharField(max_length=8, choices=State, default=State.OPEN)
    resolution = models.CharField(max_length=500, blank=True)
    resolved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True
    )
    resolved_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["seat", "item"], name="one_report_per_seat_and_item"
            )
        ]

    def __str__(self) -> str:
        return self.reason[:60]


class Dismissal(models.Model):
    """An entry of the list of what needs attention that someone has dealt with."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="dismissals")
    entry = models.CharField(max_length=300)  # whom or what it is about
    # What was seen of it, {kind of finding: [severity, pages]}: more brings it back.
    seen = models.JSONField(default=dict)
    reason = models.CharField(max_length=500)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True
    )
    at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "entry"], name="one_dismissal_per_entry"
            )
        ]

    def __str__(self) -> str:
        return f"{self.entry}: {self.reason[:60]}"


class Event(models.Model):
    """What was done to a study, a worker or a text, by whom and why. Appended only."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="events")
    at = models.DateTimeField()
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True
    )  # NULL: the program itself, or a worker
    verb = models.SlugField()  # opened, excluded-worker, freed-seat, ...
    about = models.CharField(max_length=200, blank=True)  # never a platform id
    detail = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.verb} {self.about}".strip()
