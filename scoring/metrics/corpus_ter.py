"""Corpus TER of a system: edits that would turn its texts into references.

Snover et al. (2006), translation edit rate:

    TER = 100 sum of edits / sum of the words of the references, in [0, inf),

lower is better. An edit inserts, deletes or replaces one word, or moves a run of words.
In scripts without spaces, each character is a word. Capital and small letters count as
the same unless `case_sensitive` is chosen.
Edits and words are summed over all texts before they are divided, so this is not the
mean of the TER of each text.

Scores are those of `corpus_score` in sacrebleu, whose version is in the signature. With
several references, each text counts with its fewest edits and the mean length of its
references. Texts may have different numbers of references.

Where not every reference begins with the prefix, a text is compared without its prefix.
Empty texts count, as sacrebleu counts them. Texts without a reference are left out;
notes say both, and the details of the run how many texts were compared. There is no
score, with a reason, if none is left.

The search takes as long as for the TER of each text.
"""

from __future__ import annotations

import dataclasses

from scoring.metrics import ter
from scoring.metrics._engine.base import Output
from scoring.metrics._references import kinds
from scoring.metrics._references.of_systems import CorpusMetric


@dataclasses.dataclass(frozen=True)
class Options(ter.Counting):
    """Everything that changes the number."""

    reference_kind: str = kinds.kind_option()


class CorpusTER(CorpusMetric):
    """How many edits would turn a system's texts into references."""

    title = "Corpus TER of each system"
    short = "Corpus TER"
    source = "Snover et al. (2006), as in sacrebleu"
    link = "https://aclanthology.org/2006.amta-papers.25"
    version = 2  # 2: empty texts count; words of other scripts
    Options = Options

    @property
    def outputs(self) -> tuple[Output, ...]:
        unit = "edits per 100 words of the references, [0, inf)"
        return (Output("corpus_ter", "Corpus translation edit rate", unit, False),)
