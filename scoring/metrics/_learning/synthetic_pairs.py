"""Pairs of a text and a worse copy of it, for BLEURT to be pre-trained on.

Sellam et al. (2020), section 4, with what is at hand without a translator:

- `fill`: up to 15 words, in a row or here and there, become others. In the paper a
  masked language model fills them. Here words of another text of the corpus do, or,
  for words in a row, an encoder-decoder model that fills gaps.
- `damage`: one of `annotation.perturbations`, in place of the paper's back-translation:
  like that it keeps much of the meaning, but not the fluency.
- `other`: another text of the corpus; `same`: the text itself. The paper has neither.
  They show both ends of the line, where a text of few words seldom comes otherwise.

Words are dropped from 3 of 10 copies, whichever they are: one at least, and one stays.

What a copy has in common with its text is said by `signals`, each in [0, 1], NaN where
it is not defined: BLEU / 100, F of ROUGE-1, ROUGE-2 and ROUGE-L, and, where a model is
given, F1 of BERTScore. The paper has precision and recall, too, and signals from a
translator and from a model of entailment.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from annotation import sentences
from annotation.perturbations import PERTURBATIONS
from scoring.metrics._engine import models
from scoring.metrics._engine.base import Example, MetricError, Scorer
from scoring.metrics.bertscore import BERTScore
from scoring.metrics.bleu import BLEU
from scoring.metrics.rouge import ROUGE

SHARES = {"fill": 0.5, "damage": 0.3, "other": 0.1, "same": 0.1}
DROPPED_FROM = 0.3
MOST_FILLED = 15  # words
IN_A_ROW = 0.5
MOST_SENTENCES = 3
DAMAGES = tuple(name for name, how in PERTURBATIONS.items() if not how.from_elsewhere)

# What stands between two parts of a text, of about so many words; empty: unknown.
Fill = Callable[[str, str, int], str]


class Pair(NamedTuple):
    """A text, and what was made of it. Neither is empty."""

    reference: str
    candidate: str
    kind: str  # one of SHARES


def passage(text: str, words: int, rng: np.random.Generator) -> str:
    """One to three sentences in a row, so many words at most, one space between them.

    Empty for a text without words.
    """
    found = sentences.split(text)
    if not found:
        return ""
    size = min(len(found), int(rng.integers(1, MOST_SENTENCES + 1)))
    start = int(rng.integers(len(found) - size + 1))
    return " ".join(" ".join(found[start : start + size]).split()[:words])


def pair(
    text: str, other: str, rng: np.random.Generator, fill: Fill | None = None
) -> Pair:
    """A worse copy of a text.

    Args:
        text: A passage with a word at least.
        other: Another one of the corpus, with a word at least.
        rng: All chance.
        fill: What fills a gap; None: words of the other text.
    """
    kind = str(rng.choice(list(SHARES), p=list(SHARES.values())))
    candidate = {"same": text, "other": other}.get(kind) or ""
    if kind == "damage":
        name = DAMAGES[int(rng.integers(len(DAMAGES)))]
        candidate = PERTURBATIONS[name].apply(text, rng) or ""
    if not candidate.strip():  # also what no damage can be done to
        kind, candidate = "fill", filled(text, other, rng, fill)
    if rng.random() < DROPPED_FROM:
        candidate = dropped(candidate, rng)
    return Pair(text, " ".join(candidate.split()), kind)


def filled(
    text: str, other: str, rng: np.random.Generator, fill: Fill | None = None
) -> str:
    """The text with 1 to 15 of its words, half of all at most, replaced."""
    words, spare = text.split(), other.split()
    n = int(rng.integers(1, max(1, min(MOST_FILLED, len(words) // 2)) + 1))
    if rng.random() < IN_A_ROW:
        start = int(rng.integers(len(words) - n + 1))
        before, after = words[:start], words[start + n :]
        new = fill(" ".join(before), " ".join(after), n) if fill else ""
        if not new.strip():
            first = int(rng.integers(max(1, len(spare) - n + 1)))
            new = " ".join(spare[first : first + n])
        return " ".join([*before, new, *after])
    for place in rng.permutation(len(words))[:n]:
        words[place] = spare[int(rng.integers(len(spare)))]
    return " ".join(words)


def dropped(text: str, rng: np.random.Generator) -> str:
    """The text without some of its words: any number but all, equally likely."""
    words = text.split()
    if len(words) < 2:
        return text
    n = int(rng.integers(1, len(words)))
    kept = np.sort(rng.permutation(len(words))[n:])
    return " ".join(words[k] for k in kept)


class Signals:
    """How much a text has in common with another, by metrics that are here."""

    def __init__(self, bertscore: str = "", device: str = "cpu") -> None:
        bleu, rouge = BLEU().load(), ROUGE().load()
        self._parts: list[tuple[str, Scorer, float]] = [
            ("bleu", bleu, 100.0),
            *((f"rouge_{kind}", rouge, 1.0) for kind in ("1", "2", "l")),
        ]
        if bertscore:
            scorer = BERTScore(model=bertscore).load(device)
            self._parts.append(("f1", scorer, 1.0))
        # Checkpoints name what they learned from in this way.
        self.names = tuple(
            "bertscore" if key == "f1" else key.replace("_", "-")
            for key, _, _ in self._parts
        )

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        """Of pairs (reference, candidate), (n, signals) float64."""
        examples = [Example(text, references=(other,)) for other, text in pairs]
        scorers = dict.fromkeys(scorer for _, scorer, _ in self._parts)
        found = {scorer: scorer(examples).values for scorer in scorers}
        columns = [found[scorer][key] / high for key, scorer, high in self._parts]
        return np.stack(columns, axis=1)


class Filler:
    """Fills gaps with what a model of the family of PEGASUS or T5 finds likeliest."""

    def __init__(self, folder: Any, device: str = "cpu") -> None:
        from scoring.metrics._engine import backbones

        self._backbone = backbones.load(folder)
        if isinstance(self._backbone, backbones.Bart):
            raise MetricError(
                f"{folder.name} writes whole texts around a gap: expected a model of"
                " the family of PEGASUS or T5"
            )
        self._model = models.seq2seq(folder, device=device, dtype="float32")
        self._device = device

    def __call__(self, before: str, after: str, words: int) -> str:
        """At most twice as many tokens as words, and some."""
        import torch

        if self._backbone.reason(before, after):
            return ""
        source = f"{before} {self._backbone.mask} {after}".strip()
        ids = self._backbone.ids([source], end=True)[source]
        with torch.inference_mode():
            found = self._model.generate(
                input_ids=torch.tensor([ids], device=self._device),
                max_new_tokens=2 * words + 4,
                do_sample=False,
                num_beams=1,
            )[0].tolist()
        special = self._backbone.special.__contains__
        said = itertools.takewhile(
            lambda one: not special(one), itertools.dropwhile(special, found)
        )
        return self._backbone.text(list(said)).strip()
