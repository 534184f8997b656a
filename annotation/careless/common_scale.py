"""Answers to questions with different scales, in one unit. No database.

Quality control adds up answers on several aspects. Where all have one scale, these are
its points. Where scales differ, each answer counts as a percentage of its own scale: on
one from 1 to 5 a 4 is 75 %, and on a slider 75 is, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from annotation.models import Aspect


@dataclass(frozen=True)
class CommonScale:
    """The scales of a study's aspects, in their order."""

    ends: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, aspects: Sequence[Aspect]) -> CommonScale:
        return cls(tuple(aspect.ends for aspect in aspects))

    @property
    def is_mixed(self) -> bool:
        return len(set(self.ends)) > 1

    @property
    def width(self) -> int:
        """From the lowest to the highest answer, in the common unit."""
        if self.is_mixed or not self.ends:
            return 100
        return self.ends[0][1] - self.ends[0][0]

    @property
    def unit(self) -> str:
        """Behind a number."""
        return " %" if self.is_mixed else ""

    @cached_property
    def lows(self) -> np.ndarray:
        return np.array([low for low, _ in self.ends])

    @cached_property
    def highs(self) -> np.ndarray:
        return np.array([high for _, high in self.ends])

    @property
    def steps(self) -> list[int]:
        """Points of each scale."""
        return [high - low + 1 for low, high in self.ends]

    @property
    def groups(self) -> np.ndarray:
        """(aspects,): equal numbers for equal scales."""
        known = sorted(set(self.ends))
        return np.array([known.index(one) for one in self.ends])

    def common(self, ratings: np.ndarray) -> np.ndarray:
        """Answers as given, shape (..., aspects), in the common unit."""
        if not self.is_mixed:
            return ratings
        share = (ratings - self.lows) / (self.highs - self.lows)
        return np.asarray(100 * share)

    def sums(self, column: int, *found: tuple[float, int]) -> list[float]:
        """Sums of so many answers on one aspect, in the common unit."""
        if not self.is_mixed:
            return [total for total, _ in found]
        low, high = self.ends[column]
        return [100 * (total - n * low) / (high - low) for total, n in found]

    def turned(self, ratings: np.ndarray, aspects: Sequence[Aspect]) -> np.ndarray:
        """In the common unit, and so that high is good, shape (..., aspects)."""
        found = self.common(ratings).copy()
        low_is_good = np.array([not aspect.higher_is_better for aspect in aspects])
        ends = 100 if self.is_mixed else sum(self.ends[0])
        found[..., low_is_good] = ends - found[..., low_is_good]
        return np.asarray(found)

    def on_scale(self, felt: np.ndarray) -> np.ndarray:
        """Whole answers of people who feel 1 to 5, shape (..., aspects)."""
        step = (self.highs - self.lows) / 4
        answers = np.rint(self.lows + (felt - 1) * step)
        return np.asarray(np.clip(answers, self.lows, self.highs).astype(np.int64))

    def same_by_chance(self, rng: np.random.Generator) -> np.ndarray:
        """One place on each scale, drawn once, shape (1, aspects) or (1, 1)."""
        if not self.is_mixed:
            return self.by_chance(rng, (1, 1))
        share = rng.random()
        place = np.rint(self.lows + share * (self.highs - self.lows))
        return np.asarray(place.astype(np.int64)[np.newaxis])

    def by_chance(self, rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        """Answers of people who read nothing, shape (..., aspects)."""
        if not self.is_mixed:
            low, high = self.ends[0]
            return rng.integers(low, high + 1, size=shape)
        return rng.integers(self.lows, self.highs + 1, size=shape)
