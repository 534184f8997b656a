"""The quality control that new studies begin with."""

from __future__ import annotations

from typing import Any

from annotation.models.policies import Policy
from annotation.models.studies import OF_ENGLISH, Study

# What new studies begin with. `benchmarks/quality_defaults.md` has what it catches and
# what it costs; a study that exists keeps the policy that it has.
BEGINNING: dict[str, Any] = {
    # A third of the time that `surveys.estimating` reckons with: 630 words a minute,
    # at which people only look for a word (Carver 1992: scanning, 600).
    "characters_per_second": 60,
    # One answer everywhere is discarded where the page was read at 315 words a minute
    # or more (most adults read 175 to 300: Brysbaert 2019), and at any speed if most
    # pages of the worker are like it.
    "same_score": True,
    "same_faster_than": 30,
    "same_pages": 3,
    # If a worker rates damaged texts a quarter of the scale lower, the chance of losing
    # them is at most 1 in 50, however many pages they rate. The damaged text alone
    # discards up to 4 % of noisy people's pages; all checks together may discard 5 %.
    "chance_odds": 50,
    "worker_pages": 3,
    "with_others": True,
    # So that workers found careless take no places from others.
    "block_after": 3,
    "block_within": 5,
}


def first_policy(study: Study) -> Policy:
    """The first policy of a new study, not saved."""
    slower = OF_ENGLISH.get(study.language, 1)
    speeds = ("same_faster_than", "characters_per_second")
    limits = {name: BEGINNING[name] / slower for name in speeds}
    return Policy(study=study, version=1, **{**BEGINNING, **limits})
