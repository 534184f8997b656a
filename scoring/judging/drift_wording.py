"""What looks at anchors mean, in plain sentences."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.formats import date_format

from scoring.judging.stress_wording import points, signed
from scoring.stats import cluster_t
from scoring.stats.anchors import Look
from scoring.stats.estimates import Estimate

Looks = Sequence[tuple[datetime | None, Look | None]]  # oldest first


def mark(looks: Looks) -> str:
    """For tables and charts with the scores of a judge; "" while nothing was found.

    By the last look: what was found once and is gone again is on the anchors' page.
    """
    since = since_when(looks)
    last = looks[-1][1] if looks else None
    if since is None or last is None or not last.drifted:
        return ""
    changes = [
        name
        for name, estimate in (
            (f"mean has changed by {points(last.mean)}", last.mean),
            (
                f"agreement with people has changed by {correlation(last.agreement)}",
                last.agreement,
            ),
        )
        if leaves_out_0(estimate)
    ]
    return f"This judge’s {' and its '.join(changes)} since {since}."


def since_when(looks: Looks) -> str | None:
    """The date of the first look of those in a row, up to the last, that found it."""
    first_seen: datetime | None = None
    for when, look in looks:
        is_found = look is not None and look.drifted
        first_seen = (first_seen or when) if is_found else None
    return None if first_seen is None else date(first_seen)


def sentence(look: Look | None) -> str:
    """One look in words."""
    if look is None:
        return ""
    return f"{_mean(look.mean)} {_agreement(look.agreement)}"


def _mean(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"The mean cannot be compared: {estimate.reason}."
    if leaves_out_0(estimate):
        return f"The mean has changed by {points(estimate)}."
    if estimate.low is None:
        return (
            f"The mean has changed by {points(estimate)}, untested: {estimate.reason}."
        )
    return f"No clear change in the mean: {points(estimate)}."


def _agreement(estimate: Estimate) -> str:
    if estimate.value is None or estimate.low is None:
        return f"Agreement with people is not tested: {estimate.reason}."
    if leaves_out_0(estimate):
        return f"Agreement with people (r) has changed by {correlation(estimate)}."
    return f"No clear change in agreement with people (r): {correlation(estimate)}."


def correlation(estimate: Estimate) -> str:
    """+0.05 [−0.02, +0.12], as far as there is an interval."""
    value = signed(estimate.value)
    if estimate.low is None or estimate.high is None:
        return value
    return f"{value} [{signed(estimate.low)}, {signed(estimate.high)}]"


def leaves_out_0(estimate: Estimate) -> bool:
    return cluster_t.side(estimate) != 0


def date(when: Any) -> str:
    return date_format(timezone.localtime(when), "j F Y")
