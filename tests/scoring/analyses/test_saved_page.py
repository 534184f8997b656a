from __future__ import annotations

import pytest

from scoring.analyses.saved import page as showing
from scoring.drawing.tables import as_csv
from tests.scoring import made
from tests.scoring.analyses.shown import everything
from tests.scoring.analyses.test_saved import DATA, PART, keep, run


def shown(data, **chosen):
    found = everything("saved", run(data, **chosen))
    return {section.key: section for section in found}


@pytest.fixture(scope="module")
def page():
    return shown(PART)


def test_the_answer_comes_first(page):
    first = next(iter(page.values()))
    assert first.answers
    assert first.words.startswith("Report the means with judge: q0 below: your ")
    assert first.words.endswith(" saved) would without the metric.")


def test_each_system_has_both_means_the_best_first(page):
    rows = page["saved-coherence"].tables["means-coherence"].rows
    assert len(rows) == 3
    means = [row[4].value for row in rows]
    assert means == sorted(means, reverse=True)
    assert all(row[2].low is not None and row[4].low is not None for row in rows)
    assert all(row[7].unit == " %" and row[7].value > 0 for row in rows)


def test_the_chart_has_a_dot_of_each_kind_in_each_row(page):
    alone, helped = page["saved-coherence"].chart.data
    assert alone.name == "People alone" and helped.name == "With judge: q0"
    assert len(alone.x) == len(helped.x) == 3


def test_how_the_study_drew_the_texts_stands_below(page):
    after = page["saved-coherence"].after
    assert "EvalApp drew them at random from the texts of each system." in after
    assert "are rated, from" in after


def test_tried_parts_say_how_often_they_were_drawn():
    page = shown(DATA)
    card = page["saved-coherence"]
    assert card.words.startswith("Next time, let judge: q0 score all texts")
    assert "Tried 40 times." in card.after
    (dots,) = card.chart.data
    assert list(dots.x) == sorted(dots.x, reverse=True) and max(dots.x) > 1
    assert list(card.tables) == ["metrics-coherence"]
    example = page["example-coherence"]
    assert example.folded and "Do not report these means" in example.words
    assert list(example.tables) == ["means-coherence"]
    (pairs,) = page["differences"].tables.values()
    assert pairs.title.endswith(", in one of the draws")


def test_nothing_is_said_to_be_less_than_nothing_by_rounding():
    share = {"value": -0.001, "low": -0.004, "high": 0.02, "signature": "", "n": 3}
    cell = showing._percent({**share, "reason": None}, "")
    assert (str(cell.value), str(cell.low), cell.high) == ("0.0", "0.0", 2.0)


def test_files_have_every_limit(page):
    header = as_csv(page["saved-coherence"].tables["means-coherence"]).splitlines()[0]
    assert header.count("low") == 2 and header.count("high") == 2


def test_nothing_rated_has_a_sentence_and_no_table():
    nothing = keep(DATA, DATA.texts.system < 0)
    card = shown(nothing)["saved-coherence"]
    assert card.chart is None and not card.tables
    assert "nobody has rated them" in card.words


def test_a_part_that_is_too_small_for_any_metric_has_a_sentence_alone():
    few = made.data(prompts=20, systems=3, aspects=("coherence",))
    page = shown(few)
    card = page["saved-coherence"]
    assert "from only 20 prompts, and a metric needs at least 50" in card.words
    assert card.chart is None and not card.tables and "differences" not in page
    assert not card.folded  # or nobody would see the sentence
