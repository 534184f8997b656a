"""What probes are given, and what all of them do with vectors and numbers."""

from __future__ import annotations

import dataclasses
import math
import statistics
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

import numpy as np

from scoring.contrib.probing.protocols.results import Spread
from scoring.metrics import MetricError, Progress, embeddings

# Called with the name of a stage and how much of it is done. May raise to stop early.
Report = Callable[[str, int, int], None]
SPLIT = "split"  # the attribute that says which texts train and which test
Key = TypeVar("Key", bound=Hashable)


class Embed(Protocol):
    """Turns texts into vectors, (n, width), and tells of finished texts meanwhile."""

    def __call__(
        self, texts: Sequence[str], progress: Progress | None = None
    ) -> np.ndarray: ...


@dataclasses.dataclass(frozen=True, slots=True)
class Given:
    """What is probed. Texts come cut to what the encoder reads of them."""

    texts: Sequence[str]
    # By name, in the order of the texts; "" = this text lacks it.
    attributes: Mapping[str, Sequence[str]] = dataclasses.field(default_factory=dict)
    split: Sequence[str] = ()  # "train" or "test" by text; empty: each seed draws one
    learn_on: Sequence[str] = ()  # other texts to learn clusters on
    generator: Sequence[str] = ()  # a system's texts
    generator_name: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Options:
    clusters: tuple[int, ...]  # numbers of clusters, K
    seeds: int = 5


def vectors(
    texts: Mapping[Key, Sequence[str]], embed: Embed, report: Report
) -> dict[Key, np.ndarray]:
    """Embed lists of texts as one, so that batches are full and progress is one bar.

    Raises:
        MetricError: If texts differ and all vectors are the same.
    """
    together = [text for part in texts.values() for text in part]
    done = 0

    def progress(n: int) -> None:
        nonlocal done
        done += n
        report("embedding", done, len(together))

    report("embedding", 0, len(together))
    found = embed(together, progress)
    embeddings.check_vary(together, found)
    ends = np.cumsum([len(part) for part in texts.values()])
    return dict(zip(texts, np.split(found, ends[:-1]), strict=True))


class Steps:
    """Counts what is clustered."""

    def __init__(self, total: int, report: Report) -> None:
        self.done, self.total, self.report = 0, total, report
        report("clustering", 0, total)

    def __call__(self) -> None:
        self.done += 1
        self.report("clustering", self.done, self.total)


class Stopwatch:
    """Seconds of one stage after the other."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.monotonic()

    def lap(self, stage: str) -> None:
        now = time.monotonic()
        self.seconds[stage], self._last = round(now - self._last, 3), now


def summary(values: Iterable[float | None]) -> Spread:
    """Mean and standard deviation over seeds; None where there is none."""
    found = [float(v) for v in values if v is not None and math.isfinite(v)]
    return {
        "mean": statistics.fmean(found) if found else None,
        "sd": statistics.stdev(found) if len(found) > 1 else None,
        "values": found,
    }


def lowered(clusters: Sequence[int], n: int) -> list[int]:
    """Numbers of clusters that n texts allow: never more than texts."""
    return [min(k, n) for k in clusters]


def halves(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Indices of two disjoint halves of n texts; an odd one is left out.

    Raises:
        MetricError: If a half would have fewer than two texts.
    """
    if n < 4:
        raise MetricError(
            f"expected at least 4 texts to split into halves, got {n}: choose a larger"
            " corpus"
        )
    order = rng.permutation(n)
    return order[: n // 2], order[n // 2 : 2 * (n // 2)]


def picked(texts: Sequence[str], indices: np.ndarray) -> list[str]:
    return [texts[i] for i in indices]
