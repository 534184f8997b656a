from __future__ import annotations

import secrets
import uuid
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from annotation import platforms

if TYPE_CHECKING:
    from annotation.models.policies import Policy


def new_seed() -> int:
    return secrets.randbelow(2**31)


def new_code() -> str:
    """A completion code that is easy to copy by hand: no 0, O, 1 or I."""
    alphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
    return "".join(secrets.choice(alphabet) for _ in range(8))


class StudyQuerySet(models.QuerySet["Study"]):
    def visible_to(self, user: User | AnonymousUser) -> StudyQuerySet:
        """Staff see every study, others their own. A study without owner is staff's."""
        if not user.is_authenticated:
            return self.none()
        return self if user.is_staff else self.filter(owner=user)


class Study(models.Model):
    """The question put to people: which texts, which aspects, how many ratings."""

    class State(models.TextChoices):
        DRAFT = "draft"
        OPEN = "open"
        PAUSED = "paused"
        CLOSED = "closed"

    class DamagedTexts(models.TextChoices):
        """Which pages hide a damaged text."""

        EVERY = "every", "on every page; no study opens where one cannot be made"
        POSSIBLE = "possible", "on the pages that allow one"
        NONE = "none", "on no page"

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True
    )
    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    name = models.SlugField(unique=True, help_text="Letters, digits, hyphens.")
    title = models.CharField(
        max_length=200, blank=True, help_text="What workers see; never name a system."
    )
    state = models.CharField(max_length=8, choices=State, default=State.DRAFT)
    simulated = models.BooleanField(
        default=False, help_text="Rated by simulated workers: shown on every page."
    )
    # Its ratings came with a file. It stays a draft, so that nothing is fixed, but
    # pages call it "rated elsewhere" and offer results rather than to open it.
    rated_elsewhere = models.BooleanField(default=False, editable=False)
    instructions = models.TextField(blank=True)
    consent = models.TextField(blank=True)
    contact = models.EmailField(blank=True)
    content_warning = models.CharField(max_length=500, blank=True)

    scale_min = models.PositiveSmallIntegerField(default=1)
    scale_max = models.PositiveSmallIntegerField(default=5)
    ratings_per_text = models.PositiveSmallIntegerField(
        default=5, validators=[MinValueValidator(1), MaxValueValidator(100)]
    )
    texts_per_survey = models.PositiveSmallIntegerField(
        default=6,
        validators=[MinValueValidator(1), MaxValueValidator(12)],
        help_text="At most this many real texts on a page; one negative is added.",
    )
    damaged_texts = models.CharField(
        max_length=8,
        choices=DamagedTexts,
        default=DamagedTexts.EVERY,
        help_text="Where a page has none, quality control makes its other checks only.",
    )
    spare_seats = models.PositiveSmallIntegerField(
        default=0,
        validators=[MaxValueValidator(20)],
        help_text="So many extra people may rate a survey whose places are all taken "
        "but not yet filled. Who comes too late is paid and counts as surplus.",
    )
    max_pages = models.PositiveSmallIntegerField(
        "most pages of one worker",
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="Empty: as many as there are surveys.",
    )
    lease_minutes = models.PositiveSmallIntegerField(
        default=30,
        validators=[MinValueValidator(1), MaxValueValidator(1440)],
        help_text="A seat is freed for others this long after its last saved answer.",
    )
    platform = models.CharField(
        max_length=32, choices=platforms.choices, default=platforms.DIRECT
    )
    invited_only = models.BooleanField(
        default=False, help_text="Only people with an invite link may take part."
    )
    minutes_per_page = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(240)],
        help_text="What workers are told to expect. Empty: estimated from the length "
        "of the texts.",
    )
    pay_per_page = models.DecimalField(
        null=True,
        blank=True,
        max_digits=8,
        decimal_places=2,
        validators=[MinValueValidator(0)],
        help_text="Shown to workers, and used to forecast the cost. Empty: unpaid, or "
        "paid elsewhere.",
    )
    currency = models.CharField(max_length=3, default="USD")
    pay_unused = models.BooleanField(
        "pay for pages that are not used",
        default=True,
        help_text="Discarded and surplus pages are paid, their ratings do not count. "
        "Platforms restrict rejections.",
    )
    completion_code = models.CharField(max_length=32, default=new_code)
    # Other endings with a code of their own; empty where there is none.
    nothing_left_code = models.CharField(
        max_length=32,
        blank=True,
        help_text="Given to who arrives when nothing is left to rate. Empty: none.",
    )
    screen_out_code = models.CharField(
        max_length=32,
        blank=True,
        help_text="Given to who does not pass the practice page. Empty: none.",
    )
    debrief = models.TextField(
        blank=True, help_text="Added to what workers read at the end."
    )
    retention_days = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="So long after the study is closed, platform ids of workers are "
        "deleted. Empty: never.",
    )
    closed_at = models.DateTimeField(null=True, blank=True, editable=False)
    seed = models.PositiveIntegerField(default=new_seed)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = StudyQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "studies"
        constraints = [
            models.CheckConstraint(
                condition=Q(scale_min__lt=F("scale_max"), scale_max__lte=100),
                name="study_scale_goes_up_and_ends_by_100",
            ),
            models.CheckConstraint(
                condition=Q(ratings_per_text__gte=1), name="study_asks_for_a_rating"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("study", args=[self.name])

    def get_worker_url(self) -> str:
        return reverse("worker:welcome", args=[self.public_id])

    @property
    def is_rated_elsewhere(self) -> bool:
        """Ratings came with a file, and nobody has rated here. It can still open."""
        return self.rated_elsewhere and self.state == self.State.DRAFT

    @property
    def state_in_words(self) -> str:
        return "rated elsewhere" if self.is_rated_elsewhere else self.state

    @property
    def public_title(self) -> str:
        """What workers read. The name may say what is compared: they never see it."""
        return self.title or "Rating texts"

    @property
    def scale(self) -> range:
        return range(self.scale_min, self.scale_max + 1)

    def current_policy(self) -> Policy:
        """The newest quality-control policy. One query."""
        return self.policies.order_by("-version")[:1].get()


class Aspect(models.Model):
    """One thing that people judge about a text: coherence, consistency, ..."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="aspects")
    key = models.SlugField()
    title = models.CharField(max_length=100)
    question = models.CharField(max_length=500)
    low = models.CharField("word for the low end", max_length=100)
    middle = models.CharField("word for the middle", max_length=100, blank=True)
    high = models.CharField("word for the high end", max_length=100)
    higher_is_better = models.BooleanField(default=True)
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["study", "key"], name="one_aspect_per_key")
        ]

    def __str__(self) -> str:
        return self.title

    def asked_of(self, label: str) -> str:
        """The question, in which {label} stands for what the text was asked to be."""
        said = f"“{label}”" if label else "what was asked for"
        return self.question.replace("{label}", said)

    @property
    def question_in_general(self) -> str:
        """For the instructions, which come before any text."""
        return self.asked_of("")


class AttributeLabel(models.Model):
    """What a text was asked to be (positive, sad, politics), and words for it."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="labels")
    name = models.CharField(max_length=100)
    verbalizers = models.JSONField(
        default=list, blank=True, help_text="Words that stand for it: good, great."
    )

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="one_label_per_name")
        ]

    def __str__(self) -> str:
        return self.name
