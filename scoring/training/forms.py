"""The forms that start trainings: one for each metric that can be trained."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterable
from typing import Any

from django import forms

from annotation import human_scores
from annotation.models import Aspect, Study
from evalapp.limits import forms as storable_forms
from scoring.corpora import categories
from scoring.drawing.words import sentence
from scoring.metrics import OptionField, TrainedMetric, Training, option_fields
from scoring.models import Corpus
from scoring.runs.forms import add_options
from scoring.runs.model_fields import chosen_models
from scoring.scores import models_here
from scoring.scores.models_here import ModelHere

# Fields that are no options.
OWN = ("name", "corpus", "test", "ratings")
# Options that decide what is learned, and how long it takes; the others are folded.
OPEN = (
    *("preset", "aspect", "attribute", "method"),
    *("amateur", "expert", "gamma"),
    *("base", "texts", "pair", "folds", "pretrain_epochs", "epochs"),
)
LEARNS = (
    ("texts", "the texts of a corpus"),
    ("labels", "their labels"),
    ("ratings", "ratings of another study"),
)
ATTRIBUTE = "attribute"  # the option that names a column of the corpus


@dataclasses.dataclass(frozen=True)
class Material:
    """What a study has to learn from: read once for all forms, with five queries."""

    corpora: list[Corpus]
    aspects: list[Aspect]  # with ratings, of other studies
    own: list[Aspect]  # with ratings, of this one: for metrics that cross-fit
    taken: frozenset[str]  # names of trainings
    models: list[ModelHere] = dataclasses.field(default_factory=list)

    @classmethod
    def of(cls, study: Study) -> Material:
        return cls(
            list(study.corpora.all()),
            list(rated_aspects(study)),
            list(own_aspects(study)),
            frozenset(study.checkpoints.values_list("name", flat=True)),
            models_here.here(study),
        )

    @property
    def columns(self) -> list[str]:
        return sorted(categories(*self.corpora))

    def free_name(self, metric: str) -> str:
        names = (f"{metric}-{n}" for n in itertools.count(1))
        return next(name for name in names if name not in self.taken)


def rated_aspects(study: Study) -> Iterable[Aspect]:
    """Whose ratings may be learned from: of other studies that all members may see."""
    known = Study.objects.open_to_all_of(study)
    others = Aspect.objects.filter(study__in=known).exclude(study=study)
    found = human_scores.rated(others).select_related("study")
    return found.order_by("study__name", "position", "pk")


def own_aspects(study: Study) -> Iterable[Aspect]:
    """With ratings, of this study: for metrics that are cross-fitted."""
    return human_scores.rated(study.aspects.all()).select_related("study")


def aspect_key(aspect: Aspect) -> str:
    return f"{aspect.study.name}/{aspect.key}"


class TrainingForm(storable_forms.Form):
    """What may be chosen for a training, with what the study has."""

    name = forms.SlugField(
        label="Name",
        max_length=64,
        help_text="Letters, digits, hyphens and underscores.",
        error_messages={"invalid": "Use letters, digits, hyphens and underscores."},
    )

    def __init__(
        self,
        kind: type[TrainedMetric],
        material: Material,
        data: Any = None,
        *,
        initial: dict[str, object] | None = None,
    ) -> None:
        # Several of these stand on one page: the prefix keeps their ids apart.
        super().__init__(data, prefix=kind.name(), initial=initial)
        self.kind = kind
        self._taken, self._models = material.taken, material.models
        self.fields["name"].initial = material.free_name(kind.name())
        own = material.own if kind.cross_fits else []
        if kind.learns & {"texts", "labels"}:
            optional = "ratings" in kind.learns
            self.fields["corpus"] = _corpus_field(material.corpora, optional)
        if kind.takes_test and len(material.corpora) > 1:
            self.fields["test"] = _test_field(material.corpora)
        if "ratings" in kind.learns:
            self.fields["ratings"] = _ratings_field(material.aspects, own)
        self._aspects = {aspect_key(one): one for one in (*own, *material.aspects)}
        self._corpora = {one.name: one for one in material.corpora}
        self._add_options(material.columns)

    def _add_options(self, columns: list[str]) -> None:
        # What only this metric has goes first.
        known = {option.name for option in option_fields(Training)}
        options = option_fields(self.kind.TrainingOptions)
        for option in sorted(options, key=lambda one: one.name in known):
            if option.name == ATTRIBUTE:
                self.fields[option.name] = _attribute_field(option, columns)
            else:
                add_options(self, [option], self._models, self.kind.name())

    def clean_name(self) -> str:
        name = self.cleaned_data["name"]
        if name in self._taken:
            raise forms.ValidationError(
                f"This study already has a training called {name}: choose another name."
            )
        return name

    def options(self) -> dict[str, object]:
        """What was changed. The rest is left out, so that a preset may decide it."""
        usual = {
            option.name: option.default
            for option in option_fields(self.kind.TrainingOptions)
        }
        return {
            name: value
            for name, value in chosen_models(self.cleaned_data).items()
            if name in usual and value not in (None, "") and value != usual[name]
        }

    def chosen(self) -> dict[str, Any]:
        """Name, corpora, aspect and options, as `trainings.start` takes them."""
        given = self.cleaned_data
        return {
            "name": given["name"],
            "corpus": self._corpora.get(given.get("corpus", "")),
            "test": self._corpora.get(given.get("test", "")),
            "aspect": self._aspects.get(given.get("ratings", "")),
            "options": self.options(),
        }

    def first_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in (*OWN, *OPEN) if name in self.fields]

    def folded_fields(self) -> list[forms.BoundField]:
        first = (*OWN, *OPEN)
        return [field for field in self if field.name not in first]

    @property
    def learns_words(self) -> str:
        """What it learns from, after "Learns from"."""
        return " and ".join(words for what, words in LEARNS if what in self.kind.learns)

    @property
    def lacks_corpus(self) -> bool:
        field = self.fields.get("corpus")
        if field is None or self._corpora:
            return False
        return field.required or not self._aspects  # nor any ratings

    def folded_errors(self) -> bool:
        return any(field.errors for field in self.folded_fields())

    def refuse(self, error: str) -> None:
        """Put what is said about an option beside that option's field."""
        named = re.match(r"(\w+)\b", error)
        name = named[1] if named and named[1] in self.fields else None
        self.add_error(name, error)


def _corpus_field(corpora: list[Corpus], optional: bool) -> forms.Field:
    # The first by name may be a trial of a few texts.
    largest = max(corpora, key=lambda one: one.n_texts, default=None)
    return forms.ChoiceField(
        label="Corpus of human texts",
        choices=[
            *((one.name, f"{one.name} ({one.n_texts:,} texts)") for one in corpora),
            *([("", "none: learn from ratings only")] if optional else []),
        ],
        required=not optional,
        initial=largest.name if largest else None,
        error_messages={
            "required": "Choose the corpus to learn from.",
            "invalid_choice": "This corpus was deleted. Choose another one.",
        },
    )


def _test_field(corpora: list[Corpus]) -> forms.Field:
    return forms.ChoiceField(
        label="Test corpus",
        required=False,
        choices=[
            ("", "none: figures of the held-out texts only"),
            *((one.name, f"{one.name} ({one.n_texts:,} texts)") for one in corpora),
        ],
        help_text="Human texts that are never learned from, such as an official test"
        " set. You will see the accuracy on them.",
        error_messages={
            "invalid_choice": "This corpus was deleted. Choose another one."
        },
    )


def _ratings_field(aspects: list[Aspect], own: list[Aspect]) -> forms.Field:
    crossed = " From this study, each text is scored by a model that saw no text of its"
    crossed += " prompt (cross-fitting)."
    return forms.ChoiceField(
        label="Ratings",
        required=False,
        choices=[
            ("", "none"),
            *((aspect_key(a), f"this study, cross-fitted: {a.title}") for a in own),
            *((aspect_key(a), f"{a.study.name}: {a.title}") for a in aspects),
        ],
        help_text="From another study that all members of this one may see and that"
        " shares no text with it."
        + (crossed if own else "")
        + (
            ""
            if aspects
            else " None of your other studies has ratings yet: import or collect some."
        ),
        error_messages={"invalid_choice": "These ratings were deleted. Choose others."},
    )


def _attribute_field(option: OptionField, columns: list[str]) -> forms.Field:
    return forms.ChoiceField(
        label=option.title,
        required=False,
        initial=option.default,
        choices=[("", "none"), *((name, name) for name in columns)],
        help_text=sentence(option.help)
        + ("" if columns else " No corpus of this study has columns besides the text."),
    )
