from __future__ import annotations

from collections.abc import Sequence

from annotation.models import comparing
from annotation.page_kinds.counting import RatingCounting, Sitting


class PairCounting(RatingCounting):
    """Each pair has a prompt of its own; answers are stored from its first text."""

    answer = "comparison"
    unit = "pair"
    texts: Sequence[str] = ("pair__first", "pair__second")
    shares_prefix = False

    def as_given(self, value: int | None, item: int, page: Sitting) -> int | None:
        return comparing.seen(value, flipped=item in page.flipped)
