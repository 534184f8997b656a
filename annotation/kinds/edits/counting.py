from __future__ import annotations

from collections.abc import Mapping

from annotation.models import Seat
from annotation.page_kinds.counting import RatingCounting


class EditCounting(RatingCounting):
    """One correction of each text, whatever a study asks elsewhere."""

    answer = "correction"
    answers = "edits"

    def n_wanted(self, seat: Seat, n_aspects: Mapping[str, int]) -> int:
        return len(seat.order)
