import doctest

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from scoring.stats import power as module
from scoring.stats.power import (
    detectable,
    difference_power,
    difference_sample_size,
    power,
    sample_size,
)


def test_a_correlation_of_point_three_takes_85_texts():
    assert sample_size(0.3).n == 85
    assert sample_size(0.3).exact == pytest.approx(84.93, abs=0.005)


@pytest.mark.parametrize(
    ("r", "n"), [(0.1, 783), (0.2, 194), (0.5, 30), (0.7, 14), (-0.5, 30)]
)
def test_it_equals_the_usual_table(r, n):
    """Hulley et al. (2013), Designing clinical research, appendix 6C."""
    assert round(sample_size(r).exact) in (n - 1, n)


def test_the_power_of_the_size_that_it_asks_for_is_the_power_that_was_asked():
    for r in (0.1, 0.3, 0.6):
        needed = sample_size(r, power=0.9).n
        assert power(r, needed).value >= 0.9 > power(r, needed - 1).value - 1e-6


def test_what_n_texts_can_show_is_what_takes_n_texts():
    for n in (10, 85, 1000):
        assert sample_size(detectable(n).value).exact == pytest.approx(n)


def test_without_a_correlation_the_power_is_the_level():
    assert power(0, 50, alpha=0.03).value == pytest.approx(0.03)


def test_the_power_is_the_share_of_samples_that_show_the_correlation():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(3000, 40))
    y = 0.4 * x + (1 - 0.4**2) ** 0.5 * rng.normal(size=(3000, 40))
    found = (stats.pearsonr(x, y, axis=1).pvalue < 0.05).mean()
    assert found == pytest.approx(power(0.4, 40).value, abs=0.02)


def test_the_power_of_a_difference_is_the_share_of_samples_that_show_it():
    """By the same normal test, on samples of two metrics and human scores."""
    r12, r13, r23, n = 0.6, 0.4, 0.5, 100
    rng = np.random.default_rng(6)
    within = np.array([[1, r12, r13], [r12, 1, r23], [r13, r23, 1]])
    data = rng.normal(size=(3000, n, 3)) @ np.linalg.cholesky(within).T
    data -= data.mean(axis=1, keepdims=True)
    data /= np.linalg.norm(data, axis=1, keepdims=True)
    z = np.arctanh([(data[..., 0] * data[..., k]).sum(axis=1) for k in (1, 2)])
    difference = z[0] - z[1]
    shown = np.abs(difference) > 1.96 * difference.std()
    expected = difference_power(r12, r13, r23, n).value
    assert shown.mean() == pytest.approx(expected, abs=0.03)


def test_independent_metrics_give_the_covariance_zero():
    # r13 = r23 = 0: nothing is shared, and the two z have the variance 2 / (n - 3)
    gap = np.arctanh(0.3) / 2**0.5
    assert difference_sample_size(0.3, 0, 0).exact == pytest.approx(
        ((1.959964 + 0.841621) / gap) ** 2 + 3, rel=1e-5
    )


def test_metrics_that_are_alike_take_fewer_texts_to_tell_apart():
    sizes = [difference_sample_size(0.5, 0.4, r).n for r in (0.3, 0.6, 0.9)]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (sample_size(0), "correlation of 0"),
        (difference_sample_size(0.4, 0.4, 0.5), "equal correlations"),
        (difference_sample_size(0.9, -0.9, 0.9), "cannot correlate like this"),
    ],
)
def test_what_no_number_of_texts_can_show_has_a_reason(found, words):
    assert found.n is None and words in found.reason


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (power(0.5, 3), "fewer than 4 texts"),
        (detectable(3), "fewer than 4 texts"),
        (difference_power(0.5, 0.3, 0.2, 2), "fewer than 4 texts"),
        (difference_power(0.9, -0.9, 0.9, 50), "cannot correlate like this"),
    ],
)
def test_too_few_texts_have_no_power(found, words):
    assert found.value is None and words in found.reason


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sample_size(1), "correlation"),
        (lambda: power(-1.5, 20), "correlation"),
        (lambda: sample_size(0.3, power=1), "between 0 and 1"),
        (lambda: power(0.3, 20, alpha=0), "between 0 and 1"),
        (lambda: detectable(20, power=0.01), "above alpha"),
    ],
)
def test_impossible_questions_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


unit = st.floats(-0.999, 0.999)


@settings(max_examples=100, deadline=None)
@given(unit, unit, unit, st.integers(0, 10**6))
def test_any_question_gives_a_number_or_a_reason(r12, r13, r23, n):
    for found in (power(r12, n), detectable(n), difference_power(r12, r13, r23, n)):
        assert (found.value is None) == (found.reason is not None)
        assert found.value is None or 0 <= found.value <= 1
    for needed in (sample_size(r12), difference_sample_size(r12, r13, r23)):
        assert (needed.n is None) == (needed.reason is not None)
        assert needed.n is None or needed.n >= 4


def test_the_examples_in_the_text_hold():
    assert doctest.testmod(module).failed == 0
