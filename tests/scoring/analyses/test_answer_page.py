from __future__ import annotations

from dataclasses import replace

import pytest

from scoring import analyses
from scoring.analyses.answer import page
from scoring.analyses.answer.page_ladder import ROW, TALL, ladder
from scoring.drawing.tables import Cell, Link
from tests.scoring import made, shapes
from tests.scoring.analyses.shown import everything


def result(**chosen) -> dict:
    data = made.data(prompts=30, noise=(0.5, 5.0), aspects=("coherence",))
    return analyses.run("answer", data, analyses.options("answer", chosen))


@pytest.fixture(scope="module")
def found() -> dict:
    return result()


@pytest.mark.parametrize("shape", shapes.SHAPES)
@pytest.mark.parametrize("prompts", [0, 1, 12])
def test_any_study_is_shown(shape, prompts):
    data = shape(made.data(prompts=prompts))
    everything("answer", analyses.run("answer", data, analyses.options("answer", {})))


def test_a_card_begins_with_its_sentence(found):
    one = found["aspects"][0]
    section = page.card(found, one)
    assert section.words.startswith(one["sentence"])
    assert one["sentence"] in section.alt


def test_the_table_has_a_row_for_each_metric_the_best_first(found):
    table = page.card(found, found["aspects"][0]).tables["metrics-coherence"]
    names = [row[0].text for row in table.rows if isinstance(row[0], Link)]
    assert names == ["judge: q0", "judge: q1"]
    values = [row[1].value for row in table.rows if isinstance(row[1], Cell)]
    assert values == sorted(values, reverse=True)


def test_the_ladder_is_sorted_from_the_top_with_22_pixels_a_row(found):
    one = found["aspects"][0]
    figure = ladder(one, "Pearson r with Coherence")
    xs = list(figure.data[0].x)
    assert xs == sorted(xs, reverse=True)
    assert list(figure.data[0].y) == list(range(len(xs)))
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]
    taller = dict(one, rows=[*one["rows"], one["rows"][0]])
    assert ladder(taller, "").layout.height - figure.layout.height == ROW


def test_every_name_stands_with_its_number(found):
    names = ladder(found["aspects"][0], "").layout.yaxis.ticktext
    value = found["aspects"][0]["rows"][0]["r"]["value"]
    assert any(f"<b>{value:.2f}</b>" in name for name in names)


def test_one_rater_and_the_best_trivial_predictor_are_lines_with_words(found):
    one = found["aspects"][0]
    figure = ladder(one, "")
    words = [note.text for note in figure.layout.annotations]
    assert any(text.startswith("one rater 0.") for text in words)
    assert len(figure.layout.shapes) == len(words) == 2
    heights = {note.yshift for note in figure.layout.annotations}
    assert len(heights) == 2, "their words never stand on each other"


def test_a_tall_ladder_has_its_axis_on_top_as_well(found):
    one = found["aspects"][0]
    assert "xaxis2" not in ladder(one, "").layout
    tall = dict(one, rows=one["rows"] * TALL)
    assert ladder(tall, "").layout.xaxis2.side == "top"


def test_only_what_beats_the_floor_is_solid(found):
    one = found["aspects"][0]
    figure = ladder(one, "")
    symbols = dict(
        zip(figure.layout.yaxis.ticktext, figure.data[0].marker.symbol, strict=True)
    )
    solid = {name for name, symbol in symbols.items() if symbol == "circle"}
    beats = [row for row in one["rows"] if row["claims"]["beats"] < 0.05]
    assert len(solid) == len(beats) == 1


def test_a_name_that_is_html_stays_words(found):
    one = found["aspects"][0]
    row = dict(one["rows"][0])
    row["output"] = {**row["output"], "label": "<img src=x>"}
    names = ladder(dict(one, rows=[row]), "<b>").layout.yaxis.ticktext
    assert not any("<img" in name for name in names)


def test_a_dash_in_the_column_of_prompts_says_why():
    data = made.data(prompts=12, noise=(0.5, 5.0), aspects=("coherence",))
    found = analyses.run("answer", data, analyses.options("answer", {}))
    row = found["aspects"][0]["rows"][0]
    open_still = {**row, "more": None, "more_words": "More prompts will not settle it."}
    one = {**found["aspects"][0], "rows": [open_still]}
    (table,) = page.card(found, one).tables.values()
    assert table.header[-1] == "More prompts"
    assert table.rows[0][-1].reason == page.NOBODY


def test_the_rules_name_the_numbers_that_they_use(found):
    words = page.rules(found, found["aspects"][0])
    for number in ("p < 0.05", "85 %", "a third", "10 prompts", "0.20", "2 metrics"):
        assert number in words


def without_direction() -> dict:
    data = made.data(prompts=12, noise=(0.5, 5.0), aspects=("coherence",))
    first = replace(data.outputs[0], higher_is_better=None)
    data = replace(data, outputs=[first, *data.outputs[1:]])
    return analyses.run("answer", data, analyses.options("answer", {}))


def test_what_is_left_out_of_the_ladder_is_named_below_it():
    found = without_direction()
    section = page.card(found, found["aspects"][0])
    assert "1 metric has no direction: judge: q0." in section.after
    assert not any("q0" in name for name in section.chart.layout.yaxis.ticktext)


def test_what_is_left_out_of_the_ladder_ends_the_table_with_its_reason():
    found = without_direction()
    table = page.card(found, found["aspects"][0]).tables["metrics-coherence"]
    last = table.rows[-1]
    assert (table.foot, last[0].text) == (1, "judge: q0")
    assert last[1].value == pytest.approx(
        found["aspects"][0]["undirected"][0]["size"]["value"]
    )
    assert last[3].reason == page.NO_DIRECTION
    assert last[4].startswith("No direction")
