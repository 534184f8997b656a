"""What stands on a worker's pages, and what their forms carry.

A form names answers by position on the page and aspect key, nothing else: whoever
reads the page's source learns neither system nor which text was damaged.
"""

from __future__ import annotations

import hashlib
import string
from collections.abc import Mapping
from dataclasses import dataclass

from django import forms

from annotation import platforms, studies
from annotation.models import Aspect, Item, Seat, Study
from annotation.models.texts import full_text

Answers = dict[tuple[int, str], int]  # (position on the page, aspect key) -> value


def contact(study: Study) -> str:
    platform = platforms.of(study)
    return study.contact or (platform.how_to_reach if platform else "the researcher")


def consent_words(study: Study) -> str:
    """Everything a worker agrees to, as it is shown and as it is kept."""
    words = [study.consent.strip() or studies.CONSENT.strip()]
    if study.content_warning:
        words.append(f"Please note: {study.content_warning}")
    words.append(f"Contact: {contact(study)}.")
    return "\n\n".join(words)


class ConsentForm(forms.Form):
    agree = forms.BooleanField(
        label="I have read this and want to take part",
        error_messages={"required": "Tick the box if you want to take part."},
    )
    version = forms.CharField(widget=forms.HiddenInput)

    def __init__(self, study: Study, data: Mapping[str, str] | None = None) -> None:
        self.words = consent_words(study)
        self.digest = hashlib.sha256(self.words.encode()).hexdigest()[:16]
        super().__init__(data, initial={"version": self.digest})

    def clean_version(self) -> str:
        # Kept as agreed to are the words that the worker saw, or none.
        if self.cleaned_data["version"] != self.digest:
            raise forms.ValidationError("These words have changed: please read again.")
        return self.digest


@dataclass(frozen=True, slots=True)
class Choice:
    value: int
    word: str  # of an end or the middle of the scale, else empty
    checked: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One question on one text."""

    name: str  # of the form's field
    place: str  # "Text B: Coherence", for the list of what is missing
    question: str
    choices: list[Choice]

    @property
    def answered(self) -> bool:
        return any(choice.checked for choice in self.choices)


@dataclass(frozen=True, slots=True)
class Card:
    """One text with its questions."""

    letter: str
    text: str
    rows: list[Row]


def field_name(position: int, aspect: str) -> str:
    return f"a-{position}-{aspect}"


def cards(seat: Seat, answers: Answers) -> list[Card]:
    """The texts of a seat in its own order. Two queries."""
    items = Item.objects.select_related("generation", "negative").in_bulk(seat.order)
    aspects = list(seat.survey.study.aspects.all())
    prompt = seat.survey.prompt
    return [
        Card(
            letter=letter_of(position),
            text=full_text(prompt.prefix, items[pk].text),
            rows=[row(seat, position, aspect, answers) for aspect in aspects],
        )
        for position, pk in enumerate(seat.order, start=1)
    ]


def letter_of(position: int) -> str:
    return string.ascii_uppercase[position - 1]


def row(seat: Seat, position: int, aspect: Aspect, answers: Answers) -> Row:
    label = seat.survey.prompt.label
    given = answers.get((position, aspect.key))
    return Row(
        name=field_name(position, aspect.key),
        place=f"Text {letter_of(position)}: {aspect.title}",
        question=aspect.asked_of(label.name if label else ""),
        choices=[
            Choice(value, word_for(value, aspect, seat.survey.study), value == given)
            for value in seat.survey.study.scale
        ],
    )


def word_for(value: int, aspect: Aspect, study: Study) -> str:
    words = {study.scale_min: aspect.low, study.scale_max: aspect.high}
    if (study.scale_min + study.scale_max) % 2 == 0:
        words.setdefault((study.scale_min + study.scale_max) // 2, aspect.middle)
    return words.get(value, "")


def missing(page: list[Card]) -> list[Row]:
    return [row for card in page for row in card.rows if not row.answered]


def given(seat: Seat, data: Mapping[str, str]) -> Answers:
    """The answers in a posted form. What is no value of the scale counts as missing."""
    scale = {str(value): value for value in seat.survey.study.scale}
    keys = [aspect.key for aspect in seat.survey.study.aspects.all()]
    posted = {
        (position, key): data.get(field_name(position, key), "")
        for position in range(1, len(seat.order) + 1)
        for key in keys
    }
    return {at: scale[value] for at, value in posted.items() if value in scale}
