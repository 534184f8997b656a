from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping
from datetime import datetime

from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils.crypto import salted_hmac

from annotation import platforms
from annotation.models import kinds
from annotation.models.studies import Study
from annotation.models.texts import Generation, Prompt


class Survey(models.Model):
    """One page. Of ratings: a prompt, a text of each system, and a hidden negative."""

    NAMED = ("survey", "surveys")

    study = models.ForeignKey(Study, models.CASCADE, related_name="surveys")
    kind = models.CharField(
        max_length=8, choices=kinds.choices, default=kinds.DEFAULT_KIND
    )
    part = models.PositiveSmallIntegerField(default=0)  # of the study's page kinds
    # Pairs have prompts of their own; there it is that of the negative, if any.
    prompt = models.ForeignKey(Prompt, models.PROTECT, related_name="surveys")
    number = models.PositiveIntegerField()  # 1, 2, ... within the study
    # The number of the first page that was drawn together with this one, so that what
    # came later stays behind. NULL: drawn before this was kept.
    batch = models.PositiveIntegerField(null=True, blank=True, editable=False)
    seed = models.BigIntegerField()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "number"], name="one_survey_per_number"
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


class Pair(models.Model):
    """Two texts for one prompt; without a second, a text and its damaged twin."""

    NAMED = ("pair", "pairs")

    survey = models.ForeignKey(Survey, models.CASCADE, related_name="pairs")
    prompt = models.ForeignKey(Prompt, models.PROTECT, related_name="pairs")
    first = models.ForeignKey(Generation, models.PROTECT, related_name="pairs_first")
    second = models.ForeignKey(
        Generation, models.PROTECT, null=True, blank=True, related_name="pairs_second"
    )
    # With which it was drawn among all pairs of its prompt.
    probability = models.FloatField(default=1.0)

    class Meta:
        ordering = ["id"]
        constraints = [
            # In one order only, so that no pair is drawn twice.
            models.CheckConstraint(
                condition=Q(second=None) | Q(first__lt=F("second")),
                name="pair_in_order",
            ),
            models.UniqueConstraint(
                fields=["first", "second"],
                condition=Q(second__isnull=False),
                name="one_pair_of_two_texts",
            ),
        ]

    def __str__(self) -> str:
        return f"pair {self.pk}"


class Item(models.Model):
    """What people judge on a page: a generation, the negative, a pair, or a decoy.

    A pair of a text and its damaged twin has both a pair and the negative. A damaged
    dialogue is a copy in which one turn is the negative; its other turns, and all of
    it, are decoys: asked about like any others, and never counted.
    """

    survey = models.ForeignKey(Survey, models.CASCADE, related_name="items")
    generation = models.ForeignKey(
        Generation, models.PROTECT, null=True, blank=True, related_name="items"
    )
    negative = models.OneToOneField(
        Negative, models.CASCADE, null=True, blank=True, related_name="item"
    )
    pair = models.OneToOneField(
        Pair, models.CASCADE, null=True, blank=True, related_name="item"
    )
    decoy = models.ForeignKey(
        Generation, models.PROTECT, null=True, blank=True, related_name="decoys"
    )
    part = models.PositiveSmallIntegerField(default=0)  # that of its survey

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    generation__isnull=False, negative=None, pair=None, decoy=None
                )
                | Q(generation=None, negative__isnull=False, decoy=None)
                | Q(generation=None, pair__isnull=False, decoy=None)
                | Q(generation=None, negative=None, pair=None, decoy__isnull=False),
                name="item_is_generation_negative_pair_or_decoy",
            ),
            models.UniqueConstraint(
                fields=["survey", "decoy"], name="decoy_once_on_a_page"
            ),
            models.UniqueConstraint(
                fields=["generation", "part"], name="generation_in_one_survey_of_a_part"
            ),
        ]

    def __str__(self) -> str:
        return f"item {self.pk}"

    @property
    def text(self) -> str:
        """As stored: pages show it as full_text. Reads generation, negative or pair."""
        if self.pair:
            second = self.pair.second or self.negative
            return "\n\n".join(one.text for one in (self.pair.first, second) if one)
        found = self.generation or self.negative or self.decoy
        assert found is not None  # item_is_generation_negative_pair_or_decoy
        return found.text

    @property
    def stands_for(self) -> Generation:
        """The text of a dialogue in whose place it stands: its own, or the undamaged
        one. Reads generation, negative and decoy."""
        found = self.generation or self.decoy
        if found is None:
            assert self.negative is not None
            found = self.negative.source
        return found


class Place(models.Model):
    """One of a survey's `ratings_per_text` numbers, free or held by a live seat."""

    survey = models.ForeignKey(Survey, models.CASCADE, related_name="places")
    study = models.ForeignKey(Study, models.CASCADE, related_name="places")
    part = models.PositiveSmallIntegerField(default=0)  # that of its survey
    number = models.PositiveSmallIntegerField()
    free = models.BooleanField(default=True)
    # Until when a claimed place is kept; NULL once submitted, or while free.
    lease_until = models.DateTimeField(null=True, blank=True)
    # Random: workers do not all start on survey 1. The same for all places of a prompt
    # where the study goes through its prompts one by one.
    shuffle = models.BigIntegerField()
    # A keyed hash of the address that a newcomer holds it from; see `seats.newcomers`.
    source = models.CharField(max_length=32, blank=True)

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
            # the lowest number of any survey of the first part that has one, so that
            # all surveys of a part fill evenly. Filled
            # places drop out, so a claim costs the same however many there are.
            models.Index(
                fields=["study", "part", "number", "shuffle"],
                condition=Q(free=True) | Q(lease_until__isnull=False),
                name="next_open_place",
            ),
            # The same for studies that go through their prompts one by one.
            models.Index(
                fields=["study", "part", "shuffle", "number"],
                condition=Q(free=True) | Q(lease_until__isnull=False),
                name="next_open_place_of_prompt",
            ),
            models.Index(
                fields=["study", "source"],
                condition=~Q(source=""),
                name="held_by_newcomers",
            ),
        ]

    def __str__(self) -> str:
        return f"place {self.number} of {self.survey}"

    def is_open(self, now: datetime) -> bool:
        """Free, or kept by a lease that has lapsed."""
        return self.free or (self.lease_until is not None and self.lease_until < now)


CODE = 10  # characters of a personal code


def pseudonym(study: Study, worker_id: int) -> str:
    """A name for a worker that leads back to no platform account."""
    digest = salted_hmac("worker", f"{study.public_id}:{worker_id}").hexdigest()
    return f"w-{digest[:10]}"


def digest_of(words: str) -> str:
    """A short name for exactly these words; empty for none."""
    return hashlib.sha256(words.encode()).hexdigest()[:16] if words else ""


class Worker(models.Model):
    """A person in one study. Never joined across studies."""

    NAMED = ("worker", "workers")

    class State(models.TextChoices):
        """Only the active ones get pages."""

        ACTIVE = "active"
        BLOCKED = "blocked"  # by the policy, after too many discards
        EXCLUDED = "excluded"  # by a researcher, with all their pages
        SCREENED = "screened", "screened out"  # by the practice page
        WITHDRAWN = "withdrawn"  # by themselves, with all their answers

    study = models.ForeignKey(Study, models.CASCADE, related_name="workers")
    platform = models.CharField(max_length=32, choices=platforms.choices)
    external_id = models.CharField(max_length=128)
    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    state = models.CharField(max_length=9, choices=State, default=State.ACTIVE)
    state_reason = models.CharField(max_length=300, blank=True)
    state_at = models.DateTimeField(null=True, blank=True)
    arrival = models.JSONField(default=dict, blank=True)  # what their link carried
    # Keyed hashes of what only they can show again: see `crowd.proofs`.
    proofs = models.JSONField(default=list, blank=True)
    consented_at = models.DateTimeField(null=True, blank=True)
    consent = models.TextField(blank=True)  # the words agreed to
    # When they were told that texts are damaged on purpose. They get no page after it.
    debriefed_at = models.DateTimeField(null=True, blank=True)
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
    def takes_part(self) -> bool:
        """Whether they may have pages, as far as it is about them."""
        return self.state == self.State.ACTIVE and self.debriefed_at is None

    @property
    def personal_code(self) -> str:
        """What proves them, and what they give to ask for their data.

        Derived by the site's key: whoever reads their `public_id` cannot know it.
        """
        return salted_hmac("personal-code", self.public_id.hex).hexdigest()[:CODE]

    @property
    def consent_digest(self) -> str:
        """Which words they agreed to."""
        return digest_of(self.consent)


class Seat(models.Model):
    """One worker's sitting at a place."""

    class State(models.TextChoices):
        CLAIMED = "claimed"
        VALID = "valid"
        DISCARDED = "discarded"
        EXPIRED = "expired"
        SURPLUS = "surplus"

    LIVE = (State.CLAIMED, State.VALID)  # these hold their place
    FINISHED = (State.VALID, State.DISCARDED, State.SURPLUS)

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    survey = models.ForeignKey(Survey, models.PROTECT, related_name="seats")
    place = models.ForeignKey(Place, models.PROTECT, related_name="seats")
    worker = models.ForeignKey(Worker, models.CASCADE, related_name="seats")
    state = models.CharField(max_length=9, choices=State, default=State.CLAIMED)
    order = models.JSONField()  # item ids in the order shown; answers name positions
    # Ids of pairs whose second text was on the left.
    flipped = models.JSONField(default=list, blank=True)
    claimed_at = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True, blank=True)
    # Position on the page -> milliseconds that its text was in view of an active
    # reader, as the page measured it. Empty without JavaScript.
    visible = models.JSONField(default=dict, blank=True)
    comment = models.TextField(blank=True)
    # In text fields: see `annotation.seats.writing`. NULL: the page did not count.
    pastes = models.PositiveIntegerField(null=True, blank=True)
    pasted = models.PositiveIntegerField(null=True, blank=True)  # characters
    left = models.PositiveIntegerField(null=True, blank=True)
    # Submitted by someone who had read the debriefing: statistics leave it out.
    informed = models.BooleanField(default=False)
    consent = models.CharField(
        max_length=16, blank=True
    )  # digest of the words agreed to

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["survey", "worker"], name="one_seat_per_worker_and_survey"
            ),
            models.UniqueConstraint(
                fields=["place"],
                condition=Q(state__in=["claimed", "valid"]),
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

    @property
    def seconds_in_view(self) -> float | None:
        """Of all its texts; None if nobody measured."""
        return seconds_in_view(self.visible, self.claimed_at, self.submitted_at)


def seconds_in_view(
    visible: Mapping[str, int], claimed: datetime, submitted: datetime | None
) -> float | None:
    """How long the texts of a page were in view; None if nobody measured.

    Never longer than the sitting. Pages once counted texts that were in view together
    in full, so their sum could be longer, and fast reading could seem slow.
    """
    if not visible:
        return None
    seconds = sum(visible.values()) / 1000
    if submitted is None:
        return seconds
    return min(seconds, max(0.0, (submitted - claimed).total_seconds()))


class Invite(models.Model):
    """A personal link. Only the hash of its token is kept, so it is shown once."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="invites")
    name = models.CharField(max_length=200)  # whom the researcher means
    digest = models.CharField(max_length=64, unique=True)
    worker = models.OneToOneField(
        Worker, models.SET_NULL, null=True, blank=True, related_name="invite"
    )
    # A browser has begun with this link: others are asked for the personal code.
    taken = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.name
