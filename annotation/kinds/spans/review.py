"""A page of texts in which one worker marked errors, for researchers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from annotation.kinds._rated_texts import RatedText, RatedTexts, TextReview
from annotation.kinds.spans import schemes, sides, stored_marks
from annotation.kinds.spans.answers import as_shown
from annotation.kinds.spans.cards import Marking
from annotation.kinds.spans.sides import MarkedUnit
from annotation.kinds.spans.stored_marks import MarkedText
from annotation.models import Aspect, Seat, Study
from scoring.stats.spans.penalties import penalty


@dataclass(frozen=True, slots=True)
class ReviewedMarks(RatedText):
    """A text with what this worker marked in it."""

    marking: Marking
    penalty: float
    n_lost: int  # marks whose words do not stand there any more


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
    marking = Marking(
        position=rated.position,
        letter="",
        unit=unit,
        scheme=scheme,
        marked=as_shown(marked, unit),
        answered=marked.is_answer,
    )
    facts = {field.name: getattr(rated, field.name) for field in fields(rated)}
    return ReviewedMarks(
        **facts, marking=marking, penalty=penalty(right, scheme.costs), n_lost=len(lost)
    )
