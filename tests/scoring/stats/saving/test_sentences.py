"""The sentence above a page of saved ratings: it says what to do first."""

from __future__ import annotations

import pytest

from scoring.stats.saving import refusing
from scoring.stats.saving.sentences import NOBODY, UNSCORED, Facts, sentence

FACTS = Facts("drawn", "LLM judge", 1 - 240 / 410, 240, 20, 80, "", "", 80)
TRIED = FACTS._replace(kind="tried")
NAN = float("nan")


def test_it_says_what_the_ratings_are_worth():
    assert sentence(FACTS) == (
        "Report the means with LLM judge below: your 240 ratings then give means as"
        " precise as 410 (41 % saved) would without the metric."
    )


def test_what_was_only_tried_is_for_next_time():
    assert sentence(TRIED) == (
        "Next time, let LLM judge score all texts, and ask people to rate only 20 % of"
        " them, drawn at random: you then need 240 ratings, where people alone would"
        " need 410 (41 % saved)."
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"saved": 0.01},
            "Do not plan for fewer ratings: with LLM judge, the means would be no more"
            " certain than without it.",
        ),
        (
            {"saved": NAN, "reason": refusing.CONSTANT},
            "Do not plan for fewer ratings: it is not known how many ratings a metric"
            " saves, because all ratings are equal.",
        ),
        (
            {"prompts": 15, "saved": NAN},
            "To see what you can save next time, try a larger share under Options: 20 %"
            " of the texts cover only 15 prompts, and a metric needs at least 50 rated"
            " prompts to save ratings.",
        ),
        (
            {"prompts": 10, "all_prompts": 24, "saved": NAN},
            "Do not plan for fewer ratings: the rated texts are from only 24 prompts,"
            " and a metric needs at least 50 rated prompts to save ratings.",
        ),
        (
            {"saved": NAN, "reason": f"{refusing.DIFFERS} 0 of 80 rated texts"},
            "To see what you can save next time, try a larger share under Options: with"
            f" 20 %, {refusing.DIFFERS} 0 of 80 rated texts.",
        ),
        ({"metric": ""}, UNSCORED),
        ({"kind": "nothing"}, NOBODY),
    ],
)
def test_of_a_part_that_was_tried_it_says_how_to_plan(change, words):
    assert sentence(TRIED._replace(**change)) == words


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"saved": 0.01},
            "Report the means of people alone: with LLM judge, the means are no more"
            " certain than without it.",
        ),
        (
            {"saved": NAN, "reason": refusing.FEW},
            "Report the means of people alone: it is not known how many ratings a"
            " metric saves, because fewer than 10 texts are rated.",
        ),
        (
            {"prompts": 1, "saved": 0.0},
            "Report the means of people alone: the rated texts are from only 1 prompt,"
            " and a metric needs at least 50 rated prompts to help.",
        ),
        ({"metric": ""}, UNSCORED),
    ],
)
def test_of_a_part_that_was_drawn_it_says_which_means_to_report(change, words):
    assert sentence(FACTS._replace(**change)) == words


@pytest.mark.parametrize(
    ("refused", "words"),
    [
        (
            refusing.NOT_DRAWN,
            "Report the means of people alone: EvalApp did not choose the rated texts"
            " at random,",
        ),
        (
            refusing.lacking(1, 150),
            "Wait until all 150 texts that were chosen at random have a rating (1 has"
            " none yet): only all of them together represent the other texts. Next"
            " time,",
        ),
    ],
)
def test_means_that_cannot_be_corrected_come_before_what_next_time_would_save(
    refused, words
):
    said = sentence(TRIED._replace(refused=refused))
    assert said.startswith(words)
    assert "). Next time, let LLM judge" in said or "other texts. Next time" in said


def test_a_judge_that_may_cost_money_is_named_so_where_it_saves_ratings():
    assert sentence(FACTS._replace(asked=True)).endswith(
        "may cost money for each text: compare that with what the ratings cost."
    )
    assert "money" not in sentence(FACTS._replace(asked=True, saved=0.0))
    assert "money" not in sentence(FACTS)


def test_the_best_of_many_metrics_is_said_to_look_better_than_it_is():
    # 2 ln 30 / 240 = 2.8 %: much of 15 %, little of 41 %.
    many = FACTS._replace(metrics=30, texts=240)
    assert "most of 30 metrics" in sentence(many._replace(saved=0.15))
    assert "metrics" not in sentence(many)


def test_what_the_best_of_many_useless_metrics_reaches_is_nothing():
    # (1 + 2 ln 30) / 240 = 3.3 %; of one metric, 1 / 240.
    three = FACTS._replace(saved=0.03, texts=240)
    assert sentence(three).startswith("Report the means with")
    assert sentence(three._replace(metrics=30)).startswith("Report the means of people")
