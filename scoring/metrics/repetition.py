"""Repetition within one text (Welleck et al. 2020).

- seq-rep-n = 1 - different n-grams / n-grams, for n = 2, 3, 4: the share of n-grams
  that repeat another one in the text. NaN for a text with fewer than n words.
- rep = the share of words that also occur among the `window` words before them (rep/l
  in the paper, which uses the model's tokens). NaN for a text without words.

All are in [0, 1). Words are lower-cased and punctuation is removed; in scripts without
spaces, each character is a word. Longer texts repeat
more, and people repeat themselves too: what counts is how close a system is to human
text.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence

from scoring.metrics._engine.base import Metric, OptionError, Output, option
from scoring.metrics._engine.words import CountingScorer, ngrams, words

SIZES = (2, 3, 4)


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the number."""

    window: int = option(
        32,
        "how many words back to look for repeated words",
        label="Window, in words",
    )


class Repetition(Metric):
    """How much of the text repeats earlier words and phrases."""

    title = "Repetition"
    source = "Welleck et al. (2020), seq-rep-n and rep/l"
    link = "https://arxiv.org/abs/1908.04319"
    version = 2  # 2: words of other scripts
    Options = Options

    @property
    def outputs(self) -> tuple[Output, ...]:
        rep = Output("rep", "Repeated words (Rep)", "share of words, [0, 1)", None)
        return (*seq_rep_outputs(), rep)

    def check(self) -> None:
        if self.options.window < 1:
            raise OptionError(f"window={self.options.window}: expected 1 or more")

    def load(self, device: str = "cpu") -> CountingScorer:
        self.check()
        reasons = {f"seq_rep_{n}": f"fewer than {n} words" for n in SIZES}
        reasons["rep"] = "no words"
        count = functools.partial(repetition, window=self.options.window)
        return CountingScorer(self.signature(), count, reasons)


def seq_rep_outputs() -> tuple[Output, ...]:
    """The outputs for a text and for a system have the same names."""
    grams = "share of n-grams, [0, 1)"
    titles = {n: f"Repeated {n}-grams (Seq-rep-{n})" for n in SIZES}
    return tuple(Output(f"seq_rep_{n}", titles[n], grams, None) for n in SIZES)


def repetition(text: str, window: int) -> dict[str, float | None]:
    """Repetition in one text; None where it is too short.

    >>> repetition("on and on and on", window=32)
    {'seq_rep_2': 0.5, 'seq_rep_3': 0.33333333333333337, 'seq_rep_4': 0.0, 'rep': 0.6}
    """
    tokens = words(text)
    found = {f"seq_rep_{n}": seq_rep(tokens, n) for n in SIZES}
    repeated = sum(
        token in tokens[max(0, k - window) : k] for k, token in enumerate(tokens)
    )
    found["rep"] = repeated / len(tokens) if tokens else None
    return found


def seq_rep(tokens: Sequence[str], n: int) -> float | None:
    """Share of n-grams that repeat another one; None where there are no n-grams."""
    grams = ngrams(tokens, n)
    return 1 - len(set(grams)) / len(grams) if grams else None
