"""Words, charts and tables of the diagnosis of metrics."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from scoring import analyses
from scoring.analyses import pages
from scoring.analyses.diagnosis import page_negatives
from scoring.drawing import tables
from tests.scoring import made


def result(data: Any = None) -> dict[str, Any]:
    data = data or made.data(prompts=16)
    return analyses.run("diagnosis", data, analyses.options("diagnosis", {}))


def sections(found: dict[str, Any]) -> dict[str, pages.Section]:
    return {one.key: one for one in pages.get("diagnosis").sections(found)}


def test_people_stand_above_the_metrics() -> None:
    table = sections(result())["overall"].tables["overall"]
    assert [row[0] for row in table.rows[:2]] == ["People, mean", "People, one rater"]
    assert sorted(row[0].text for row in table.rows[2:]) == [
        *("judge: q0", "judge: q1", "length: words")
    ]
    shares = [row[1].value for row in table.rows[2:]]
    assert shares == sorted(shares, reverse=True)


def test_blue_says_that_a_damaged_text_scores_lower() -> None:
    table = sections(result())["distances"].tables["distances"]
    assert all(cell.falls for row in table.rows for cell in row[1:])
    heat = sections(result())["kinds"].chart.data[0]
    assert "0, 114, 178" in heat.colorscale[-1][1]  # blue is 1: always noticed


def test_each_perturbation_has_a_column() -> None:
    found = sections(result())
    for key in ("kinds", "distances"):
        assert found[key].tables[key].header == ["Who", "drop", "shuffle", "All"]


def test_the_heat_map_has_the_numbers_of_the_table() -> None:
    section = sections(result())["kinds"]
    shown = [list(row) for row in section.chart.data[0].z]
    table = section.tables["kinds"].rows
    assert shown == [[cell.value for cell in row[1:]] for row in table]


def test_the_chart_has_a_row_for_each_metric_and_two_for_people() -> None:
    (dots,) = sections(result())["overall"].chart.data
    assert list(dots.y) == [0, 1, 2, 3, 4]
    assert list(dots.marker.symbol[:2]) == ["square", "square"]


def test_what_has_not_scored_the_negatives_is_counted_and_left_out() -> None:
    data = made.data(prompts=16)
    scores = data.negative_scores.copy()
    scores[:, 0] = np.nan
    found = sections(result(replace(data, negative_scores=scores)))
    assert list(found["overall"].chart.data[0].y) == [0, 1, 2, 3]
    assert len(found["kinds"].chart.data[0].z) == 4
    assert len(found["kinds"].tables["kinds"].rows) == 4
    assert "1 metric is not shown" in found["overall"].words


@pytest.mark.parametrize("discarded", [0, 2])
def test_valid_pages_stand_apart_where_some_were_discarded(discarded: int) -> None:
    data = made.data(prompts=16)
    valid = ~np.isin(data.negative_ratings.page, np.arange(discarded))
    given = replace(data.negative_ratings, valid=valid)
    section = sections(result(replace(data, negative_ratings=given)))["people"]
    titles = [title for title, _ in section.tables["people"].groups]
    assert ("Valid pages only" in titles) == bool(discarded)
    assert ("2 of 48 pages with a negative were discarded" in section.after) == bool(
        discarded
    )


def told(people: list[float | None], *missed: list[str]) -> str:
    """The sentences: how the ratings of a kind move at most, who misses what."""
    found = {
        "kinds": [{"name": name} for name in ("drop", "negate", "shuffle")],
        "people": {"judged": [{"points": {"high": high}} for high in people]},
        "outputs": [
            {
                "label": f"m{k}",
                "baseline": False,
                **{"badges": [], "variant": "", "signature_id": None},
            }
            for k in range(len(missed))
        ],
        "rows": [{"scored": True}] * len(missed),
        "seen": [
            {"people": names, "both": [], "metric": [], "raised": []}
            for names in missed
        ],
    }
    return page_negatives.unseen(found).words


def test_few_metrics_are_named_with_what_they_miss() -> None:
    words = told([-1, 0.2, -0.5], ["drop", "shuffle"], [])
    assert words == (
        "People notice `drop` and `shuffle`. Not shown to notice: m0 `drop` and"
        " `shuffle`."
    )


def test_many_metrics_are_counted() -> None:
    words = told(
        [-1, 0.2, -0.5], *[["drop"]] * page_negatives.MANY, ["drop", "shuffle"]
    )
    assert words == (
        "People notice `drop` and `shuffle`. Of 5 metrics (without text lengths), 5 are"
        " not shown to notice `drop`, 1 `shuffle`."
    )


@pytest.mark.parametrize(
    ("people", "expected"),
    [
        ([None, None, None], "Too few damaged texts were rated"),
        ([0.1, None, 0], "So far, no kind of damage lowers the ratings"),
        ([-1, None, 0], "People notice `drop`."),
    ],
)
def test_it_says_what_people_do_not_notice_either(people, expected) -> None:
    assert told(people, [], []).startswith(expected)


def test_metrics_that_have_not_scored_negatives_are_not_called_blind() -> None:
    data = made.data(prompts=16)
    none = np.full_like(data.negative_scores, np.nan)
    found = sections(result(replace(data, negative_scores=none)))
    assert found["unseen"].tables["unseen"].rows == []
    assert "not shown" not in found["unseen"].words.lower()


def test_a_study_without_negatives_says_where_they_come_from() -> None:
    (only,) = sections(result(made.data(negatives=False))).values()
    assert "made when its surveys are drawn" in only.words
    assert only.chart is None


def test_every_table_can_be_pasted_into_a_paper() -> None:
    for table in pages.tables("diagnosis", result()).values():
        assert r"\begin{tabular}" in tables.as_latex(table)
        assert table.caption.endswith((".", "zero."))
