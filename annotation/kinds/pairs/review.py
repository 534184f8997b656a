"""A page of pairs that one worker compared, for researchers.

Reads only; as many queries for a page of twelve pairs as for one of two. Answers are
told as this worker saw the pair, with A on the left, whatever side others saw.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from annotation.kinds import _review
from annotation.kinds._review import ItemReview
from annotation.kinds.pairs import comparisons_of_text
from annotation.kinds.pairs.content import full_texts
from annotation.models import (
    Annotation,
    Aspect,
    Generation,
    Item,
    Negative,
    Report,
    Seat,
    Study,
    comparing,
)
from annotation.page_kinds.review import AboutText
from annotation.watching.figures import Figure

# What of a pair is read with its item.
RELATED = ("pair__prompt__label", "pair__first__system", "pair__second__system")
AGAINST = 2  # so many others must have chosen the other side, and nobody the same


class Side(NamedTuple):
    """One of the two texts."""

    letter: str  # A: on the left
    text: Generation  # for a damaged one, the text it was made of
    negative: Negative | None

    @property
    def words(self) -> str:
        """As stored: pages show it as full_text."""
        return self.negative.text if self.negative else self.text.text


class Choice(NamedTuple):
    """What this worker said on one aspect, beside the others."""

    aspect: Aspect
    own: int | None  # as they saw it; None: not answered, or they cannot say
    others: Counter[int]  # how many of the other valid answers said what, likewise
    cannot_say: bool = False  # was the answer

    @property
    def in_words(self) -> str:
        return "" if self.own is None else comparing.IN_WORDS[self.own]

    @property
    def others_in_words(self) -> list[tuple[str, int]]:
        """In words, from left to right."""
        return [(comparing.IN_WORDS[at], self.others[at]) for at in sorted(self.others)]

    @property
    def n(self) -> int:
        return self.others.total()

    @property
    def is_far(self) -> bool:
        """Whether others chose the other text, and nobody this one."""
        if self.own is None or not (own := comparing.lead(self.own)):
            return False
        sides = Counter[bool]()
        for value, n in self.others.items():
            if lead := comparing.lead(value):
                sides[(lead > 0) == (own > 0)] += n
        return not sides[True] and sides[False] >= AGAINST


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """A pair as this worker saw it."""

    position: int  # on the page, from 1
    item: Item
    left: Side
    right: Side
    answers: list[Choice]
    seconds: Figure  # in view
    speed: Figure  # characters per second
    reports: list[Report]  # by this worker

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.left, self.right


def sides(item: Item, *, flipped: bool) -> tuple[Side, Side]:
    """Left and right. Reads the item's pair with its texts, and its negative."""
    pair, negative = item.pair, item.negative
    assert pair is not None
    second = pair.second or (negative.source if negative else None)
    assert second is not None  # without a second text there is the damaged twin
    damaged = None if pair.second else negative
    both = [(pair.first, None), (second, damaged)]
    (left, right) = reversed(both) if flipped else both
    return Side("A", *left), Side("B", *right)


def characters(item: Item) -> int:
    """To read on a pair: both full texts, and what is shown beside them."""
    assert item.pair is not None
    return sum(map(len, full_texts(item))) + len(item.pair.prompt.source)


@dataclass(frozen=True, slots=True)
class ComparedPairs:
    """All of a page, in the order shown."""

    aspects: Sequence[Aspect]
    pairs: list[ComparedPair]
    n: int
    characters: int
    template: str = "annotation/kinds/pairs/review.html"

    @property
    def n_asked(self) -> int:
        return len(self.pairs) * len(self.aspects)


class PairReview(ItemReview):
    related = RELATED
    counts = {"n_pairs": comparisons_of_text.n_pairs()}
    reported = "annotation/kinds/pairs/reported.html"

    def shown(self, item: Item) -> tuple[Side, Side]:
        """In the order in which the texts are stored."""
        return sides(item, flipped=False)

    def about(
        self, study: Study, text: Generation, aspects: Sequence[Aspect]
    ) -> AboutText:
        compared = comparisons_of_text.read(study=study, text=text, aspects=aspects)
        return AboutText(
            "Comparisons",
            _in_pairs(compared.n_pairs),
            "annotation/kinds/pairs/of_text.html",
            compared,
        )

    def fact(self, text: Generation) -> str:
        return _in_pairs(text.n_pairs)  # type: ignore[attr-defined]

    def answers(
        self, study: Study, seat: Seat, aspects: Sequence[Aspect]
    ) -> ComparedPairs:
        """Five queries."""
        items = _review.items(seat, *RELATED)
        return ComparedPairs(
            aspects=aspects,
            pairs=_pairs(seat, items, aspects),
            n=seat.annotations.count(),
            characters=sum(map(characters, items)),
        )


def _in_pairs(n: int) -> str:
    return f"in {n} pair{'' if n == 1 else 's'}"


def _pairs(
    seat: Seat, items: Sequence[Item], aspects: Sequence[Aspect]
) -> list[ComparedPair]:
    rows = seat.annotations.order_by().values_list("item_id", "aspect_id", "value")
    own = {(item, aspect): value for item, aspect, value in rows}
    others, reports = _others(seat, items), _review.reports(seat)
    pairs = []
    for position, item in enumerate(items, start=1):
        flipped = item.pk in seat.flipped
        answers = [
            Choice(
                aspect,
                comparing.seen(own.get((item.pk, aspect.pk)), flipped=flipped),
                _turned(others[item.pk, aspect.pk], flipped),
                cannot_say=own.get((item.pk, aspect.pk), 0) is None,
            )
            for aspect in aspects
        ]
        view = _review.view(seat, position, characters(item))
        left, right = sides(item, flipped=flipped)
        pairs.append(
            ComparedPair(
                position, item, left, right, answers, *view, reports.get(item.pk, [])
            )
        )
    return pairs


def _others(
    seat: Seat, items: Sequence[Item]
) -> defaultdict[tuple[int, int], Counter[int]]:
    """What the other valid answers were, by item and aspect, as they are stored."""
    rows = Annotation.objects.filter(
        item__in=items,
        seat__state=Seat.State.VALID,
        seat__informed=False,
        value__isnull=False,
    ).exclude(seat=seat)
    counts: defaultdict[tuple[int, int], Counter[int]] = defaultdict(Counter)
    values = rows.order_by().values_list("item_id", "aspect_id", "value")
    for item, aspect, value in values:
        assert item is not None and value is not None  # asked for above
        counts[item, aspect][value] += 1
    return counts


def _turned(others: Counter[int], flipped: bool) -> Counter[int]:
    return Counter(
        {comparing.turned(at) if flipped else at: n for at, n in others.items()}
    )
