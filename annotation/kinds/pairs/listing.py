"""The pairs of a page, as researchers see them."""

from __future__ import annotations

from collections.abc import Mapping

from annotation.kinds.pairs import review
from annotation.models import Survey


class PairListing:
    own_prompts = "each pair has its own"
    more = "annotation/kinds/pairs/more.html"
    template = "annotation/kinds/pairs/survey.html"

    def context(self, survey: Survey) -> Mapping[str, object]:
        """With their texts in the order in which they are stored."""
        items = survey.items.select_related(
            *("pair__prompt__label", "pair__first__system", "pair__second__system"),
            "negative__source__system",
        )
        return {"pairs": [(item, review.sides(item, flipped=False)) for item in items]}
