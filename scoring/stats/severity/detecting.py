"""How strict a rater has to be for these ratings to show it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy  # its special functions: scipy.stats takes a second to load

from scoring.stats._ratings import others_of, ratings
from scoring.stats.power import ALPHA, POWER


class Detectable(NamedTuple):
    """What a rater with as many ratings as the median rater would have to differ by."""

    points: float  # of the scale; inf = no rater has two ratings to compare
    n: int  # ratings of that rater, of texts that others have rated, too

    def needed(self, points: float) -> int:
        """Ratings by each rater for a difference of so many points."""
        return math.ceil(self.n * (self.points / points) ** 2)


def detectable(text: np.ndarray, rater: np.ndarray, value: np.ndarray) -> Detectable:
    """Find the difference from the others that is seen with a chance of 80 %.

    With d a rating less the mean of the others of its text, s^2 its variance within
    raters, and n the ratings of the median rater, a t test of the mean of d at 5 %
    needs

        (t_(1 - alpha / 2) + t_power) s / sqrt(n),   degrees of freedom those of s^2.

    Args:
        text: Which text was rated, (k,), of any kind.
        rater: Who rated it, (k,), of any kind. The last rating of a text counts.
        value: The rating, (k,); NaN = missing.
    """
    known = ratings(text, rater, value)
    apart = known.value - others_of(known)
    there = np.isfinite(apart)
    who, apart = known.rater[there], apart[there]
    n = np.bincount(who, minlength=len(known.names))
    df = int(np.maximum(n - 1, 0).sum())
    typical = int(np.median(n)) if len(n) else 0
    if not df or not typical:
        return Detectable(math.inf, typical)
    mean = np.bincount(who, apart, len(n)) / np.maximum(n, 1)
    variance = float(((apart - mean[who]) ** 2).sum()) / df
    t = scipy.special.stdtrit(df, np.array([1 - ALPHA / 2, POWER])).sum()
    return Detectable(float(t * math.sqrt(variance / typical)), typical)
