"""How close a number of a system's texts comes to the same number of human texts.

    closeness = -|f(system) - f(human)|,  in (-inf, 0], higher is better

A quantity without a good direction of its own gets one by it. Many a quantity changes
with the number of texts, so that both sides must have equally many: from the larger one
as many are drawn, without replacement and anew for each seed, as the smaller one has.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from scoring.metrics._engine.base import (
    OptionError,
    Output,
    Progress,
    SystemScores,
    SystemTexts,
)

NO_CORPUS = "no corpus of human texts was chosen"
NO_TEXT = "there is no text"
SEEDS, MOST_SEEDS = 5, 100
SEEDS_HELP = f"how often as many human texts are drawn, 1 to {MOST_SEEDS}"

# By output key a number, or why there is none.
Numbers = Mapping[str, float | str]
Measure = Callable[[Sequence[str]], Numbers]


def outputs(*quantities: Output) -> tuple[Output, ...]:
    """Each quantity, and its closeness to that of human texts."""
    return tuple(one for quantity in quantities for one in _both(quantity))


def _both(quantity: Output) -> tuple[Output, Output]:
    unit = f"{quantity.unit.partition(',')[0]}, (-inf, 0]"
    title = f"{quantity.title}, closeness to human text"
    return quantity, Output(f"{quantity.key}_closeness", title, unit, True)


def check_seeds(seeds: int) -> None:
    """Raise OptionError where texts would never be drawn, or forever."""
    if not 1 <= seeds <= MOST_SEEDS:
        raise OptionError(f"seeds={seeds}: expected 1 to {MOST_SEEDS}")


class ClosenessScorer:
    """A loaded metric that measures a system's texts, and human texts alike."""

    def __init__(self, signature: str, measure: Measure, *, seeds: int = 0) -> None:
        """`seeds` 0: the number of texts does not matter, all are compared once."""
        self.signature = signature
        self._measure, self._seeds = measure, seeds

    def __call__(
        self,
        given: SystemTexts,
        rng: np.random.Generator,
        progress: Progress | None = None,
    ) -> SystemScores:
        """Values of shape (1,), closeness of shape (seeds,)."""

        # Whoever draws all texts that there are does not measure them once more.
        @functools.cache
        def measured(texts: tuple[str, ...]) -> Numbers:
            if progress is not None:
                progress(0)
            return self._measure(texts)

        # Sorted, because what is drawn must not depend on the order of the texts.
        texts, corpus = tuple(sorted(given.texts)), tuple(sorted(given.corpus))
        pairs = []
        if corpus and not self._seeds:
            pairs.append((measured(texts), measured(corpus)))
        for _ in range(self._seeds if corpus else 0):
            n = min(len(texts), len(corpus))
            drawn = _drawn(texts, n, rng), _drawn(corpus, n, rng)
            pairs.append((measured(drawn[0]), measured(drawn[1])))
        return scores(measured(texts), pairs)


def _drawn(texts: Sequence[str], n: int, rng: np.random.Generator) -> tuple[str, ...]:
    chosen = sorted(rng.permutation(len(texts))[:n])
    return tuple(texts[index] for index in chosen)


def scores(own: Numbers, pairs: Sequence[tuple[Numbers, Numbers]]) -> SystemScores:
    """A system's numbers, and how close both numbers of each pair are.

    Args:
        own: Of all its texts.
        pairs: Of some of its texts and of human ones, for each seed; none: no corpus.
    """
    found: dict[str, list[float | str]] = {}
    for key, number in own.items():
        found[key] = [number]
        close = [_closeness(system[key], human[key]) for system, human in pairs]
        found[f"{key}_closeness"] = close or [NO_CORPUS]
    human = {key: [numbers[key] for _, numbers in pairs] for key in own}
    return SystemScores(
        {key: _array(column) for key, column in found.items()},
        {key: why for key, column in found.items() if (why := _reason(column))},
        {"human": human} if pairs else {},
    )


def _closeness(system: float | str, human: float | str) -> float | str:
    if isinstance(system, str):
        return system
    if isinstance(human, str):
        return f"of the human texts: {human}"
    return 0.0 - abs(system - human)  # a plain minus would make -0.0 of 0


def _array(column: Iterable[float | str]) -> np.ndarray:
    return np.array([np.nan if isinstance(one, str) else one for one in column], float)


def _reason(column: Iterable[float | str]) -> str | None:
    return next((one for one in column if isinstance(one, str)), None)
