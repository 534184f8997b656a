"""What people judge about a text, on which scale, and what a text was asked to be."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property
from typing import Any, Protocol

from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext

from annotation.models.studies import Study


class AskedAbout(Protocol):
    """A text, as far as a question asks about it."""

    @property
    def is_dialogue(self) -> bool: ...


FEWEST_POINTS, MOST_POINTS = 2, 11
SLIDER = range(0, 101)


class Aspect(models.Model):
    """One thing that people judge about a text: coherence, consistency, ..."""

    class Kind(models.TextChoices):
        """How a worker gives the answer."""

        POINTS = "points", "Points"
        SLIDER = "slider", "Slider from 0 to 100"

    class Level(models.TextChoices):
        """What differences between answers mean."""

        ORDINAL = "ordinal", "Ordinal: only the order of answers counts"
        INTERVAL = "interval", "Interval: equal steps are equally large"

    class About(models.TextChoices):
        """What the question is about."""

        TEXT = "text", "Each text, or each marked turn of a dialogue"
        DIALOGUE = "dialogue", "The whole dialogue"

    study = models.ForeignKey(Study, models.CASCADE, related_name="aspects")
    key = models.SlugField()
    title = models.CharField(max_length=100)
    question = models.CharField(max_length=500)
    # Of two texts; empty: a standard question with the title.
    pair_question = models.CharField(max_length=500, blank=True)
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.POINTS)
    # Ends of its own scale of points; NULL: those of the study.
    scale_min = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MaxValueValidator(100)]
    )
    scale_max = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MaxValueValidator(100)]
    )
    low = models.CharField("label of the lowest score", max_length=100)
    middle = models.CharField("label of the middle score", max_length=100, blank=True)
    high = models.CharField("label of the highest score", max_length=100)
    # Labels of points between: {"2": "Poor"}.
    words = models.JSONField(default=dict, blank=True)
    cannot_say = models.BooleanField(
        default=False,
        help_text="Offer “Cannot say”. It counts as answered, and never as a number.",
    )
    level = models.CharField(max_length=8, choices=Level, default=Level.ORDINAL)
    about = models.CharField(max_length=8, choices=About, default=About.TEXT)
    higher_is_better = models.BooleanField(default=True)
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["study", "key"], name="one_aspect_per_key"),
            models.CheckConstraint(
                condition=Q(scale_min=None, scale_max=None)
                | Q(scale_min__lt=F("scale_max"), scale_max__lte=100),
                name="aspect_scale_has_both_ends_or_none",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @cached_property
    def memo(self) -> dict[Hashable, Any]:
        """What pages make of it, for as long as this instance is used for them."""
        return {}

    @property
    def is_of_dialogue(self) -> bool:
        return self.about == self.About.DIALOGUE

    def asks_about(self, text: AskedAbout) -> bool:
        """Questions on whole dialogues are asked of these, others of anything else."""
        return self.is_of_dialogue == text.is_dialogue

    @property
    def is_slider(self) -> bool:
        return self.kind == self.Kind.SLIDER

    @property
    def has_own_scale(self) -> bool:
        return self.is_slider or self.scale_min is not None

    @property
    def scale(self) -> range:
        """The numbers that are answers: its own, else those of the study."""
        if self.is_slider:
            return SLIDER
        if self.scale_min is None or self.scale_max is None:
            return self.study.scale
        return range(self.scale_min, self.scale_max + 1)

    @property
    def ends(self) -> tuple[int, int]:
        return self.scale[0], self.scale[-1]

    @property
    def labels(self) -> dict[int, str]:
        """Words of answers, lowest first; an answer without any is left out."""
        low, high = self.ends
        found = {} if self.is_slider else {int(at): w for at, w in self.words.items()}
        middle, rest = divmod(low + high, 2)
        if not rest and middle not in (low, high):
            found[middle] = self.middle or found.get(middle, "")
        found |= {low: self.low, high: self.high}
        return {at: found[at] for at in sorted(found) if found[at] and at in self.scale}

    def asked_of(self, label: str) -> str:
        """The question, in which {label} stands for what the text was asked to be."""
        return _with_label(self.question, label)

    def asked_of_pair(self, label: str) -> str:
        """The question on two texts."""
        standard = gettext("Which text is better? (%(aspect)s)")
        said = self.pair_question or standard % {"aspect": self.title}
        return _with_label(said, label)

    @property
    def pair_question_in_general(self) -> str:
        return self.asked_of_pair("")

    @property
    def question_in_general(self) -> str:
        """For the instructions, which come before any text."""
        return self.asked_of("")


def _with_label(question: str, label: str) -> str:
    if label:
        said = gettext("“%(words)s”") % {"words": label}
    else:
        said = gettext("the given feeling or topic")
    return question.replace("{label}", said)


class AttributeLabel(models.Model):
    """What a text was asked to be (positive, sad, politics), and words for it."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="labels")
    name = models.CharField(max_length=100)
    verbalizers = models.JSONField(
        default=list,
        blank=True,
        help_text="Words that stand for it, for example: good, great.",
    )

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="one_label_per_name")
        ]

    def __str__(self) -> str:
        return self.name
