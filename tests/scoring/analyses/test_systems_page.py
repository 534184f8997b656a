from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scoring.analyses.shared.page_metrics import centres, row_height
from scoring.drawing.charts import COLOURS
from scoring.drawing.tables import Cell, as_csv
from scoring.stats.data import Data, System
from tests.scoring import made
from tests.scoring.analyses.shown import everything
from tests.scoring.analyses.test_systems import DATA, run, with_system_output


def shown(data: Data, **chosen):
    found = everything("systems", run(data, **chosen))
    return {section.key: section for section in found}


@pytest.fixture(scope="module")
def page():
    return shown(DATA)


def rows(section, key=None):
    return section.tables[key or section.key].rows


def test_the_best_system_stands_on_top_with_its_rank(page):
    first = rows(page["people"])[0]
    assert first[0].text == "s3" and first[1] == 20
    assert first[2].value > rows(page["people"])[1][2].value
    assert first[3].startswith("1")


def test_a_mean_is_bold_only_where_all_others_are_significantly_worse(page):
    for row in rows(page["people"]):
        assert row[2].bold == (row[3] == "1")


def test_a_system_has_one_colour_in_all_charts(page):
    wanted = {f"s{k}": COLOURS[k] for k in range(4)}
    traces = {one.name: one.marker.color for one in page["metrics"].chart.data}
    assert traces == colours(page["people"].chart) == wanted


def colours(chart):
    """Of the rows of a ladder, by their names."""
    found = zip(chart.layout.yaxis.ticktext, chart.data[0].marker.color, strict=True)
    return dict(found)


def test_systems_come_best_first(page):
    chart = page["people"].chart
    ranks = [sum(trace.x[k] for trace in chart.data) for k in range(4)]
    assert ranks[0] > ranks[-1]
    assert len(chart.data) == 2  # a panel for each aspect


def test_a_system_keeps_its_colour_when_others_are_left_out():
    found = shown(DATA, systems=("s2", "s3"))
    wanted = {"s2": COLOURS[2], "s3": COLOURS[3]}
    assert colours(found["people"].chart) == wanted


def test_ranks_of_people_and_metrics_are_lines_of_one_chart(page):
    chart = page["metrics"].chart
    names = list(chart.layout.yaxis.ticktext)
    assert names == [
        "<b>People: Coherence</b>",
        "<b>People: Fluency</b>",
        "judge: q0",
        "judge: q1",
    ]
    for place in range(len(names)):
        ranks = [trace.x[place] for trace in chart.data]
        assert sorted(ranks) == [1, 2, 3, 4]


def test_few_systems_are_said_to_be_too_few(page):
    assert "Too few systems (4)" in page["level-1"].words
    assert not page["level-1"].folded and page["level-2"].folded
    assert page["level-2"].title.endswith("Fluency")


def test_metrics_of_whole_systems_lead_nowhere_and_have_no_soft_accuracy():
    found = shown(with_system_output(DATA, [0.1, 0.2, 0.3, 0.4]))
    row = next(r for r in rows(found["level-1"]) if r[0].text == "mauve: mauve")
    assert row[0].to == ""
    assert isinstance(row[-1], Cell) and "one number" in row[-1].reason


def test_metrics_of_whole_systems_without_any_number_are_named_not_listed():
    found = shown(with_system_output(DATA, [np.nan] * 4))
    assert found["metrics"].after.endswith("see their runs): mauve: mauve.")
    for key in ("metrics", "level-1"):
        assert not [row for row in rows(found[key]) if row[0].text == "mauve: mauve"]
    half = shown(with_system_output(DATA, [np.nan, np.nan, 0.1, 0.2]))
    assert "Left out" not in half["metrics"].after
    assert rows(half["metrics"])[-1][0].text == "mauve: mauve"


@pytest.fixture(scope="module")
def seeded():
    return shown(made.data(prompts=8, systems=4, seeds=3, votes=200, seed=3))


class TestSeeds:
    @pytest.fixture
    def page(self, seeded):
        return seeded

    def test_a_mean_says_over_how_many_seeds_it_is(self, page):
        row = next(r for r in rows(page["metrics"]) if r[0].text == "clusters: kl")
        assert row[1].seeds == 3 and row[1].std > 0
        csv = as_csv(page["metrics"].tables["metrics"])
        assert "s0 Mean SD,s0 Mean seeds" in csv

    def test_each_ranking_by_people_has_a_chart_with_bars_over_seeds(self, page):
        for number in (1, 2, 3):
            chart = page[f"seeds-{number}"].chart
            (dots,) = chart.data
            names = list(chart.layout.yaxis.ticktext)
            bars = dict(zip(names, dots.error_x.array, strict=True))
            assert bars["clusters: kl"] > 0 and bars["zipf: zipf_closeness"] == 0
        assert page["seeds-3"].title == "Metrics of whole systems: Votes"

    def test_what_has_no_direction_is_not_in_the_chart(self, page):
        names = [row[0].text for row in rows(page["seeds-1"])]
        assert sorted(names) == ["clusters: kl", "zipf: zipf_closeness"]
        assert len(page["seeds-1"].chart.layout.yaxis.ticktext) == 2

    def test_the_table_has_the_numbers_of_the_chart(self, page):
        (dots,) = page["seeds-1"].chart.data
        cells = [row[2] for row in rows(page["seeds-1"])]
        assert [cell.value for cell in cells] == list(dots.x)
        assert [cell.std or 0 for cell in cells] == pytest.approx(dots.error_x.array)

    def test_an_undirected_metric_names_the_one_to_read(self, page):
        row = next(r for r in rows(page["metrics"]) if r[0].text == "zipf: zipf")
        assert row[2].reason.endswith("see zipf: zipf_closeness")

    def test_without_metrics_of_systems_there_is_no_such_section(self):
        assert not any(key.startswith("seeds") for key in shown(DATA))


def test_one_system_is_nothing_to_rank():
    found = shown(made.data(systems=1))
    assert "nothing to rank" in found["people"].words
    assert "level-1" not in found and "differences" not in found


def test_few_prompts_are_said_to_leave_every_rank_possible():
    found = shown(made.data(prompts=4))
    assert "only with 5 or more rated prompts" in found["people"].words
    assert {row[3] for row in rows(found["people"])} == {"1–3"}


def test_without_ratings_metrics_still_rank_systems():
    found = shown(made.data(raters=0))
    assert "Nobody has rated" in found["people"].words
    assert found["people"].chart is None
    assert found["metrics"].chart is not None


def test_texts_without_systems_have_an_empty_page():
    (empty,) = everything("systems", run(made.without_systems(made.data(votes=0))))
    assert empty.title == "No systems"


def test_people_are_marked_among_the_systems():
    data = replace(DATA, systems=[System("ann", "human"), *DATA.systems[1:]])
    names = {row[0].text: row[0].small for row in rows(shown(data)["people"])}
    assert names == {"ann": "people", "s1": "", "s2": "", "s3": ""}


def test_a_row_is_as_tall_as_its_name():
    heights = [row_height(name, 52) for name in ("a<br>b", "a<br>b<br>c<br>d<br>e")]
    assert heights[0] == 52 and heights[1] > 5 * 15
    assert centres(heights) == [26, 52 + heights[1] / 2]
