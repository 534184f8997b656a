"""Texts that are corrected: what their fields show, and what a form brings of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from django.utils.translation import gettext

from annotation import storable
from annotation.kinds import _page_texts
from annotation.kinds._page_texts import LetteredTexts
from annotation.kinds.edits import edit_drafts, words
from annotation.kinds.edits.edit_drafts import CORRECTED, Draft, Original, Sent
from annotation.kinds.edits.workload import ANSWERS_PER_CORRECTION
from annotation.models import Aspect, Seat, Study
from annotation.models.texts import full_text
from annotation.page_kinds import Answers, Position, questions, text_cards
from annotation.page_kinds.content import Page, ReportBox, reports
from annotation.page_kinds.questions import Keys

TICKED, NOT_TICKED = "1", "0"
TICKS = {TICKED: True, NOT_TICKED: False}
# Rows of the field, where the browser does not fit it to its text.
PER_ROW, FEWEST_ROWS, MOST_ROWS = 70, 4, 24


class EditAnswers:
    """A correction of each text, or that there is nothing to correct: `Sent`."""

    def asked(self, seat: Seat) -> list[Position]:
        return [(n, CORRECTED) for n in range(1, len(seat.order) + 1)]

    def parse(self, seat: Seat, data: Mapping[str, str]) -> dict[Position, Sent]:
        """Too long a text stays as it is, and is none."""
        answers = {}
        for at in self.asked(seat):
            text = data.get(field_name(at[0]))
            sent = Sent(
                text=None
                if text is None
                else edit_drafts.plain(storable.cleaned(text)),
                unchanged=TICKS.get(data.get(tick_name(at[0]), "")),
            )
            if sent != Sent():
                answers[at] = sent
        return answers

    def wrong(self, seat: Seat, answers: Answers) -> list[Position]:
        page = originals(seat)
        return [
            (position, key)
            for (position, key), sent in answers.items()
            if key != CORRECTED
            or position not in page
            or edit_drafts.problem(page[position], sent)
        ]

    def store(self, seat: Seat, answers: Answers, now: datetime) -> None:
        sent = {position: value for (position, _), value in answers.items()}
        edit_drafts.store(seat=seat, sent=sent, originals=originals(seat), now=now)

    def saved(self, seat: Seat) -> dict[Position, Draft]:
        """One query."""
        drafts = edit_drafts.drafts(seat)
        return {
            (position, CORRECTED): drafts[item]
            for position, item in enumerate(seat.order, start=1)
            if item in drafts
        }

    def missing(self, seat: Seat) -> list[Position]:
        drafts, page = self.saved(seat), originals(seat)
        return [
            at
            for at in self.asked(seat)
            if at not in drafts or not drafts[at].is_answer(page[at[0]])
        ]


@dataclass(frozen=True, slots=True)
class Editor:
    """The field of one text."""

    position: int
    letter: str
    original: Original
    draft: Draft

    n_answers: ClassVar[int] = ANSWERS_PER_CORRECTION

    @property
    def name(self) -> str:
        return f"edit-{self.position}"

    @property
    def field(self) -> str:
        return field_name(self.position)

    @property
    def tick(self) -> str:
        return tick_name(self.position)

    @property
    def question(self) -> str:
        return gettext("Correct the text, or tick “Nothing to correct”")

    @property
    def place(self) -> str:
        return text_cards.place(self.letter, self.question)

    @property
    def answered(self) -> bool:
        return self.draft.is_answer(self.original)

    @property
    def n_changed(self) -> int:
        return words.changed(self.original.rest, self.draft.rest)

    @property
    def n_rows(self) -> int:
        lines = self.draft.rest.split("\n")
        rows = sum(1 + len(line) // PER_ROW for line in lines)
        return min(max(rows, FEWEST_ROWS), MOST_ROWS)


@dataclass(frozen=True, slots=True)
class EditCard:
    """One text with its field."""

    letter: str
    text: str
    editor: Editor
    report: ReportBox | None  # None: nobody is there to report it

    template: ClassVar[str] = "annotation/kinds/edits/card.html"

    @property
    def name(self) -> str:
        return text_cards.name(self.letter)

    @property
    def questions(self) -> list[Editor]:
        return [self.editor]

    @property
    def characters(self) -> int:
        return len(self.text)


class EditContent(LetteredTexts):
    style = "annotation/kinds/edits/editor.css"
    script = "annotation/kinds/edits/editor.js"
    takes_insert = False

    def page(self, seat: Seat, unsaid: str = "") -> Page:
        boxes, drafts = (
            reports(seat, self.letters(seat), unsaid),
            edit_drafts.drafts(seat),
        )
        cards = [
            _card(position, one, drafts.get(one.item_id), boxes[position - 1])
            for position, one in originals(seat).items()
        ]
        return Page(cards, seat.survey.prompt)

    def preview(self, study: Study) -> Page:
        prompt, texts = _page_texts.first(study, "edit")
        if prompt is None:
            return Page([])
        full_texts = (full_text(prompt.prefix, text) for text in texts)
        originals = (
            edit_drafts.original(0, prompt.prefix, text) for text in full_texts
        )
        return Page(
            [_card(n, one, None, None) for n, one in enumerate(originals, start=1)],
            prompt,
        )

    def keys(self, aspects: Sequence[Aspect]) -> Keys:
        return Keys()


def _card(
    position: int, original: Original, draft: Draft | None, box: ReportBox | None
) -> EditCard:
    letter = questions.letter_of(position)
    draft = draft or Draft(original.rest, unchanged=False)
    return EditCard(
        letter, original.text, Editor(position, letter, original, draft), box
    )


def originals(seat: Seat) -> dict[int, Original]:
    """The texts of a page, by position. One query, or none."""
    prefix = seat.survey.prompt.prefix
    return {
        position: edit_drafts.original(one.item_id, prefix, full_text(prefix, one.text))
        for position, one in enumerate(_page_texts.of_seat(seat), start=1)
    }


def field_name(position: int) -> str:
    return f"e-{position}"


def tick_name(position: int) -> str:
    return f"u-{position}"
