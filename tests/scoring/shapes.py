"""Studies of which numbers cannot exist, and what must hold for every result."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from scoring.stats.data import Data
from tests.scoring import made


def constant(data: Data) -> Data:
    return replace(data, scores=np.ones_like(data.scores))


def all_equal(data: Data) -> Data:
    value = np.full_like(data.ratings.value, 3)
    return replace(data, ratings=replace(data.ratings, value=value))


def gaps(data: Data) -> Data:
    """Every third score and every second text's ratings are missing."""
    scores = data.scores.copy()
    scores.ravel()[::3] = np.nan
    kept = data.ratings.text % 2 == 0
    cut = {
        name: getattr(data.ratings, name)[kept]
        for name in data.ratings.__dataclass_fields__
    }
    return replace(data, scores=scores, ratings=type(data.ratings)(**cut))


def unscored(data: Data) -> Data:
    """Nothing was ever scored, not even a length."""
    n, m = len(data.texts), len(data.negatives)
    empty = {"scores": np.empty((n, 0)), "negative_scores": np.empty((m, 0))}
    return replace(data, outputs=[], **empty)


def unrated(data: Data) -> Data:
    return replace(data, ratings=made.data(raters=0).ratings)


def as_it_is(data: Data) -> Data:
    return data


SHAPES = (as_it_is, constant, all_equal, gaps, unscored, unrated, made.without_systems)

CORRELATING = {
    "grouping": st.sampled_from(["auto", "none", "item", "system"]),
    "level": st.sampled_from(["texts", "systems"]),
    "undefined": st.sampled_from(["drop", "zero"]),
    "resample": st.sampled_from(["prompts", "prefixes", "systems", "both", "samples"]),
    "min_ratings": st.sampled_from([1, 3]),
}


def of_one_aspect(shape: Any, prompts: int, systems: int) -> Data:
    return shape(made.data(prompts=prompts, systems=systems, aspects=("coherence",)))


small = st.builds(
    of_one_aspect,
    shape=st.sampled_from(SHAPES),
    prompts=st.sampled_from([1, 2, 4]),
    systems=st.sampled_from([1, 2, 4]),
)


def check_cells(thing: Any) -> None:
    """A number that does not exist says why."""
    if isinstance(thing, dict):
        if {"value", "reason", "signature"} <= thing.keys():
            assert thing["value"] is not None or thing["reason"], thing
            assert thing["value"] is None or math.isfinite(thing["value"])
        for part in thing.values():
            check_cells(part)
    elif isinstance(thing, list):
        for part in thing:
            check_cells(part)
