"""A text with its marks and questions, as a page shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from django.utils.translation import gettext

from annotation.kinds.spans import form_fields, marks
from annotation.kinds.spans.marks import SOURCE, TEXT, Placed, Segment
from annotation.kinds.spans.scheme import Category, Scheme, Severity
from annotation.kinds.spans.sides import MarkedUnit, Side
from annotation.kinds.spans.stored_marks import MarkedText
from annotation.kinds.spans.word_lists import Returned, WordList
from annotation.page_kinds import text_cards
from annotation.page_kinds.content import ReportBox, Term
from annotation.page_kinds.questions import Question
from scoring.stats.spans.marks import Mark

ANSWERS_PER_TEXT = 6  # to mark a text takes as long as so many answers
BESIDE = 20  # characters on each side of a place that are quoted for it


class Point(NamedTuple):
    """A mark at the beginning of a part, where something is missing."""

    number: int
    colour: str


GONE = Point(0, "gone")  # words that the damage took away


class Part(NamedTuple):
    """A part of a text between two borders of marks."""

    words: str
    classes: str
    numbers: str  # of the marks on it
    begins: str  # of those that begin with it
    points: Sequence[Point]
    is_fixed: bool  # of the opening: it cannot be marked


class Choice(NamedTuple):
    """A category or severity in the language of the page."""

    key: str
    name: str
    meaning: str  # empty: nobody has said
    colour: str


class Row(NamedTuple):
    """A mark in the list below its text."""

    number: int
    words: str  # empty: something is missing
    quote: str  # the words, or those around the place
    category: str  # names
    severity: str
    colour: str
    is_source: bool
    is_proposed: bool
    drop: str  # the field that takes it away


@dataclass(frozen=True, eq=False)
class Marking:
    """What is asked of one text beside the study's questions."""

    position: int
    letter: str
    unit: MarkedUnit
    scheme: Scheme
    marked: MarkedText  # as the page counts
    answered: bool
    first: str = ""  # field of the first question, whose low answers need a mark
    returned: Returned | None = None  # where its form came back to
    damage: Sequence[Mark] = ()  # shown to researchers alone
    add_to: str = "report/"  # address that a form without a script goes to for a mark

    n_answers: ClassVar[int] = ANSWERS_PER_TEXT

    @property
    def name(self) -> str:
        return self.name_of(self.position)

    @staticmethod
    def name_of(position: int) -> str:
        return f"marking-{position}"

    @property
    def field(self) -> str:
        return form_fields.marks_name(self.position)

    @property
    def tick(self) -> str:
        return form_fields.clean_name(self.position)

    @property
    def value(self) -> str:
        return marks.written(self.marked.marks)

    @property
    def question(self) -> str:
        return gettext("Mark each error, or tick “Nothing to mark”")

    @property
    def place(self) -> str:
        return text_cards.place(self.letter, self.question)

    @property
    def categories(self) -> list[Choice]:
        return choices(self.scheme.categories)

    @property
    def severities(self) -> list[Choice]:
        return choices(self.scheme.severities)

    @property
    def has_meanings(self) -> bool:
        return bool(terms_of(self.scheme))

    @property
    def text(self) -> Side:
        return self.unit.sides[TEXT]

    @property
    def source(self) -> Side | None:
        return self.unit.sides.get(SOURCE)

    @property
    def text_parts(self) -> list[Part]:
        parts = parts_of(self.text, self._marks, self.scheme, self.damage)
        return self._with_proposed(parts)

    @property
    def source_parts(self) -> list[Part]:
        if self.source is None:
            return []
        return self._with_proposed(parts_of(self.source, self._marks, self.scheme))

    @property
    def has_proposals(self) -> bool:
        return any(placed.proposal for placed in self.marked.marks)

    @property
    def lists(self) -> list[WordList]:
        return [
            WordList(self.position, side, self.scheme, self.returned)
            for side in self.unit.sides.values()
        ]

    @property
    def rows(self) -> list[Row]:
        return [
            self._row(number, placed)
            for number, placed in enumerate(self.marked.marks, start=1)
        ]

    @property
    def whole_text(self) -> str:
        return self.text.before + self.text.shown

    def problem(self, placed: Sequence[Placed]) -> str:
        """Why these marks cannot be kept; empty where they can."""
        return marks.problem(placed, self.unit.shown, self.scheme, self.text.fixed)

    def kind_of(self, mark: Mark) -> str:
        """Its category and severity in words."""
        category = dict_of(self.categories).get(mark.category, "")
        severity = dict_of(self.severities).get(mark.severity, "")
        return ", ".join(filter(None, (category, severity)))

    def quote(self, placed: Placed) -> str:
        """Its words, or those around the place."""
        shown = self.unit.sides[placed.mark.side].shown
        return placed.words or around(shown, placed.mark.start)

    @property
    def most(self) -> int:
        return self.scheme.most or marks.MOST

    @property
    def is_full(self) -> bool:
        return len(self.marked.marks) >= self.most

    @property
    def full(self) -> str:
        """What to say to those who cannot mark more."""
        words = gettext("At most %(most)s marks in a text. Remove one to add another.")
        return words % {"most": self.most}

    @property
    def _marks(self) -> list[Mark]:
        return [placed.mark for placed in self.marked.marks]

    def _with_proposed(self, parts: Sequence[Part]) -> list[Part]:
        """Parts with marks that began as proposals look so."""
        numbered = enumerate(self.marked.marks, start=1)
        proposed = {str(number) for number, placed in numbered if placed.proposal}
        return [
            part._replace(classes=f"{part.classes} proposed")
            if proposed & {*part.numbers.split()}
            else part
            for part in parts
        ]

    def _row(self, number: int, placed: Placed) -> Row:
        mark, words = placed.mark, placed.words
        return Row(
            number=number,
            words=words,
            quote=self.quote(placed),
            category=dict_of(self.categories).get(mark.category, ""),
            severity=dict_of(self.severities).get(mark.severity, ""),
            colour=colour(self.scheme, mark),
            is_source=mark.side == SOURCE,
            is_proposed=bool(placed.proposal),
            drop=form_fields.drop_name(self.position, number),
        )


def choices(entries: Sequence[Category] | Sequence[Severity]) -> list[Choice]:
    return [
        Choice(
            entry.key,
            gettext(entry.name),
            gettext(entry.meaning) if entry.meaning else "",
            entry.colour if isinstance(entry, Category) else "",
        )
        for entry in entries
    ]


def terms_of(scheme: Scheme) -> list[Term]:
    entries = [*choices(scheme.categories), *choices(scheme.severities)]
    return [Term(choice.name, choice.meaning) for choice in entries if choice.meaning]


def dict_of(entries: Sequence[Choice]) -> dict[str, str]:
    return {choice.key: choice.name for choice in entries}


def colour(scheme: Scheme, mark: Mark) -> str:
    """Of its category, or of its severity where there are no categories."""
    colours = {kind.key: kind.colour for kind in scheme.categories}
    if mark.category in colours:
        return colours[mark.category]
    keys = [grade.key for grade in scheme.severities]
    graver = keys.index(mark.severity) if mark.severity in keys else 0
    return "red" if graver and graver == len(keys) - 1 else "orange"


def around(text: str, place: int) -> str:
    """The words beside a place, which a wedge points at; showing.js has the same.

    >>> around("They sailed across in the rain, all of them together.", 18)
    'They sailed across ▲ in the rain, all'
    """
    before, after = text[max(0, place - BESIDE) : place], text[place : place + BESIDE]
    if place > BESIDE:  # whole words, where there are spaces
        before = before.partition(" ")[2] or before
    if place + BESIDE < len(text):
        after = after.rpartition(" ")[0] or after
    return f"{before.strip()} ▲ {after.strip()}".strip()


def parts_of(
    side: Side, on: Sequence[Mark], scheme: Scheme, damage: Sequence[Mark] = ()
) -> list[Part]:
    """All of a text: those that are not to be marked first.

    Args:
        side: Whose text it is.
        on: The marks of all sides.
        scheme: Their colours.
        damage: Places that were damaged, for those who may know.
    """
    opening = side.shown[: side.fixed]
    parts = [Part(opening, "", "", "", (), True)] if opening else []
    rest = [
        mark._replace(start=mark.start - side.fixed, end=mark.end - side.fixed)
        for mark in (*on, *damage)
    ]
    parts += [
        _part(segment, on, scheme)
        for segment in marks.segments(side.shown[side.fixed :], rest, side.name)
    ]
    return parts


def _part(segment: Segment, on: Sequence[Mark], scheme: Scheme) -> Part:
    """Behind the numbers of marks are those of damage."""
    numbers = [number for number in segment.marks if number <= len(on)]
    classes = [_classes([on[number - 1] for number in numbers], scheme)]
    if len(numbers) < len(segment.marks):
        classes.append("damaged")
    return Part(
        words=segment.words,
        classes=" ".join(filter(None, classes)),
        numbers=" ".join(map(str, numbers)),
        begins=" ".join(map(str, (n for n in segment.begins if n in numbers))),
        points=[
            Point(n, colour(scheme, on[n - 1])) if n <= len(on) else GONE
            for n in segment.points
        ],
        is_fixed=False,
    )


def _classes(on: Sequence[Mark], scheme: Scheme) -> str:
    """What lies within another mark is seen in its own colour."""
    if not on:
        return ""
    shortest = min(on, key=lambda mark: mark.end - mark.start)
    return f"marked {colour(scheme, shortest)}"


@dataclass(frozen=True)
class MarkCard:
    """One text with its marks and its questions."""

    letter: str
    text: str
    marking: Marking
    scored: Sequence[Question]
    report: ReportBox | None  # None: nobody is there to report it

    template: ClassVar[str] = "annotation/kinds/spans/card.html"

    @property
    def name(self) -> str:
        return text_cards.name(self.letter)

    @property
    def questions(self) -> list[Marking | Question]:
        return [self.marking, *self.scored]

    @property
    def characters(self) -> int:
        return len(self.text)
