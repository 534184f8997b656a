import doctest
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score

from scoring.stats import pickup
from scoring.stats.counts import draw
from scoring.stats.pickup import area_by_unit, area_interval, batches, curve, twins

NAN = float("nan")
# Paper: 10 real and 90 synthetic texts.
TEN_OF_100 = np.arange(100) < 10


def rng():
    return np.random.default_rng(4)


def scored(n=200, share=0.2, levels=30):
    """Tied scores that are higher for real texts."""
    generator = rng()
    real = generator.random(n) < share
    return generator.integers(0, levels, n) / 3 + 2.0 * real, real


def test_a_metric_that_puts_real_texts_first_reaches_the_upper_line():
    found = curve(-np.arange(100), TEN_OF_100)
    assert found.area == 100 and found.rate == pytest.approx(found.upper)


def test_a_metric_that_puts_real_texts_last_stays_on_the_lower_line():
    found = curve(np.arange(100), TEN_OF_100)
    assert found.area == 0 and found.rate == pytest.approx(found.lower)


def test_ten_of_a_hundred_lie_between_lines_with_an_area_of_90():
    found = curve(np.zeros(100), TEN_OF_100)
    assert (found.upper - found.lower).sum() == pytest.approx(90)
    assert found.upper.sum() == pytest.approx(95.5)
    assert found.lower.sum() == pytest.approx(5.5)


def test_equal_scores_are_chance():
    found = curve(np.zeros(100), TEN_OF_100)
    assert found.area == 50
    assert found.rate == pytest.approx(np.arange(1, 101) / 100)


def test_equal_scores_count_as_the_mean_of_all_orders():
    real = np.array([True, False, True, False])
    orders = [curve(-np.array(o), real) for o in permutations(range(4))]
    tied = curve(np.zeros(4), real)
    assert tied.rate == pytest.approx(np.mean([one.rate for one in orders], axis=0))


@pytest.mark.parametrize("n", [7, 100, 137])
def test_the_area_is_that_under_the_roc_curve_at_any_size(n):
    scores, real = scored(n, 0.4)
    found = curve(scores, real)
    assert found.area == pytest.approx(100 * roc_auc_score(real, scores), abs=1e-12)
    between = (found.rate - found.lower).sum() / (found.upper - found.lower).sum()
    assert found.area == pytest.approx(100 * between, abs=1e-11)
    assert len(found.k) == n and found.k[-1] == 100 and found.rate[-1] == 1


def test_a_text_without_a_score_is_left_out():
    found = curve([3, NAN, 1, 2], [True, True, False, False])
    assert (found.area, found.n_real, found.n_synthetic) == (100, 1, 2)


@pytest.mark.parametrize(
    ("scores", "real", "words"),
    [
        ([1, 2], [False, False], "no real texts"),
        ([1, 2], [True, True], "no synthetic texts"),
        ([NAN, 2], [True, False], "no real texts"),
        ([], [], "no real texts"),
    ],
)
def test_one_kind_of_texts_alone_has_no_area(scores, real, words):
    assert words in curve(scores, real).reason
    assert curve(scores, real).area is None and len(curve(scores, real).rate) == 0
    assert words in area_interval(scores, real).reason
    found = area_by_unit(scores, real, np.arange(len(real)), rng=rng())
    assert found.value is None and words in found.reason


def test_texts_and_kinds_must_match():
    with pytest.raises(ValueError, match="one length"):
        curve([1, 2, 3], [True, False])


def test_infinite_scores_are_scores_like_others():
    scores, real = np.array([np.inf, 1, -np.inf, -np.inf]), [True, True, False, True]
    assert curve(scores, real).area == pytest.approx(100 * 2.5 / 3)
    found = area_by_unit(scores, real, np.arange(4), rng=rng())
    assert found.value == pytest.approx(100 * 2.5 / 3)


def test_delongs_interval_is_that_of_the_shares_of_each_text():
    scores, real = scored()
    ours, theirs = scores[real], scores[~real]
    wins = (ours[:, None] > theirs) + (ours[:, None] == theirs) / 2
    variance = wins.mean(axis=1).var(ddof=1) / len(ours)
    variance += wins.mean(axis=0).var(ddof=1) / len(theirs)
    found = area_interval(scores, real)
    assert found.value == pytest.approx(curve(scores, real).area)
    half = 100 * stats.norm.ppf(0.975) * variance**0.5
    assert found.high - found.value == pytest.approx(half)
    assert found.value - found.low == pytest.approx(half)


def test_delongs_interval_needs_an_overlap_and_two_of_each():
    assert "overlap" in area_interval([1, 2, 3, 4], [False, False, True, True]).reason
    assert "two real" in area_interval([1, 2, 3], [False, True, False]).reason
    assert "all scores are the same" in area_interval([1] * 4, [1, 1, 0, 0]).reason


def test_leaving_out_single_texts_agrees_with_delong():
    scores, real = scored(400)
    drawn = area_by_unit(scores, real, np.arange(400), rng=rng())
    expected = area_interval(scores, real)
    assert drawn.low == pytest.approx(expected.low, abs=0.6)
    assert drawn.high == pytest.approx(expected.high, abs=0.6)


def test_a_drawn_area_is_that_of_the_repeated_texts():
    scores, real = scored(30, 0.5, levels=5)
    made = draw(np.arange(30), rng=rng(), draws=20)
    found = pickup._weighted_auc(scores, real, made, slice(None))
    for area, rows in zip(found, made.rows().astype(int), strict=True):
        again = np.repeat(real, rows), np.repeat(scores, rows)
        assert area == pytest.approx(roc_auc_score(*again))


def test_texts_that_share_a_prompt_widen_the_interval():
    scores, real = scored(60)
    scores, real = np.repeat(scores, 4), np.repeat(real, 4)
    prompt = np.repeat(np.arange(60), 4)
    alone = area_by_unit(scores, real, np.arange(240), rng=rng())
    together = area_by_unit(scores, real, prompt, rng=rng())
    assert together.high - together.low > 1.5 * (alone.high - alone.low)


def test_batches_have_the_size_and_the_lines_of_the_paper():
    scores, real = scored(600)
    found = batches(scores, real, rng=rng())
    assert len(found.areas) == 10 and len(found.k) == 100
    assert (found.upper - found.lower).sum() == pytest.approx(90)
    assert found.area == pytest.approx(np.mean(found.areas))
    assert found.area_std == pytest.approx(np.std(found.areas, ddof=1))
    assert found.area == pytest.approx(
        100 * (found.mean - found.lower).sum() / 90, abs=1e-9
    )
    assert found.std[-1] == 0 and found.std[20] > 0


def test_batches_average_to_the_area_of_all_texts():
    scores, real = scored(600)
    found = batches(scores, real, rng=rng(), n_batches=300)
    error = found.area_std / 300**0.5
    assert abs(found.area - curve(scores, real).area) < 4 * error


@pytest.mark.parametrize(
    ("real", "options", "words"),
    [
        (np.arange(200) < 9, {}, "fewer than 10 real"),
        (np.arange(200) < 111, {}, "fewer than 90 synthetic"),
        (np.arange(200) < 100, {"n_real": 0}, "needs real and synthetic"),
    ],
)
def test_too_few_texts_make_no_batch(real, options, words):
    found = batches(np.arange(200), real, rng=rng(), **options)
    assert found.area is None and words in found.reason


def test_one_batch_has_no_spread():
    scores, real = scored(600)
    found = batches(scores, real, rng=rng(), n_batches=1)
    assert found.area is not None and found.area_std is None


def test_a_tie_of_twins_is_a_loss_or_half_a_win():
    found = twins([2, 2, 2, 1, NAN], [1, 2, 0, 3, 0])
    assert found.strict.value == 0.5 and found.half.value == 0.625
    assert found.n_ties == 1 and found.strict.n == 4


def test_the_interval_of_twins_is_that_of_a_share():
    real = np.r_[np.ones(240), np.zeros(160)]
    found = twins(real, np.full(400, 0.5))
    half = 1.96 * (0.6 * 0.4 / 400) ** 0.5
    assert found.strict.low == pytest.approx(0.6 - half, abs=0.006)
    assert found.strict.high == pytest.approx(0.6 + half, abs=0.006)
    assert found.half == found.strict


def test_no_twins_have_no_share():
    found = twins([NAN, 1], [1, NAN])
    assert found.strict.value is None and found.half.reason == "no pair with two scores"


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([NAN, 0, 1, 2, np.inf, -1e300]),
            st.booleans(),
            st.integers(0, 2),
        ),
        max_size=12,
    )
)
def test_any_scores_give_numbers_or_reasons(rows):
    scores = np.array([score for score, _, _ in rows], float)
    real = np.array([kind for _, kind, _ in rows], bool)
    unit = np.array([u for _, _, u in rows], int)
    found = curve(scores, real)
    assert (found.area is None) == (found.reason is not None)
    assert np.all(
        (found.lower <= found.rate + 1e-12) & (found.rate <= found.upper + 1e-12)
    )
    pairs = twins(scores, np.roll(scores, 1))
    for one in (
        area_interval(scores, real),
        area_by_unit(scores, real, unit, rng=rng()),
        *pairs[:2],
    ):
        assert np.isfinite([x for x in one.numbers if x is not None]).all()
        assert (one.low is None) == (one.reason is not None)


def test_the_examples_in_the_text_hold():
    assert doctest.testmod(pickup).failed == 0
