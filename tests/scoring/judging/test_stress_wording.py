"""Sentences about effects."""

from __future__ import annotations

import pytest

from scoring.judging import stress_wording
from scoring.stats.estimates import Estimate


def made(value, low, high) -> Estimate:
    return Estimate(value, low, high, 40)


@pytest.mark.parametrize("key", stress_wording.TITLES)
def test_every_effect_has_a_sentence_on_each_side_of_nothing(key) -> None:
    nothing = stress_wording.NOTHING.get(key, 0.3)
    sides = [
        stress_wording.sentence(
            key, made(nothing + by, nothing + by - 0.1, nothing + by + 0.1)
        )
        for by in (0.2, 0.0, -0.2)
    ]
    assert len(set(sides)) == 3
    for said in sides:
        assert said.endswith(".") and "{" not in said and "--" not in said
        assert "[" in said


def test_a_fall_is_told_without_a_minus() -> None:
    said = stress_wording.sentence("longer_shift", made(-0.3, -0.4, -0.2))
    assert "lower the score by 0.30 points [0.20, 0.40]" in said
    unclear = stress_wording.sentence("longer_shift", made(-0.1, -0.4, 0.2))
    assert "changes by \N{MINUS SIGN}0.10 points" in unclear


def test_shares_are_percentages() -> None:
    said = stress_wording.sentence("repeat_flips", made(0.15, 0.12, 0.18))
    assert "15 % [12, 18] of its verdicts" in said
    assert "several answers" in said
    assert "several answers" not in stress_wording.sentence(
        "repeat_flips", made(0, 0, 0.04)
    )


def test_a_judge_that_does_not_notice_damage_is_named() -> None:
    said = stress_wording.sentence("damage_noticed", made(0.55, 0.45, 0.64))
    assert "may be guessing" in said
    assert "55 %" in said


def test_a_missing_number_or_interval_has_its_reason() -> None:
    none = Estimate(None, n=0, reason="no text has both scores")
    assert stress_wording.sentence("position", none).endswith(
        "no text has both scores."
    )
    few = Estimate(0.2, n=2, reason="an interval needs 3 prompts")
    assert "No interval: an interval needs 3 prompts." in stress_wording.sentence(
        "longer_shift", few
    )


def test_a_number_that_rounds_to_0_has_no_sign() -> None:
    assert stress_wording.signed(-0.001) == "0.00"
    assert stress_wording.signed(0.004) == "0.00"
    assert stress_wording.signed(-0.21) == "\N{MINUS SIGN}0.21"
