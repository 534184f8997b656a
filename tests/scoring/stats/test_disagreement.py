from __future__ import annotations

import numpy as np
import pytest

from scoring.stats import disagreement

NAN = np.nan


@pytest.mark.parametrize(
    ("scores", "ranks"),
    [
        ([], []),
        ([7], [0.5]),
        ([1, 3, 2, 9], [0.125, 0.625, 0.375, 0.875]),
        ([5, 5, 1], [2 / 3, 2 / 3, 1 / 6]),
        ([NAN, 4, NAN, 2], [NAN, 0.75, NAN, 0.25]),
        ([-np.inf, 0, np.inf], [1 / 6, 0.5, 5 / 6]),
    ],
)
def test_ranks_go_evenly_from_0_to_1(scores, ranks):
    found = disagreement.standardised_ranks(np.array(scores, float))
    np.testing.assert_allclose(found, ranks)


class TestTexts:
    def test_the_largest_difference_of_ranks_comes_first(self):
        found = disagreement.texts(np.array([1, 2, 3, 4.0]), np.array([4, 2, 1, 3.0]))
        assert found.rows.tolist() == [0, 2, 3]

    def test_texts_that_one_metric_did_not_score_are_not_ranked(self):
        found = disagreement.texts(np.array([1, 9, 3.0]), np.array([3, NAN, 1]))
        assert sorted(found.rows.tolist()) == [0, 2]
        assert found.n == 2
        assert np.isnan(found.first[1])

    def test_metrics_of_another_scale_agree(self):
        x = np.array([0.1, 0.5, 0.2])
        assert len(disagreement.texts(x, 100 * x - 7).rows) == 0

    def test_there_are_no_more_than_wanted(self):
        x = np.arange(9.0)
        assert len(disagreement.texts(x, -x, limit=3).rows) == 3


class TestPairs:
    first = np.array([0.1, 0.9, 0.5, 0.6])
    second = np.array([0.9, 0.2, 0.5, 0.4])
    one = np.zeros(4)

    def pairs(self, human, groups=one, **limit):
        human = np.array(human, float)
        return disagreement.pairs(self.first, self.second, human, groups, **limit)

    def test_it_says_which_metric_prefers_the_better_text(self):
        (pair,) = self.pairs([5, 1, NAN, NAN])
        assert (pair.better, pair.worse, pair.first_right) == (0, 1, False)
        assert pair.apart == pytest.approx(0.8 + 0.7)

    def test_texts_that_people_find_equal_are_no_pair(self):
        assert self.pairs([3, 3 + 1e-12, NAN, NAN]) == []

    def test_texts_that_the_metrics_order_alike_are_no_pair(self):
        assert self.pairs([NAN, NAN, 1, 1]) == []

    def test_only_texts_of_one_group_are_compared(self):
        assert self.pairs([5, 1, 2, 3], np.arange(4)) == []

    def test_each_group_gives_its_furthest_pair_the_furthest_first(self):
        found = self.pairs([5, 1, 2, 3], np.array([1, 1, 0, 0]))
        assert [(pair.better, pair.worse) for pair in found] == [(0, 1), (3, 2)]
        assert [pair.first_right for pair in found] == [False, True]
        assert len(self.pairs([5, 1, 2, 3], np.array([1, 1, 0, 0]), limit=1)) == 1
