"""Length: the trivial baselines. Many correlations with human scores come from length.

Words are separated by white space; in scripts without spaces (Chinese, Japanese, Thai,
Lao, Khmer, Burmese), each character is one. Characters are code points including white
space, and sentences come from EvalApp's own splitter. All count the full text, prefix
included; an empty text has 0 of each. "Higher is better" is a convention: it leaves the
sign of the correlation unchanged.
"""

from __future__ import annotations

from annotation import sentences
from annotation.sentences import scripts
from scoring.metrics._engine.base import Metric, Output
from scoring.metrics._engine.words import CountingScorer


class Length(Metric):
    """Number of words, characters and sentences."""

    title = "Length"
    source = "trivial baseline"
    version = 2  # 2: words of scripts without spaces

    @property
    def outputs(self) -> tuple[Output, ...]:
        return (
            Output("words", "Words", "words, [0, inf)", True),
            Output("characters", "Characters", "characters, [0, inf)", True),
            Output("sentences", "Sentences", "sentences, [0, inf)", True),
        )

    def load(self, device: str = "cpu") -> CountingScorer:
        signature = self.signature(splitter=sentences.NAME)
        return CountingScorer(signature, lengths, dict.fromkeys(lengths(""), ""))


def lengths(text: str) -> dict[str, float | None]:
    """Count words, characters and sentences.

    >>> lengths("Two words. Three more words.")
    {'words': 5, 'characters': 28, 'sentences': 2}
    """
    return {**sizes(text), "sentences": len(sentences.split(text))}


def sizes(text: str) -> dict[str, float | None]:
    """The counts that need no sentence splitting, which takes far longer."""
    return {"words": len(scripts.pieces(text)), "characters": len(text)}
