"""Self-BLEU of a system: how like each other its texts are.

    self-BLEU = (1/n) sum_i BLEU(text i; all other texts),  in [0, 100]

after Zhu et al. (2018): each text is the hypothesis once, and all others are its
references. 100 where all texts are the same, low where they are diverse. BLEU, its
tokens included, is that of sacrebleu for single sentences: n-grams up to
`max_ngram_order`, each counted as often at most as it is in one of the other texts,
exponential smoothing, effective order, and the brevity penalty for the closest length
among the other texts.

Texts without tokens are left out, as hypotheses and as references. No number where
fewer than two are left.

More texts give higher values, so compare systems with equally many texts. It has no
good direction of its own: what counts is how close it is to human text,

    closeness = -|self-BLEU of the system - self-BLEU of human texts|,  in [-100, 0],

with equally many texts on both sides: from the larger side as many as the smaller one
has are drawn, anew for each of `seeds` seeds.

No text is compared with each other one: for every n-gram the two largest counts among
all texts tell the largest among the others. So all texts are hypotheses, where released
code draws 1,000 of them, and the time grows with the length of all texts together.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from scoring.metrics._distributions import closeness
from scoring.metrics._distributions.closeness import ClosenessScorer
from scoring.metrics._engine.base import Output, SystemMetric, option
from scoring.metrics._engine.words import Grams, numbered_ngrams
from scoring.metrics._references import sacrebleu


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the number."""

    max_ngram_order: int = option(
        4, "the longest n-grams, in tokens", label="Longest n-gram"
    )
    tokenize: str = option(
        "13a",
        "what a token is: 13a and intl separate marks, the second those of all scripts;"
        " char takes characters, zh Chinese characters, none splits at white space",
        ("13a", "intl", "char", "zh", "none"),
        label="How words are split",
        titles=(
            "as in WMT (13a)",
            "as in WMT, all scripts (intl)",
            "into characters",
            "for Chinese",
            "at white space",
        ),
    )
    seeds: int = option(closeness.SEEDS, closeness.SEEDS_HELP, label="Repetitions")


class SelfBLEU(SystemMetric):
    """How similar a system's texts are to each other."""

    title = "Self-BLEU of each system"
    short = "Self-BLEU"
    source = "Zhu et al. (2018)"
    link = "https://arxiv.org/abs/1802.01886"
    Options = Options
    uses = frozenset({"corpus"})

    @property
    def outputs(self) -> tuple[Output, ...]:
        own = Output("self_bleu", "Self-BLEU", "BLEU, [0, 100]", None)
        return closeness.outputs(own)

    def check(self) -> None:
        closeness.check_seeds(self.options.seeds)
        order = self.options.max_ngram_order
        sacrebleu.check_order("max_ngram_order", order, 1)

    def load(self, device: str = "cpu") -> ClosenessScorer:
        self.check()
        signature = self.signature(**sacrebleu.contents())
        return ClosenessScorer(signature, self.measure, seeds=self.options.seeds)

    def measure(self, texts: Sequence[str]) -> dict[str, float | str]:
        """The mean, or why there is none."""
        from sacrebleu.metrics.bleu import BLEU

        tokenize = BLEU(tokenize=self.options.tokenize).tokenizer
        split = [tokenize(text.rstrip()).split() for text in texts]
        tokens = [one for one in split if one]
        if len(tokens) < 2:
            return {"self_bleu": "fewer than two texts have tokens"}
        found = bleu_among(tokens, self.options.max_ngram_order)
        return {"self_bleu": float(found.mean())}


def bleu_among(texts: Sequence[Sequence[str]], order: int) -> np.ndarray:
    """BLEU of each text against all others, (n,) float64 in [0, 100].

    Args:
        texts: Tokens of two texts or more, none of them empty.
        order: Longest n-gram that counts.
    """
    from sacrebleu.metrics.bleu import BLEU

    lengths = np.array([len(tokens) for tokens in texts])
    correct, total = _matches(texts, order)
    found = [
        BLEU.compute_bleu(
            correct=right,
            total=whole,
            sys_len=length,
            ref_len=closest,
            smooth_method="exp",
            effective_order=True,
            max_ngram_order=order,
        ).score
        for right, whole, length, closest in zip(
            correct.tolist(),
            total.tolist(),
            lengths.tolist(),
            _closest(lengths).tolist(),
            strict=True,
        )
    ]
    return np.array(found)


def _matches(texts: Sequence[Sequence[str]], order: int) -> tuple[np.ndarray, ...]:
    """n-grams of each text that another has too, and all that it has: (n, order)."""
    correct, total = np.zeros((2, len(texts), order), np.int64)
    for n, grams in enumerate(numbered_ngrams(texts, order)):
        correct[:, n] = _shared(grams, len(texts))
        total[:, n] = np.bincount(grams.owners, minlength=len(texts))
    return correct, total


def _shared(grams: Grams, n: int) -> np.ndarray:
    """How many n-grams of each of n texts stand in another one too, (n,).

    A text's count of an n-gram is clipped at the largest count in any other text.
    """
    pairs, counts = np.unique(grams.numbers * n + grams.owners, return_counts=True)
    by_count = np.lexsort((counts, pairs // n))
    counts, (number, owner) = counts[by_count], np.divmod(pairs[by_count], n)
    # Of those with one n-gram the last has it most often, and the one before is next.
    last = np.flatnonzero(np.diff(number, append=-1))
    limits = counts[last][number]
    rivals = number[last - 1] == number[last]
    limits[last] = np.where(rivals & (last > 0), counts[last - 1], 0)
    clipped = np.minimum(counts, limits)
    return np.bincount(owner, weights=clipped, minlength=n).astype(np.int64)


def _closest(lengths: np.ndarray) -> np.ndarray:
    """The closest length of another text, the shorter one of two, (n,)."""
    order = np.argsort(lengths, kind="stable")
    ranked = lengths[order].astype(np.float64)
    shorter = np.concatenate([[-np.inf], ranked[:-1]])
    longer = np.concatenate([ranked[1:], [np.inf]])
    closest = np.where(ranked - shorter <= longer - ranked, shorter, longer)
    found = np.empty_like(lengths)
    found[order] = closest.astype(lengths.dtype)
    return found
