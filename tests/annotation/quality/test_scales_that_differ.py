"""Pages whose questions have different scales, and answers "cannot say"."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from annotation.careless import odds, rules
from annotation.careless.common_scale import CommonScale
from annotation.kinds.ratings.matrix import RatingMatrix
from annotation.models import Aspect, Policy
from annotation.quality.checking import Judge, Person

NAN = np.nan


def points(key, low=1, high=5, **fields):
    return Aspect(key=key, title=key, scale_min=low, scale_max=high, **fields)


def slider(key):
    return Aspect(key=key, title=key, kind=Aspect.Kind.SLIDER)


def sheet(ratings, hidden=0, others=()):
    ratings = np.array(ratings, dtype=float)
    return RatingMatrix(
        *(1, 1, 1, "submitted", list(range(len(ratings))), ratings, hidden),
        *([], None, 60.0, np.array(others, float).reshape(len(others), *ratings.shape)),
    )


def judge(*aspects, **policy):
    policy = Policy(rule="above_all", on=Policy.On.MEAN, **policy)
    return Judge(policy, list(aspects), CommonScale.of(aspects))


class TestCommonScale:
    def test_points_of_one_scale_stay_points(self):
        scale = CommonScale.of([points("a"), points("b")])
        assert scale.common(np.array([[2, 5]])).tolist() == [[2, 5]]
        assert (scale.width, scale.unit) == (4, "")

    def test_other_scales_become_percentages(self):
        scale = CommonScale.of([points("a"), slider("b"), points("c", 0, 10)])
        assert scale.common(np.array([[4, 75, 7.5]])).tolist() == [[75, 75, 75]]

    def test_where_low_is_good_it_is_turned_on_its_own_scale(self):
        aspects = [points("a", higher_is_better=False), slider("b")]
        turned = CommonScale.of(aspects).turned(np.array([[1, 30]]), aspects)
        assert turned.tolist() == [[100, 30]]

    def test_made_up_answers_stay_on_each_scale(self):
        scale = CommonScale.of([points("a", 0, 1), slider("b")])
        drawn = scale.by_chance(np.random.default_rng(1), (2000, 2))
        assert (drawn.min(axis=0) == [0, 0]).all() and (
            drawn.max(axis=0) == [1, 100]
        ).all()
        assert scale.on_scale(np.array([[3.0, 3.0], [9.0, -9.0]])).tolist() == [
            [0, 50],
            [1, 0],
        ]


class TestRule:
    def test_a_slider_does_not_outweigh_points(self):
        """In points the damaged text would win: 1 + 60 against 5 + 50."""
        both = points("a"), slider("b")
        assert judge(*both).opinion(sheet([[1, 60], [5, 50]]), Person(1, None)).valid
        one_scale = sheet([[1, 60], [5, 50]])
        assert (one_scale.ratings[0].sum(), one_scale.ratings[1].sum()) == (61, 55)

    def test_its_numbers_are_percentages_that_are_said_so(self):
        found = judge(points("a"), slider("b")).opinion(
            sheet([[5, 90], [3, 50]]), Person(1, None)
        )
        assert found.numbers["negative"] == [100, 90]
        assert "got 95 %, above the best of 1 real text with 50 %" in found.reason

    def test_it_compares_what_the_worker_could_rate(self):
        page = sheet([[NAN, 4], [1, 3], [5, NAN], [NAN, 2]])
        found = page.compared(judge(points("a"), points("b")))
        assert [aspect.key for aspect in found.aspects] == ["b"]
        assert (found.positions, found.real.tolist()) == ([2, 4], [[3], [2]])

    @pytest.mark.parametrize("page", [[[NAN], [3]], [[3], [NAN]]])
    def test_without_anything_to_compare_it_rests(self, page):
        assert judge(points("a")).opinion(sheet(page), Person(0, None)).numbers == {}

    @pytest.mark.parametrize("rule", rules.RULES)
    @pytest.mark.parametrize("steps", [[2, 4], [3, 3, 2], [5, 3]])
    def test_the_chance_is_that_of_all_pages(self, rule, steps):
        """Two real texts: every page that there is."""
        aspects = [points(str(n), 1, n) for n in steps]
        each = list(product(*(range(1, n + 1) for n in steps)))
        pages = np.array(list(product(each, repeat=3)), dtype=float)
        common = CommonScale.of(aspects).common(pages)
        counted = rules.is_above(rule, common[:, :2], common[:, 2]).mean()
        chance = rules.chance_to_catch(rule, texts=2, steps=steps)
        assert chance == pytest.approx(counted, abs=1e-12)

    def test_the_chance_on_many_scales_is_soon_known(self):
        """Sums of tens of thousands of parts, by Fourier transforms."""
        steps = [*range(2, 12), 101]
        chance = rules.chance_to_catch("above_mean", texts=6, steps=steps)
        assert chance == pytest.approx(0.5, abs=0.01)


class TestSame:
    def test_on_scales_that_differ_it_is_one_value_on_each(self):
        same = np.array([[3, 40, 3], [3, 40, 3]], dtype=float)
        groups = np.array([0, 1, 0])
        assert rules.is_same(same, groups)
        same[1, 2] = 4
        assert not rules.is_same(same, groups)

    def test_cannot_say_everywhere_is_the_same_and_somewhere_is_not(self):
        assert rules.is_same(np.full((3, 2), NAN))
        assert not rules.is_same(np.array([[3, NAN], [3, 3]]))

    def test_the_chance_is_that_of_all_pages(self):
        each = list(product(range(2), range(3)))
        pages = np.array(list(product(each, repeat=2)), dtype=float)
        counted = rules.is_same(pages, np.array([0, 1])).mean()
        assert rules.chance_of_same(texts=2, steps=[2, 3]) == pytest.approx(counted)


class TestOdds:
    def test_scales_do_not_change_what_a_page_says(self):
        """The same places on 5 and on 9 points, or a slider: nearly the same odds."""
        found = []
        for low, high in ((1, 5), (1, 9)):
            places = np.array([[0.0], [0.5], [0.5]]) * (high - low) + low
            scales = odds.Scales(high - low, (high - low + 1,))
            seen = odds.see(
                real=places[1:],
                negative=places,
                others=np.zeros((0, 2, 1)),
                scales=scales,
            )
            variance = ((high - low + 1) ** 2 - 1) / 12
            fall = 0.25 * (high - low)
            d = -0.5 * (high - low)
            by_hand = fall * (d + fall / 2) / (variance * 1.5)
            found.append((odds.over([seen], scales).log, by_hand))
        for log, by_hand in found:
            assert log == pytest.approx(by_hand)

    def test_of_aspects_with_two_scales_each_has_its_own_variance(self):
        """In percent: 2 points have the variance 2500, 5 points 1250."""
        scales = odds.Scales(100, (2, 5))
        assert scales.variance().tolist() == [2500, 1250]
        flat = np.full((3, 2), 50.0)
        seen = odds.see(
            real=flat[1:], negative=flat, others=np.zeros((0, 2, 2)), scales=scales
        )
        assert seen.v == pytest.approx((2500 + 1250) / 4 * 1.5)
        assert odds.over([seen], scales).log == pytest.approx(25 * 12.5 / seen.v)

    def test_what_nobody_could_say_adds_nothing(self):
        scales = odds.Scales(4, (5, 5))
        others = np.array([[[2, 3], [4, 3]], [[2, 5], [4, 1]]], dtype=float)
        real = np.array([[1, NAN], [3, NAN]])
        with_gap = odds.see(real=real, negative=None, others=others, scales=scales)
        alone = odds.see(
            real=real[:, :1],
            negative=None,
            others=others[:, :, :1],
            scales=odds.Scales(4, (5,)),
        )
        assert (with_gap.own, with_gap.shared) == (alone.own, alone.shared)
