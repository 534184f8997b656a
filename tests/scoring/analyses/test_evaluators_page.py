from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scoring import analyses
from scoring.analyses import pages
from scoring.analyses.evaluators.numbers import Options
from scoring.analyses.evaluators.page_curves import _ticks
from scoring.analyses.evaluators.page_questions import Question, questions
from scoring.stats.data import Data, Evaluators
from tests.scoring import made

DATA = made.data(prompts=20, seed=3)
RELEVANCE = "attribute_relevance"


def sections(data: Data = DATA, **chosen) -> dict:
    result = analyses.run("evaluators", data, Options(**chosen))
    return {one.key: one for one in pages.get("evaluators").sections(result)}


def test_a_line_has_the_numbers_of_the_table():
    shown = sections()
    assert list(shown) == ["number", "single", "ensemble"]
    (line,) = shown["number"].chart.data
    rows = shown["number"].tables["number"].rows
    assert (
        [row[0] for row in rows] == [1, 2, 3, 4] == [k for k, _, _ in line.customdata]
    )
    assert list(line.y) == [row[1].value for row in rows]
    assert list(line.error_y.array) == [row[2].value for row in rows]


def test_a_metric_with_fewer_evaluators_has_no_number_beyond():
    s = DATA.evaluators[0].s[:, :2]
    both = [*DATA.evaluators, Evaluators("judge:q1", s, np.ones_like(s))]
    shown = sections(replace(DATA, evaluators=both))
    last = shown["number"].tables["number"].rows[-1]
    assert last[4].value is None and last[4].reason == "it has 2 evaluators"


def test_without_evaluators_it_says_which_metric_has_them():
    shown = sections(replace(DATA, evaluators=[]))
    assert list(shown) == ["number", "ensemble"]
    assert "CTRLEval" in shown["number"].words and shown["number"].chart is None


def test_what_is_left_out_says_why():
    parts = DATA.evaluators[0]
    s = np.where(np.arange(60)[:, None] % 2 == [[0, 0, 0, 1]], parts.s, np.nan)
    s[:, :2] = parts.s[:, :2]
    shown = sections(replace(DATA, evaluators=[replace(parts, s=s)]))
    ((name, why),) = shown["left-out"].tables["left-out"].rows
    assert name == "judge: q0" and "differ from text to text" in why


def test_evaluators_are_shown_as_what_they_ask():
    found = questions("ctrleval", "", RELEVANCE, ["negative", "positive"], 72)
    assert found and found[2] == Question(
        "… In summary, it was […].", "terrible / great"
    )
    topics = questions("ctrleval", "", RELEVANCE, ["computers"], 32)
    assert topics and len(topics) == 32


@pytest.mark.parametrize(
    "asked",
    [
        ("no-metric", "", RELEVANCE, ["positive"], 72),
        ("ctrleval", '{"unheard": 1}', RELEVANCE, ["positive"], 72),
        ("ctrleval", "", RELEVANCE, ["positive"], 71),
        ("ctrleval", "", RELEVANCE, ["odd"], 72),
        ("length", "", "words", [], 3),
        ("corpus_distinct", "", "distinct_1", [], 3),
    ],
)
def test_where_they_cannot_be_told_they_have_numbers_alone(asked):
    assert questions(*asked) is None


@pytest.mark.parametrize(
    ("last", "expected"),
    [(1, [1]), (2, [1, 2]), (10, [1, 2, 4, 10]), (72, [1, 2, 4, 8, 16, 32, 72])],
)
def test_ticks_double_and_end_with_all(last, expected):
    assert _ticks(last) == expected
