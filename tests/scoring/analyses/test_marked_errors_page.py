"""What the page of marked errors says and shows."""

from __future__ import annotations

from typing import Any

import pytest

from scoring import analyses
from scoring.analyses.marked_errors import page, page_answer
from scoring.stats.estimates import Estimate, number
from tests.scoring import made

DATA = made.with_marks(made.data(prompts=20, systems=2))


@pytest.fixture(scope="module")
def result() -> Any:
    return analyses.run(
        "marked_errors", DATA, analyses.options("marked_errors", {"guesses": 4})
    )


def sections(result: Any) -> dict[str, Any]:
    return {section.key: section for section in page.sections(result)}


def difference(low: float | None, high: float | None) -> Any:
    middle = None if low is None or high is None else (low + high) / 2
    interval = number(Estimate(middle, low, high, 9, "few" if low is None else None))
    return {"difference": interval, "p": None, "adjusted": None, "reason": None}


def claim(result: Any, *, to_ceiling: Any, above: Any) -> str:
    """What the answer says before its numbers."""
    metric = result["metrics"][0]
    floors = [{**floor, "above": above} for floor in metric["floors"]]
    changed = {**metric, "to_ceiling": to_ceiling, "floors": floors}
    first = page.sections({**result, "metrics": [changed]})[0]
    assert first.answers
    return first.words.rpartition(": ")[0]


OVER, UNDER, UNSURE, NONE_KNOWN = (
    difference(*ends) for ends in ((0.1, 0.2), (-0.2, -0.1), (-0.1, 0.1), (None, None))
)


def test_the_answer_depends_on_ceiling_and_floors(result):
    answers = {
        claim(result, to_ceiling=ceiling, above=above)
        for ceiling, above in (
            (OVER, OVER),
            (UNDER, OVER),
            (UNSURE, OVER),
            (UNDER, UNSURE),
            (UNDER, NONE_KNOWN),
        )
    }
    assert len(answers) == 5
    assert all("good " in answer for answer in answers)


def test_a_metric_that_is_no_better_than_a_guess_is_not_called_as_good_as_people(
    result,
):
    guess = claim(result, to_ceiling=OVER, above=UNSURE)
    assert guess == claim(result, to_ceiling=UNDER, above=UNSURE)


def test_few_prompts_answer_nothing(result):
    few = claim(result, to_ceiling=OVER, above=NONE_KNOWN)
    assert few == claim(result, to_ceiling=NONE_KNOWN, above=NONE_KNOWN)
    assert few != claim(result, to_ceiling=NONE_KNOWN, above=OVER)


def test_the_answer_has_the_numbers_that_it_rests_on(result):
    metric = result["metrics"][0]
    words = page.sections(result)[0].words
    for value in (
        metric["f"]["value"],
        metric["f"]["low"],
        metric["ceiling"]["value"],
    ):
        assert f"{value:.2f}" in words
    guesses = max(floor["f"]["value"] for floor in metric["floors"])
    assert f"{guesses:.2f}" in words


def test_every_metric_has_a_row_and_each_guess_too(result):
    shown = sections(result)["metrics"]
    assert [row[0] for row in shown.tables["metrics"].rows] == ["good", "bad"]
    assert len(shown.tables["guesses"].rows) == 4
    assert shown.chart is not None


def test_names_stand_beside_the_metrics_that_look_for_them(result):
    table = sections(result)["categories"].tables["categories"]
    assert table.groups == [("", 3), ("good", 2), ("bad", 2)]
    assert {row[0] for row in table.rows} == {"accuracy", "fluency"}


def test_a_text_is_shown_whole_with_deeper_grounds_where_more_marked_it(result):
    texts = sections(result)["texts"]
    passage = texts.passages[0]
    words = "".join(stretch.words for stretch in passage.stretches)
    assert words in DATA.marked_words.words.tolist()
    assert {stretch.depth for stretch in passage.stretches} <= {0, 2, 3, 4}
    for stretch in passage.stretches:
        assert bool(stretch.says) == (stretch.share > 0 or stretch.underlined)


def test_a_source_is_shown_where_somebody_marked_it(result):
    first = result["passages"][0]
    part = {**first["parts"][0], "people": 1, "metrics": ["good"]}
    changed = {**first, "source": [part]}
    n = len(sections({**result, "passages": [first]})["texts"].passages)
    shown = sections({**result, "passages": [changed]})["texts"]
    assert (n, len(shown.passages)) == (1, 2)
    assert "source" in [row[1] for row in shown.tables["texts"].rows]


def test_without_metrics_people_stand_alone(result):
    alone = sections({**result, "metrics": []})
    assert alone["metrics"].tables == {} and alone["metrics"].words == page.NO_METRIC
    assert alone["people"].tables["people"].rows


def test_a_study_without_marks_has_a_page():
    nothing = analyses.run(
        "marked_errors", made.data(), analyses.options("marked_errors", {})
    )
    shown = sections(nothing)
    assert shown["answer"].words == page_answer.NOBODY
    assert "categories" not in shown
