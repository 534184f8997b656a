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
from django.utils.translation import gettext_lazy

from annotation import answering, storable
from annotation.crowd import consent
from annotation.models import Aspect, Seat, Study
from annotation.models.surveys import digest_of
from annotation.models.texts import full_text
from annotation.seats import shown
from annotation.watching import reports
from evalapp.limits import forms as storable_forms

Answers = dict[tuple[int, str], int]  # (position on the page, aspect key) -> value

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
    word: str  # of an end or the middle of the scale, else empty
    checked: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One question on one text."""

    name: str  # of the form's field
    letter: str  # of the text
    question: str
    choices: tuple[Choice, ...]

    @property
    def answered(self) -> bool:
        return any(choice.checked for choice in self.choices)


@dataclass(frozen=True, slots=True)
class Card:
    """One text with its questions."""

    letter: str
    text: str
    rows: list[Row]
    position: int = 0  # on the page of a seat, from 1; practice has none
    reported: bool = False  # by this worker
    unsaid: bool = False  # a report came without a word

    @property
    def is_preformatted(self) -> bool:
        return is_preformatted(self.text)


def field_name(position: int, aspect: str) -> str:
    return f"a-{position}-{aspect}"


def report_name(position: int) -> str:
    return f"report-{position}"


def letter_of(position: int) -> str:
    return string.ascii_uppercase[position - 1]


def is_preformatted(text: str) -> bool:
    """Whether it looks like code: a quarter of its lines, and 3, are indented."""
    if "\n " not in text and "\n\t" not in text:
        return False
    lines = [line for line in text.splitlines() if line.strip()]
    indented = sum(line.startswith(("  ", "\t")) for line in lines)
    return indented >= 3 and 4 * indented >= len(lines)


def cards(seat: Seat, answers: Answers, unsaid: str = "") -> list[Card]:
    """The texts of a seat in its own order. Two queries, or one."""
    reported = set(seat.reports.order_by().values_list("item_id", flat=True))
    aspects = shown.aspects(seat.survey.study)
    prefix = seat.survey.prompt.prefix
    return [
        Card(
            position=position,
            letter=letter_of(position),
            text=full_text(prefix, one.text),
            rows=[row(seat, position, aspect, answers) for aspect in aspects],
            reported=one.item_id in reported,
            unsaid=letter_of(position) == unsaid,
        )
        for position, one in enumerate(shown.texts(seat), start=1)
    ]


def row(seat: Seat, position: int, aspect: Aspect, answers: Answers) -> Row:
    label = seat.survey.prompt.label
    given = answers.get((position, aspect.key))
    study = seat.survey.study
    words = words_of(aspect, study)
    return Row(
        name=field_name(position, aspect.key),
        letter=letter_of(position),
        question=aspect.asked_of(label.name if label else ""),
        choices=tuple(
            Choice(value, words.get(value, ""), value == given) for value in study.scale
        ),
    )


def words_of(aspect: Aspect, study: Study) -> dict[int, str]:
    """Names of both ends, and of the middle where the scale has one."""
    words = {study.scale_min: aspect.low, study.scale_max: aspect.high}
    middle, rest = divmod(study.scale_min + study.scale_max, 2)
    if not rest:
        words.setdefault(middle, aspect.middle)
    return words


def missing(page: list[Card]) -> list[Row]:
    return [row for card in page for row in card.rows if not row.answered]


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

    @property
    def is_empty(self) -> bool:
        return not (self.answers or self.visible) and self.comment is None


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
    )


def given(seat: Seat, data: Mapping[str, str]) -> Answers:
    study = seat.survey.study
    scale = {str(value): value for value in study.scale}
    keys = [aspect.key for aspect in shown.aspects(study)]
    found: dict[answering.Answer, str] = {
        (position, key): data.get(field_name(position, key), "")
        for position in range(1, len(seat.order) + 1)
        for key in keys
    }
    return {at: scale[value] for at, value in found.items() if value in scale}


def plain(words: str, most: int) -> str:
    """As they can be kept."""
    return storable.cleaned(words).strip()[:most]
