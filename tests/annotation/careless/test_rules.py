from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy.stats

from annotation.careless import rules
from annotation.careless.rules import is_above, worker_p
from annotation.models import Policy

RULES = ["above_all", "above_mean", "above_any"]
SCALE = np.arange(1, 6)

# (real texts, negative, rules that discard); rows are texts, columns aspects
PAGES = [
    ([[4], [5], [3], [4]], [1], []),
    ([[4], [5], [3], [4]], [3], []),  # ties with the worst: no evidence
    ([[4], [5], [4], [3]], [4], ["above_any"]),  # ties with the mean
    ([[4], [4], [1], [2]], [3], ["above_mean", "above_any"]),
    ([[4], [4], [3], [3]], [4], ["above_mean", "above_any"]),  # ties with the best
    ([[4], [4], [3], [3]], [5], RULES),
    ([[3], [3], [3], [3]], [3], []),  # the same score everywhere is never caught
    ([[2]], [3], RULES),  # one real text: the rules are the same
    # Two aspects, compared by their means: 3.5 against 3, 3, 3, 3.
    ([[3, 3], [2, 4], [4, 2], [1, 5]], [5, 2], RULES),
    # Best on one aspect, but 3 on average against 3: not above.
    ([[3, 3], [3, 3], [3, 3], [3, 3]], [5, 1], []),
    # Means of three that floating point would tell apart: 10/3 each way.
    ([[3, 4, 3], [4, 3, 3], [3, 3, 4], [4, 4, 2]], [4, 3, 3], []),
]


@pytest.mark.parametrize(("real", "negative", "discarding"), PAGES)
def test_rules_on_pages_worked_by_hand(real, negative, discarding):
    found = [
        rule for rule in RULES if is_above(rule, np.array(real), np.array(negative))
    ]
    assert found == discarding


def test_an_unknown_rule_is_refused():
    with pytest.raises(ValueError, match="above_all, above_mean, above_any"):
        is_above("below", np.ones((4, 1)), np.ones(1))


# A uniformly random rater and four real texts: one aspect / mean of three, in percent.
CAUGHT = {
    "above_all": (11.3, 15.7),
    "above_mean": (47.5, 48.2),
    "above_any": (68.7, 74.9),
}


class TestRandomRater:
    @pytest.mark.parametrize("rule", RULES)
    def test_all_3125_pages_of_one_aspect(self, rule):
        pages = np.array(list(product(SCALE, repeat=5)))[..., None]
        caught = is_above(rule, pages[:, :4], pages[:, 4])
        assert len(pages) == 3125
        assert round(100 * caught.mean(), 1) == CAUGHT[rule][0]

    @pytest.mark.parametrize("rule", RULES)
    def test_all_pages_of_three_aspects(self, rule):
        """5^15 pages, grouped by the texts' sums, which range from 3 to 15."""
        sums, ways = np.unique(
            np.array(list(product(SCALE, repeat=3))).sum(axis=1), return_counts=True
        )
        at = np.array(list(product(range(len(sums)), repeat=5)))
        weight = (ways[at] / 5**3).prod(axis=1)
        pages = sums[at][..., None]
        caught = weight @ is_above(rule, pages[:, :4], pages[:, 4])
        assert round(100 * caught, 1) == CAUGHT[rule][1]

    @pytest.mark.parametrize("rule", RULES)
    def test_a_sample_of_three_aspects(self, rule):
        pages = np.random.default_rng(1).integers(1, 6, size=(100_000, 5, 3))
        caught = is_above(rule, pages[:, :4], pages[:, 4]).mean()
        assert 100 * caught == pytest.approx(CAUGHT[rule][1], abs=0.7)

    @pytest.mark.parametrize("rule", RULES)
    @pytest.mark.parametrize(("column", "aspects"), [(0, 1), (1, 3)])
    def test_the_chance_told_to_researchers(self, rule, column, aspects):
        chance = rules.chance_to_catch(rule, texts=4, steps=[5] * aspects)
        assert round(100 * chance, 1) == CAUGHT[rule][column]

    @pytest.mark.parametrize("texts", [1, 2, 3])
    @pytest.mark.parametrize("rule", RULES)
    def test_the_chance_is_that_of_the_rule(self, rule, texts):
        pages = np.array(list(product(range(3), repeat=2 * (texts + 1))))
        pages = pages.reshape(-1, texts + 1, 2)
        counted = is_above(rule, pages[:, :texts], pages[:, texts]).mean()
        chance = rules.chance_to_catch(rule, texts=texts, steps=[3, 3])
        assert chance == pytest.approx(counted, abs=1e-12)

    @pytest.mark.parametrize("rule", RULES)
    def test_any_one_aspect_is_enough_where_that_is_the_rule(self, rule):
        pages = np.array(list(product(range(3), repeat=6))).reshape(-1, 3, 2)
        real, negative = pages[:, :2], pages[:, 2]
        found = rules.by_aspect(rule, real, negative)
        for k in range(2):
            alone = is_above(rule, real[:, :, [k]], negative[:, [k]])
            assert (found[:, k] == alone).all()
        chance = rules.chance_to_catch(rule, texts=2, steps=[3, 3], each=True)
        assert chance == pytest.approx(found.any(axis=1).mean(), abs=1e-12)

    # The table that researchers see before launch: real texts on one aspect, percent.
    @pytest.mark.parametrize(
        ("texts", "above_all", "above_mean", "above_any"),
        [
            (2, 24.0, 44.8, 56.0),
            (3, 16.0, 46.7, 64.0),
            (4, 11.3, 47.5, 68.7),
            (5, 8.3, 48.0, 71.7),
        ],
    )
    def test_the_chances_on_one_aspect(self, texts, above_all, above_mean, above_any):
        found = [
            round(100 * rules.chance_to_catch(rule, texts=texts, steps=[5]), 1)
            for rule in RULES
        ]
        assert found == [above_all, above_mean, above_any]


def test_the_rules_are_those_of_a_policy():
    assert tuple(Policy.Rule.values) == rules.RULES


class TestSame:
    def test_it_sees_pages_with_one_value(self):
        pages = np.array([[[3, 3], [3, 3]], [[3, 3], [3, 4]]])
        assert rules.is_same(pages).tolist() == [True, False]

    def test_a_single_answer_says_nothing(self):
        assert not rules.is_same(np.array([[3]]))

    def test_the_chance_is_that_of_all_pages_and_never_together_with_a_rule(self):
        pages = np.array(list(product(range(3), repeat=6))).reshape(-1, 3, 2)
        same = rules.is_same(pages)
        chance = rules.chance_of_same(texts=3, steps=[3, 3])
        assert chance == pytest.approx(same.mean(), abs=1e-12)
        for rule in RULES:
            assert not (same & is_above(rule, pages[:, :2], pages[:, 2])).any()


class TestWorkerP:
    @pytest.mark.parametrize("n", [2, 5, 9, 14])
    @pytest.mark.parametrize("seed", range(4))
    def test_it_is_the_permutation_test_of_scipy_with_ties(self, n, seed):
        found = np.random.default_rng(seed).integers(-8, 5, size=n) / 4
        every_sign = scipy.stats.PermutationMethod(n_resamples=2**15)
        expected = scipy.stats.wilcoxon(found, alternative="less", method=every_sign)
        assert worker_p(found) == pytest.approx(expected.pvalue, abs=1e-12)

    @pytest.mark.parametrize("n", [20, 100])
    def test_without_ties_it_is_the_exact_test_of_scipy(self, n):
        found = np.random.default_rng(n).normal(-0.2, 1, size=n)
        expected = scipy.stats.wilcoxon(found, alternative="less", method="exact")
        assert worker_p(found) == pytest.approx(expected.pvalue, rel=1e-9)

    def test_of_many_pages_it_is_the_normal_approximation_of_scipy(self):
        found = np.random.default_rng(3).integers(-9, 8, size=400) / 4
        expected = scipy.stats.wilcoxon(
            found, alternative="less", method="asymptotic", correction=False
        )
        assert worker_p(found) == pytest.approx(expected.pvalue, rel=1e-9)

    def test_who_rates_everything_alike_has_no_evidence_for_them(self):
        assert worker_p(np.zeros(20)) == 1.0

    def test_five_pages_with_a_lower_negative_are_one_in_32(self):
        assert worker_p(np.array([-1, -2, -1, -3, -1])) == 1 / 32

    def test_equal_fractions_tie_though_they_were_summed_otherwise(self):
        # 5/3 - 4/3 and 4/3 - 1, which floating point tells apart.
        one = rules.difference(np.array([[1, 1, 2]]), np.array([1, 2, 2]))
        other = rules.difference(np.array([[1, 1, 1]]), np.array([1, 1, 2]))
        assert 5 / 3 - 4 / 3 != 4 / 3 - 1
        assert one == other


class TestHistory:
    @pytest.mark.parametrize(
        ("discarded", "after", "within", "blocked"),
        [
            ([], 1, None, False),
            ([True], 1, None, True),
            ([True, False, False, True], 2, None, True),
            ([True, False, False, True], 2, 3, False),  # the first is too long ago
            ([True, False, True], 2, 3, True),
            ([True, True, False], 3, 10, False),
        ],
    )
    def test_it_counts_the_last_pages(self, discarded, after, within, blocked):
        found = rules.is_blocked(discarded, after, within)
        assert found is blocked
