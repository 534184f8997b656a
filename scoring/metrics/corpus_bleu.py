"""Corpus BLEU of a system: BLEU as Papineni et al. (2002) define it.

With c words in all texts together, r words in the references that are closest in
length, N the longest n-gram, and p_n the share of the n-grams of all texts that also
occur in a reference of their text (each counted at most as often as it occurs in any
one),

    BLEU = 100 min(1, e^(1 - r/c)) exp((1/N) sum_n ln p_n), in [0, 100].

Matches are summed over all texts before they are divided, so this is not the mean of
the BLEU of each text. A p_n of 0 is smoothed.

Scores are those of `corpus_score` in sacrebleu, whose version is in the signature. With
several references, an n-gram may occur in any of them. Texts may have different numbers
of references.

Where not every reference begins with the prefix, a text is compared without its prefix.
Empty texts count, as sacrebleu counts them. Texts without a reference are left out;
notes say both, and the details of the run how many texts were compared. There is no
score, with a reason, if none is left.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from scoring.metrics import bleu
from scoring.metrics._engine.base import Output
from scoring.metrics._references import kinds
from scoring.metrics._references.of_systems import CorpusMetric

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric


@dataclasses.dataclass(frozen=True)
class Options(bleu.Counting):
    """Everything that changes the number."""

    reference_kind: str = kinds.kind_option()


class CorpusBLEU(CorpusMetric):
    """How many runs of words a system's texts share with the references."""

    title = "Corpus BLEU of each system"
    short = "Corpus BLEU"
    source = "Papineni et al. (2002), as in sacrebleu"
    link = "https://aclanthology.org/P02-1040"
    version = 2  # 2: empty texts count; words of other scripts
    Options = Options

    @property
    def outputs(self) -> tuple[Output, ...]:
        return (Output("corpus_bleu", "Corpus BLEU", "BLEU, [0, 100]", True),)

    def library(self) -> Metric:
        found: Metric = self.options.library(effective_order=False)
        return found
