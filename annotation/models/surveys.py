from __future__ import annotations

import uuid
from datetime import datetime

from django.db import models
from django.db.models import Q
from django.urls import reverse

from annotation.models.studies import Study
from annotation.models.texts import Generation, Prompt


class Survey(models.Model):
    """One page: a prompt, a text of each system, and one hidden negative."""

    class Kind(models.TextChoices):
        REAL = "real"
        PRACTICE = "practice"

    study = models.ForeignKey(Study, models.CASCADE, related_name="surveys")
    prompt = models.ForeignKey(Prompt, models.PROTECT, related_name="surveys")
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.REAL)
    number = models.PositiveIntegerField()  # 1, 2, ... within the study
    seed = models.BigIntegerField()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "kind", "number"], name="one_survey_per_number"
            )
        ]

    def __str__(self) -> str:
        return f"survey {self.number}"


class Negative(models.Model):
    """A damaged text hidden on a page. Text and recipe are stored, never recomputed."""

    survey = models.OneToOneField(Survey, models.CASCADE, related_name="negative")
    source = models.ForeignKey(
        Generation, models.PROTECT, related_name="negatives"
    )  # whose text was damaged
    perturbation = models.CharField(max_length=30)
    hurts = models.JSONField()  # aspect keys that it should lower
    text = models.TextField()
    seed = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.perturbation} in {self.survey}"


class Item(models.Model):
    """A text on a page: a generation or the negative."""

    survey = models.ForeignKey(Survey, models.CASCADE, related_name="items")
    generation = models.ForeignKey(
        Generation, models.PROTECT, null=True, blank=True, related_name="items"
    )
    negative = models.OneToOneField(
        Negative, models.CASCADE, null=True, blank=True, related_name="item"
    )
    practice = models.BooleanField(default=False)  # the survey's kind, for the index

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(generation__isnull=False, negative__isnull=True)
                | Q(generation__isnull=True, negative__isnull=False),
                name="item_is_generation_or_negative",
            ),
            models.UniqueConstraint(
                fields=["generation"],
                condition=Q(practice=False),
                name="generation_in_one_real_survey",
            ),
            models.UniqueConstraint(
                fields=["survey", "generation"], name="generation_once_per_survey"
            ),
        ]

    def __str__(self) -> str:
        return f"item {self.pk}"

    @property
    def text(self) -> str:
        """As stored: pages show it as full_text. Reads generation or negative."""
        return (self.generation or self.negative).text


class Place(models.Model):
    """One of a survey's `ratings_per_text` numbers, free or held by a live seat."""

    survey = models.ForeignKey(Survey, models.CASCADE, related_name="places")
    study = models.ForeignKey(Study, models.CASCADE, related_name="places")
    number = models.PositiveSmallIntegerField()
    free = models.BooleanField(default=True)
    # Until when a claimed place is kept; NULL once submitted, or while free.
    lease_until = models.DateTimeField(null=True, blank=True)
    shuffle = models.BigIntegerField()  # random: workers do not all start on survey 1

    class Meta:
        ordering = ["survey", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["survey", "number"], name="one_place_per_number"
            ),
            models.CheckConstraint(
                condition=Q(free=False) | Q(lease_until__isnull=True),
                name="free_place_has_no_lease",
            ),
        ]
        indexes = [
            # assigning.claim reads along it and stops at the first place it may take:
            # the lowest number of any survey, so that all surveys fill evenly. Filled
            # places drop out, so a claim costs the same however many there are.
            models.Index(
                fields=["study", "number", "shuffle"],
                condition=Q(free=True) | Q(lease_until__isnull=False),
                name="next_open_place",
            )
        ]

    def __str__(self) -> str:
        return f"place {self.number} of {self.survey}"

    def is_open(self, now: datetime) -> bool:
        """Free, or kept by a lease that has lapsed."""
        return self.free or (self.lease_until is not None and self.lease_until < now)


class Worker(models.Model):
    """A person in one study. Never joined across studies."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="workers")
    platform = models.CharField(max_length=8, choices=Study.Platform)
    external_id = models.CharField(max_length=128)
    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    consented_at = models.DateTimeField(null=True, blank=True)
    consent = models.TextField(blank=True)  # the words agreed to
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "platform", "external_id"],
                name="one_worker_per_external_id",
            )
        ]

    def __str__(self) -> str:
        return f"worker {self.pk}"

    @property
    def personal_code(self) -> str:
        """What they give to ask for their data: in no export, so nobody else knows."""
        return str(self.public_id)[:8]


class Seat(models.Model):
    """One worker's sitting at a place."""

    class State(models.TextChoices):
        CLAIMED = "claimed"
        SUBMITTED = "submitted"
        VALID = "valid"
        DISCARDED = "discarded"
        EXPIRED = "expired"
        SURPLUS = "surplus"

    LIVE = (State.CLAIMED, State.SUBMITTED, State.VALID)  # these hold their place
    FINISHED = (State.SUBMITTED, State.VALID, State.DISCARDED, State.SURPLUS)

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    survey = models.ForeignKey(Survey, models.PROTECT, related_name="seats")
    place = models.ForeignKey(Place, models.PROTECT, related_name="seats")
    worker = models.ForeignKey(Worker, models.CASCADE, related_name="seats")
    state = models.CharField(max_length=9, choices=State, default=State.CLAIMED)
    order = models.JSONField()  # item ids in the order shown; answers name positions
    claimed_at = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["survey", "worker"], name="one_seat_per_worker_and_survey"
            ),
            models.UniqueConstraint(
                fields=["place"],
                condition=Q(state__in=["claimed", "submitted", "valid"]),
                name="one_live_seat_per_place",
            ),
            models.UniqueConstraint(
                fields=["worker"],
                condition=Q(state="claimed"),
                name="one_claimed_seat_per_worker",
            ),
        ]

    def __str__(self) -> str:
        return f"seat {self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("worker:seat", args=[self.public_id])
