"""Length: the trivial baselines. Many a correlation with people is one with length.

Words are what stands between white space, characters are code points with white space
included, sentences are those of the app's splitter. All of the full text, prefix
included; an empty text has 0 of each. "Higher is better" is a convention: it shows the
sign of the correlation as it is.
"""

from __future__ import annotations

from annotation import sentences
from scoring.metrics._engine.base import Metric, Output
from scoring.metrics._engine.words import CountingScorer


class Length(Metric):
    """Number of words, characters and sentences."""

    title = "Length"
    source = "trivial baseline"

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
    """What can be counted without finding sentences, which takes far longer."""
    return {"words": len(text.split()), "characters": len(text)}
