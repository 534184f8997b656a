"""What rooms ask of each kind of page about what workers see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol
from urllib.parse import urlencode

from django.utils.translation import gettext

from annotation.models import Aspect, Prompt, Report, Seat, Study
from annotation.page_kinds.questions import Keys
from evalapp.statements import Statement

# Each process keeps the pages that it served last, for a page is asked for once and
# saves a dozen answers. At most a few dozen megabytes, were all texts as long as they
# may be.
MOST_PAGES = 256


class Asked(Protocol):
    """What has to be answered on a card."""

    @property
    def name(self) -> str:
        """Of its place on the page."""

    @property
    def place(self) -> str:
        """What it is about and the question, in words."""

    @property
    def answered(self) -> bool: ...

    @property
    def n_answers(self) -> int:
        """Choices that take as long."""


class Card(Protocol):
    """What a page shows of one text, pair or conversation, and asks about it.

    It can be hashed, as all in it: what is made of it is kept for others.
    """

    @property
    def template(self) -> str: ...

    @property
    def letter(self) -> str:
        """What it is called in addresses."""

    @property
    def name(self) -> str:
        """What it is called in words."""

    @property
    def text(self) -> str:
        """What its questions stand beside where it is long; empty: they never do."""

    @property
    def questions(self) -> Sequence[Asked]: ...

    @property
    def characters(self) -> int:
        """To read on it."""


@dataclass(frozen=True, slots=True)
class Page:
    """What stands on one page, in the order shown."""

    cards: Sequence[Card]
    prompt: Prompt | None = None  # that all texts of the page have in common

    @property
    def questions(self) -> list[Asked]:
        return [question for card in self.cards for question in card.questions]

    @property
    def missing(self) -> list[Asked]:
        return [question for question in self.questions if not question.answered]

    @property
    def characters(self) -> int:
        source = len(self.prompt.source) if self.prompt else 0
        return source + sum(card.characters for card in self.cards)

    @property
    def n_answers(self) -> int:
        return sum(question.n_answers for question in self.questions)


class Term(NamedTuple):
    """A word that workers choose, and what it means."""

    name: str
    meaning: str


class Return(NamedTuple):
    """Where a form without a script comes back to on its page."""

    unsaid: str = ""  # as `Content.page` takes it
    anchor: str = ""

    @property
    def query(self) -> str:
        """Behind the page's address."""
        query = f"?{urlencode({'unsaid': self.unsaid})}" if self.unsaid else ""
        return f"{query}#{self.anchor}" if self.anchor else query


class ReportBox(NamedTuple):
    """The box in which a worker says what is wrong with a text."""

    letter: str  # of its card
    position: int
    title: str
    reported: bool  # by this worker
    unsaid: bool  # a report came without a word


class Content(Protocol):
    """What the pages of one kind show to workers."""

    @property
    def style(self) -> str:
        """A style sheet, as `static` names it; empty where there is none."""

    @property
    def script(self) -> str:
        """A module, as `static` names it, which rating.js asks about questions of the
        kind's own; empty where there is none."""

    @property
    def takes_insert(self) -> bool:
        """Whether a sentence in a text can ask for an answer about it."""

    def page(self, seat: Seat, unsaid: str = "") -> Page:
        """Of a seat with its survey and study. Three queries at most.

        Args:
            seat: Whose page it is.
            unsaid: The letter of a card whose report came without a word; or what
                `back_to` has said.
        """

    def back_to(self, seat: Seat, about: str, data: Mapping[str, str]) -> Return:
        """After a button of the kind's own, which only adds to answers.

        Args:
            seat: Whose page it is.
            about: The value of the button.
            data: Of the form.
        """

    def preview(self, study: Study) -> Page:
        """The first page, or what it would be made of. Nothing is claimed or kept."""

    def letters(self, seat: Seat) -> list[str]:
        """What a report calls the text of each position."""

    def place(self, letter: str, question: str) -> str:
        """A question and what it is about, in words."""

    def terms(self, study: Study) -> Sequence[Term]:
        """Words of the study that its pages offer to choose, where they have meanings;
        in the active language."""

    def keys(self, aspects: Sequence[Aspect]) -> Keys:
        """What keys do where these are asked about."""


_REPORTED = Statement(
    lambda seat_pk: (
        Report.objects.filter(seat=seat_pk).order_by().values_list("item_id")
    ),
    Seat._meta.get_field("id"),
)


def reports(
    seat: Seat, letters: Sequence[str], unsaid: str, title: str = ""
) -> list[ReportBox]:
    """The box of each position. One query."""
    reported = {item_id for (item_id,) in _REPORTED.rows(seat.pk)}
    return [
        ReportBox(
            letter=letter,
            position=position,
            title=title or gettext("Report a problem with this text"),
            reported=item in reported,
            unsaid=letter == unsaid,
        )
        for position, (item, letter) in enumerate(
            zip(seat.order, letters, strict=True), start=1
        )
    ]
