"""May a metric replace a rater: the chips of the answer, and the test beside them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scoring.stats.answer.chips import CHIPS
from scoring.stats.replacing import verdicts
from scoring.stats.replacing.verdicts import Facts

GOOD = Facts(
    "your judge", "better", 0.6, n_raters=4, named=True, wins=3, passes=True,
    advantage=0.6,
)  # fmt: skip


def say(*facts: Facts, epsilon: float = 0.1, reason: str = "") -> str:
    return verdicts.sentence("Coherence", epsilon, facts, reason)


@pytest.mark.parametrize("chip", ["better", "like"])
def test_like_one_rater_or_better_and_the_test_is_a_yes(chip):
    facts = replace(GOOD, chip=chip)
    assert verdicts.code_of(facts) == "yes"
    assert say(facts) == (
        "You may let your judge replace a crowdworker for coherence, on texts like"
        " these."
    )


@pytest.mark.parametrize("chip", ["worse", "below", "little"])
def test_what_is_shown_to_be_less_is_a_no_whatever_the_test_says(chip):
    facts = replace(GOOD, chip=chip)
    assert verdicts.code_of(facts) == "no"
    assert say(facts).startswith("Do not let your judge replace a crowdworker")


@pytest.mark.parametrize("chip", ["beats", "unclear", "few", "hardly"])
def test_all_else_is_open_whatever_the_test_says(chip):
    facts = replace(GOOD, chip=chip)
    assert verdicts.code_of(facts) == "open"
    assert say(facts).startswith("This study cannot tell whether your judge may")


@pytest.mark.parametrize(
    "facts", [{"passes": False}, {"n_raters": 2}, {"named": False}]
)
def test_without_the_test_of_three_named_raters_a_yes_is_open(facts):
    assert verdicts.code_of(replace(GOOD, **facts)) == "open"


def test_why_the_test_could_not_say_yes_is_told():
    two = verdicts.why(replace(GOOD, n_raters=2), "")
    assert two == (
        "The alternative annotator test needs at least 3 named raters, and 2 could be"
        " tested."
    )
    lost = replace(GOOD, passes=False, wins=1)
    assert "1 of 4 raters" in verdicts.why(lost, "")


def test_else_the_answer_says_why():
    assert verdicts.why(replace(GOOD, chip="unclear"), "Not clear yet.") == (
        "Not clear yet."
    )


def test_a_metric_without_a_number_is_passed_over():
    assert say(replace(GOOD, name="other", chip="none"), GOOD).startswith("You may let")


def test_it_speaks_of_a_yes_before_all_others():
    assert verdicts.lead([replace(GOOD, passes=False), replace(GOOD, chip="like")]) == 1


def test_without_any_it_says_why_and_not_more():
    assert say(reason="no text has ratings by two people") == (
        "You cannot tell yet whether a metric may replace a crowdworker for coherence:"
        " no text has ratings by two people."
    )


@pytest.mark.parametrize(
    ("epsilon", "who"), [(0.2, "an expert"), (0.15, "a skilled"), (0.3, "a rater")]
)
def test_epsilon_says_whom_it_replaces(epsilon, who):
    assert f"replace {who}" in say(GOOD, epsilon=epsilon)


@pytest.mark.parametrize("chip", CHIPS)
def test_a_sentence_has_at_most_25_words(chip):
    facts = replace(GOOD, chip=chip)
    assert len(say(facts).split()) <= 25
    assert len(verdicts.why(replace(facts, passes=False), "").split()) <= 25
    assert verdicts.code_of(facts) in verdicts.WORDS
