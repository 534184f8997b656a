"""Whatever a study looks like, an analysis has numbers or says why there are none."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring import showing, tables
from scoring.stats import analyses
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
studies = st.builds(
    made.data,
    prompts=st.sampled_from([1, 2, 5]),
    systems=st.sampled_from([1, 2, 4]),
    samples=st.sampled_from([1, 2]),
    raters=st.sampled_from([1, 3]),
    aspects=st.sampled_from([("coherence",), ("coherence", "fluency")]),
    negatives=st.booleans(),
    votes=st.sampled_from([0, 3, 40]),
    seed=st.integers(0, 3),
)


@pytest.mark.parametrize("name", analyses.NAMES)
@settings(max_examples=12, deadline=None, derandomize=True)
@given(data=studies, shape=st.sampled_from(SHAPES))
def test_every_study_gives_a_page(name: str, data: Data, shape: Any) -> None:
    result = analyses.run(name, shape(data), analyses.options(name, {}))
    json.dumps(result, allow_nan=False)
    check_cells(result)
    for section in showing.get(name).sections(result):
        if section.chart is not None:
            section.chart.to_json()
            assert section.alt
            assert section.tables, "a chart has a table under it"
        for table in section.tables.values():
            assert all(len(row) == len(table.header) for row in table.rows)
            for write in (tables.as_csv, tables.as_latex, tables.as_json):
                assert write(table)


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


@pytest.mark.parametrize("name", analyses.NAMES)
def test_a_database_may_put_the_keys_of_a_result_in_another_order(name: str) -> None:
    result = analyses.run(name, made.data(votes=30), analyses.options(name, {}))
    other = json.loads(json.dumps(result, sort_keys=True))
    assert showing.tables(name, other) == showing.tables(name, result)


@pytest.mark.parametrize("name", analyses.NAMES)
def test_the_same_data_and_options_give_the_same_numbers(name: str) -> None:
    chosen = analyses.options(name, {})
    first = analyses.run(name, made.data(votes=30), chosen)
    assert first == analyses.run(name, made.data(votes=30), chosen)


@pytest.mark.parametrize("name", analyses.NAMES)
def test_every_number_that_was_computed_says_how(name: str) -> None:
    data = made.data(votes=30)
    people = replace(data.systems[0], kind="human")
    data = replace(data, systems=[people, *data.systems[1:]])
    result = analyses.run(name, data, analyses.options(name, {}))
    cells = list(signed_cells(result))
    assert cells, "an analysis has numbers"
    assert all(cell["signature"] for cell in cells if cell["value"] is not None)


def signed_cells(thing: Any) -> Any:
    if isinstance(thing, dict):
        if {"value", "reason", "signature"} <= thing.keys():
            yield thing
        thing = list(thing.values())
    if isinstance(thing, list):
        for part in thing:
            yield from signed_cells(part)
