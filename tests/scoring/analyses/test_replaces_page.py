from __future__ import annotations

import pytest

from scoring import analyses
from scoring.analyses import pages
from scoring.drawing.tables import Cell
from scoring.stats.data import Data
from tests.scoring import made, shapes
from tests.scoring.analyses.shown import everything


def result(data: Data | None = None, **chosen) -> dict:
    usual = made.data(prompts=40, noise=(0.3, 4.0), aspects=("coherence",))
    options = analyses.options("replaces", chosen)
    return analyses.run("replaces", usual if data is None else data, options)


@pytest.fixture(scope="module")
def found() -> dict:
    return result()


@pytest.fixture(scope="module")
def shown(found) -> dict:
    return {one.key: one for one in pages.get("replaces").sections(found)}


@pytest.mark.parametrize("shape", shapes.SHAPES)
@pytest.mark.parametrize("prompts", [1, 12])
def test_any_study_is_shown(shape, prompts):
    everything("replaces", result(shape(made.data(prompts=prompts))))


def test_a_card_begins_with_its_sentence(found, shown):
    sentence = found["aspects"][0]["sentence"]
    assert shown["replaces-coherence"].words.startswith(sentence)
    assert shown["replaces-coherence"].answers
    assert sentence in shown["replaces-coherence"].alt


def test_trivial_predictors_stand_below_the_metrics_and_stay_there(shown):
    table = shown["replaces-coherence"].tables["replaces-coherence"]
    names = [row[0].text for row in table.rows]
    assert names[:2] == ["judge: q0", "judge: q1"]
    assert table.foot == len(names) - 2 == 6
    assert names[3].startswith("Always answering ")
    verdicts = [row[1] for row in table.rows]
    assert verdicts[0] == "Yes"
    assert set(verdicts[2:]) == {"Does not pass"}


def test_the_chart_has_winning_rate_and_advantage_of_everything(shown):
    chart = shown["replaces-coherence"].chart
    winning, advantage = chart.data
    assert len(winning.x) == len(advantage.x) == 8
    assert winning.name == "Raters that it matches"
    assert any(high > 0 for high in advantage.error_x.array)
    assert "passes" in [note.text for note in chart.layout.annotations]


def test_only_what_passes_is_solid(shown):
    symbols = shown["replaces-coherence"].chart.data[0].marker.symbol
    assert symbols[:2] == ("circle", "circle-open")


def test_each_rater_has_both_tests(found, shown):
    table = shown["raters-coherence"].tables["raters-coherence"]
    assert [row[0] for row in table.rows] == ["w0", "w1", "w2"]
    p = [row[5].value for row in table.rows]
    raters = found["aspects"][0]["rows"][0]["raters"]
    assert p == [rater["p_published"] for rater in raters]


def test_a_rater_without_a_test_says_why():
    data = made.data(prompts=4, systems=10, aspects=("coherence",))
    sections = pages.get("replaces").sections(result(data))
    (table,) = next(s for s in sections if s.key.startswith("raters-")).tables.values()
    cells = [row[7] for row in table.rows]
    assert cells and all(isinstance(cell, Cell) for cell in cells)
    assert {cell.reason for cell in cells} == {"no test: too few prompts"}


def test_the_rule_names_what_it_counts_with(shown):
    assert shown["how"].folded
    for words in (
        "study cannot tell",
        "0.1",
        "Benjamini",
        "isotonic",
        "root mean squared",
        "5 prompts",
    ):
        assert words in shown["how"].words
