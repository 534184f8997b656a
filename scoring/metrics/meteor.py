"""METEOR of each text: the words it shares with a reference, and in how many pieces.

Lavie & Agarwal (2007). Words of the text are aligned one to one with words of the
reference: first identical words, then words with the same stem, then synonyms. With m
aligned words, P = m / words of the text and R = m / words of the reference,

    METEOR = (1 - gamma (chunks / m)^beta) P R / (alpha P + (1 - alpha) R), in [0, 1],

where a chunk is a run of aligned words that are adjacent in both texts. It is 0 if no
word is aligned. Since there is always at least one chunk, the METEOR of a text with
itself is not 1 but 1 - gamma / m^beta.

Alignment and scores are those of NLTK's `single_meteor_score`. Words are those of its
`word_tokenize`, lower-cased and including punctuation; sentences are split by EvalApp's
own splitter. In scripts without spaces, each character is a word. Stems are English
(Porter).

Synonyms need WordNet, which is not part of any package, and EvalApp downloads nothing.
If NLTK does not find it, only words and stems are aligned, and the signature says
`wordnet:none` instead of its version. So two machines may give different scores, but
never with the same signature. `synonyms=false` leaves WordNet out on every machine.

With several references, the best METEOR or the mean is used. Where a reference does not
begin with the prefix, the text is compared without its prefix. NaN, with a reason,
where there is no reference. An empty text has 0.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from annotation import sentences
from annotation.sentences import scripts
from scoring.metrics._engine.base import Metric, OptionError, Output, Scorer, option
from scoring.metrics._references import kinds
from scoring.metrics._references.several import (
    ByReference,
    PairScorer,
    aggregate_option,
)


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the number."""

    alpha: float = option(
        0.9,
        "how much weight recall has against precision, 0-1",
        label="Weight of recall (alpha)",
    )
    beta: float = option(
        3.0,
        "how fast the penalty grows with the number of chunks per aligned word",
        label="Growth of the penalty (beta)",
    )
    gamma: float = option(
        0.5,
        "the largest penalty for many chunks, 0-1",
        label="Largest penalty (gamma)",
    )
    synonyms: bool = option(
        True, "align synonyms too, if WordNet is installed", label="Match synonyms"
    )
    aggregate: str = aggregate_option()
    reference_kind: str = kinds.kind_option()


class METEOR(ByReference, Metric):
    """How many words, stems and synonyms the text shares with the references."""

    title = "METEOR"
    source = "Lavie & Agarwal (2007), as in NLTK"
    link = "https://aclanthology.org/W07-0734"
    version = 2  # 2: empty texts count; words of other scripts
    Options = Options
    needs = frozenset({"references"})

    @property
    def outputs(self) -> tuple[Output, ...]:
        return (Output("meteor", "METEOR", "METEOR, [0, 1]", True),)

    def check(self) -> None:
        options = self.options
        for name in ("alpha", "gamma"):
            if not 0 <= getattr(options, name) <= 1:
                raise OptionError(f"{name}={getattr(options, name)}: expected 0 to 1")
        if not 0 <= options.beta <= 100:
            raise OptionError(f"beta={options.beta}: expected 0 to 100")

    def load(self, device: str = "cpu") -> Scorer:
        """Set up NLTK, with WordNet if it is there.

        Raises:
            OptionError: If an option is out of its range.
        """
        from nltk.tokenize import NLTKWordTokenizer
        from nltk.translate.meteor_score import single_meteor_score

        self.check()
        options = self.options
        wordnet = _wordnet() if options.synonyms else NoWordNet()
        tokenizer = NLTKWordTokenizer()

        def words(text: str) -> list[str]:
            # Sentence by sentence: the tokenizer splits off a full stop only at the
            # end.
            found = sentences.split(text)
            spaced = map(scripts.apart, found)
            return [word for one in spaced for word in tokenizer.tokenize(one)]

        def score(text: str, reference: str) -> dict[str, float]:
            found = single_meteor_score(
                words(reference),
                words(text),
                wordnet=wordnet,
                alpha=options.alpha,
                beta=options.beta,
                gamma=options.gamma,
            )
            return {"meteor": found}

        scorer = PairScorer(
            # The splitter's name includes the version of nltk.
            self.signature(splitter=sentences.NAME, wordnet=str(wordnet.get_version())),
            score,
            keys=("meteor",),
            aggregate=options.aggregate,
        )
        return kinds.choosing(scorer, self.options.reference_kind)


class NoWordNet:
    """Used instead of WordNet when NLTK asks for synonyms: there are none."""

    def synsets(self, word: str) -> list[Any]:
        return []

    def get_version(self) -> str:
        return "none"


def _wordnet() -> Any:
    """WordNet, if its files are where NLTK looks for them."""
    from nltk.corpus import wordnet

    try:
        wordnet.ensure_loaded()
    except LookupError:
        return NoWordNet()
    return wordnet
