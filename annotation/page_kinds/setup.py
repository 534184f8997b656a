"""What a study asks of a kind before it opens: its words, questions and options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

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


class Setup(Protocol):
    """How a study with pages of one kind begins."""

    @property
    def options(self) -> Sequence[Option]: ...

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
