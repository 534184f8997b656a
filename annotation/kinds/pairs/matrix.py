"""Answers on pairs as quality control compares them: see `pair_answers`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from annotation.careless.common_scale import CommonScale
from annotation.careless.odds import Seen
from annotation.kinds.pairs.content import full_texts
from annotation.kinds.pairs.pair_answers import PairAnswers
from annotation.kinds.ratings.matrix import AnsweredMatrix, answered
from annotation.models import Item, comparing
from annotation.page_kinds.matrix import Compared, Submitted, Terms
from annotation.quality import reasons

# In the numbers of a verdict, in place of the rule: all three mean the same here.
RULE = "pair"


@dataclass(frozen=True, slots=True)
class PairMatrix(AnsweredMatrix):
    rule: ClassVar[str] = RULE
    words: ClassVar[Mapping[int, str]] = comparing.IN_WORDS

    # (items,) bool, where the second text was on the left. Answers are stored from the
    # first one.
    flipped: np.ndarray
    points: tuple[int, ...]  # the answers that the study offers, as stored

    @property
    def as_given(self) -> np.ndarray:
        turned = self.flipped[:, np.newaxis]
        return np.where(turned, comparing.turned(self.ratings), self.ratings)

    def groups(self, scale: CommonScale) -> None:
        return None

    def answers(self, scale: CommonScale) -> PairAnswers:
        return PairAnswers(self.points, float(scale.width))

    def above_twin(self, scale: CommonScale) -> np.ndarray | None:
        if self.hidden is None:
            return None
        return self.answers(scale).signed(self.ratings[self.hidden])

    def compared(self, terms: Terms) -> Compared | None:
        """A text and its damaged twin: the damaged one, seen from the other at 0."""
        above = self.above_twin(terms.scale)
        if self.hidden is None or above is None or len(self.items) < 2:
            return None
        columns = [one for one in terms.columns(self.hurts) if not np.isnan(above[one])]
        if not columns:
            return None
        return Compared(
            aspects=[terms.aspects[column] for column in columns],
            columns=columns,
            positions=[self.hidden + 1],
            real=np.zeros((1, len(columns))),
            negative=above[columns],
        )

    def why_above(self, above: Compared, terms: Terms) -> str:
        return (
            "The damaged version of a text was called better than the text itself, on"
            f" {reasons.named(above.aspects, turned=False)}."
        )

    def seen(self, terms: Terms) -> Seen:
        answers, compared = self.answers(terms.scale), self.compared(terms)
        return answers.see(
            own=answers.signed(self.ratings[self.real]),
            check=compared.negative if compared else None,
            others=answers.signed(self.others[:, self.real]),
            unit=terms.scales.unit,
        )


class PairMatrices:
    def related(self, *, texts: bool) -> Sequence[str]:
        return ("pair__first", "pair__second", "pair__prompt") if texts else ()

    def read(self, pages: Submitted) -> Iterator[PairMatrix]:
        lengths = pages.lengths(_lengths)
        points = comparing.points(pages.study)
        for seat in pages.seats:
            items, answers = pages.shown(seat), answered(pages, seat)
            if answers is None:
                continue
            yield PairMatrix(
                **pages.sitting(seat),
                **answers,
                characters=sum(lengths[item] for item in items) if lengths else None,
                flipped=np.array([item in seat.flipped for item in items], dtype=bool),
                points=points,
            )


def _lengths(items: Sequence[Item]) -> dict[int, int]:
    """Characters by item: its prompt, too, as each pair has its own."""
    return {
        item.pk: len(item.pair.prompt.source) + sum(map(len, full_texts(item)))
        for item in items
        if item.pair
    }
