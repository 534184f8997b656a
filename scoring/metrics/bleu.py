"""BLEU of each text: n-grams of words that it shares with a reference.

Papineni et al. (2002). With c words in the text, r in the reference, N the longest
n-gram, and p_n the share of the text's n-grams that are in the reference too, each as
often at most as it is there,

    BLEU = 100 min(1, e^(1 - r/c)) exp((1/N) sum_n ln p_n), in [0, 100].

The numbers are those of `sentence_bleu` of sacrebleu (Post 2018,
https://aclanthology.org/W18-6319), whose version is in the signature. N is lowered to
the longest n-gram that the text has, and a p_n of 0 is smoothed, unless no word is
shared: then BLEU is 0. BLEU was made for a corpus; of single texts it is rough.

With several references:

- `aggregate=max`, the default, and `mean`: BLEU with each reference alone, and the best
  or the mean of these (eq. 1 of ARGENT).
- `aggregate=joint`: BLEU's own way. An n-gram may be in any reference, and r is the
  length closest to that of the text.

Where a reference does not begin with the prefix, the text is compared without it.
NaN, with a reason, without a reference and for an empty text.
"""

from __future__ import annotations

import dataclasses

from scoring.metrics._engine.base import Metric, OptionError, Output, Scorer, option
from scoring.metrics._references import sacrebleu
from scoring.metrics._references.several import AGGREGATE_HELP

SMOOTHED_BY_VALUE = ("floor", "add-k")


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the number."""

    tokenize: str = option(
        "13a",
        "what a word is: 13a and intl separate marks, the second those of all scripts;"
        " char takes characters, zh Chinese characters, none splits at white space",
        ("13a", "intl", "char", "zh", "none"),
        label="How words are split",
        titles=(
            "as in WMT (13a)",
            "as in WMT, all scripts (intl)",
            "into characters",
            "for Chinese",
            "at white space",
        ),
    )
    lowercase: bool = option(
        False, "make no difference between A and a", label="Ignore case"
    )
    smooth_method: str = option(
        "exp",
        "what becomes of a precision of 0: exp halves it from one to the next, floor"
        " puts a small number, add-k adds to all counts, none makes BLEU 0",
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
        "for floor and add-k; 0 is sacrebleu's own: 0.1 for floor, 1 for add-k",
        label="Smoothing value",
    )
    max_ngram_order: int = option(
        4, "the longest n-grams, in words", label="Longest n-gram"
    )
    aggregate: str = option(
        "max",
        f"{AGGREGATE_HELP}, or n-grams of all of them at once (joint)",
        sacrebleu.WITH_JOINT,
        label="Several references",
        titles=("best score", "mean of the scores", "all references at once"),
    )


class BLEU(Metric):
    """Overlap with the references in runs of words."""

    title = "BLEU"
    source = "Papineni et al. (2002), as in sacrebleu"
    link = "https://aclanthology.org/P02-1040"
    Options = Options
    needs = frozenset({"references"})

    @property
    def outputs(self) -> tuple[Output, ...]:
        return (Output("bleu", "BLEU", "BLEU, [0, 100]", True),)

    def check(self) -> None:
        options = self.options
        sacrebleu.check_order("max_ngram_order", options.max_ngram_order, 1)
        if not 0 <= options.smooth_value <= 1:
            raise OptionError(f"smooth_value={options.smooth_value}: expected 0 to 1")
        if options.smooth_value and options.smooth_method not in SMOOTHED_BY_VALUE:
            raise OptionError(
                f"smooth_value={options.smooth_value} changes nothing with"
                f" smooth_method={options.smooth_method}: leave it out, or choose"
                f" {' or '.join(SMOOTHED_BY_VALUE)}"
            )

    def load(self, device: str = "cpu") -> Scorer:
        """Set up sacrebleu.

        Raises:
            OptionError: If the options do not go together.
        """
        from sacrebleu.metrics.bleu import BLEU as Library

        self.check()
        options = self.options
        metric = Library(
            lowercase=options.lowercase,
            tokenize=options.tokenize,
            smooth_method=options.smooth_method,
            smooth_value=options.smooth_value or None,
            max_ngram_order=options.max_ngram_order,
            effective_order=True,  # as in `sentence_bleu`
        )
        signature = self.signature(**sacrebleu.contents())
        return sacrebleu.scorer(signature, "bleu", metric, aggregate=options.aggregate)
