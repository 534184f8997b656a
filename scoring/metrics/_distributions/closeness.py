"""How close a number of a system's texts comes to the same number of human texts.

    closeness = -|f(system) - f(human)|,  in (-inf, 0], higher is better

This turns a quantity for which neither high nor low is good into one with a direction.
Many quantities change with the number of texts, so both sides must have the same
number: for each seed, a random sample of the larger side is drawn without replacement
that is as large as the smaller side.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from scoring.metrics._engine.base import (
    Example,
    OptionError,
    Output,
    Progress,
    SystemScores,
    SystemTexts,
    option,
)

NO_CORPUS = "no corpus of human texts was chosen"
NO_TEXT = "there is no text"
SEEDS, MOST_SEEDS = 5, 100
FULL, GENERATED = "full", "generated"

# For each output key a number, or why there is none.
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
    """Raise OptionError if the number of seeds is out of range."""
    if not 1 <= seeds <= MOST_SEEDS:
        raise OptionError(f"seeds={seeds}: expected 1 to {MOST_SEEDS}")


def seeds_option() -> Any:
    return option(
        SEEDS,
        f"how many random samples of equal size are compared, 1 to {MOST_SEEDS}",
        label="Repetitions",
    )


def reads_option() -> Any:
    return option(
        FULL,
        "what is read of a system's texts: the full text, or what follows its prefix;"
        " systems that share prefixes look more alike and repeat themselves more with"
        " them. Human texts are always read in full",
        (FULL, GENERATED),
        label="What is read",
        titles=("the full text, prefix included", "only what follows the prefix"),
    )


def read(given: SystemTexts, reads: str) -> tuple[str, ...]:
    """The texts of a system, or what follows their prefixes."""
    if reads == FULL or not given.examples:
        return given.texts
    return tuple(_generated(example) for example in given.examples)


def _generated(example: Example) -> str:
    """A text that does not begin with its prefix is all generated."""
    return example.text.removeprefix(example.prefix).strip()


class ClosenessScorer:
    """A loaded metric that measures a system's texts and human texts alike."""

    def __init__(
        self, signature: str, measure: Measure, *, seeds: int = 0, reads: str = FULL
    ) -> None:
        """`seeds` 0: the number of texts does not matter, all are compared once."""
        self.signature, self._reads = signature, reads
        self._measure, self._seeds = measure, seeds

    def __call__(
        self,
        given: SystemTexts,
        rng: np.random.Generator,
        progress: Progress | None = None,
    ) -> SystemScores:
        """Values of shape (1,), closeness of shape (seeds,)."""

        # A sample of all texts need not be measured again.
        @functools.cache
        def measured(texts: tuple[str, ...]) -> Numbers:
            if progress is not None:
                progress(0)
            return self._measure(texts)

        # Sorted, because what is drawn must not depend on the order of the texts.
        texts = tuple(sorted(read(given, self._reads)))
        corpus = tuple(sorted(given.corpus))
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
        return f"in the human texts: {human}"
    return 0.0 - abs(system - human)  # a plain minus would make -0.0 of 0


def _array(column: Iterable[float | str]) -> np.ndarray:
    return np.array([np.nan if isinstance(one, str) else one for one in column], float)


def _reason(column: Iterable[float | str]) -> str | None:
    return next((one for one in column if isinstance(one, str)), None)
