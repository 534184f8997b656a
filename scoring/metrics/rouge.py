"""ROUGE of each text: words and runs of words that it shares with a reference.

Lin (2004). With what the text and the reference have in common,

    recall    = in common / what the reference has,
    precision = in common / what the text has,
    f         = 2 precision recall / (precision + recall), each in [0, 1].

- ROUGE-1 and ROUGE-2 count words and pairs of words.
- ROUGE-L counts the words of the longest common subsequence: in the same order, with
  others between them.
- ROUGE-Lsum does so sentence by sentence: the words of a reference's sentence that are
  in its longest common subsequence with any sentence of the text.

The numbers are those of rouge-score, whose version is in the signature. It wants one
sentence a line for ROUGE-Lsum: sentences are split here by EvalApp's own splitter. A
text or reference of one word has ROUGE-2 of 0. Only the letters a to z and digits make
words, so other scripts than Latin have none, and é ends a word.

With several references, the best or the mean of their numbers, for each kind of ROUGE
and for precision and recall by itself. Where a reference does not begin with the
prefix, the text is compared without it. NaN, with a reason, without a reference, for an
empty text and where no reference has a word.
"""

from __future__ import annotations

import dataclasses
import re
from importlib.metadata import version

import numpy as np

from annotation import sentences
from scoring.metrics._engine.base import Metric, Output, Scorer, option
from scoring.metrics._references.several import AGGREGATE_HELP, AGGREGATES, PairScorer

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
        "which number: F score (f), precision, or recall",
        tuple(FIELDS),
        label="Number",
        titles=("F score", "precision", "recall"),
    )
    stem: bool = option(
        False,
        "compare stems: 'walked' with 'walking' (English, Porter's stemmer)",
        label="Compare word stems",
    )
    aggregate: str = option(
        "max",
        AGGREGATE_HELP,
        AGGREGATES,
        label="Several references",
        titles=("best score", "mean of the scores"),
    )


class ROUGE(Metric):
    """Words and runs of words shared with the references."""

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

        return PairScorer(
            # nltk, whose stemmer it is, has its version in the splitter's name.
            self.signature(rouge_score=version("rouge-score"), splitter=sentences.NAME),
            score,
            keys=tuple(KINDS),
            aggregate=options.aggregate,
            undefined=NO_WORD,
        )


def lines(text: str) -> str:
    """One sentence a line: the library knows sentences by nothing else."""
    return "\n".join(" ".join(one.split()) for one in sentences.split(text))
