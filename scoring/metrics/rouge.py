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
reference has only one word, ROUGE-2 is 0.

What a word is:

- `tokenize=auto`, the default: rouge-score's own words, runs of a to z and digits,
  where all letters of text and reference are among those. Else runs of letters, with
  their marks, and digits of any script; in scripts without spaces, each character.
- `tokenize=rouge_score`: always rouge-score's own. é then ends a word, and other
  scripts have no words: NaN, with a reason, where most letters of the text or of the
  reference are not a to z.

With several references, the best score or the mean is used, separately for each kind of
ROUGE and for precision and recall. Where a reference does not begin with the prefix,
the text is compared without its prefix. NaN, with a reason, where there is no
reference and where no reference has a word. An empty text has 0.
"""

from __future__ import annotations

import dataclasses
from importlib.metadata import version

import numpy as np

from annotation import sentences
from annotation.sentences import scripts
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
SHORT = 3  # rouge-score stems no word of so few letters
FIELDS = {"f": "fmeasure", "precision": "precision", "recall": "recall"}
UNITS = {
    "f": "F score, [0, 1]",
    "precision": "precision, [0, 1]",
    "recall": "recall, [0, 1]",
}
AUTO, OWN = "auto", "rouge_score"
REASONS = {
    AUTO: "no reference has a letter or a digit",
    OWN: "most letters of the text, or of each reference, are not a to z, which alone"
    " rouge-score knows: choose tokenize=auto",
}


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
    tokenize: str = option(
        AUTO,
        "what counts as a word: auto knows all scripts, rouge_score only a to z and"
        " digits, as the package does",
        (AUTO, OWN),
        label="How words are split",
        titles=("in all scripts", "as in rouge-score (a to z)"),
    )
    aggregate: str = aggregate_option()
    reference_kind: str = kinds.kind_option()


class ROUGE(ByReference, Metric):
    """How many words and runs of words the text shares with the references."""

    title = "ROUGE"
    source = "Lin (2004), as in rouge-score"
    link = "https://aclanthology.org/W04-1013"
    version = 2  # 2: empty texts count; words of other scripts
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
        own = RougeScorer(list(KINDS.values()), use_stemmer=options.stem)
        every = RougeScorer(list(KINDS.values()), tokenizer=AnyScript(options.stem))
        field = FIELDS[options.score]

        def score(text: str, reference: str) -> dict[str, float]:
            library = own
            if options.tokenize == AUTO and not (
                _is_plain(text) and _is_plain(reference)
            ):
                library = every
            elif not (_is_latin(text) and _is_latin(reference)):
                return dict.fromkeys(KINDS, np.nan)
            if not library._tokenizer.tokenize(reference):
                return dict.fromkeys(KINDS, np.nan)
            found = library.score(lines(reference), lines(text))
            return {key: getattr(found[kind], field) for key, kind in KINDS.items()}

        scorer = PairScorer(
            # The stemmer is nltk's, whose version is in the splitter's name.
            self.signature(rouge_score=version("rouge-score"), splitter=sentences.NAME),
            score,
            keys=tuple(KINDS),
            aggregate=options.aggregate,
            undefined=REASONS[options.tokenize],
        )
        return kinds.choosing(scorer, self.options.reference_kind)


class AnyScript:
    """Splits into words as rouge-score does, but knows more letters than a to z."""

    def __init__(self, stem: bool) -> None:
        from nltk.stem.porter import PorterStemmer

        self._stem = PorterStemmer().stem if stem else None

    def tokenize(self, text: str) -> list[str]:
        found = scripts.bare_words(text.lower())
        if self._stem is None:
            return found
        return [self._stem(one) if len(one) > SHORT else one for one in found]


def _is_plain(text: str) -> bool:
    """Whether all letters are a to z."""
    return text.isascii() or not any(c.isalpha() and not c.isascii() for c in text)


def _is_latin(text: str) -> bool:
    """Whether at least half of the letters are a to z, or there is none."""
    letters = [c for c in text if c.isalpha()]
    return 2 * sum(c.isascii() for c in letters) >= len(letters)


def lines(text: str) -> str:
    """One sentence per line: the library recognises sentences in no other form."""
    return "\n".join(" ".join(one.split()) for one in sentences.split(text))
