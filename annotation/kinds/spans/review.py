"""A page of texts in which one worker marked errors, for researchers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from annotation.kinds._rated_texts import RatedText, RatedTexts, TextReview
from annotation.kinds.spans import damage, marks, schemes, sides, stored_marks
from annotation.kinds.spans.answers import as_shown
from annotation.kinds.spans.cards import Marking
from annotation.kinds.spans.damage import Damage
from annotation.kinds.spans.marks import Placed
from annotation.kinds.spans.matrix import of_negative
from annotation.kinds.spans.sides import MarkedUnit
from annotation.kinds.spans.stored_marks import MarkedText
from annotation.models import Aspect, Seat, Study
from scoring.penalties import penalty
from scoring.stats.spans.marks import Mark


@dataclass(frozen=True, slots=True)
class ReviewedMarks(RatedText):
    """A text with what this worker marked in it."""

    marking: Marking
    penalty: float
    n_lost: int  # marks whose words do not stand there any more
    damaged: Sequence[str] = ()  # what was done to it, as the text has it
    marked_share: float | None = None  # of the damage, in percent: see `damage.hit`


class MarkReview(TextReview):
    def answers(
        self, study: Study, seat: Seat, aspects: Sequence[Aspect]
    ) -> RatedTexts:
        """Two queries more than for ratings."""
        rated = super().answers(study, seat, aspects)
        saved = stored_marks.of_seat(seat)
        texts: list[RatedText] = [
            _with_marks(study, seat, text, saved.get(text.item.pk, MarkedText()))
            for text in rated.texts
        ]
        return replace(
            rated, texts=texts, template="annotation/kinds/spans/review.html"
        )


def _with_marks(
    study: Study, seat: Seat, rated: RatedText, marked: MarkedText
) -> ReviewedMarks:
    scheme, prompt = schemes.of_study(study), seat.survey.prompt
    unit = MarkedUnit(rated.item.pk, sides.of_text(prompt, rated.item.text, scheme))
    right, lost = stored_marks.in_place(marked, unit.stored)
    negative = rated.item.negative
    harm = of_negative(negative, prompt) if negative else None
    places = _places(harm, rated.item.text) if harm else []
    marking = Marking(
        position=rated.position,
        letter="",
        unit=unit,
        scheme=scheme,
        marked=as_shown(marked, unit),
        answered=marked.is_answer,
        damage=[placed.mark for placed in places],
    )
    facts = {field.name: getattr(rated, field.name) for field in fields(rated)}
    return ReviewedMarks(
        **facts,
        marking=marking,
        penalty=penalty(right, scheme.costs),
        n_lost=len(lost),
        damaged=[marking.quote(placed) for placed in places],
        marked_share=100 * damage.hit(harm, right) if harm else None,
    )


def _places(harm: Damage, text: str) -> list[Placed]:
    """Where a text was damaged, as a page counts."""
    return [
        marks.as_shown(Placed(Mark(start, end), text[start:end]), text)
        for start, end in harm.spans
    ]
