from __future__ import annotations

from collections.abc import Sequence

from annotation.page_kinds.counting import RatingCounting


class MarkCounting(RatingCounting):
    beside: Sequence[str] = ("span_marks", "dropped_proposals")
