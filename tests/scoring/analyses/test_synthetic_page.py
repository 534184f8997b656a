from __future__ import annotations

import numpy as np
import pytest

from scoring.stats.data import Data
from tests.scoring import made
from tests.scoring.analyses.shown import everything
from tests.scoring.analyses.test_synthetic import DATA, run, with_people


def shown(data: Data, **chosen):
    found = everything("synthetic", run(data, **chosen))
    return {section.key: section for section in found}


@pytest.fixture(scope="module")
def page():
    return shown(DATA)


def rows(section):
    (table,) = section.tables.values()
    return table.rows


def test_each_score_is_a_line_between_the_best_and_the_worst_possible(page):
    names = [trace.name for trace in page["area"].chart.data]
    assert names[:3] == ["best possible", "worst possible", "by chance"]
    assert names[3:] == [
        "People: Coherence",
        "People: Fluency",
        "judge: q0",
        "judge: q1",
        "length: words",
    ]
    best, worst, _, *curves = (np.array(trace.y) for trace in page["area"].chart.data)
    for curve in curves:
        assert curve[0] == 0 and curve[-1] == pytest.approx(1)
        assert (curve <= best + 1e-9).all() and (curve >= worst - 1e-9).all()


def test_few_lines_have_a_band_of_one_sd():
    data = with_people(made.data(aspects=("coherence",)))
    found = shown(data, outputs=(data.outputs[0].id,))
    bands = [trace for trace in found["area"].chart.data if trace.fill == "toself"]
    assert len(bands) == 2
    assert all(min(band.y) >= 0 and max(band.y) <= 1 for band in bands)


def test_more_scores_than_colours_are_in_the_table_only():
    data = with_people(made.data(systems=3, noise=(1.0,) * 9))
    found = shown(data)
    assert len(found["area"].chart.data) == 3 + 7
    assert "The chart shows the first 7 of 12" in found["area"].words
    assert len(rows(found["area"])) == 12


def test_people_stand_first_and_areas_are_in_percent(page):
    first = rows(page["area"])[0]
    assert first[0].text == "People: Coherence" and first[0].to == ""
    assert 50 < first[1].value <= 100


def test_pairs_count_ties_both_ways(page):
    for row in rows(page["pairs"]):
        assert row[1].value >= row[2].value
    table = page["pairs"].tables["pairs"]
    assert "36 pairs" in table.caption and "the same prompt" in table.caption


def test_the_curves_are_there_as_numbers(page):
    table = rows(page["curve"])
    assert table[-1][0] == "100" and table[-1][1].value == 1
    assert page["curve"].folded


def test_without_people_it_says_how_to_go_on():
    (empty,) = everything("synthetic", run(made.data()))
    assert "Say below which systems are people" in empty.words
    assert empty.chart is None and not empty.tables
