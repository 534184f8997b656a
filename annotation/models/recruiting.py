"""A study at a platform with an API: what was sent there, and what came of it."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.studies import Study
from annotation.models.surveys import Worker


class Recruitment(models.Model):
    """The study at Prolific. Amounts are in the smallest unit of its currency."""

    study = models.OneToOneField(Study, models.CASCADE, related_name="recruitment")
    # Empty: a draft was asked for, and no answer came.
    prolific_id = models.CharField(max_length=64, blank=True)
    status = models.CharField(max_length=64, blank=True)
    places = models.PositiveIntegerField(null=True, blank=True)
    reward = models.PositiveIntegerField(null=True, blank=True)
    currency = models.CharField(max_length=3, blank=True)
    total_cost = models.PositiveIntegerField(null=True, blank=True)
    # What the site's budgets hold for its places, and in which month: "2026-11".
    held = models.PositiveIntegerField(default=0)
    held_month = models.CharField(max_length=7, blank=True)
    # Of rewards and bonuses, as far as Prolific says.
    cost: models.JSONField[Any, Any] = models.JSONField(default=dict, blank=True)
    # Submissions by status, and how many belong to nobody who has come here.
    counts: models.JSONField[Any, Any] = models.JSONField(default=dict, blank=True)
    unmatched = models.PositiveIntegerField(default=0)
    checked_at = models.DateTimeField(null=True, blank=True)
    # Since when a draft is being made. Two at once would make two.
    asked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"recruitment of {self.study_id}"


class Submission(models.Model):
    """A submission at Prolific of someone who has come here: others are not kept."""

    recruitment = models.ForeignKey(
        Recruitment, models.CASCADE, related_name="submissions"
    )
    worker = models.ForeignKey(Worker, models.CASCADE, related_name="submissions")
    prolific_id = models.CharField(max_length=64)
    status = models.CharField(max_length=64)
    bonus = models.PositiveIntegerField(null=True, blank=True)  # NULL: not known
    # When Prolific was last asked to approve it: written before the request.
    approval_sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["recruitment", "prolific_id"], name="one_row_per_submission"
            )
        ]

    def __str__(self) -> str:
        return f"submission {self.pk}"


class BonusBatch(models.Model):
    """Bonuses that are set up together, and paid by one request that is sent once."""

    class State(models.TextChoices):
        SETTING_UP = "setting-up", "being set up"
        READY = "ready", "set up, not paid"
        PAYING = "paying", "payment sent"
        UNKNOWN = "unknown", "outcome unknown"
        PAID = "paid"
        DROPPED = "dropped", "not paid"

    OPEN = (State.SETTING_UP, State.READY, State.PAYING, State.UNKNOWN)
    # In these, money may have gone out: nobody in them is offered it again.
    COMMITTED = (*OPEN, State.PAID)

    recruitment = models.ForeignKey(Recruitment, models.CASCADE, related_name="batches")
    state = models.CharField(max_length=10, choices=State, default=State.SETTING_UP)
    prolific_id = models.CharField(max_length=64, blank=True)
    amount = models.PositiveIntegerField(null=True, blank=True)
    fees = models.PositiveIntegerField(null=True, blank=True)
    total = models.PositiveIntegerField(null=True, blank=True)
    error = models.CharField(max_length=500, blank=True)
    made_at = models.DateTimeField()
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )
    sent_at = models.DateTimeField(null=True, blank=True)
    sent_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["recruitment"],
                condition=Q(state__in=["setting-up", "ready", "paying", "unknown"]),
                name="one_open_batch_of_bonuses",
            )
        ]

    def __str__(self) -> str:
        return f"bonuses {self.pk}"


class BonusLine(models.Model):
    """One person's bonus. It names nobody once their id is forgotten."""

    batch = models.ForeignKey(BonusBatch, models.CASCADE, related_name="lines")
    worker = models.ForeignKey(
        Worker, models.SET_NULL, null=True, blank=True, related_name="bonuses"
    )
    submission = models.ForeignKey(
        Submission, models.SET_NULL, null=True, blank=True, related_name="bonuses"
    )
    amount = models.PositiveIntegerField()
    before = models.PositiveIntegerField()  # bonuses that Prolific knew of

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"bonus line {self.pk}"
