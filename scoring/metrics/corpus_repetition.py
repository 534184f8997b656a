"""Repetition in a system: texts that end in a loop, and n-grams that repeat.

- loops (REP) = share of texts that end in a loop, in [0, 1]: the last words are a
  phrase of at least `phrase` words, repeated `times` times in a row. Holtzman et al.
  (2020) use two tokens, three times. Their released code differs: three tokens twice,
  or anything more than 50 times; `phrase=3` and `times=2` come close to it.
- seq-rep-n = 1 - different n-grams / n-grams of a text, for n = 2, 3, 4: the mean over
  the texts that have an n-gram, in [0, 1), after Welleck et al. (2020).

Words are lower-cased and punctuation is removed, where the papers use a model's tokens.
A text without words does not end in a loop. There is no score if there is no text, or
if no text has an n-gram.

People repeat themselves too: what counts is how close a system is to human text,

    closeness = -|share of the system - share of human texts|,  in [-1, 0],

using all texts on both sides, because their number does not matter.

`reads=generated` leaves the prefixes of the system's texts out: prefixes that all
systems share count as the system's own words. Human texts are read as they are.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from scoring.metrics import repetition
from scoring.metrics._distributions import closeness
from scoring.metrics._distributions.closeness import ClosenessScorer
from scoring.metrics._engine.base import OptionError, Output, SystemMetric, option
from scoring.metrics._engine.words import words


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the number."""

    phrase: int = option(
        2,
        "how many words a phrase must have to count as a loop",
        label="Shortest phrase of a loop, in words",
    )
    times: int = option(
        3,
        "how many times in a row the phrase must occur at the end of the text",
        label="Times a phrase must repeat",
    )
    reads: str = closeness.reads_option()


class CorpusRepetition(SystemMetric):
    """How often a system's texts repeat phrases or end in a loop."""

    title = "Repetition in each system"
    short = "Repetition"
    source = "Holtzman et al. (2020), REP; Welleck et al. (2020), seq-rep-n"
    link = "https://arxiv.org/abs/1904.09751"
    version = 2  # 2: words of other scripts
    Options = Options
    uses = frozenset({"corpus"})

    @property
    def outputs(self) -> tuple[Output, ...]:
        loops = Output("loops", "Texts that end in a loop", "share, [0, 1]", None)
        # Beside those of single texts, and not to be taken for them.
        whole = (
            dataclasses.replace(one, title=f"{one.title} of all texts")
            for one in repetition.seq_rep_outputs()
        )
        return closeness.outputs(loops, *whole)

    def check(self) -> None:
        if self.options.phrase < 1:
            raise OptionError(f"phrase={self.options.phrase}: expected 1 or more")
        if self.options.times < 2:
            raise OptionError(f"times={self.options.times}: expected 2 or more")

    def load(self, device: str = "cpu") -> ClosenessScorer:
        self.check()
        reads = self.options.reads
        return ClosenessScorer(self.signature(), self.measure, reads=reads)

    def measure(self, texts: Sequence[str]) -> dict[str, float | str]:
        """Shares, or why there is none."""
        tokens = [words(text) for text in texts]
        phrase, times = self.options.phrase, self.options.times
        loops = [ends_in_loop(one, phrase=phrase, times=times) for one in tokens]
        found: dict[str, float | str] = {"loops": _mean(loops, closeness.NO_TEXT)}
        for n in repetition.SIZES:
            rates = [repetition.seq_rep(one, n) for one in tokens]
            there = [rate for rate in rates if rate is not None]
            found[f"seq_rep_{n}"] = _mean(there, f"no text has {n} words")
        return found


def ends_in_loop(tokens: Sequence[str], *, phrase: int, times: int) -> bool:
    """Whether a run of at least `phrase` tokens occurs `times` times at the end.

    >>> ends_in_loop("and so on and on and on".split(), phrase=2, times=2)
    True
    """
    longest = len(tokens) // times
    # The end is a loop where it is the same as what stands one phrase before it.
    return any(
        tokens[-n * times : -n] == tokens[-n * (times - 1) :]
        for n in range(phrase, longest + 1)
    )


def _mean(values: Sequence[float], reason: str) -> float | str:
    return sum(values) / len(values) if values else reason
