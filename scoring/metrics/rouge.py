"""ROUGE of each text: the words and runs of words that it shares with a reference.

Lin (2004). From the units that the text and the reference have in common,

    recall    = in common / units in the reference,
    precision = in common / units in the text,
    f         = 2 precision recall / (precision + recall), each in [0, 1].

- ROUGE-1 and ROUGE-2 count words and pairs of words.
- ROUGE-L counts the words of the longest common subsequence: words in the same order,
  possibly with others between them.
- ROUGE-Lsum does this for each sentence of the reference: it counts the words that are
  in the longest common subsequence with any sentence of the text.

Scores are those of rouge-score, whose version is in the signature. For ROUGE-Lsum it
needs one sentence per line: EvalApp's own splitter splits sentences. If the text or the
reference has only one word, ROUGE-2 is 0. Only the letters a to z and digits form
words, so scripts other than Latin have no words, and é ends a word.

With several references, the best score or the mean is used, separately for each kind of
ROUGE and for precision and recall. Where a reference does not begin with the prefix,
the text is compared without its prefix. NaN, with a reason, where there is no
reference, for an empty text and where no reference has a word.
"""

from __future__ import annotations

import dataclasses
import re
from importlib.metadata import version

import numpy as np

from annotation import sentences
from scoring.metrics._engine.base import Metric, Output, Scorer, option
from scoring.metrics._references import kinds
from scoring.metrics._references.several import (
    ByReference,
    PairScorer,
    aggregate_option,
)

# The library's names by output key.
KINDS = {
    "rouge_1": "rouge1",
    "rouge_2": "rouge2",
    "rouge_l": "rougeL",
    "rouge_lsum": "rougeLsum",
}
TITLES = {
    "rouge_1": "ROUGE-1",
    "rouge_2": "ROUGE-2",
    "rouge_l": "ROUGE-L",
    "rouge_lsum": "ROUGE-Lsum",
}
FIELDS = {"f": "fmeasure", "precision": "precision", "recall": "recall"}
UNITS = {
    "f": "F score, [0, 1]",
    "precision": "precision, [0, 1]",
    "recall": "recall, [0, 1]",
}
NO_WORD = "no reference has a letter from a to z or a digit"

_WORD = re.compile("[a-z0-9]")


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the numbers."""

    score: str = option(
        "f",
        "which value to use: F score, precision or recall",
        tuple(FIELDS),
        label="Number",
        titles=("F score", "precision", "recall"),
    )
    stem: bool = option(
        False,
        "compare word stems, so that 'walked' matches 'walking' (English, Porter's"
        " stemmer)",
        label="Compare word stems",
    )
    aggregate: str = aggregate_option()
    reference_kind: str = kinds.kind_option()


class ROUGE(ByReference, Metric):
    """How many words and runs of words the text shares with the references."""

    title = "ROUGE"
    source = "Lin (2004), as in rouge-score"
    link = "https://aclanthology.org/W04-1013"
    Options = Options
    needs = frozenset({"references"})

    @property
    def outputs(self) -> tuple[Output, ...]:
        unit = UNITS[self.options.score]
        return tuple(Output(key, title, unit, True) for key, title in TITLES.items())

    def load(self, device: str = "cpu") -> Scorer:
        """Set up rouge-score."""
        from rouge_score.rouge_scorer import RougeScorer

        options = self.options
        library = RougeScorer(list(KINDS.values()), use_stemmer=options.stem)
        field = FIELDS[options.score]

        def score(text: str, reference: str) -> dict[str, float]:
            if not _WORD.search(reference.lower()):
                return dict.fromkeys(KINDS, np.nan)
            found = library.score(lines(reference), lines(text))
            return {key: getattr(found[kind], field) for key, kind in KINDS.items()}

        scorer = PairScorer(
            # The stemmer is nltk's, whose version is in the splitter's name.
            self.signature(rouge_score=version("rouge-score"), splitter=sentences.NAME),
            score,
            keys=tuple(KINDS),
            aggregate=options.aggregate,
            undefined=NO_WORD,
        )
        return kinds.choosing(scorer, self.options.reference_kind)


def lines(text: str) -> str:
    """One sentence per line: the library recognises sentences in no other form."""
    return "\n".join(" ".join(one.split()) for one in sentences.split(text))
