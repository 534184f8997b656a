from __future__ import annotations

import secrets
import uuid

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Exists, F, OuterRef, Q, Value
from django.urls import reverse
from django.utils.translation import gettext, override

from annotation import platforms
from annotation.models.kinds import only_ratings
from annotation.models.parts import RatedPart
from annotation.models.policies import HasPolicies


def new_seed() -> int:
    return secrets.randbelow(2**31)


def new_code() -> str:
    """A completion code that is easy to copy by hand: no 0, O, 1 or I."""
    alphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
    return "".join(secrets.choice(alphabet) for _ in range(8))


def languages() -> list[tuple[str, str]]:
    """What forms offer. Called by models, so that a new one needs no migration."""
    return settings.LANGUAGES


# People read about as many texts a minute in every language (Trauzettel-Klosinski and
# Dietz 2012), and these scripts say the same with fewer characters: our own words with
# 1 for 2.6 of English, and 1 for 1.9. Rounded up.
OF_ENGLISH = {"zh-hans": 3, "ja": 2}

OWNER, EDITOR = "owner", "editor"  # of Member.Role, which stands above this file


class StudyQuerySet(models.QuerySet["Study"]):
    def visible_to(self, user: User | AnonymousUser) -> StudyQuerySet:
        """Those that the user is a member of, each with the user's `role` in it.

        Staff see every study, and may do there what an owner may. Deleted studies are
        in `deleted_of`, those that a file is being stored into in `stored_into_of`.
        """
        return self.whole()._of(user)

    def whole(self) -> StudyQuerySet:
        """Those that no file is being stored into: nobody sees half of one."""
        return self.filter(storing=None)

    def stored_into_of(self, user: User | AnonymousUser) -> StudyQuerySet:
        """Those that the user will see once the rows of a file are all in."""
        return self.exclude(storing=None)._of(user)

    def _of(self, user: User | AnonymousUser) -> StudyQuerySet:
        found = self.filter(deleted_at=None)
        if not user.is_authenticated:
            return self.none()
        if user.is_staff:
            return found.annotate(role=Value(OWNER))  # type: ignore[no-redef]
        # One join: a user has one role in a study.
        mine = found.filter(members__user=user)
        return mine.annotate(role=F("members__role"))  # type: ignore[no-redef]

    def deleted_of(self, user: User | AnonymousUser) -> StudyQuerySet:
        """Deleted ones that the user may restore."""
        found = self.exclude(deleted_at=None)
        if not user.is_authenticated:
            return self.none()
        if user.is_staff:
            return found
        return found.filter(members__user=user, members__role=OWNER)

    def open_to_all_of(self, study: Study) -> StudyQuerySet:
        """Studies that every member of `study` may see, too.

        What a study may use of others: nobody learns there of a study that they are no
        member of.
        """
        here = study.members.model._default_manager.filter(study=study)
        there = here.model._default_manager.filter(
            study=OuterRef(OuterRef("pk")), user=OuterRef("user")
        )
        strangers = here.filter(~Exists(there), user__is_staff=False)
        return self.whole().filter(~Exists(strangers), deleted_at=None)


class Study(RatedPart, HasPolicies):
    """The question put to people: which texts, which aspects, how many ratings."""

    class State(models.TextChoices):
        DRAFT = "draft"
        OPEN = "open"
        PAUSED = "paused"
        CLOSED = "closed"

    class DamagedTexts(models.TextChoices):
        """Which pages hide a damaged text."""

        EVERY = "every", "on every page (the study opens only if each page allows one)"
        POSSIBLE = "possible", "on pages that allow one"
        NONE = "none", "on no page"

    class Monospaced(models.TextChoices):
        """Which texts are shown as code."""

        AUTOMATIC = "automatic", "texts that look like code"
        ALWAYS = "always", "all texts: they are code"
        NEVER = "never", "no text"

    # What the user may do for whom `visible_to` found it; without one, nothing.
    role = ""

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    name = models.SlugField(
        unique=True, help_text="Letters, digits, hyphens and underscores."
    )
    # Words about a setting, and when it is fixed: see `annotation.studies.settings`.
    title = models.CharField(max_length=200, blank=True)
    language = models.CharField(max_length=10, choices=languages, default="en")
    state = models.CharField(max_length=8, choices=State, default=State.DRAFT)
    simulated = models.BooleanField(
        default=False, help_text="Rated by simulated workers. Every page says so."
    )
    # Its ratings came with a file. It stays a draft, so that nothing is fixed, but
    # pages call it "rated elsewhere" and offer results rather than to open it.
    rated_elsewhere = models.BooleanField(default=False, editable=False)
    monospaced = models.CharField(
        max_length=9, choices=Monospaced, default=Monospaced.AUTOMATIC
    )
    instructions = models.TextField(blank=True)
    consent = models.TextField(blank=True)
    contact = models.EmailField(blank=True)
    content_warning = models.CharField(max_length=500, blank=True)

    # Kinds of pages in the order in which workers get them, each once.
    page_kinds = models.JSONField(default=only_ratings)
    pairs_per_text = models.PositiveSmallIntegerField(
        "comparisons per text",
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(1000)],
        help_text="With how many texts for the same prompt each text is compared. "
        "Leave empty for all.",
    )
    pair_ties = models.BooleanField(
        "offer “No difference”", default=True, help_text="On pages with pairs."
    )
    pair_strength = models.BooleanField(
        "ask how much better",
        default=False,
        help_text="On pages with pairs: “better” and “much better” on each side.",
    )
    scale_min = models.PositiveSmallIntegerField(default=1)
    scale_max = models.PositiveSmallIntegerField(default=5)
    ratings_per_text = models.PositiveSmallIntegerField(
        default=5, validators=[MinValueValidator(1), MaxValueValidator(100)]
    )
    texts_per_survey = models.PositiveSmallIntegerField(
        default=6, validators=[MinValueValidator(1), MaxValueValidator(12)]
    )
    damaged_texts = models.CharField(
        max_length=8, choices=DamagedTexts, default=DamagedTexts.EVERY
    )
    spare_seats = models.PositiveSmallIntegerField(
        default=0, validators=[MaxValueValidator(20)]
    )
    one_by_one = models.BooleanField(default=False)
    canary = models.BooleanField(default=False)
    max_pages = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1)]
    )
    lease_minutes = models.PositiveSmallIntegerField(
        default=30, validators=[MinValueValidator(1), MaxValueValidator(1440)]
    )
    platform = models.CharField(
        max_length=32, choices=platforms.choices, default=platforms.DIRECT
    )
    invited_only = models.BooleanField(default=False)
    minutes_per_page = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(240)]
    )
    pay_per_page = models.DecimalField(
        null=True,
        blank=True,
        max_digits=8,
        decimal_places=2,
        validators=[MinValueValidator(0)],
    )
    currency = models.CharField(max_length=3, default="USD")
    pay_unused = models.BooleanField(default=True)
    completion_code = models.CharField(max_length=32, default=new_code)
    # Where a platform gives each study an address for those who have finished.
    completion_url = models.CharField(max_length=500, blank=True)
    # Other endings with a code of their own; empty where there is none.
    nothing_left_code = models.CharField(max_length=32, blank=True)
    screen_out_code = models.CharField(max_length=32, blank=True)
    debrief = models.TextField(blank=True)
    # Only of studies that are made from now on: workers of others may wait for pay.
    retention_days = models.PositiveIntegerField(
        default=90, null=True, blank=True, validators=[MinValueValidator(1)]
    )
    closed_at = models.DateTimeField(null=True, blank=True, editable=False)
    # Hidden from the list, and nothing in it can be changed.
    archived_at = models.DateTimeField(null=True, blank=True, editable=False)
    # Closed to workers and to members until it is restored or removed permanently.
    deleted_at = models.DateTimeField(null=True, blank=True, editable=False)
    deleted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
    )
    state_before = models.CharField(  # it was deleted
        max_length=8, choices=State, blank=True, editable=False
    )
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
    def may_edit(self) -> bool:
        """Change and start things: owners and editors, unless it is archived."""
        return self.role in (OWNER, EDITOR) and self.archived_at is None

    @property
    def may_manage(self) -> bool:
        """Decide on members, archive and delete."""
        return self.role == OWNER

    @property
    def sees_people(self) -> bool:
        """See what leads to a worker: platform ids, invites, personal codes."""
        return self.role in (OWNER, EDITOR)

    @property
    def owner(self) -> User | None:
        """The member who has been an owner longest; None for a study of staff only."""
        owners = (one.user for one in self.members.all() if one.role == OWNER)
        return next(owners, None)

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
        with override(self.language):
            return self.title or gettext("Rate texts")

    @property
    def scale(self) -> range:
        return range(self.scale_min, self.scale_max + 1)
