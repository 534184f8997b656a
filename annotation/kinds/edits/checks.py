"""The checks of pages of corrections: see `matrix`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.page_kinds.checks import (
    Numbers,
    OwnCheck,
    RuleOnly,
    Settings,
    Titles,
)


def _problems(values: Mapping[str, Any]) -> dict[str, str]:
    low, high = values.get("edit_low"), values.get("edit_high")
    if low is None or high is None or high > low:
        return {}
    return {"edit_high": f"Expected more than {low:g}, got {high:g}."}


class EditChecks(RuleOnly):
    failing = "leaves it uncorrected"
    own: Mapping[str, OwnCheck] = {
        "untouched": OwnCheck(
            "damaged text not corrected",
            setting="edit_untouched",
            why_not_made="The page has no damaged text to compare with others.",
        ),
        "changes": OwnCheck("too few or too many words changed"),
    }
    settings = Settings(
        legend="Corrections",
        fields={
            "edit_untouched": (
                "Discard a page whose damaged text was not corrected",
                "Someone who ticks “Nothing to correct” everywhere is always caught."
                " Someone who changes any word of each text never is: only the limits"
                " below can tell.",
            ),
            "edit_low": (
                "Flag a page with fewer changed words per 100 than",
                "Leave empty for no limit. Counts the real texts of the page together:"
                " many texts may need no change at all.",
            ),
            "edit_high": (
                "Flag a page with more changed words per 100 than",
                "Leave empty for no limit. Moves count with each moved word, so a"
                " completely rewritten text is near 100.",
            ),
            "edit_discard": (
                "Discard flagged pages as well",
                "Otherwise flagged pages count, and are listed under “Needs attention”"
                ".",
            ),
        },
        problems=_problems,
    )

    def sentences(self, numbers: Numbers, titles: Titles) -> dict[str, str | None]:
        if "edited" not in numbers:
            return {}
        edited, damaged = numbers["edited"], numbers.get("damaged_changed")
        share = 100 * edited["changed"] / max(1, edited["words"])
        changes = (
            f"{edited['changed']:,} of {edited['words']:,} words changed ({share:.3g}"
            " %)."
        )
        untouched = None
        if damaged is not None:
            untouched = f"Words changed in the damaged text: {damaged:,}."
        return {"untouched": untouched, "changes": numbers.get("outside", changes)}
