"""Checks of a page of corrections: was the damaged text repaired, and how much changed?

Someone who ticks "Nothing to correct" everywhere is always caught by the first, if the
page hides a damaged text. Someone who changes any word of it never is: then only the
number of changed words can tell.
"""

from __future__ import annotations

from collections.abc import Mapping

from annotation.models import Policy
from annotation.quality import edited_texts, reasons
from annotation.quality.checked_pages import Sheet

# A reason, if the check failed, and what it saw. None: it was not made.
Result = tuple[str, Mapping[str, object]] | None


def untouched(policy: Policy, sheet: Sheet) -> Result:
    if not policy.edit_untouched or not sheet.edits or sheet.hidden is None:
        return None
    n = sheet.edits[sheet.hidden].changed
    return "" if n else reasons.UNTOUCHED, {"damaged_changed": n}


def changes(policy: Policy, sheet: Sheet) -> Result:
    """A page outside the limits is named under "outside", discarded or not."""
    if not sheet.edits:
        return None
    found = edited_texts.share(sheet.edits)
    said = reasons.of_changes(found, policy.edit_low, policy.edit_high)
    numbers = {"changed": found.changed, "words": found.words}
    failed = said if policy.edit_discard else ""
    return failed, {"edited": numbers, **({"outside": said} if said else {})}
