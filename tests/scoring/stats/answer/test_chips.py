"""Which claim is made of a metric, and how claims are corrected for their number."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from scoring.stats.answer import chips
from scoring.stats.answer.chips import Adjusted
from scoring.stats.answer.contributions import Contrast
from scoring.stats.answer.evidence import Evidence, Measure
from scoring.stats.answer.question import Question


def gap(greater: float, value: float = 0.1) -> Contrast:
    return Contrast(value, 0.05, -1.0, 1.0, greater, 1 - greater)


def evidence(
    *, length: float = 0.5, chance: float = 0.5, rater: float = 0.5,
    keeps: float = 0.5, little: float = 0.5,
) -> Evidence:  # fmt: skip
    """By default nothing can be told: each is the p of "the metric is not above"."""
    return Evidence(
        metric=0.4,
        rater=0.5,
        guesses={"length": 0.2, "chance": 0.0},
        n_prompts=40,
        n_texts=160,
        beats={"length": gap(length), "chance": gap(chance)},
        rater_gap=gap(rater),
        keeps=gap(keeps),
        little={"length": gap(little), "chance": gap(0.5)},
    )


QUESTION = Question("open", Measure("pearson", np.arange(40)), (), 40, unclear=False)


def chip(e: Evidence, question: Question = QUESTION) -> str:
    return chips.chip_of(question, e, chips.adjust([e], [False], 1)[0])


def test_where_nothing_can_be_told_it_says_so():
    assert chip(evidence()) == "unclear"


def test_a_metric_must_beat_every_guess_at_025():
    assert chip(evidence(length=0.02, chance=0.02)) == "beats"
    assert chip(evidence(length=0.02, chance=0.03)) == "unclear"


def test_better_than_a_rater_only_where_it_also_beats_every_guess():
    assert chip(evidence(length=0.01, chance=0.01, rater=0.02)) == "better"
    assert chip(evidence(length=0.40, chance=0.01, rater=0.02)) == "unclear"


def test_like_a_rater_is_tested_at_05():
    assert chip(evidence(length=0.01, chance=0.01, keeps=0.04)) == "like"
    assert chip(evidence(length=0.01, chance=0.01, keeps=0.06)) == "beats"


def test_below_a_rater_is_the_other_side_of_the_same_test():
    assert chip(evidence(length=0.01, chance=0.01, rater=0.98)) == "below"


def test_it_adds_little_where_a_third_of_a_rater_is_out_of_reach():
    assert chip(evidence(little=0.04)) == "little"


def test_one_guess_that_is_better_is_enough_at_05_over_their_number():
    assert chip(evidence(length=1 - 0.02)) == "worse"
    assert chip(evidence(length=1 - 0.03)) == "unclear"


def test_without_clear_agreement_nothing_is_said_of_raters():
    unclear = replace(QUESTION, unclear=True)
    assert chip(evidence(length=0.01, chance=0.01, rater=0.001), unclear) == "beats"
    assert chip(evidence(little=0.001), unclear) == "unclear"


@pytest.mark.parametrize("state", ["few", "hardly"])
def test_what_holds_for_the_question_holds_for_every_metric(state):
    assert chip(evidence(length=0.001), replace(QUESTION, state=state)) == state


def test_a_metric_without_a_number_has_no_claim():
    assert chip(replace(evidence(), metric=math.nan)) == "none"


def test_a_metric_that_scored_too_few_prompts_is_not_judged():
    assert chip(replace(evidence(length=0.001), n_prompts=9)) == "few"


class TestFamilies:
    """Corrected by Holm, in families by time."""

    SURE = evidence(length=0.004, chance=0.004)  # 2 * .004 = .008 alone

    def beats(self, planned: list[bool], n_ever: int) -> list[float]:
        found = chips.adjust([self.SURE] * len(planned), planned, n_ever)
        return [round(one.beats, 6) for one in found]

    def test_each_claim_is_corrected_for_all_metrics(self):
        assert self.beats([False, False], 2) == [0.016, 0.016]

    def test_metrics_that_are_gone_count_as_tests_that_found_nothing(self):
        assert self.beats([False], 5) == [0.04]

    def test_what_was_chosen_in_time_is_a_family_of_its_own(self):
        assert self.beats([True, False, False, False], 4)[0] == 0.008

    def test_what_was_chosen_later_is_held_to_everything(self):
        assert self.beats([True, False, False, False], 4)[1] == 0.032

    def test_missing_tests_stay_missing(self):
        alone = replace(self.SURE, rater_gap=None, keeps=None, little={})
        found = chips.adjust([alone], [False], 1)[0]
        assert math.isnan(found.better) and math.isnan(found.little)
        assert isinstance(found, Adjusted)
