"""Alpha over aspects, by hand and against the alphas of the aspects."""

import numpy as np
import pytest

from scoring.stats.agreement import LEVELS, alpha
from scoring.stats.within_aspects import NONE, alpha_within

VALUES = np.arange(1, 6)


def counted(ratings):
    """(n, 5) from (n, raters)."""
    return np.array([np.bincount(row, minlength=6)[1:] for row in ratings])


def drawn(*, mean, n=60, seed=0):
    """Ratings of three people of each text, around a mean."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(mean, 0.6, (n, 1))
    noisy = quality + rng.normal(0, 0.8, (n, 3))
    return counted(np.clip(np.rint(noisy), 1, 5).astype(int))


def within(counts, level="interval", **others):
    rng = np.random.default_rng(1)
    return alpha_within(
        counts,
        [VALUES] * len(counts),
        [level] * len(counts),
        rng=rng,
        **others,
    )


@pytest.mark.parametrize("level", LEVELS)
def test_of_one_aspect_it_is_alpha(level):
    counts = drawn(mean=3)
    expected = alpha(counts, VALUES, level).value
    assert within([counts], level).value == pytest.approx(expected)


@pytest.mark.parametrize("level", LEVELS)
def test_of_two_copies_it_is_the_alpha_of_one(level):
    counts = drawn(mean=3)
    expected = alpha(counts, VALUES, level).value
    assert within([counts, counts], level).value == pytest.approx(expected)


def test_differences_between_aspects_do_not_count():
    low, high = drawn(mean=1.8, seed=2), drawn(mean=4.2, seed=3)
    ends = [alpha(one, VALUES, "interval").value for one in (low, high)]
    together = alpha(np.vstack([low, high]), VALUES, "interval").value
    assert together > max(ends) + 0.3
    assert min(ends) <= within([low, high]).value <= max(ends)


def test_it_is_the_mean_of_alphas_weighted_by_expected_disagreement():
    aspects = [drawn(mean=2, seed=4), drawn(mean=3, seed=5)[:40]]
    aspects[1] = np.vstack([aspects[1], np.zeros((20, 5), int)])  # 20 are not rated
    weights, values = [], []
    for counts in aspects:
        n = counts.sum(axis=0)
        d = (VALUES[:, None] - VALUES) ** 2
        weights.append((n @ d @ n) / (n.sum() - 1))
        values.append(alpha(counts, VALUES, "interval").value)
    expected = np.average(values, weights=weights)
    assert within(aspects).value == pytest.approx(expected)


def test_the_interval_holds_the_value_and_narrows_with_more_texts():
    def width(n):
        found = within([drawn(mean=3, n=n), drawn(mean=4, n=n)])
        assert found.low < found.value < found.high
        return found.high - found.low

    assert width(400) < 0.6 * width(50)


def test_nothing_to_disagree_about_has_a_reason():
    same = np.tile([0, 0, 3, 0, 0], (5, 1))
    found = within([same, same])
    assert (found.value, found.reason) == (None, NONE)
    assert within([]).reason == NONE
