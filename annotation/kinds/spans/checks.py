"""The hidden check of pages of marked texts: is the damage marked?"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from annotation.kinds.spans import damage, marks
from annotation.kinds.spans.matrix import of_negative
from annotation.models import Negative, Policy, Study
from annotation.page_kinds.checks import (
    HiddenCheck,
    Numbers,
    OwnCheck,
    RuleOnly,
    Settings,
    Titles,
)

MOST = 50  # damaged texts whose spans are counted: enough for a mean


class MarkChecks(RuleOnly):
    failing = "does not mark its damage"
    own: Mapping[str, OwnCheck] = {
        "damage": OwnCheck(
            "damage not marked",
            setting="span_share",
            why_not_made="The page has no damaged text, or nothing in it that can be"
            " marked.",
        )
    }
    settings = Settings(
        legend="Marked errors",
        fields={
            "span_share": (
                "Discard a page on which less of the damage is marked (%)",
                "The share of the damaged words that are marked, less the share of the"
                " other words of that text. Someone who marks nothing gets 0, as does"
                " someone who marks everything. Leave empty to check ratings only.",
            )
        },
    )

    def sentences(self, numbers: Numbers, titles: Titles) -> dict[str, str | None]:
        if "damage_marked" not in numbers:
            return {}
        share = f"{numbers['damage_marked']:g} %"
        return {
            "damage": f"{share}: the share of the damaged words that are marked, less"
            " the share of the other words."
        }

    def power(self, study: Study, policy: Policy) -> HiddenCheck | None:
        if policy.span_share is None:
            return None
        rows = Negative.objects.filter(survey__study=study, survey__kind="spans")
        drawn = rows.select_related("source", "survey__prompt").order_by("pk")[:MOST]
        chances = [_passes(row, policy.span_share / 100) for row in drawn]
        chances = [chance for chance in chances if chance == chance]
        if not chances:
            return None
        return HiddenCheck(
            "annotation/kinds/spans/power.html",
            {
                "texts": len(chances),
                "caught": 100 * (1 - float(np.mean(chances))),
                "span": damage.SPAN,
                "share": policy.span_share,
            },
        )


def _passes(negative: Negative, share: float) -> float:
    """How likely one mark by chance is enough; NaN: there is nothing to mark."""
    prompt = negative.survey.prompt
    done = of_negative(negative, prompt)
    start = marks.opening(prompt.prefix, negative.text)
    first = sum(at < start for at, _ in done.places)
    return damage.by_chance(done, share, first) if done.n else float("nan")
