"""BLEU of each text: the n-grams of words that it shares with a reference.

Papineni et al. (2002). With c words in the text, r in the reference, N the longest
n-gram, and p_n the share of the text's n-grams that also occur in the reference (each
counted at most as often as it occurs there),

    BLEU = 100 min(1, e^(1 - r/c)) exp((1/N) sum_n ln p_n), in [0, 100].

Scores are those of `sentence_bleu` in sacrebleu (Post 2018,
https://aclanthology.org/W18-6319), whose version is in the signature. N is lowered to
the longest n-gram that the text has, and a p_n of 0 is smoothed, unless no word is
shared: then BLEU is 0. BLEU was designed for whole corpora; for single texts it is a
rough measure.

Words are by default those of sacrebleu's tokenizer for the script of each text: `13a`,
but `zh` for Chinese and `char` for Japanese, Thai, Lao, Khmer and Burmese, which put no
space between words. Where MeCab is installed, Japanese is split by `ja-mecab`; the
signature says so.

With several references:

- `aggregate=max`, the default, and `mean`: BLEU with each reference alone, then the
  best score or the mean (eq. 1 of ARGENT).
- `aggregate=joint`: BLEU's own way. An n-gram may occur in any reference, and r is the
  reference length closest to that of the text.

Where a reference does not begin with the prefix, the text is compared without its
prefix. An empty text has 0. NaN, with a reason, where there is no reference.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from scoring.metrics._engine.base import Metric, OptionError, Output, Scorer, option
from scoring.metrics._references import kinds, sacrebleu
from scoring.metrics._references.several import ByReference, aggregate_option

SMOOTHED_BY_VALUE = ("floor", "add-k")
MOST_ADDED = 100  # sacrebleu has no limit; its own tests add 2


@dataclasses.dataclass(frozen=True)
class Counting:
    """How words are counted."""

    tokenize: str = sacrebleu.tokenize_option()
    lowercase: bool = option(False, "treat A and a as the same", label="Ignore case")
    smooth_method: str = option(
        "exp",
        "what to do with a precision of 0: exp counts 1/2 of a match, then 1/4, and so"
        " on; floor counts a small number instead of 0; add-k adds to all counts; none"
        " leaves BLEU at 0",
        ("exp", "floor", "add-k", "none"),
        label="Smoothing",
        titles=(
            "exponential",
            "add a small number (floor)",
            "add to all counts (add-k)",
            "none",
        ),
    )
    smooth_value: float = option(
        0.0,
        "for floor and add-k; 0: sacrebleu's default, which is 0.1 for floor and 1 for"
        " add-k",
        label="Smoothing value",
    )
    max_ngram_order: int = option(
        4, "length of the longest n-grams, in words", label="Longest n-gram"
    )

    def check(self) -> None:
        """Raise OptionError where the values do not go together."""
        sacrebleu.check_order("max_ngram_order", self.max_ngram_order, 1)
        if not 0 <= self.smooth_value <= MOST_ADDED:
            expected = f"expected 0 to {MOST_ADDED}"
            raise OptionError(f"smooth_value={self.smooth_value}: {expected}")
        if self.smooth_value and self.smooth_method not in SMOOTHED_BY_VALUE:
            raise OptionError(
                f"smooth_value={self.smooth_value} has no effect with"
                f" smooth_method={self.smooth_method}: leave it out, or choose"
                f" {' or '.join(SMOOTHED_BY_VALUE)}"
            )

    def library(self, *, effective_order: bool) -> Any:
        """What sacrebleu makes of the options."""
        from sacrebleu.metrics.bleu import BLEU as Library

        found = Library(
            lowercase=self.lowercase,
            tokenize="13a",
            smooth_method=self.smooth_method,
            smooth_value=self.smooth_value or None,
            max_ngram_order=self.max_ngram_order,
            effective_order=effective_order,
        )
        found.tokenizer = sacrebleu.tokenizer(self.tokenize)
        return found


@dataclasses.dataclass(frozen=True)
class Options(Counting):
    """Everything that changes the number."""

    aggregate: str = aggregate_option(
        ", or count n-grams of all references together (joint)",
        [(sacrebleu.JOINT, "all references together")],
    )
    reference_kind: str = kinds.kind_option()


class BLEU(ByReference, Metric):
    """How many runs of words the text shares with the references."""

    title = "BLEU"
    source = "Papineni et al. (2002), as in sacrebleu"
    link = "https://aclanthology.org/P02-1040"
    version = 2  # 2: empty texts count; words of other scripts
    Options = Options
    needs = frozenset({"references"})

    @property
    def outputs(self) -> tuple[Output, ...]:
        return (Output("bleu", "BLEU", "BLEU, [0, 100]", True),)

    def check(self) -> None:
        self.options.check()

    def load(self, device: str = "cpu") -> Scorer:
        """Set up sacrebleu.

        Raises:
            OptionError: If the options cannot be combined.
        """
        self.check()
        options = self.options
        metric = options.library(effective_order=True)  # as in `sentence_bleu`
        signature = self.signature(**sacrebleu.contents(options.tokenize))
        scorer = sacrebleu.scorer(
            signature, "bleu", metric, aggregate=options.aggregate
        )
        return kinds.choosing(scorer, options.reference_kind)
