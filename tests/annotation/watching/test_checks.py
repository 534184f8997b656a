from __future__ import annotations

import pytest

from annotation.kinds.pairs import matrix
from annotation.models import Policy, Verdict
from annotation.quality.checking import BY_HAND
from annotation.watching import checks
from annotation.watching.checks import FAILED, NOT_MADE, PASSED

TITLES = {"coherence": "Coherence", "consistency": "Consistency"}
NUMBERS = {
    "rule": "above_all",
    "aspects": ["coherence"],
    "negative": [5],
    "texts": {"1": [2], "3": [4]},
}


def made(valid: bool = True, policy: Policy | None = None, **numbers) -> dict:
    verdict = Verdict(
        valid=valid, policy=policy or Policy(version=2), numbers=NUMBERS | numbers
    )
    return {c.title: c for c in checks.made(verdict=verdict, titles=TITLES)}


def test_the_rule_says_what_was_compared():
    found = made(valid=False, failed=["rule"])["Damaged text rated too high"]
    assert found.outcome == FAILED
    assert found.seen == (
        "The damaged text got 5; the best of 2 other texts got 4, on Coherence."
    )


@pytest.mark.parametrize(
    ("rule", "said"), [("above_mean", "the mean of 2"), ("above_any", "the worst of 2")]
)
def test_other_rules_compare_with_something_else(rule, said):
    assert said in made(rule=rule)["Damaged text rated too high"].seen


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (2, "The damaged version of a text was called better than the text itself"),
        (-1, "A text was called better than its damaged version"),
        (0, "Neither a text nor its damaged version was called better"),
    ],
)
def test_of_a_pair_it_says_which_text_was_called_better(answer, said):
    found = made(rule=matrix.RULE, negative=[answer])["Damaged text rated too high"]
    assert found.seen == f"{said}, on Coherence."


def test_on_several_aspects_the_mean_is_named():
    found = made(aspects=["coherence", "consistency"], negative=[5, 2])
    seen = found["Damaged text rated too high"].seen
    assert "got 3.5" in seen and "the mean of Coherence and Consistency" in seen


def test_reading_is_told_as_a_speed_with_its_limit():
    policy = Policy(version=2, characters_per_second=60)
    found = made(policy=policy, characters=1200, seconds=10.0)["Read too fast"]
    assert found == (
        "Read too fast",
        PASSED,
        "1,200 characters in 10 seconds: 120 characters per second. The limit is 60.",
    )


def test_a_page_in_view_for_no_time_has_no_speed():
    policy = Policy(version=2, characters_per_second=60)
    seen = made(policy=policy, characters=9, seconds=0.0)["Read too fast"].seen
    assert seen == "9 characters in 0 seconds. The limit is 60."


def test_odds_and_patterns_name_their_numbers():
    policy = Policy(version=2, chance_odds=50, same_pages=3, worker_p=0.2)
    odds = {"times": 91.7, "pages": 5}
    numbers = {"odds": odds, "same_pages": 2, "all_pages": 5, "p": 0.31, "pages": 5}
    seen = " ".join(c.seen for c in made(policy=policy, **numbers).values())
    assert "92 times as likely to be random" in seen and "limit is 50" in seen
    assert "on 2 of this worker's 5 pages" in seen
    assert "Over 5 pages p = 0.310. The limit is 0.2." in seen


def test_a_check_that_was_not_made_says_why():
    off = made()["Read too fast"]
    assert (off.outcome, off.seen) == (NOT_MADE, "Version 2 does not make this check.")
    few = made(policy=Policy(version=1, chance_odds=50, worker_pages=3))
    assert few["The worker's answers look random"].seen == (
        "Needs 3 pages of this worker."
    )


def test_where_a_person_decided_no_check_speaks():
    assert made(valid=False, **{BY_HAND: "A script."}) == {}


def test_an_old_verdict_without_numbers_still_names_what_failed():
    verdict = Verdict(valid=False, policy=Policy(version=1), numbers={})
    (rule, *_) = checks.made(verdict=verdict, titles=TITLES)
    assert (rule.outcome, rule.seen) == (FAILED, "The verdict kept no numbers.")
