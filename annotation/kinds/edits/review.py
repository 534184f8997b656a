"""A page of texts that one worker corrected, for researchers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.kinds import _review
from annotation.kinds._review import ItemReview, Original, ReviewedText
from annotation.kinds.edits import words
from annotation.models import Aspect, Item, Seat, Study
from annotation.models.texts import full_text


@dataclass(frozen=True, slots=True)
class Correction:
    """A text as this worker left it."""

    text: str
    nothing_to_correct: bool
    n_changed: int  # words


@dataclass(frozen=True, slots=True)
class CorrectedText(ReviewedText):
    correction: Correction | None


@dataclass(frozen=True, slots=True)
class CorrectedTexts:
    """All of a page, in the order shown."""

    texts: list[CorrectedText]
    original: Original | None
    characters: int
    template: str = "annotation/kinds/edits/review.html"

    @property
    def n(self) -> int:
        return sum(text.correction is not None for text in self.texts)

    @property
    def n_asked(self) -> int:
        return len(self.texts)


class EditReview(ItemReview):
    def answers(
        self, study: Study, seat: Seat, aspects: Sequence[Aspect]
    ) -> CorrectedTexts:
        """Four queries."""
        items, reports = _review.items(seat), _review.reports(seat)
        corrections = _corrections(seat, items)
        texts = [
            CorrectedText(
                position,
                item,
                *_review.view(seat, position, _review.behind(seat, item)),
                reports.get(item.pk, []),
                corrections.get(item.pk),
            )
            for position, item in enumerate(items, start=1)
        ]
        return CorrectedTexts(
            texts=texts,
            original=_review.original(study, items, []),
            characters=_review.characters(seat, items),
        )


def _corrections(seat: Seat, items: list[Item]) -> dict[int, Correction]:
    """By item."""
    prefix = seat.survey.prompt.prefix
    before = {item.pk: full_text(prefix, item.text) for item in items}
    return {
        edit.item_id: Correction(
            edit.text,
            edit.unchanged,
            words.changed(before[edit.item_id], edit.text),
        )
        for edit in seat.edits.all()
        if edit.item_id in before
    }
