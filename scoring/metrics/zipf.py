"""Zipf coefficient of a system: how steeply word frequency falls with rank.

    ln f(r) ~ a - s ln r,  s in [0, inf)

s is the negated slope of the least squares line through the points (ln r, ln f(r)) of
the `ranks` most frequent words, after Holtzman et al. (2020), whose released code also
uses 5,000 ranks, but GPT-2 tokens instead of words. f(r) is how often the r-th most
frequent word occurs in all texts together. Words are lower-cased and punctuation is
removed. The larger s is, the more a system relies on few words.

There is no score for fewer than two different words.

s changes with the number of texts, and neither high nor low is good in itself: what
counts is how close it is to that of human text,

    closeness = -|s of the system - s of human texts|,  in (-inf, 0],

with the same number of texts on both sides: for each of `seeds` seeds, a random sample
of the larger side is drawn that is as large as the smaller side.

`reads=generated` leaves the prefixes of the system's texts out: prefixes that all
systems share make texts look more alike. Human texts are read as they are.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence

import numpy as np

from scoring.metrics._distributions import closeness
from scoring.metrics._distributions.closeness import ClosenessScorer
from scoring.metrics._engine.base import OptionError, Output, SystemMetric, option
from scoring.metrics._engine.words import words


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the number."""

    ranks: int = option(
        5000,
        "how many of the most frequent words the line is fitted to",
        label="Most frequent words to use",
    )
    reads: str = closeness.reads_option()
    seeds: int = closeness.seeds_option()


class Zipf(SystemMetric):
    """How much a system's texts rely on a few frequent words."""

    title = "Zipf coefficient of each system"
    short = "Zipf"
    source = "Holtzman et al. (2020)"
    link = "https://arxiv.org/abs/1904.09751"
    version = 2  # 2: words of other scripts
    Options = Options
    uses = frozenset({"corpus"})

    @property
    def outputs(self) -> tuple[Output, ...]:
        own = Output("zipf", "Zipf coefficient", "negated slope, [0, inf)", None)
        return closeness.outputs(own)

    def check(self) -> None:
        closeness.check_seeds(self.options.seeds)
        if self.options.ranks < 2:
            raise OptionError(f"ranks={self.options.ranks}: expected 2 or more")

    def load(self, device: str = "cpu") -> ClosenessScorer:
        self.check()
        seeds, reads = self.options.seeds, self.options.reads
        return ClosenessScorer(self.signature(), self.measure, seeds=seeds, reads=reads)

    def measure(self, texts: Sequence[str]) -> dict[str, float | str]:
        """The coefficient, or why there is none."""
        counts = Counter(word for text in texts for word in words(text))
        if len(counts) < 2:
            return {"zipf": "fewer than two different words"}
        return {"zipf": coefficient(list(counts.values()), self.options.ranks)}


def coefficient(frequencies: Sequence[int], ranks: int) -> float:
    """Negated slope of the line through the largest frequencies, at least two.

    >>> coefficient([60, 30, 20, 15], ranks=5000)
    1.0
    """
    largest = sorted(frequencies, reverse=True)[:ranks]
    x, y = np.log(np.arange(1, len(largest) + 1)), np.log(largest)
    x -= x.mean()
    return 0.0 - float(x @ y / (x @ x))
