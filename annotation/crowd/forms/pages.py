"""What a worker's pages show, and what their forms carry.

A form names answers by position on the page and aspect key, nothing else: anyone who
reads the page's source learns neither system nor which text was damaged.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from dataclasses import dataclass

from django import forms
from django.utils.translation import gettext, gettext_lazy

from annotation import answering, storable
from annotation.crowd import consent
from annotation.crowd.forms import editors, talks
from annotation.crowd.forms.editors import Editor
from annotation.edits.keeping import Sent
from annotation.models import Aspect, PageKind, Seat, Study, comparing
from annotation.models.surveys import digest_of
from annotation.models.texts import full_text
from annotation.seats import shown, writing
from annotation.seats.shown import Shown, Sides
from annotation.seats.writing import Writing
from annotation.watching import reports
from evalapp.limits import forms as storable_forms

# (position on the page, aspect key) -> value; None: the worker cannot say
Answers = dict[tuple[int, str], int | None]
CANNOT_SAY = "cannot-say"  # in place of a number

MAX_COMMENT = 2000
# Time in view as the page writes it: "1:5300 2:870", milliseconds for each position.
TIME = re.compile(r"\b([0-9]{1,2}):([0-9]{1,9})\b")
MAX_TIMES = 400


CHANGED = gettext_lazy("This text has changed. Please read it again.")


class ConsentForm(storable_forms.Form):
    agree = forms.BooleanField(
        label=gettext_lazy("I have read this and want to take part"),
        error_messages={"required": gettext_lazy("Tick the box to take part.")},
    )
    version = forms.CharField(
        widget=forms.HiddenInput, error_messages={"required": CHANGED}
    )

    def __init__(self, study: Study, data: Mapping[str, str] | None = None) -> None:
        self.words = consent.words(study)
        self.digest = digest_of(self.words)
        super().__init__(data, initial={"version": self.digest})

    def clean_version(self) -> str:
        # Kept as agreed to are the words that the worker saw, or none.
        if self.cleaned_data["version"] != self.digest:
            raise forms.ValidationError(CHANGED)
        return self.digest


# What a page shows --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Choice:
    value: int
    word: str  # of this point of the scale, where it has one
    checked: bool
    key: str = ""  # to press, where it is not the number


@dataclass(frozen=True, slots=True)
class Row:
    """One question on one text."""

    name: str  # of the form's field
    letter: str  # of the text
    question: str
    choices: tuple[Choice, ...]  # those of a slider: its ends
    given: int | None = None
    is_slider: bool = False
    offers_cannot_say: bool = False
    cannot_say: bool = False  # was answered
    form: str = ""  # that the fields belong to, where it is not the one around them
    is_of_pair: bool = False  # which of two texts
    of: str = ""  # what it is about, in words, where that is no text

    @property
    def answered(self) -> bool:
        return self.cannot_say or self.given is not None

    @property
    def is_worded(self) -> bool:
        """Whether points between have words, which need more room than the ends."""
        n = len(self.choices)
        middle = self.choices[n // 2] if n % 2 else None
        between = self.choices[1:-1]
        return any(one.word for one in between if one is not middle)

    @property
    def is_long(self) -> bool:
        """Whether its buttons may stand in several rows, so that ends name theirs."""
        return len(self.choices) > 7

    @property
    def is_wide(self) -> bool:
        """Whether its words do not fit beside each other on any screen."""
        return len(self.choices) > 5


@dataclass(frozen=True, slots=True)
class Card:
    """One text with its questions, or two side by side."""

    letter: str  # a number for a pair
    text: str
    rows: list[Row]
    position: int = 0  # on the page of a seat, from 1; practice has none
    reported: bool = False  # by this worker
    unsaid: bool = False  # a report came without a word
    sides: Sides | None = None
    name: str = ""  # in words, of what is no text
    editor: Editor | None = None  # the text is to be corrected

    @property
    def questions(self) -> list[Row | Editor]:
        return [one for one in (self.editor, *self.rows) if one]

    @property
    def characters(self) -> int:
        """To read on it."""
        if self.sides is None:
            return len(self.text)
        return len(self.sides.left) + len(self.sides.right) + len(self.sides.source)


def field_name(position: int, aspect: str) -> str:
    return f"a-{position}-{aspect}"


def report_name(position: int) -> str:
    return f"report-{position}"


def letter_of(position: int) -> str:
    return string.ascii_uppercase[position - 1]


def cards(seat: Seat, answers: Answers, unsaid: str = "") -> list[Card]:
    """The texts or pairs of a seat in its own order. Three queries at most."""
    reported = set(seat.reports.order_by().values_list("item_id", flat=True))
    fields = editors_of(seat)
    found = []
    names = names_of(seat)
    for position, one in enumerate(shown.texts(seat), start=1):
        name = names[position - 1]
        found.append(
            Card(
                position=position,
                letter=name,
                text=""
                if one.sides
                else full_text(seat.survey.prompt.prefix, one.text),
                rows=[] if fields else rows_of(seat, position, one, answers, name),
                editor=fields[position - 1] if fields else None,
                reported=one.item_id in reported,
                unsaid=name == unsaid,
                sides=one.sides,
                name=talks.name_of(one, name) if one.said else "",
            )
        )
    return found


def names_of(seat: Seat) -> list[str]:
    """Text A, but pair 1: its texts are A and B. Of dialogue A, turn A4."""
    if seat.survey.kind == PageKind.DIALOGUE:
        return talks.letters(shown.texts(seat))
    is_of_pairs = seat.survey.kind == PageKind.PAIR
    positions = range(1, len(seat.order) + 1)
    return [str(n) if is_of_pairs else letter_of(n) for n in positions]


def editors_of(seat: Seat) -> list[Editor]:
    """Empty where texts are not to be corrected."""
    if not corrects(seat):
        return []
    letters = [letter_of(position) for position in range(1, len(seat.order) + 1)]
    return editors.editors(seat, letters)


def rows_of(
    seat: Seat, position: int, one: Shown, answers: Answers, name: str
) -> list[Row]:
    aspects = [
        aspect for aspect in shown.aspects(seat.survey.study) if one.is_asked(aspect)
    ]
    if one.sides is None:
        of = talks.name_of(one, name) if one.said else ""
        return [row(seat, position, aspect, answers, name, of) for aspect in aspects]
    return [
        pair_row(aspect, position=position, label=one.sides.label, answers=answers)
        for aspect in aspects
    ]


def row(
    seat: Seat,
    position: int,
    aspect: Aspect,
    answers: Answers,
    letter: str = "",
    of: str = "",
) -> Row:
    label = seat.survey.prompt.label
    at = position, aspect.key
    return row_of(
        aspect,
        name=field_name(*at),
        letter=letter or letter_of(position),
        question=aspect.asked_of(label.name if label else ""),
        given=answers.get(at),
        answered=at in answers,
        of=of,
    )


def row_of(
    aspect: Aspect,
    *,
    name: str,
    question: str,
    letter: str = "",
    given: int | None = None,
    answered: bool = False,
    form: str = "",
    of: str = "",
) -> Row:
    """A question with its scale, and its answer if there is one."""
    labels = aspect.labels
    values = aspect.ends if aspect.is_slider else aspect.scale
    return Row(
        name=name,
        letter=letter,
        question=question,
        choices=tuple(
            Choice(value, labels.get(value, ""), value == given) for value in values
        ),
        given=given,
        is_slider=aspect.is_slider,
        offers_cannot_say=aspect.cannot_say,
        cannot_say=answered and given is None,
        form=form,
        of=of,
    )


def pair_row(aspect: Aspect, *, position: int, label: str, answers: Answers) -> Row:
    """A question on two texts."""
    at = position, aspect.key
    given = answers.get(at)
    points = comparing.points(aspect.study)
    return Row(
        name=field_name(*at),
        letter=str(position),
        question=aspect.asked_of_pair(label),
        choices=tuple(
            Choice(
                value,
                gettext(comparing.IN_WORDS[value]),
                value == given,
                key=str(number),
            )
            for number, value in enumerate(points, start=1)
        ),
        given=given,
        offers_cannot_say=aspect.cannot_say,
        cannot_say=at in answers and given is None,
        is_of_pair=True,
    )


def questions(page: list[Card]) -> list[Row | Editor]:
    found: list[Row | Editor] = []
    for card in page:  # practice has cards of its own
        found += card.questions if isinstance(card, Card) else card.rows
    return found


def missing(page: list[Card]) -> list[Row | Editor]:
    return [one for one in questions(page) if not one.answered]


def times(seat: Seat) -> str:
    """Time in view so far, from which the page continues."""
    return " ".join(f"{position}:{ms}" for position, ms in seat.visible.items())


# What a form brings -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Posted:
    """The contents of a page's form, as far as they make sense."""

    answers: Answers
    comment: str | None  # None where the form has no such field
    visible: dict[int, int]  # position -> milliseconds
    reports: dict[int, str]  # position -> what is wrong there
    texts: dict[int, Sent]  # position -> a text as far as it is corrected
    writing: Writing | None

    @property
    def is_empty(self) -> bool:
        given = self.answers or self.visible or self.texts
        return not given and self.comment is None


def posted(seat: Seat, data: Mapping[str, str]) -> Posted:
    """What is no value of the scale counts as missing, what is no time as none."""
    comment = data.get("comment")
    reasons = {
        position: plain(data.get(report_name(position), ""), reports.MAX_CHARACTERS)
        for position in range(1, len(seat.order) + 1)
    }
    return Posted(
        answers=given(seat, data),
        comment=None if comment is None else plain(comment, MAX_COMMENT),
        visible={
            int(position): int(ms)
            for position, ms in TIME.findall(data.get("visible", "")[:MAX_TIMES])
        },
        reports={position: reason for position, reason in reasons.items() if reason},
        texts=editors.given(seat, data) if corrects(seat) else {},
        writing=writing.read(data.get("writing", "")),
    )


def corrects(seat: Seat) -> bool:
    return bool(seat.survey.kind == PageKind.EDIT)


def given(seat: Seat, data: Mapping[str, str]) -> Answers:
    found: Answers = {}
    if corrects(seat):
        return found
    is_of_talks = seat.survey.kind == PageKind.DIALOGUE
    texts = shown.texts(seat) if is_of_talks else ()
    for aspect in shown.aspects(seat.survey.study):
        allowed = values_of(aspect, seat.survey.kind)
        for position in range(1, len(seat.order) + 1):
            asked = not aspect.is_of_dialogue
            if texts:
                asked = texts[position - 1].is_asked(aspect)
            if not asked:
                continue
            said = data.get(field_name(position, aspect.key), "").strip()
            said = said.lstrip("0") or said[:1]  # someone may type 07, and means 7
            if said in allowed:
                found[position, aspect.key] = allowed[said]
    return found


def values_of(aspect: Aspect, kind: str) -> dict[str, int | None]:
    """What a form may bring as its answer, and what that stands for."""
    scale = answering.scale_of(aspect, kind)
    allowed: dict[str, int | None] = {str(value): value for value in scale}
    return allowed | ({CANNOT_SAY: None} if aspect.cannot_say else {})


def plain(words: str, most: int) -> str:
    """As they can be kept."""
    return storable.cleaned(words).strip()[:most]
