"""What a study asks of a kind before it opens: its words, questions and options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from django.forms import BoundField

from annotation.models import Aspect, Study


class TextFields(NamedTuple):
    """What any text of a study has."""

    prefix: bool
    source: bool
    label: bool

    @classmethod
    def of(cls, study: Study) -> TextFields:
        """Three small queries."""
        prompts = study.prompts.all()
        return cls(
            prompts.exclude(prefix="").exists(),
            prompts.exclude(source="").exists(),
            prompts.exclude(label=None).exists(),
        )


class Option(NamedTuple):
    """A field of the study that only pages of one kind follow."""

    name: str
    label: str
    help_text: str = ""


class OwnForm(Protocol):
    """Options with a table of their own, as spans have their categories."""

    @property
    def template(self) -> str:
        """That shows its fields: `annotation/setup/_own_form.html`, or its own."""

    def __iter__(self) -> Iterator[BoundField]: ...

    def is_valid(self) -> bool: ...

    def save(self) -> object: ...


class Setup(Protocol):
    """How a study with pages of one kind begins."""

    @property
    def options(self) -> Sequence[Option]: ...

    def form(self, study: Study, data: Mapping[str, Any] | None) -> OwnForm | None:
        """For what no field of the study holds, named after the kind; None: nothing.

        Args:
            study: Whose options.
            data: That somebody sends; None: to be shown.
        """

    def summary(self, study: Study) -> str:
        """What `own` holds, in a sentence; empty: nothing."""

    def own(self, study: Study) -> Mapping[str, Any]:
        """What `form` has set, as JSON holds it: a copy of the study, its data set and
        the API have it. Empty: nothing."""

    def set_own(self, study: Study, values: Mapping[str, Any]) -> None:
        """Set what `own` gave. Raises: ValueError: It is no such thing."""

    @property
    def wordings(self) -> Sequence[Mapping[str, str]]:
        """Standard words that `fit_questions` may give to a question, by field."""

    @property
    def size(self) -> int | None:
        """At most so many texts on a page, unless somebody chooses otherwise."""

    def is_needed(self, study: Study) -> bool:
        """Whether texts of the study get such pages without anybody's choice."""

    def instructions(self, fields: TextFields) -> str:
        """What workers do, in the language that is active."""

    def all_instructions(self) -> list[str]:
        """Each that there may be, in the language that is active."""

    def fit_questions(self, aspects: Sequence[Aspect], fields: TextFields) -> None:
        """Fit standard questions to a study that has pages of this kind alone."""
