"""Self-BLEU of a system: how similar its texts are to each other.

    self-BLEU = (1/n) sum_i BLEU(text i; all other texts),  in [0, 100]

after Zhu et al. (2018): each text is the hypothesis once, and all others are its
references. It is 100 if all texts are the same and low if they are diverse. BLEU and
its tokens (by default by the script of each text) are those of sacrebleu for single
sentences: n-grams up to `max_ngram_order`, each counted at most as often as it occurs
in any one of the other texts, exponential smoothing, effective order, and the brevity
penalty for the closest length among the other texts.

Texts without tokens are left out, both as hypotheses and as references. There is no
score if fewer than two texts are left.

More texts give higher values, so compare systems with the same number of texts. Neither
high nor low is good in itself: what counts is how close the value is to that of human
text,

    closeness = -|self-BLEU of the system - self-BLEU of human texts|,  in [-100, 0],

with the same number of texts on both sides: for each of `seeds` seeds, a random sample
of the larger side is drawn that is as large as the smaller side.

Texts are not compared pair by pair: for every n-gram, the two largest counts among all
texts are enough to know the largest among the others. So every text can be a
hypothesis, where released code samples 1,000 of them, and the time grows only with the
total length of the texts.

`reads=generated` leaves the prefixes of the system's texts out: prefixes that all
systems share make texts look more alike. Human texts are read as they are.
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
        4, "length of the longest n-grams, in tokens", label="Longest n-gram"
    )
    tokenize: str = sacrebleu.tokenize_option()
    reads: str = closeness.reads_option()
    seeds: int = closeness.seeds_option()


class SelfBLEU(SystemMetric):
    """How similar a system's texts are to each other."""

    title = "Self-BLEU of each system"
    short = "Self-BLEU"
    source = "Zhu et al. (2018)"
    link = "https://arxiv.org/abs/1802.01886"
    version = 2  # 2: words of other scripts
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
        found = sacrebleu.contents(self.options.tokenize)
        signature = self.signature(**found)
        seeds, reads = self.options.seeds, self.options.reads
        return ClosenessScorer(signature, self.measure, seeds=seeds, reads=reads)

    def measure(self, texts: Sequence[str]) -> dict[str, float | str]:
        """The mean, or why there is none."""
        tokenize = sacrebleu.tokenizer(self.options.tokenize)
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
    """n-grams of each text that another text has too, and all it has: (n, order)."""
    correct, total = np.zeros((2, len(texts), order), np.int64)
    for n, grams in enumerate(numbered_ngrams(texts, order)):
        correct[:, n] = _shared(grams, len(texts))
        total[:, n] = np.bincount(grams.owners, minlength=len(texts))
    return correct, total


def _shared(grams: Grams, n: int) -> np.ndarray:
    """How many n-grams of each of n texts also occur in another one, (n,).

    A text's count of an n-gram is clipped at the largest count in any other text.
    """
    pairs, counts = np.unique(grams.numbers * n + grams.owners, return_counts=True)
    by_count = np.lexsort((counts, pairs // n))
    counts, (number, owner) = counts[by_count], np.divmod(pairs[by_count], n)
    # Among the texts with an n-gram, the last has it most often, then the one before
    # it.
    last = np.flatnonzero(np.diff(number, append=-1))
    limits = counts[last][number]
    rivals = number[last - 1] == number[last]
    limits[last] = np.where(rivals & (last > 0), counts[last - 1], 0)
    clipped = np.minimum(counts, limits)
    return np.bincount(owner, weights=clipped, minlength=n).astype(np.int64)


def _closest(lengths: np.ndarray) -> np.ndarray:
    """The closest length of another text; of two equally close, the shorter, (n,)."""
    order = np.argsort(lengths, kind="stable")
    ranked = lengths[order].astype(np.float64)
    shorter = np.concatenate([[-np.inf], ranked[:-1]])
    longer = np.concatenate([ranked[1:], [np.inf]])
    closest = np.where(ranked - shorter <= longer - ranked, shorter, longer)
    found = np.empty_like(lengths)
    found[order] = closest.astype(lengths.dtype)
    return found
