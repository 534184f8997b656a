"""What answers on pages of a kind are outside their pages: rows, and votes."""

from __future__ import annotations

from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from django.db.models import Model, QuerySet

from annotation.archive.columns import API, EXPORT, Column, Reader, Row, Table
from annotation.models import Annotation, Seat, Study
from annotation.models.surveys import pseudonym


class MarkRow(NamedTuple):
    """What one worker marked in one text, on a page that was judged."""

    text: int  # id of the text
    rater: str  # pseudonym
    valid: bool  # False: the page was discarded
    page: int  # id of the seat
    informed: bool  # the rater had read the debriefing before
    source: bool  # whether errors could be marked in the source, too
    # Start, end, category, severity and side of each; none: nothing was marked.
    marks: Sequence[tuple[int, int, str, str, str]]


class VoteRow(NamedTuple):
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


class InApi(NamedTuple):
    """Where a table stands in the API, and what its reference says."""

    path: str  # below that of the study
    row: str  # name of one in the description
    lists: str  # "List ..."
    about: str


@dataclass(frozen=True, slots=True)
class AnswerTable:
    """A file of answers that only pages of this kind have, each with its fate."""

    title: str
    contents: str  # what stands in it, in sentences
    table: Table
    answers: Callable[[Study], QuerySet[Any]]  # with all that the columns read
    readers: Callable[[Study], Mapping[str, Reader]]  # of columns that need more
    api: InApi

    @property
    def name(self) -> str:
        return self.table.name

    def rows(self, *, study: Study) -> Iterator[Row]:
        answers = self.answers(study).iterator(chunk_size=1000)
        return self.table.rows(answers, EXPORT, **self._readers(study))

    def of(
        self, study: Study
    ) -> tuple[QuerySet[Any], Callable[[list[Any]], Iterator[Row]]]:
        """The answers, and what makes rows of some of them for the API."""
        readers = self._readers(study)
        return self.answers(study), lambda page: self.table.rows(page, API, **readers)

    def _readers(self, study: Study) -> Mapping[str, Reader]:
        of_page: dict[str, Reader] = {
            "simulated": lambda answer: study.simulated,
            "position": lambda answer: answer.seat.order.index(answer.item_id) + 1,
            "rater": lambda answer: pseudonym(study, answer.seat.worker_id),
        }
        return of_page | {**self.readers(study)}


@dataclass(frozen=True, slots=True)
class ArchivedAnswers:
    """A table of a data set with answers that only pages of this kind have.

    Its columns are `OF_ANSWER`, which say on which page and of which text, and others.
    """

    table: Table
    answers: Callable[[Study], QuerySet[Any]]  # with the item and its seat's id
    read: Callable[[Any], Row]  # the other columns
    # An answer that is not saved, of a row, on this item of this seat.
    restore: Callable[[Row, Seat, int, datetime], Model]


OF_ANSWER = (
    Column("text", "string", "Key of the text, as in `texts`; empty: a damaged text"),
    Column("damaged", "int?", "Number of the damaged text, as in `damaged_texts`"),
    Column("rater", "string", "Code of the rater, in this data set only", person=True),
    Column("page", "int", "Answers with one number were given together"),
)


class Measure(NamedTuple):
    """A number of each text and worker that no question asks for, such as a sum."""

    key: str  # no question has it
    title: str
    higher_is_better: bool
    scale: tuple[int, int | None]  # ends; a sum has no upper one
    # Of each answer on a judged page: text, seat, its state, item, value. Of the texts
    # with these ids; None: of all.
    values: Callable[
        [Collection[int] | None], Iterable[tuple[int, int, str, int, float]]
    ]

    @property
    def is_of_dialogue(self) -> bool:
        """As an aspect says it: they are of texts."""
        return False


class Tables(Protocol):
    @property
    def tables(self) -> Sequence[AnswerTable]: ...

    @property
    def archived(self) -> Sequence[ArchivedAnswers]:
        """What of them a data set has, and brings back."""

    def measures(self, study: Study) -> Sequence[Measure]:
        """What scores people's answers add up to, beside the questions. Human scores
        like any others: of valid pages, averaged over people."""

    @property
    def not_rated(self) -> str:
        """Field of an answer, set where it is no rating of a text; empty: all are."""

    @property
    def beside(self) -> Mapping[Column, str]:
        """Columns of ratings with the key of one more text, and the field with it."""

    def counted_votes(
        self, study: Study, *, with_discarded: bool
    ) -> QuerySet[Annotation]:
        """Answers that are votes and count, in no order."""

    def votes(self, study: Study, question: str | None) -> Iterator[VoteRow]:
        """Those that count, on all questions or one, in the order given."""

    def marks(self, study: Study) -> Iterator[MarkRow]:
        """Texts of the study in which errors were looked for, damaged ones left out."""

    def mark_scheme(self, study: Study) -> Mapping[str, Any] | None:
        """Which errors people mark, so that a judge can be asked for the same.

        Lists "categories" (key, name, alone, meaning), "severities" (key, name, weight,
        meaning) and "weights" (category, severity, weight), "most" marks in a text, and
        whether what is "missing", the "opening" and the "source" can be marked; None:
        nothing.
        """


class NoTables:
    """Answers are ratings of the texts of a page, and nothing else."""

    tables: Sequence[AnswerTable] = ()
    archived: Sequence[ArchivedAnswers] = ()
    not_rated = ""
    beside: Mapping[Column, str] = {}

    def measures(self, study: Study) -> Sequence[Measure]:
        return ()

    def counted_votes(
        self, study: Study, *, with_discarded: bool
    ) -> QuerySet[Annotation]:
        return Annotation.objects.none()

    def votes(self, study: Study, question: str | None) -> Iterator[VoteRow]:
        return iter(())

    def marks(self, study: Study) -> Iterator[MarkRow]:
        return iter(())

    def mark_scheme(self, study: Study) -> Mapping[str, Any] | None:
        return None
