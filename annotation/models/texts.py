from __future__ import annotations

import hashlib

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q, Value
from django.db.models.lookups import Exact

from annotation.models.aspects import Aspect, AttributeLabel
from annotation.models.dialogues import Dialogue
from annotation.models.studies import Study
from annotation.sentences import respelled
from annotation.turns import Turn

NO_OUTPUT = "no output"  # why a text without words is excluded


def full_text(prefix: str, text: str) -> str:
    """The text as given if it begins with its prefix, else prefix + space + text.

    Of a system that wrote nothing it is empty: the prefix is none of its words.

    The one definition that survey pages, metrics and lengths share. A prefix that the
    text repeats in another spelling is there once, as `respelled` has it.
    """
    text = respelled(prefix, text)
    if not prefix or not text or text.startswith(prefix):
        return text
    return f"{prefix} {text}"


class Import(models.Model):
    """One file that came in: where texts, ratings and means are from."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="imports")
    format = models.CharField(max_length=20)
    file_name = models.CharField(max_length=255)
    sha256 = models.CharField(max_length=64)
    options = models.JSONField(default=dict)
    n_rows = models.PositiveIntegerField(default=0)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]

    # Of options: the last row of each table before it and after it, see `imports`.
    BEFORE, AFTER = "last_before", "last_after"

    def __str__(self) -> str:
        return f"{self.file_name} ({self.format})"


class System(models.Model):
    """Who wrote a text: a generator with its sampling settings, or people."""

    class Kind(models.TextChoices):
        GENERATOR = "generator"
        HUMAN = "human"

    study = models.ForeignKey(Study, models.CASCADE, related_name="systems")
    name = models.CharField(max_length=100)
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.GENERATOR)
    model = models.CharField(max_length=200, blank=True)
    top_p = models.FloatField(
        null=True,
        blank=True,
        validators=[MinValueValidator(0.0), MaxValueValidator(1.0)],
    )
    top_k = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "name"], name="one_system_per_name"
            )
        ]

    def __str__(self) -> str:
        return self.name


class Prompt(models.Model):
    """What a system was given: a content prefix, an attribute label, maybe a source."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="prompts")
    prefix = models.TextField(blank=True)
    label = models.ForeignKey(AttributeLabel, models.PROTECT, null=True, blank=True)
    source = models.TextField(blank=True)  # shown beside the text, never glued on
    position = models.PositiveIntegerField(default=0)
    # Texts are too long for a unique index on PostgreSQL; their hash is not.
    digest = models.CharField(max_length=64, editable=False)

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "digest"], name="one_prompt_per_prefix_label_source"
            )
        ]

    def __str__(self) -> str:
        return self.prefix[:60] or self.source[:60]

    @staticmethod
    def digest_of(prefix: str, label: str, source: str) -> str:
        return hashlib.sha256("\x1f".join((prefix, label, source)).encode()).hexdigest()


# Of each generation whether its system gave no output.
IS_EMPTY: Exact[str] = Exact(F("text"), Value(""))
WHOLE = Q(dialogue__isnull=False, turn=None)  # generations that are all of a dialogue


class GenerationQuerySet(models.QuerySet["Generation"]):
    def to_rate(self) -> GenerationQuerySet:
        """Those that people are asked about: not excluded, nor left out by the draw."""
        return self.filter(~Q(asked=False), excluded_at=None)

    def without_words(self) -> GenerationQuerySet:
        """Where a system gave no output: excluded ever since their import."""
        return self.filter(text="")

    def of_one_level(self) -> GenerationQuerySet:
        """Texts that make a set: without whole dialogues, whose turns are in it.

        All of them where there is nothing else.
        """
        alone = self.exclude(WHOLE)
        return alone if alone.exists() else self

    def asked_about(self) -> GenerationQuerySet:
        """Those that a question of their study is about."""
        # Studies with such a question, found once and not again for each text.
        asking = Aspect.objects.order_by().values("study")
        of_dialogues = Q(study__in=asking.filter(about=Aspect.About.DIALOGUE))
        of_texts = Q(study__in=asking.filter(about=Aspect.About.TEXT))
        return self.filter((WHOLE & of_dialogues) | (~WHOLE & of_texts))


class Generation(models.Model):
    """One text under test. Never edited: a corrected text is a new generation."""

    NAMED = ("text", "texts")

    study = models.ForeignKey(Study, models.CASCADE, related_name="generations")
    key = models.CharField(max_length=64)  # the researcher's own id, or its row
    prompt = models.ForeignKey(Prompt, models.PROTECT, related_name="generations")
    system = models.ForeignKey(
        System, models.PROTECT, null=True, blank=True, related_name="generations"
    )
    sample = models.PositiveIntegerField(default=1)  # k-th text of its system here
    text = models.TextField()
    log_probability = models.FloatField(null=True, blank=True)
    pair = models.CharField(max_length=64, blank=True)
    imported = models.ForeignKey(Import, models.PROTECT, null=True, blank=True)
    dialogue = models.ForeignKey(
        Dialogue, models.PROTECT, null=True, blank=True, related_name="generations"
    )
    # Of the dialogue, from 0; NULL: all of it, or a text outside any dialogue.
    turn = models.PositiveIntegerField(null=True, blank=True)
    # Of a study that asks for a random part: whether it was drawn, the probability that
    # it would be, and of which stratum. NULL: not decided yet, or all texts are asked.
    asked = models.BooleanField(null=True, blank=True, editable=False)
    probability = models.FloatField(null=True, blank=True, editable=False)
    stratum = models.PositiveIntegerField(null=True, blank=True, editable=False)
    # Statistics leave out an excluded text, and can be told to count it in.
    excluded_at = models.DateTimeField(null=True, blank=True)
    excluded_reason = models.CharField(max_length=500, blank=True)
    # When a researcher first read it, to say in a paper that someone did.
    reviewed_at = models.DateTimeField(null=True, blank=True)
    reviewed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )

    objects = GenerationQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "key"], name="one_generation_per_key"
            ),
            models.UniqueConstraint(
                fields=["prompt", "system", "sample"],
                condition=Q(system__isnull=False),
                name="one_generation_per_prompt_system_sample",
            ),
            models.CheckConstraint(
                condition=Q(dialogue__isnull=False) | Q(turn=None),
                name="turn_of_a_dialogue",
            ),
            models.UniqueConstraint(
                fields=["dialogue", "turn"], name="one_generation_per_turn"
            ),
            models.CheckConstraint(
                condition=Q(asked=None, probability=None, stratum=None)
                | Q(
                    asked__isnull=False,
                    probability__gt=0,
                    probability__lte=1,
                    stratum__isnull=False,
                ),
                name="drawn_text_has_a_probability",
            ),
            models.UniqueConstraint(
                fields=["dialogue"],
                condition=Q(turn=None),
                name="one_generation_of_the_whole_dialogue",
            ),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def turns_before(self) -> list[Turn]:
        """Those that it answers; none of a text outside any dialogue."""
        turns = self.dialogue.turns if self.dialogue else []
        return turns[: self.turn] if self.turn is not None else []

    @property
    def own_turn(self) -> list[Turn]:
        """It alone, with who says it."""
        turns = self.dialogue.turns if self.dialogue else []
        return [] if self.turn is None else turns[self.turn : self.turn + 1]

    @property
    def turn_number(self) -> int | None:
        """As people count: from 1. None: the whole dialogue, or no dialogue."""
        return None if self.turn is None else self.turn + 1

    @property
    def is_excluded(self) -> bool:
        """Whether statistics leave it out. An empty text always is."""
        return self.excluded_at is not None

    @property
    def is_dialogue(self) -> bool:
        """Whether it is all of a conversation."""
        return self.dialogue_id is not None and self.turn is None

    @property
    def full_text(self) -> str:
        """Reads self.prompt: select_related it where there are many."""
        return full_text(self.prompt.prefix, self.text)


class Reference(models.Model):
    """A right text: written for a prompt, or made from one text by correcting it.

    A corrected text says nothing of the other texts of its prompt: it is a reference
    of its own text only, and `prompt.references` never has it.
    """

    class Kind(models.TextChoices):
        PREWRITTEN = "prewritten"  # for the prompt, before any system answered it
        TARGETED = "targeted"  # someone edited the text until it was right

    kind = models.CharField(max_length=10, choices=Kind, default=Kind.PREWRITTEN)
    prompt = models.ForeignKey(
        Prompt, models.CASCADE, null=True, blank=True, related_name="references"
    )
    generation = models.ForeignKey(
        Generation, models.CASCADE, null=True, blank=True, related_name="references"
    )
    text = models.TextField()
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["prompt", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["prompt", "position"], name="one_reference_per_position"
            ),
            models.UniqueConstraint(
                fields=["generation", "position"],
                name="one_targeted_reference_per_position",
            ),
            models.CheckConstraint(
                condition=Q(
                    kind="prewritten", prompt__isnull=False, generation__isnull=True
                )
                | Q(kind="targeted", prompt__isnull=True, generation__isnull=False),
                name="reference_of_a_prompt_or_of_a_text",
            ),
        ]

    def __str__(self) -> str:
        return self.text[:60]
