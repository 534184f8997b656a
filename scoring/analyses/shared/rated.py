"""Single ratings of one aspect, or of all together, for measures of agreement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scoring.analyses.agreement.result import Scope
from scoring.stats.data import NONE, Data, Ratings

ALL = "all aspects"  # the key of all aspects together
WITHIN = "within aspects"  # the same, where only differences within an aspect count
UNKNOWN = "\x01"  # begins the names of raters whom nobody knows; numpy drops "\0"


@dataclass(frozen=True, slots=True)
class Rated:
    """Ratings, one of a rater and unit at most: the last one given counts.

    A unit is a text; of all aspects together, a text and an aspect.
    """

    key: str
    title: str
    n_units: int
    unit: np.ndarray  # (k,)
    text: np.ndarray  # (k,)
    rater: np.ndarray  # (k,) str; unknown raters are each another
    value: np.ndarray  # (k,)
    values: np.ndarray  # (V,) points of the scales, and what else was given
    text_of: np.ndarray  # (n_units,)

    def counts(self) -> np.ndarray:
        """How often each unit got each value, (n_units, V)."""
        width = len(self.values)
        column = np.searchsorted(self.values, self.value)
        found = np.bincount(self.unit * width + column, minlength=self.n_units * width)
        return found.reshape(self.n_units, width)

    def named(self) -> Scope:
        """What results say of it."""
        pooled = self.key == ALL
        return {"key": self.key, "aspect": self.title, "pooled": pooled}

    @property
    def known(self) -> np.ndarray:
        """(k,) bool: whether someone knows who gave it."""
        found: np.ndarray = ~np.char.startswith(self.rater, UNKNOWN)
        return found

    @property
    def raters(self) -> np.ndarray | None:
        """Who gave each rating; None where nobody is known."""
        return self.rater if self.known.any() else None


def of_aspect(data: Data, place: int) -> Rated:
    """All ratings of one aspect that the data hold."""
    aspect, n = data.aspects[place], len(data.texts)
    rows = np.flatnonzero(data.ratings.aspect == place)
    unit = data.ratings.text[rows]
    scales = [data.points_of(place)]
    return _rated(aspect.key, aspect.title, data, rows, unit, np.arange(n), scales)


def of_all(data: Data) -> Rated:
    """All ratings; the unit is a text and an aspect."""
    n, aspects = len(data.texts), len(data.aspects)
    unit = data.ratings.text * aspects + data.ratings.aspect
    rows = slice(None)  # names of all ratings of a large study are not copied
    text_of = np.repeat(np.arange(n), aspects)
    scales = [data.points_of(place) for place in range(aspects)]
    return _rated(ALL, "All aspects together", data, rows, unit, text_of, scales)


def each(data: Data) -> list[Rated]:
    """Each aspect and, where there are several, all of them together."""
    return list(in_turn(data))


def in_turn(data: Data) -> Iterator[Rated]:
    """The same one by one: those of a large study together take a gigabyte."""
    for place in range(len(data.aspects)):
        yield of_aspect(data, place)
    if len(data.aspects) > 1:
        yield of_all(data)


class Pages(NamedTuple):
    """The sittings of one rater."""

    n: int
    n_discarded: int
    seconds: float | None  # median time that a page was in view


def pages(rated: Ratings) -> dict[str, Pages]:
    """The sittings of each rater whose ratings are not from a file."""
    there = (rated.page != NONE) & (rated.rater != "")
    _, first = np.unique(rated.page[there], return_index=True)
    rows = np.flatnonzero(there)[first]
    names, who = np.unique(rated.rater[rows], return_inverse=True)
    found = {}
    for at, name in enumerate(names.tolist()):
        mine = rows[who == at]
        seconds = rated.seconds[mine]
        seconds = seconds[~np.isnan(seconds)]
        median = float(np.median(seconds)) if len(seconds) else None
        n_discarded = int((~rated.valid[mine]).sum())
        found[name] = Pages(len(mine), n_discarded, median)
    return found


def _rated(
    key: str,
    title: str,
    data: Data,
    rows: np.ndarray | slice,
    unit: np.ndarray,
    text_of: np.ndarray,
    scales: list[np.ndarray],
) -> Rated:
    rater = _numbered(data.ratings.rater[rows])
    last = _last(unit, rater)
    kept = last if len(last) < len(rater) else slice(None)
    value = data.ratings.value[rows][kept]
    return Rated(
        key,
        title,
        len(text_of),
        unit[kept],
        data.ratings.text[rows][kept],
        rater[kept],
        value,
        np.union1d(np.concatenate(scales or [np.empty(0, np.int64)]), value),
        text_of,
    )


def _numbered(rater: np.ndarray) -> np.ndarray:
    """With another name for each rater whom nobody knows.

    Only where there are any: names as long as these take gigabytes for all ratings of
    a large study.
    """
    unknown = np.flatnonzero(rater == "")
    if len(unknown) == 0:
        return rater
    names = np.char.add(UNKNOWN, unknown.astype(str))
    found = rater.astype(np.result_type(rater, names))
    found[unknown] = names
    return found


def _last(unit: np.ndarray, rater: np.ndarray) -> np.ndarray:
    """Rows after which the same rater did not rate the same unit again, in order."""
    _, who = np.unique(rater, return_inverse=True)
    cell = unit * (who.max(initial=0) + 1) + who
    _, from_end = np.unique(cell[::-1], return_index=True)
    return np.sort(len(cell) - 1 - from_end)
