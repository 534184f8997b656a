"""What answers on pages of a kind are outside their pages: rows, and votes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from django.db.models import QuerySet

from annotation.models import Annotation, Study

Row = dict[str, Any]


class Vote(NamedTuple):
    """A choice between two systems."""

    pair: str  # votes on the same texts share it
    question: str  # "" = the only one of a file
    first: int  # ids of systems
    second: int
    ordered: bool  # whether `first` was shown first
    rater: str  # "" = unknown
    outcome: int  # of `Vote.Outcome`
    prompt: int | None  # id, where it is known
    texts: tuple[int, int] | None = None  # ids, where it is known which were shown


class AnswerTable(Protocol):
    """A file of answers that only pages of this kind have, each with its fate."""

    @property
    def name(self) -> str:
        """In addresses and names of files."""

    @property
    def title(self) -> str: ...

    @property
    def contents(self) -> str:
        """What stands in it, in sentences."""

    def rows(self, *, study: Study) -> Iterator[Row]: ...


class Tables(Protocol):
    @property
    def tables(self) -> Sequence[AnswerTable]: ...

    @property
    def not_rated(self) -> str:
        """Field of an answer, set where it is no rating of a text; empty: all are."""

    @property
    def beside(self) -> Mapping[str, str]:
        """Fields of an answer that name one more text, by column in the ratings."""

    def counted_votes(
        self, study: Study, *, with_discarded: bool
    ) -> QuerySet[Annotation]:
        """Answers that are votes and count, in no order."""

    def votes(self, study: Study, question: str | None) -> Iterator[Vote]:
        """Those that count, on all questions or one, in the order given."""


class NoTables:
    """Answers are ratings of the texts of a page, and nothing else."""

    tables: Sequence[AnswerTable] = ()
    not_rated = ""
    beside: Mapping[str, str] = {}

    def counted_votes(
        self, study: Study, *, with_discarded: bool
    ) -> QuerySet[Annotation]:
        return Annotation.objects.none()

    def votes(self, study: Study, question: str | None) -> Iterator[Vote]:
        return iter(())
