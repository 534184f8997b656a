"""chrF of each text: n-grams of characters that it shares with a reference.

Popović (2015). With P and R, the precision and the recall of n-grams of characters,
each the mean over n = 1 to `char_order`,

    chrF = 100 (1 + b²) P R / (b² P + R), in [0, 100],

where b is `beta`: 2 makes recall weigh more than precision (chrF2). White space does
not count. With `word_order=2` the means are over n-grams of words too (chrF++, Popović
2017, https://aclanthology.org/W17-4770). The numbers are those of `sentence_chrf` of
sacrebleu, whose version is in the signature. It needs no tokenizer, and so does for
any language.

With several references it is the best of their scores, which is also chrF's own way,
or the mean. Where a reference does not begin with the prefix, the text is compared
without it. NaN, with a reason, without a reference and for an empty text.
"""

from __future__ import annotations

import dataclasses

from scoring.metrics._engine.base import Metric, OptionError, Output, Scorer, option
from scoring.metrics._references import sacrebleu
from scoring.metrics._references.several import AGGREGATE_HELP, AGGREGATES


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the number."""

    char_order: int = option(
        6, "the longest n-grams of characters", label="Longest n-gram of characters"
    )
    word_order: int = option(
        0,
        "the longest n-grams of words: 0 is chrF, 2 is chrF++",
        label="Longest n-gram of words",
    )
    beta: int = option(
        2, "how many times as much recall weighs as precision", label="Weight of recall"
    )
    lowercase: bool = option(
        False, "make no difference between A and a", label="Ignore case"
    )
    aggregate: str = option(
        "max",
        AGGREGATE_HELP,
        AGGREGATES,
        label="Several references",
        titles=("best score", "mean of the scores"),
    )


class ChrF(Metric):
    """Overlap with the references in runs of characters."""

    title = "chrF"
    source = "Popović (2015), as in sacrebleu"
    link = "https://aclanthology.org/W15-3049"
    Options = Options
    needs = frozenset({"references"})

    @property
    def outputs(self) -> tuple[Output, ...]:
        return (Output("chrf", "chrF", "chrF, [0, 100]", True),)

    def check(self) -> None:
        sacrebleu.check_order("char_order", self.options.char_order, 1)
        sacrebleu.check_order("word_order", self.options.word_order, 0)
        if not 0 <= self.options.beta <= 100:
            raise OptionError(f"beta={self.options.beta}: expected 0 to 100")

    def load(self, device: str = "cpu") -> Scorer:
        """Set up sacrebleu.

        Raises:
            OptionError: If an option is out of its range.
        """
        from sacrebleu.metrics.chrf import CHRF as Library

        self.check()
        options = self.options
        metric = Library(
            char_order=options.char_order,
            word_order=options.word_order,
            beta=options.beta,
            lowercase=options.lowercase,
        )
        signature = self.signature(**sacrebleu.contents())
        return sacrebleu.scorer(signature, "chrf", metric, aggregate=options.aggregate)
