"""Text that is damaged to a known degree, for ARGENT to learn from.

Section 3.1 and appendix B of "Rethinking Text Generation Evaluation". Where the paper
contradicts itself:

- the rate of corruption is drawn for each text and each method from U(0, p)
  (algorithm 3), not once;
- methods compose, and what has changed is counted against the state before (eq. 2);
  algorithm 3 as printed corrupts the original each time;
- a window that is not drawn passes as it is; by algorithm 2 as printed the loop would
  continue until each was, and the probability would do nothing;
- the paper gives no range for the length of a window: 2 to 5 here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from annotation.perturbations import _inflection
from annotation.perturbations._inflection import Tokens

SHORTEST, LONGEST = 2, 5  # tokens of a window

# In the order they are applied: tags are only right while the words are in order.
METHODS = {
    "inflect": ("inflect",),
    "shuffle": ("shuffle",),
    "shufflection": ("inflect", "shuffle"),
}

Method = Callable[[Tokens, float, np.random.Generator], Tokens]


class Corrupted(NamedTuple):
    """A damaged text. K methods, N tokens."""

    text: str
    changed: tuple[int, ...]  # (K,) tokens that differ from the state before each
    n_tokens: int
    rates: tuple[float, ...]  # (K,) as drawn, [0, p]
    score: float  # quality, [0, 1]; NaN for a text without tokens


def rng_of(seed: int, index: int, *keys: int) -> np.random.Generator:
    """All the chance of an example: the same for the same numbers, in any order.

    `keys` tell apart what is drawn for one example. None may be below 0.
    """
    sequence = np.random.SeedSequence(seed, spawn_key=(index, *keys))
    return np.random.default_rng(sequence)


def methods(
    name: str, *, p_shuffle: float, p_inflect: float
) -> list[tuple[str, float]]:
    """The methods of "shuffle", "inflect" or "shufflection", with the p of each.

    Shufflection inflects first and shuffles what it has made: the tagger must read the
    words in order.

    Raises:
        ValueError: If there is no such name.
    """
    if name not in METHODS:
        raise ValueError(f"expected one of {', '.join(METHODS)}, got {name!r}")
    p = {"shuffle": p_shuffle, "inflect": p_inflect}
    return [(method, p[method]) for method in METHODS[name]]


def corrupt(
    text: str,
    methods: Sequence[tuple[str, float]],
    rng: np.random.Generator,
    *,
    shortest: int = SHORTEST,
    longest: int = LONGEST,
) -> Corrupted:
    """Damage a text by one method after the other, and say how good it still is.

    S_quality = 1 - sum_k sum_i [x_i^k != x_i^(k-1)] / (K N)     (eq. 2 and 3)

    with x^0 the text's N tokens and x^k what the k-th of K methods left of them.

    Args:
        text: Any; what is not English keeps its words, as they have no known form.
        methods: Names ("inflect" or "shuffle") in order, each with the p that its rate
            is drawn below, [0, 1].
        rng: All chance.
        shortest: Tokens of a window that is shuffled, at least.
        longest: At most.

    Raises:
        ValueError: If there is no method, an unknown one, or p is not in [0, 1].
    """
    if not methods:
        raise ValueError("expected at least one method to corrupt a text, got none")
    apply: dict[str, Method] = {
        "inflect": inflect,
        "shuffle": partial(shuffle_locally, shortest=shortest, longest=longest),
    }
    tokens = _inflection.tokenized(text)
    changed: list[int] = []
    rates: list[float] = []
    for name, p in methods:
        if name not in apply or not 0 <= p <= 1:
            raise ValueError(
                f"expected {' or '.join(apply)} and p from 0 to 1, got {name!r}, {p}"
            )
        rates.append(float(rng.uniform(0, p)))
        after = apply[name](tokens, rates[-1], rng)
        changed.append(n_different(tokens, after))
        tokens = after
    n = len(tokens.words)
    score = 1 - sum(changed) / (len(methods) * n) if n else math.nan
    return Corrupted(tokens.text, tuple(changed), n, tuple(rates), score)


def inflect(tokens: Tokens, probability: float, rng: np.random.Generator) -> Tokens:
    """Put words into another form: "I like books" may become "I like booked".

    Each token with a tag of footnote 3 (adjectives, nouns, names, adverbs, verbs) is
    drawn with the probability and takes one of the different forms of its lemma, of
    any part of speech, all equally likely. A word without another form stays.
    """
    new = {}
    for i, forms in _inflection.inflectable(tokens.words).items():
        if rng.random() < probability:
            new[i] = forms[rng.integers(len(forms))]
    return tokens.with_words(new)


def shuffle_locally(
    tokens: Tokens,
    probability: float,
    rng: np.random.Generator,
    shortest: int = SHORTEST,
    longest: int = LONGEST,
) -> Tokens:
    """Shuffle tokens within windows that lie side by side (algorithm 2).

    Lengths are uniform on shortest to longest, the last may be cut short. A window is
    drawn with the probability and takes any order, its own too.

    Raises:
        ValueError: If the lengths are not 1 <= shortest <= longest.
    """
    if not 1 <= shortest <= longest:
        raise ValueError(
            f"expected windows of 1 <= shortest <= longest, got {shortest}, {longest}"
        )
    order = np.arange(len(tokens.words))
    start = 0
    while start < len(order):
        end = start + int(rng.integers(shortest, longest + 1))
        if rng.random() < probability:
            rng.shuffle(order[start:end])
        start = end
    return tokens.in_order(order.tolist())


def n_different(before: Tokens, after: Tokens) -> int:
    """At how many positions the tokens differ."""
    return sum(a != b for a, b in zip(before.words, after.words, strict=True))
