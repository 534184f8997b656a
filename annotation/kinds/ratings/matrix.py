"""Ratings of texts as quality control compares them, also of turns of dialogues."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from annotation.careless import odds, rules
from annotation.careless.common_scale import CommonScale
from annotation.careless.odds import Seen
from annotation.models import Aspect, Seat
from annotation.models.texts import full_text
from annotation.page_kinds.matrix import Compared, PageMatrix, Submitted, Terms
from annotation.quality import reasons


@dataclass(frozen=True, slots=True)
class AnsweredMatrix(PageMatrix):
    """A page whose questions are answered."""

    # Valid answers of other people on the same items, (people, items, aspects): nobody
    # where they were not asked for.
    others: np.ndarray
    # (items, aspects) bool, what is asked; the rest is NaN. None: everything.
    asked: np.ndarray | None = field(default=None, kw_only=True)

    def only_asked(self, ratings: np.ndarray, rows: list[int]) -> np.ndarray:
        """Ratings of these rows, (..., rows, aspects); what nobody asked is 0 for all,
        and not something that the worker could not say."""
        chosen: np.ndarray = ratings[..., rows, :]
        if self.asked is None:
            return chosen
        return np.where(self.asked[rows], chosen, 0.0)

    def is_same(self, scale: CommonScale) -> bool:
        return bool(rules.is_same(self.as_given, self.groups(scale), self.asked))

    def groups(self, scale: CommonScale) -> np.ndarray | None:
        """Which scale each aspect has; None: all have one."""
        return scale.groups

    @property
    def real(self) -> list[int]:
        """Rows of the texts that the negative stands among."""
        return [row for row in range(len(self.items)) if row != self.hidden]


@dataclass(frozen=True, slots=True)
class RatingMatrix(AnsweredMatrix):
    """A page on which texts are rated on scales."""

    def compared(self, terms: Terms) -> Compared | None:
        """Left out are aspects on which the worker could not rate the negative, and
        then real texts that they could not rate on one of the others."""
        if self.hidden is None or len(self.items) < 2:
            return None
        ratings = terms.scale.turned(self.ratings, terms.aspects)
        unsaid = np.isnan(ratings)
        columns = [
            column
            for column in terms.columns(self.hurts)
            if not unsaid[self.hidden, column]
        ]
        rows = [row for row in self.real if not unsaid[row, columns].any()]
        if not (columns and rows):
            return None
        return Compared(
            aspects=[terms.aspects[column] for column in columns],
            columns=columns,
            positions=[row + 1 for row in rows],
            real=ratings[np.ix_(rows, columns)],
            negative=ratings[self.hidden, columns],
        )

    def why_above(self, above: Compared, terms: Terms) -> str:
        return reasons.of_rule(terms.policy.rule, above, terms.scale.unit)

    def seen(self, terms: Terms) -> Seen:
        compared, real = self.compared(terms), self.real
        negative = np.vstack([compared.negative, compared.real]) if compared else None
        return odds.see(
            real=terms.scale.common(self.only_asked(self.ratings, real)),
            negative=negative,
            others=terms.scale.common(self.only_asked(self.others, real)),
            scales=terms.scales,
            compared=compared.columns if compared else None,
        )


class RatingMatrices:
    def related(self, *, texts: bool) -> Sequence[str]:
        return ()

    def read(self, pages: Submitted) -> Iterator[RatingMatrix]:
        for seat in pages.seats:
            answers = answered(pages, seat)
            if answers is not None:
                yield RatingMatrix(
                    **pages.sitting(seat),
                    **answers,
                    characters=characters(pages, seat),
                )


def answered(
    pages: Submitted, seat: Seat, wholes: Collection[int] | None = None
) -> dict[str, Any] | None:
    """Answers of a page and of others; None where one is missing.

    Args:
        wholes: Ids of items that questions about dialogues are asked of; None: the kind
            has no such, and questions of that kind may not be asked at all.
    """
    items, n_aspects = pages.shown(seat), len(pages.about)
    every = [(item, column) for item in items for column in range(n_aspects)]
    of_dialogue = np.array([one == Aspect.About.DIALOGUE for one in pages.about])
    asked = None
    if wholes is not None or of_dialogue.any():
        is_whole = np.array([item in (wholes or ()) for item in items], dtype=bool)
        asked = is_whole[:, np.newaxis] == of_dialogue
    wanted = every
    if asked is not None:
        cells = zip(every, asked.flat, strict=True)
        wanted = [one for one, is_asked in cells if is_asked]
    answers = pages.answers[seat.pk]
    if not wanted or not all(answer in answers for answer in wanted):
        return None
    values = [answers.get(answer) for answer in every]
    shape = len(items), n_aspects
    return {
        "ratings": np.array(values, dtype=np.float64).reshape(shape),
        "others": _others(pages, seat, every, wanted).reshape(-1, *shape),
        "asked": asked,
    }


def _others(
    pages: Submitted,
    seat: Seat,
    every: Sequence[tuple[int, int]],
    wanted: Sequence[tuple[int, int]],
) -> np.ndarray:
    """Leaves out workers who lack an item of the page, as after an exclusion."""
    if pages.others is None:
        return np.zeros((0, len(every)))
    is_wanted = set(wanted)
    rows = [
        [answers[one] if one in is_wanted else None for one in every]
        for worker, answers in sorted(pages.others[seat.survey_id].items())
        if worker != seat.worker_id and all(one in answers for one in wanted)
    ]
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(every))


def characters(pages: Submitted, seat: Seat) -> int | None:
    """What there is to read: the prefix once, and how each text continues."""
    if pages.prefixes is None:
        return None
    prefix, on_page = pages.prefixes[seat.survey_id], pages.items[seat.survey_id]
    full = [full_text(prefix, on_page[item].text) for item in pages.shown(seat)]
    return len(prefix) + sum(len(text) - len(prefix) for text in full)
