from __future__ import annotations

from dataclasses import replace

import pytest

from scoring import analyses
from scoring.analyses import pages
from scoring.analyses.drift.numbers import Options
from scoring.drawing import tables
from scoring.stats.data import Data, System
from tests.scoring import made

DATA = made.data(prompts=20, systems=3, seed=3)


def sections(data: Data = DATA, **chosen) -> dict:
    result = analyses.run("drift", data, Options(**{"repeats": 3, **chosen}))
    return {one.key: one for one in pages.get("drift").sections(result)}


@pytest.fixture(scope="module")
def shown() -> dict:
    return sections()


def test_the_page_goes_from_systems_to_quality(shown):
    assert list(shown) == ["model", "systems", "subsets", "quality", "first-draw"]


def test_each_system_has_a_panel_and_a_dot_for_each_metric(shown):
    dots = shown["model"].chart.data
    assert [one.name for one in dots] == ["All systems, by prompt", "s0", "s1", "s2"]
    assert all(len(one.x) == 3 for one in dots)
    assert all(high > 0 for one in dots for high in one.error_x.array)


def test_metrics_come_best_first(shown):
    found = list(shown["model"].chart.data[0].x)
    assert found == sorted(found, reverse=True)
    assert found == [row[4].value for row in shown["model"].tables["model"].rows]


def test_many_systems_are_a_heat_map():
    data = made.data(prompts=20, systems=7, seed=3)
    (trace,) = sections(data)["model"].chart.data
    assert trace.type == "heatmap"
    assert len(trace.z[0]) == 8


def test_a_chart_grows_with_its_metrics_and_names_its_axis(shown):
    few = sections(outputs=("judge:q0",))["model"].chart.layout
    many = shown["model"].chart.layout
    assert few.height < many.height
    titles = [one.text for one in many.annotations if one.name == "x title"]
    assert titles == ["Pearson r with Coherence"]


def test_panels_of_subsets_have_the_spread_of_the_draws(shown):
    panels = shown["quality"].chart.data
    assert [one.name for one in panels][::3] == [
        "Subset 0, lowest",
        "Subset 3, highest",
    ]
    first = shown["quality"].tables["quality"].rows[0]
    assert panels[0].x[0] == first[1].value
    assert panels[0].error_x.array[0] == pytest.approx(first[2].value)


def test_bars_count_what_the_table_counts(shown):
    bars = shown["subsets"].chart.data
    rows = shown["subsets"].tables["subsets"].rows
    assert [list(bar.y) for bar in bars] == [
        [row[4 + k] for row in rows] for k in range(5)
    ]


def test_tables_say_of_what_they_are(shown):
    model = shown["model"].tables["model"]
    assert "Coherence" in model.caption and "95 % intervals" in model.caption
    assert "s0 20" in model.caption
    assert "over 3 draws" in shown["quality"].tables["quality"].caption
    csv = tables.as_csv(model).splitlines()[0]
    assert csv.startswith("Metric,s0,s0 low,s0 high,s1")


def test_names_are_shown_letter_by_letter_in_charts():
    data = replace(DATA, systems=[System("<b>%{x}"), *DATA.systems[1:]])
    name = sections(data)["model"].chart.data[1].name
    assert name == "&lt;b&gt;%&#123;x}"


def test_without_systems_it_says_why_and_shows_the_rest():
    found = sections(made.without_systems(DATA))
    assert list(found) == ["model", "subsets", "quality", "first-draw"]
    assert "no text names the system" in found["model"].words


def test_one_draw_says_that_it_is_one():
    table = sections(repeats=1)["quality"].tables["quality"]
    assert table.rows[0][2].reason == "only one draw"
