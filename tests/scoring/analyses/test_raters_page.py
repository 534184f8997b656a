"""The page of raters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scoring import analyses
from scoring.analyses.raters import page as showing
from scoring.analyses.raters.numbers import Options
from scoring.drawing.tables import as_latex, as_text
from tests.scoring import made
from tests.scoring.analyses.shown import everything
from tests.scoring.analyses.test_raters import DATA


@pytest.fixture(scope="module")
def result() -> dict:
    return analyses.run("raters", DATA, Options())


def test_each_aspect_has_a_sentence_a_chart_and_three_tables():
    data = made.data(prompts=8)
    found = everything("raters", analyses.run("raters", data, Options()))
    keys = [one.key.partition("-")[0] for one in found]
    assert keys == ["severity", "systems"] * 2 + ["answers"] * 2
    assert all(one.chart for one in found[:4:2])


def test_the_strictest_rater_is_on_top_with_an_interval(result):
    chart = showing.sections(result)[0].chart
    (dots,) = chart.data
    assert [row[0] for row in dots.customdata][0] == "w1"
    assert list(dots.x) == sorted(dots.x, reverse=True)
    assert all(wide > 0 for wide in dots.error_x.array)


def test_the_sentence_stands_first(result):
    found = showing.sections(result)[0]
    assert found.words.startswith(result["aspects"][0]["sentence"]) and found.answers


def test_a_column_in_which_nobody_has_a_number_is_left_out(result):
    one = result["aspects"][0]
    nothing = {**one["raters"][0]["right"], "value": None, "reason": "few"}
    bare = {**one, "raters": [{**row, "right": nothing} for row in one["raters"]]}
    assert "Most likely answer (%)" in showing.raters_table(one).header
    assert "Most likely answer (%)" not in showing.raters_table(bare).header
    assert "Most likely answer" not in showing._rater_notes(bare)


def test_what_is_left_out_and_who_shares_no_text_is_said(result):
    one = {**result["aspects"][0], "n_unknown": 3, "n_groups": 2}
    words = showing.sections({"aspects": [one]})[0].words
    assert "3 ratings by unknown raters are left out." in words
    assert "2 groups that share no text" in words


def test_of_many_raters_the_chart_has_the_ends_and_the_table_all(result):
    one = result["aspects"][0]
    many = [{**one["raters"][0], "rater": f"w{n}"} for n in range(60)]
    found = showing.sections({"aspects": [{**one, "raters": many}]})[0]
    names = [row[0] for row in found.chart.data[0].customdata]
    assert len(names) == showing.MOST_RUNGS and {"w0", "w59"} <= set(names)
    assert len(found.tables["raters-coherence"].rows) == 60
    assert "20 most lenient of 60 raters" in found.after


def test_where_lower_is_better_it_says_what_strict_means(result):
    one = {**result["aspects"][0], "higher_is_better": False}
    assert "a strict rater gives higher ratings" in showing._rater_notes(one)


def test_tables_have_ranks_and_papers_intervals(result):
    table = showing.systems_table(result["aspects"][0])
    assert [row[5].value for row in table.rows] == [1, 2, 3]
    assert "scriptsize" in as_latex(table)
    assert "Corrected" in as_text(table)


def test_a_refusal_leaves_reasons_and_no_chart():
    rated = DATA.ratings
    same = replace(DATA, ratings=replace(rated, value=np.full(len(rated), 3)))
    found = everything("raters", analyses.run("raters", same, Options()))
    assert found[0].chart is None
    assert "all ratings are the same" in found[0].words
    assert "all ratings are the same" in found[2].tables["answers-coherence"].empty


def without_answers(one: dict, reason: str) -> dict:
    """Nobody's share of most likely answers is known."""
    none = {**one["raters"][0]["right"], "value": None, "reason": reason}
    return {**one, "raters": [{**row, "right": none} for row in one["raters"]]}


def test_a_column_in_which_nothing_can_be_said_is_left_out_with_a_reason(result):
    one = without_answers(result["aspects"][0], "fewer than 25 ratings: 5 for each")
    table = showing.raters_table(one)
    assert table.header == ["Rater", "Ratings", "Mean", "Stricter by", "Spread"]
    assert {len(row) for row in table.rows} == {5}
    assert "Dawid" not in table.caption
    words = showing._rater_notes(one)
    assert "is left out: every rater has fewer than 25 ratings: 5 for each." in words
    assert "only as a hint" not in words


def test_without_two_ratings_of_a_text_the_reason_is_that(result):
    one = without_answers(result["aspects"][0], "no text has two ratings")
    one["why_no_answers"] = "no text has two ratings"
    assert "is left out: no text has two ratings." in showing._rater_notes(one)


def test_where_one_rater_has_enough_the_column_stays(result):
    one = without_answers(result["aspects"][0], "fewer than 25 ratings")
    one["raters"][0]["right"] = {**one["raters"][0]["right"], "value": 0.5}
    assert showing.raters_table(one).header[-1] == "Most likely answer (%)"
    assert "only as a hint" in showing._rater_notes(one)
