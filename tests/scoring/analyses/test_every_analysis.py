"""Whatever a study looks like, an analysis has numbers or says why there are none."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import plotly.graph_objects as go
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring import analyses
from scoring.analyses import pages
from scoring.drawing import tables
from scoring.stats.data import Data
from tests.scoring import made
from tests.scoring.shapes import SHAPES, check_cells

pytestmark = pytest.mark.usefixtures("few_draws")

studies = st.builds(
    made.data,
    prompts=st.sampled_from([1, 2, 5]),
    systems=st.sampled_from([1, 2, 4]),
    samples=st.sampled_from([1, 2]),
    raters=st.sampled_from([1, 3]),
    aspects=st.sampled_from([("coherence",), ("coherence", "fluency")]),
    negatives=st.booleans(),
    votes=st.sampled_from([0, 3, 40]),
    seeds=st.sampled_from([0, 1, 3]),
    seed=st.integers(0, 3),
)


@pytest.mark.parametrize("name", analyses.names())
@settings(max_examples=12, deadline=None, derandomize=True)
@given(data=studies, shape=st.sampled_from(SHAPES))
def test_every_study_gives_a_page(name: str, data: Data, shape: Any) -> None:
    result = analyses.run(name, shape(data), analyses.options(name, {}))
    json.dumps(result, allow_nan=False)
    check_cells(result)
    for section in pages.get(name).sections(result):
        if section.chart is not None:
            section.chart.to_json()
            assert section.alt
            assert section.tables, "a chart has a table under it"
        for table in section.tables.values():
            assert all(len(row) == len(table.header) for row in table.rows)
            for write in (tables.as_csv, tables.as_latex, tables.as_json):
                assert write(table)


@pytest.mark.parametrize("name", analyses.names())
def test_a_database_may_put_the_keys_of_a_result_in_another_order(name: str) -> None:
    result = analyses.run(name, made.data(votes=30), analyses.options(name, {}))
    other = json.loads(json.dumps(result, sort_keys=True))
    assert pages.tables(name, other) == pages.tables(name, result)


@pytest.mark.parametrize("name", analyses.names())
def test_no_chart_is_drawn_for_the_file_of_a_table(name, monkeypatch) -> None:
    result = analyses.run(name, with_people(name), analyses.options(name, {}))

    def drawn(*_: object, **__: object) -> None:
        raise AssertionError("a chart was drawn")

    monkeypatch.setattr(go.Figure, "__init__", drawn)
    assert pages.tables(name, result)


@pytest.mark.parametrize("name", analyses.names())
def test_the_same_data_and_options_give_the_same_numbers(name: str) -> None:
    chosen = analyses.options(name, {})
    first = analyses.run(name, made.data(votes=30), chosen)
    assert first == analyses.run(name, made.data(votes=30), chosen)


# The overview has point values alone: how they are computed stands on the other pages.
@pytest.mark.parametrize("name", [n for n in analyses.names() if n != "overview"])
def test_every_number_that_was_computed_says_how(name: str) -> None:
    result = analyses.run(name, with_people(name), analyses.options(name, {}))
    cells = list(signed_cells(result))
    assert cells, "an analysis has numbers"
    assert all(cell["signature"] for cell in cells if cell["value"] is not None)


def with_people(name: str) -> Data:
    """A study whose first system is people; for references, with some of each kind."""
    # Saved ratings are counted from so many rated prompts on.
    data = made.data(votes=30, prompts=120 if name == "saved" else 6)
    people = replace(data.systems[0], kind="human")
    data = replace(data, systems=[people, *data.systems[1:]])
    data = made.with_marks(data) if name == "marked_errors" else data
    return made.by_reference_kind(data) if name == "references" else data


def signed_cells(thing: Any) -> Any:
    if isinstance(thing, dict):
        if {"value", "reason", "signature"} <= thing.keys():
            yield thing
        thing = list(thing.values())
    if isinstance(thing, list):
        for part in thing:
            yield from signed_cells(part)
