"""From when on something needs a look. Every number of the attention list is here.

Where quality control has a setting for the same thing, the study's own policy decides;
where the policy does not ask, what new studies begin with (`models.first_policy`) does.
So the list never calls fast what quality control was told to accept, and it warns
before quality control discards.
"""

from __future__ import annotations

from typing import NamedTuple

from annotation.models import Policy
from annotation.models.first_policy import BEGINNING
from scoring.stats.copying.testing import RATE

# Workers with fewer pages are too new to tell anything about, unless the study's policy
# names its own number (`worker_pages`).

# One answer this often, over all their pages: nothing varies. In the sample study no
# honest simulated worker gives one of five answers more than 4 in 10 times.
MOST_COMMON = 0.9

# So many texts that others have rated, too, before r says anything: on 12 texts an r of
# 0 has a 95 % interval from -0.57 to 0.57.
ENOUGH_TEXTS = 12

# Of the choices between two texts, the share of one side that hardly anyone has by
# chance: 24 of 30 on one side come up once in 700 people who pay no heed to sides.
ENOUGH_CHOICES = 30
MOST_OF_ONE_SIDE = 0.8

# Someone who agrees with others less than half as well as workers usually do. The same
# half as in `careless.odds.AGREEING`.
LOW_SHARE = 0.5
ENOUGH_WORKERS = 5  # whose r can be compared, before there is a usual one

# Of the limit at which the odds of random answers discard all pages of a worker.
NEAR_LIMIT = 0.2

# Pages that failed a check, before they say something about the person.
DISCARDED = 2

# The same words by one worker, and by several.
SAME_WORDS = 3
SAME_WORDS_WORKERS = 2
SHORTEST_WORDS = 15  # characters: "ok" and "no comment" are anyone's

# Of 100 honest workers, as many get the note that they answer like a model. Measured in
# benchmarks/model_raters.md.
ROUND_RATE = round(100 * RATE)

# Characters that a worker pasted into text fields: fewer are a name or an address.
MANY_PASTED = 100

# What is read at once, newest pages first, and what is shown. To read 5,000 pages with
# 75,000 ratings takes 1.2 s of processor: with so many, the list is not rebuilt for
# every page that is submitted.
MOST_WORKERS = 1000
MOST_PAGES = 5000
MANY_PAGES = 1000
SECONDS_KEPT = 60  # where there are many
MOST_SHOWN = 50
MOST_LINKS = 6  # pages that one entry links to
MOST_QUOTED = 160  # characters of a comment


class Limits(NamedTuple):
    """What of a study's policy the list goes by."""

    pages: int  # from so many pages on
    fast: float  # characters per second: faster than most adults read
    too_fast: float  # faster than quality control accepts, or would by default
    same_pages: int  # with the same answer everywhere
    odds: float | None  # at which all pages are discarded; None: nobody asks


def of(policy: Policy) -> Limits:
    """The limits of this policy, with what new studies begin with in its gaps."""
    too_fast = policy.characters_per_second or BEGINNING["characters_per_second"]
    return Limits(
        pages=policy.worker_pages,
        fast=min(policy.same_faster_than or BEGINNING["same_faster_than"], too_fast),
        too_fast=too_fast,
        same_pages=policy.same_pages or BEGINNING["same_pages"],
        odds=policy.chance_odds,
    )
