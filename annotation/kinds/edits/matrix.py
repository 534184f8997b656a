"""Corrections as quality control looks at them: no answer is compared.

Was the damaged text repaired, and how much was changed? Someone who ticks "Nothing to
correct" everywhere is always caught by the first, if the page hides a damaged text.
Someone who changes any word of it never is: then only the number of changed words can
tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from annotation.careless.common_scale import CommonScale
from annotation.careless.odds import Seen
from annotation.kinds.edits import edited_texts
from annotation.kinds.edits.edited_texts import EditedText, Share
from annotation.kinds.ratings.matrix import characters
from annotation.models import Policy
from annotation.page_kinds.matrix import (
    Compared,
    PageMatrix,
    Result,
    Submitted,
    Terms,
)


@dataclass(frozen=True, slots=True)
class EditMatrix(PageMatrix):
    is_rated: ClassVar[bool] = False

    edits: tuple[EditedText, ...]  # each text, in order

    def compared(self, terms: Terms) -> Compared | None:
        return None

    def why_above(self, above: Compared, terms: Terms) -> str:
        return ""

    def is_same(self, scale: CommonScale) -> None:
        return None

    def seen(self, terms: Terms) -> Seen:
        return Seen(None, 1.0, None)

    def own_checks(self, policy: Policy) -> dict[str, Result]:
        return {
            "untouched": self._untouched() if policy.edit_untouched else None,
            "changes": self._changes(policy),
        }

    def _untouched(self) -> Result:
        if self.hidden is None:
            return None
        n = self.edits[self.hidden].changed
        reason = "" if n else "No word of the damaged text was changed."
        return reason, {"damaged_changed": n}

    def _changes(self, policy: Policy) -> Result:
        """A page outside the limits is named under "outside", discarded or not."""
        share = edited_texts.share(self.edits)
        reason = why_outside(share, policy.edit_low, policy.edit_high)
        numbers = {"changed": share.changed, "words": share.words}
        outside = {"outside": reason} if reason else {}
        return reason if policy.edit_discard else "", {"edited": numbers, **outside}


def why_outside(share: Share, low: float | None, high: float | None) -> str:
    """Why someone should look at a page of corrections; empty where nobody need."""
    percent = share.percent
    if low is not None and percent < low:
        side, limit = "fewer than", low
    elif high is not None and percent > high:
        side, limit = "more than", high
    else:
        return ""
    changed = "1 word was" if share.changed == 1 else f"{share.changed:,} words were"
    return (
        f"In the real texts {changed} changed, {percent:.3g} for each 100:"
        f" {side} {limit:g}."
    )


class EditMatrices:
    def related(self, *, texts: bool) -> Sequence[str]:
        return ()

    def read(self, pages: Submitted) -> Iterator[EditMatrix]:
        edits = edited_texts.read(pages.seats)
        for seat in pages.seats:
            items, texts = pages.shown(seat), edits.get(seat.pk, {})
            if items and all(item in texts for item in items):
                yield EditMatrix(
                    **pages.sitting(seat),
                    ratings=np.full((len(items), len(pages.about)), np.nan),
                    characters=characters(pages, seat),
                    edits=tuple(texts[item] for item in items),
                )
