from __future__ import annotations

import pytest

from scoring.drawing.tables import Cell
from tests.scoring.analyses.shown import everything
from tests.scoring.analyses.test_preferences import ROUND, cast, run


def shown(*rows, systems="abc", **chosen):
    return everything("preferences", run(cast(*rows, systems=systems), **chosen))


def cells(section):
    (table,) = section.tables.values()
    return table.rows


def test_each_system_is_a_row_and_a_dot_with_its_own_colour():
    ranking, *_ = shown(*ROUND)
    assert [row[0].text for row in cells(ranking)] == ["a", "b", "c"]
    assert [trace.name for trace in ranking.chart.data] == ["a", "b", "c"]
    assert len({trace.marker.color for trace in ranking.chart.data}) == 3


def test_a_rank_is_a_range_where_intervals_overlap():
    rows = [("a", "b", 1)] * 5 + [("a", "b", 2)] * 5
    rows += [("a", "c", 1), ("b", "c", 1)] * 40 + [("a", "c", 2), ("b", "c", 2)] * 2
    ranking, *_ = shown(*rows)
    assert [row[2] for row in cells(ranking)] == ["1–2", "1–2", "3"]


def test_votes_that_do_not_tie_all_systems_together_say_what_to_do():
    ranking, *_ = shown(*ROUND, ("c", "d", 1), systems="abcde")
    assert "groups are: a, b, c; d." in ranking.words
    assert "No votes: e." in ranking.words
    last = cells(ranking)[-1]
    assert last[-1] == "2" and isinstance(last[2], Cell)


def test_without_votes_it_says_what_the_page_will_show():
    (empty,) = everything("preferences", run(cast(*ROUND), question="other"))
    assert empty.title == "No votes left" and not empty.tables


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("a", "b", 1), ("b", "a", 1)] * 30, "The text shown first wins more often"),
        ([("a", "b", 1), ("a", "b", 2)] * 30, "No sign that the order matters."),
        ([("a", "b", 0)] * 3, "Not enough votes to tell."),
        ([("a", "b", 1, "p", "w", "", False)], "1 vote of unknown order left out"),
    ],
)
def test_the_position_is_put_in_words(rows, said):
    *_, checks = shown(*rows)
    assert said in cells(checks)[0][3]


def test_a_circle_of_wins_does_not_fit_one_strength_for_each():
    rows = [("a", "b", 1), ("b", "c", 1), ("c", "a", 1)] * 20
    rows += [("b", "a", 1), ("c", "b", 1), ("a", "c", 1)] * 2
    *_, checks = shown(*rows)
    assert "does not explain the votes" in cells(checks)[2][3]


def test_questions_are_told_apart_by_their_titles():
    sections = shown(*ROUND, ("a", "b", 1, "p", "w", "style"))
    titles = [section.title for section in sections]
    assert titles[0] == "Strength of each system"
    assert titles[3] == "style: strength of each system"
