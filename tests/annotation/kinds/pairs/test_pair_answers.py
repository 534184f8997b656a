from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from annotation.kinds.pairs import pair_answers, pair_power
from annotation.kinds.pairs.pair_answers import PairAnswers
from annotation.models.comparing import TIE

OFFERED = [(2, 4), (2, 3, 4), (1, 2, 4, 5), (1, 2, 3, 4, 5)]


@pytest.mark.parametrize("offered", OFFERED)
@pytest.mark.parametrize("aspects", [1, 2, 3])
def test_the_chance_of_random_answers_is_that_of_counting_every_page(offered, aspects):
    pages = list(product(offered, repeat=aspects))
    above = sum(sum(page) > TIE * aspects for page in pages) / len(pages)
    anywhere = sum(any(one > TIE for one in page) for page in pages) / len(pages)
    chance = pair_answers.chance_to_catch
    assert chance(offered, aspects=aspects, each=False) == pytest.approx(above, 1e-12)
    assert chance(offered, aspects=aspects, each=True) == pytest.approx(anywhere, 1e-12)


@pytest.mark.parametrize("offered", OFFERED)
@pytest.mark.parametrize("flipped", [0, 1])
def test_together_with_equal_answers_it_is_that_of_counting_too(offered, flipped):
    """Two aspects on three pairs; the first is the twin, on either side."""
    pages = list(product(offered, repeat=6))
    caught = 0
    for page in pages:  # as pressed
        twin = [6 - one for one in page[:2]] if flipped else page[:2]
        caught += sum(twin) > 2 * TIE or len(set(page)) == 1
    found = pair_answers.caught_in_all(
        offered, pairs=3, aspects=2, compared=2, each=False
    )
    assert found == pytest.approx(caught / len(pages), 1e-12)


def test_answers_span_the_width_of_the_study_s_scale():
    plain, much = PairAnswers((2, 3, 4), 4.0), PairAnswers((1, 2, 3, 4, 5), 4.0)
    assert plain.signed(np.array([2, 3, 4])).tolist() == [-2, 0, 2]
    assert much.signed(np.array([1, 2, 3, 4, 5])).tolist() == [-2, -1, 0, 1, 2]
    assert plain.variance == pytest.approx(8 / 3)
    assert np.isnan(plain.signed(np.array([np.nan]))).all()


def test_agreement_with_others_counts_only_where_two_have_answered():
    answers = PairAnswers((2, 3, 4), 4.0)
    own = np.array([[2.0], [-2.0]])
    alone = answers.see(own=own, check=None, others=own[np.newaxis], unit=2.0)
    two = answers.see(own=own, check=None, others=np.array([own, own]), unit=2.0)
    assert (alone.others, two.others) == (0, 2)
    assert two.own == pytest.approx(two.shared)
    assert two.alike == pytest.approx(two.each)


def test_who_cannot_say_on_a_pair_is_compared_on_the_others():
    answers = PairAnswers((2, 3, 4), 4.0)
    own = np.array([[2.0], [np.nan]])
    others = np.array([[[2.0], [2.0]], [[2.0], [-2.0]]])
    seen = answers.see(own=own, check=np.array([-2.0]), others=others, unit=2.0)
    assert seen.difference == -2
    assert seen.own == pytest.approx(seen.shared)


@pytest.mark.parametrize("offered", OFFERED)
def test_the_chances_of_a_reader_s_answers_add_up_and_fall_with_the_damage(offered):
    found = [pair_power.chances(offered, apart=a, noise=1.0) for a in (0.0, 1.0, 2.0)]
    assert all(one.sum() == pytest.approx(1) for one in found)
    assert found[0] == pytest.approx(found[0][::-1])
    better = [one[len(one) // 2 + 1 :].sum() for one in found]
    assert better == sorted(better, reverse=True)
    missing = [c for c in range(min(offered), max(offered)) if c not in offered]
    assert all(found[1][code - min(offered)] == 0 for code in missing)


def test_the_chances_are_those_of_two_noisy_impressions():
    rng = np.random.default_rng(3)
    apart = 1.0 + rng.normal(0, 0.8, 200_000) - rng.normal(0, 0.8, 200_000)
    drawn = [(apart > 0.5).mean(), (abs(apart) <= 0.5).mean(), (apart < -0.5).mean()]
    found = pair_power.chances((2, 3, 4), apart=1.0, noise=0.8)
    assert found == pytest.approx(drawn, abs=0.004)
