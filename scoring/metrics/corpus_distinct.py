"""Distinct-n over all texts of a system: how much its texts repeat each other.

distinct-n = number of different n-grams / number of n-grams of all texts together, in
(0, 1], after Li et al. (2016), who divide by the number of words instead; no n-gram
spans two texts. Words are lower-cased and without punctuation. No number where there is
no n-gram.

More texts give lower values, so compare systems with the same number of texts. Neither
high nor low is good in itself: what counts is how close the value is to that of human
text,

    closeness = -|distinct-n of the system - distinct-n of human texts|,  in [-1, 0],

with the same number of texts on both sides: for each of `seeds` seeds, a random sample
of the larger side is drawn that is as large as the smaller side.

`reads=generated` leaves the prefixes of the system's texts out: prefixes that all
systems share make texts look more alike. Human texts are read as they are.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from scoring.metrics import distinct
from scoring.metrics._distributions import closeness
from scoring.metrics._distributions.closeness import ClosenessScorer
from scoring.metrics._engine.base import Output, SystemMetric
from scoring.metrics._engine.words import numbered_ngrams, words


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the number."""

    reads: str = closeness.reads_option()
    seeds: int = closeness.seeds_option()


class CorpusDistinct(SystemMetric):
    """Variety: the share of different n-grams in all texts of a system."""

    title = "Distinct-n of each system"
    short = "Distinct"
    source = "Li et al. (2016)"
    link = "https://aclanthology.org/N16-1014"
    version = 2  # 2: words of other scripts
    Options = Options
    uses = frozenset({"corpus"})

    @property
    def outputs(self) -> tuple[Output, ...]:
        # Beside distinct-n of single texts, and not to be taken for it.
        return closeness.outputs(
            *(
                dataclasses.replace(one, title=f"{one.title} of all texts")
                for one in distinct.outputs()
            )
        )

    def check(self) -> None:
        closeness.check_seeds(self.options.seeds)

    def load(self, device: str = "cpu") -> ClosenessScorer:
        self.check()
        seeds, reads = self.options.seeds, self.options.reads
        return ClosenessScorer(self.signature(), measure, seeds=seeds, reads=reads)


def measure(texts: Sequence[str]) -> dict[str, float | str]:
    """Distinct-1 to distinct-4, or why there is none."""
    found: dict[str, float | str] = {}
    grams = numbered_ngrams([words(text) for text in texts], max(distinct.SIZES))
    for n, (numbers, _) in enumerate(grams, start=1):
        # Numbers have no gaps, so the largest one tells how many different n-grams
        # there are.
        share = float(numbers.max() + 1) / len(numbers) if len(numbers) else None
        found[f"distinct_{n}"] = f"no text has {n} words" if share is None else share
    return found
