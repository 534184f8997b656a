"""Corpus chrF of a system: n-grams of characters, summed over all its texts.

Popović (2015). With P and R the precision and recall of n-grams of characters, from
matches that are summed over all texts and averaged over n = 1 to `char_order`,

    chrF = 100 (1 + b²) P R / (b² P + R), in [0, 100],

where b is `beta`. With `word_order=2` the means also include n-grams of words (chrF++).
This is not the mean of the chrF of each text.

Scores are those of `corpus_score` in sacrebleu, whose version is in the signature. With
several references, each text counts with the one that gives it the best score. Texts
may have different numbers of references.

Where not every reference begins with the prefix, a text is compared without its prefix.
Empty texts count, as sacrebleu counts them. Texts without a reference are left out;
notes say both, and the details of the run how many texts were compared. There is no
score, with a reason, if none is left.
"""

from __future__ import annotations

import dataclasses

from scoring.metrics import chrf
from scoring.metrics._engine.base import Output
from scoring.metrics._references import kinds
from scoring.metrics._references.of_systems import CorpusMetric


@dataclasses.dataclass(frozen=True)
class Options(chrf.Counting):
    """Everything that changes the number."""

    reference_kind: str = kinds.kind_option()


class CorpusChrF(CorpusMetric):
    """How many runs of characters a system's texts share with the references."""

    title = "Corpus chrF of each system"
    short = "Corpus chrF"
    source = "Popović (2015), as in sacrebleu"
    link = "https://aclanthology.org/W15-3049"
    version = 2  # 2: empty texts count; words of other scripts
    Options = Options

    @property
    def outputs(self) -> tuple[Output, ...]:
        return (Output("corpus_chrf", "Corpus chrF", "chrF, [0, 100]", True),)
