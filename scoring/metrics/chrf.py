"""chrF of each text: the n-grams of characters that it shares with a reference.

Popović (2015). With P and R the precision and recall of n-grams of characters, each
averaged over n = 1 to `char_order`,

    chrF = 100 (1 + b²) P R / (b² P + R), in [0, 100],

where b is `beta`: 2 gives recall more weight than precision (chrF2). White space is
ignored. With `word_order=2` the means also include n-grams of words (chrF++, Popović
2017, https://aclanthology.org/W17-4770). Scores are those of `sentence_chrf` in
sacrebleu, whose version is in the signature. It needs no tokenizer, so it works for any
language; where words count and no space separates them, each character is one.

With several references, the best score (chrF's own way) or the mean is used. Where a
reference does not begin with the prefix, the text is compared without its prefix. An
empty text has 0. NaN, with a reason, where there is no reference.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from scoring.metrics._engine.base import Metric, OptionError, Output, Scorer, option
from scoring.metrics._references import kinds, sacrebleu
from scoring.metrics._references.several import ByReference, aggregate_option


@dataclasses.dataclass(frozen=True)
class Counting:
    """How n-grams are counted."""

    char_order: int = option(
        6,
        "length of the longest n-grams of characters",
        label="Longest n-gram of characters",
    )
    word_order: int = option(
        0,
        "length of the longest n-grams of words: 0 is chrF, 2 is chrF++",
        label="Longest n-gram of words",
    )
    beta: int = option(
        2,
        "how many times more weight recall has than precision",
        label="Weight of recall",
    )
    lowercase: bool = option(False, "treat A and a as the same", label="Ignore case")

    def check(self) -> None:
        """Raise OptionError where a value is out of its range."""
        sacrebleu.check_order("char_order", self.char_order, 1)
        sacrebleu.check_order("word_order", self.word_order, 0)
        if not 0 <= self.beta <= 100:
            raise OptionError(f"beta={self.beta}: expected 0 to 100")

    def library(self) -> Any:
        """What sacrebleu makes of the options."""
        from sacrebleu.metrics.chrf import CHRF as Library

        found = Library(
            char_order=self.char_order,
            word_order=self.word_order,
            beta=self.beta,
            lowercase=self.lowercase,
        )
        return sacrebleu.with_words_apart(found)


@dataclasses.dataclass(frozen=True)
class Options(Counting):
    """Everything that changes the number."""

    aggregate: str = aggregate_option()
    reference_kind: str = kinds.kind_option()


class ChrF(ByReference, Metric):
    """How many runs of characters the text shares with the references."""

    title = "chrF"
    source = "Popović (2015), as in sacrebleu"
    link = "https://aclanthology.org/W15-3049"
    version = 2  # 2: empty texts count; words of other scripts
    Options = Options
    needs = frozenset({"references"})

    @property
    def outputs(self) -> tuple[Output, ...]:
        return (Output("chrf", "chrF", "chrF, [0, 100]", True),)

    def check(self) -> None:
        self.options.check()

    def load(self, device: str = "cpu") -> Scorer:
        """Set up sacrebleu.

        Raises:
            OptionError: If an option is out of its range.
        """
        self.check()
        signature = self.signature(**sacrebleu.contents())
        aggregate = self.options.aggregate
        metric = self.options.library()
        scorer = sacrebleu.scorer(signature, "chrf", metric, aggregate=aggregate)
        return kinds.choosing(scorer, self.options.reference_kind)
