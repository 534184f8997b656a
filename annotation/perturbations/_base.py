from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from annotation import sentences
from annotation.perturbations import _text


@dataclass(frozen=True, slots=True)
class Perturbation:
    """A way to damage a text, and what it is known to make worse."""

    name: str
    title: str  # what it did, in words for researchers
    hurts: tuple[str, ...]  # aspect keys
    apply: Callable[[str, np.random.Generator], str | None]  # None: cannot change it
    whole_sentences: bool = False  # moves sentences as they are
    breaks_off: bool = False  # no damage where other texts break off too
    from_elsewhere: bool = False  # of a text that was written for another prompt
    english: bool = False  # it knows English words only
    does: str = ""  # in a sentence

    def behind(self, prefix: str, text: str, rng: np.random.Generator) -> str | None:
        """Damage what follows the prefix, so that the text still begins with it.

        A sentence that the prefix only begins is no sentence without it: what moves
        whole sentences leaves that one alone.
        """
        if not text.startswith(prefix):
            raise ValueError(f"expected a text that begins with {prefix!r}")
        cut = self._cut(prefix, text)
        damaged = self.apply(text[cut:], rng)
        return None if damaged is None else text[:cut] + damaged

    def _cut(self, prefix: str, text: str) -> int:
        if not prefix:
            return 0
        if self.whole_sentences:
            return _text.end_of_sentence(text, len(prefix))
        cut = len(prefix)
        # A prefix may end inside a word: "The car" also begins "The cartoon".
        while sentences.within_word(prefix, text[cut : cut + 1]):
            cut += 1
        return cut
