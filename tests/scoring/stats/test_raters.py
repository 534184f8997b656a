import doctest
import json

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.stats import correlation, raters
from scoring.stats.agreement import LEVELS, alpha
from scoring.stats.correlation import COEFFICIENTS
from scoring.stats.raters import ceiling, leave_one_out, others_mean, spearman_brown
from tests.support import shared

NAN = np.nan


def rng(seed=1):
    return np.random.default_rng(seed)


def crowd(n_texts=40, n_raters=6, per_text=3, seed=0, noise=1.0):
    """Texts, raters and values of a study in which each text has three raters."""
    source = rng(seed)
    unit = np.repeat(np.arange(n_texts), per_text)
    rater = np.concatenate(
        [source.choice(n_raters, per_text, replace=False) for _ in range(n_texts)]
    )
    truth = source.normal(size=n_texts)
    value = 3 + truth[unit] + noise * source.normal(size=len(unit))
    return unit, rater, np.clip(np.round(value), 1, 5)


def counted(unit, value):
    values = np.unique(value)
    units = np.unique(unit)
    rows = [[(value[unit == u] == v).sum() for v in values] for u in units]
    return np.array(rows).reshape(len(units), len(values)), values


few_ratings = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(1, 4)),
    max_size=14,
    unique_by=lambda row: row[:2],
).map(lambda rows: np.array(rows, float).reshape(-1, 3).T)


def test_the_mean_of_the_others_leaves_the_own_rating_out():
    unit, rater, value = [1, 1, 1, 2, 2], [7, 8, 9, 7, 8], [1, 2, 6, 5, 3]
    assert others_mean(unit, rater, value).tolist() == [4, 3.5, 1.5, 3, 5]


def test_a_rating_without_another_has_no_mean_of_the_others():
    np.testing.assert_array_equal(others_mean([1, 2], [7, 7], [3, 4]), [NAN, NAN])


def test_missing_ratings_are_left_out():
    found = others_mean([1, 1, 1], [7, 8, 9], [1, NAN, 3])
    np.testing.assert_array_equal(found, [3, NAN, 1])


def test_of_two_ratings_by_one_rater_the_last_counts():
    found = others_mean([1, 1, 1], ["ann", "bob", "ann"], [1, 2, 5])
    np.testing.assert_array_equal(found, [NAN, 5, 2])


@pytest.mark.parametrize("level", LEVELS)
@settings(max_examples=60)
@given(few_ratings)
def test_the_change_of_alpha_is_that_of_computing_it_again(level, rows):
    unit, rater, value = rows
    found = leave_one_out(unit, rater, value, level=level)
    for one in found.raters:
        others = rater != one.rater
        rest = alpha(*counted(unit[others], value[others]), level).value
        if rest is None or found.alpha.value is None:
            assert one.alpha_change.value is None
            assert one.alpha_change.reason
        else:
            assert one.alpha_change.value == pytest.approx(
                rest - found.alpha.value, abs=1e-12
            )


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@settings(max_examples=30)
@given(few_ratings)
def test_the_correlation_is_that_with_the_mean_of_the_others(coefficient, rows):
    unit, rater, value = rows
    rest = others_mean(unit, rater, value)
    function = getattr(correlation, coefficient)
    for one in leave_one_out(unit, rater, value, coefficient=coefficient).raters:
        mine = rater == one.rater
        expected = function(value[mine], rest[mine], ("own ratings", "the others"))
        assert one.correlation[1:] == expected[1:]
        assert one.correlation.value == pytest.approx(expected.value, abs=1e-12)


@pytest.mark.parametrize("coefficient", ["spearman", "kendall"])
def test_ratings_in_tenths_have_the_ties_of_whole_ratings(coefficient):
    unit, rater, value = crowd(n_texts=60, per_text=4)
    for one, other in zip(
        leave_one_out(unit, rater, value / 10, coefficient=coefficient).raters,
        leave_one_out(unit, rater, value, coefficient=coefficient).raters,
        strict=True,
    ):
        assert one.correlation.value == pytest.approx(other.correlation.value)
    one, other = (
        ceiling(unit, rater, ratings, rng=rng(), coefficient=coefficient).one
        for ratings in (value / 10, value)
    )
    assert one.numbers == pytest.approx(other.numbers)


def test_bias_spread_and_modal_share_are_those_of_plain_loops():
    unit, rater, value = crowd()
    for one in leave_one_out(unit, rater, value).raters:
        mine = value[rater == one.rater]
        others = [
            value[(unit == u) & (rater != one.rater)] for u in unit[rater == one.rater]
        ]
        assert one.n == len(mine)
        assert one.bias.value == pytest.approx(
            np.mean([x - rest.mean() for x, rest in zip(mine, others, strict=True)])
        )
        assert one.sd_ratio.value == pytest.approx(
            mine.std(ddof=1) / np.concatenate(others).std(ddof=1)
        )
        assert one.modal_share == max((mine == x).mean() for x in mine)


def test_who_answers_at_random_drags_alpha_down():
    unit, rater, value = crowd(200, 6, 5, noise=0.5)
    careless = rater == 2
    value[careless] = rng().integers(1, 6, careless.sum())
    found = leave_one_out(unit, rater, value).raters
    changes = [one.alpha_change.value for one in found]
    assert np.argmax(changes) == 2
    assert changes[2] > 0.05 > max(np.delete(changes, 2))
    assert abs(found[2].correlation.value) < 0.2


def test_who_gives_one_answer_only_has_no_correlation():
    unit, rater, value = crowd()
    value[rater == 3] = 4
    one = leave_one_out(unit, rater, value).raters[3]
    assert one.correlation.reason == "own ratings: all the same"
    assert (one.modal_share, one.sd_ratio.value) == (1, 0)


def test_raters_keep_their_names():
    found = leave_one_out([1, 1, 2, 2], ["bob", "ann", "bob", "ann"], [1, 2, 3, 4])
    assert [one.rater for one in found.raters] == ["ann", "bob"]
    assert [one.bias.value for one in found.raters] == [1, -1]


def test_one_rater_alone_has_reasons():
    found = leave_one_out([1, 2, 3], [7, 7, 7], [1, 2, 3])
    (one,) = found.raters
    assert found.alpha.reason == "no text has two ratings"
    assert one.correlation.reason == "fewer than 3 pairs of scores"
    assert one.alpha_change == (None, "no text has two ratings")
    assert one.bias == one.sd_ratio == (None, "nobody else rated these texts")
    assert (one.n, one.correlation.n, one.modal_share) == (3, 0, pytest.approx(1 / 3))


def test_one_shared_text_has_a_bias_and_no_spread():
    one = leave_one_out([1, 1, 2], [7, 8, 7], [1, 2, 3]).raters[0]
    assert one.bias.value == -1
    assert one.sd_ratio == (None, "one text shared with others")


def test_ratings_that_are_all_the_same_have_reasons():
    found = leave_one_out([1, 1, 2, 2], [7, 8, 7, 8], [4, 4, 4, 4])
    assert found.alpha.reason == "all ratings are the same"
    for one in found.raters:
        assert one.alpha_change == (None, "all ratings are the same")
        assert one.sd_ratio.reason == (
            "the others' ratings of these texts are all the same"
        )
        assert one.bias.value == 0


def test_no_ratings_are_no_raters():
    found = leave_one_out([], [], [])
    assert found.raters == ()
    assert found.alpha.reason == "no text has two ratings"


@settings(max_examples=60)
@given(few_ratings, st.sampled_from(LEVELS), st.sampled_from(COEFFICIENTS))
def test_there_is_a_number_or_a_reason(rows, level, coefficient):
    for one in leave_one_out(*rows, level=level, coefficient=coefficient).raters:
        for figure in (one.correlation, one.alpha_change, one.bias, one.sd_ratio):
            assert (figure.value is None) == (figure.reason is not None)
            assert figure.value is None or np.isfinite(figure.value)


@pytest.mark.parametrize("anonymous", [False, True])
@settings(max_examples=30)
@given(rows=few_ratings, coefficient=st.sampled_from(COEFFICIENTS))
def test_a_ceiling_is_a_number_or_a_reason(anonymous, rows, coefficient):
    unit, rater, value = rows
    found = ceiling(
        unit,
        None if anonymous else rater,
        value,
        rng=rng(),
        coefficient=coefficient,
    )
    for made in (found.one, found.single, found.mean, found.attainable):
        assert (made.value is None or made.low is None) == (made.reason is not None)
        assert all(np.isfinite(x) for x in made.numbers if x is not None)


def test_the_ceiling_of_a_panel_is_the_mean_over_raters():
    unit, rater, value = crowd(30, 3, 3)
    each = [one.correlation for one in leave_one_out(unit, rater, value).raters]
    found = ceiling(unit, rater, value, rng=rng())
    assert found.one.value == pytest.approx(np.mean([r.value for r in each]))
    assert found.one.n == 30
    assert found.method.startswith("each rater")


def test_the_interval_of_a_ceiling_is_that_of_leaving_out_texts():
    unit, rater, value = crowd(60, 3, 3)
    table = np.empty((60, 3))
    table[unit, rater] = value

    def one_with_rest(rows):
        kept = table[rows]
        rest = (kept.sum(axis=1, keepdims=True) - kept) / 2
        each = [np.corrcoef(kept[:, j], rest[:, j])[0, 1] for j in range(3)]
        return np.mean(each)

    value_of_all = one_with_rest(np.arange(60))
    without = [one_with_rest(np.delete(np.arange(60), k)) for k in range(60)]
    z = np.arctanh(value_of_all)
    se = np.sqrt(59 / 60 * ((z - np.arctanh(without)) ** 2).sum())
    made = ceiling(unit, rater, value, rng=rng()).one
    t = scipy.stats.t.isf(0.025, 59)
    assert made.low == pytest.approx(np.tanh(z - t * se))
    assert made.high == pytest.approx(np.tanh(z + t * se))


def test_drawing_whole_prompts_widens_the_interval():
    unit, rater, value = crowd(30, 3, 3)
    copies = [
        np.concatenate([part + 30 * i * is_unit for i in range(5)])
        for part, is_unit in ((unit, 1), (rater, 0), (value, 0))
    ]
    alone = ceiling(*copies, rng=rng()).one
    whole = ceiling(*copies, rng=rng(), units=copies[0] % 30).one
    assert whole.high - whole.low > 1.5 * (alone.high - alone.low)


@pytest.mark.parametrize("per_text", [2, 5])
@pytest.mark.parametrize("known", [True, False])
def test_the_ceiling_finds_the_reliability_that_made_the_ratings(per_text, known):
    source = rng(7)
    truth = source.normal(size=4000)
    value = truth[:, np.newaxis] + source.normal(size=(4000, per_text))
    unit = np.repeat(np.arange(4000), per_text)
    rater = np.tile(np.arange(per_text), 4000) if known else None
    found = ceiling(unit, rater, value.ravel(), rng=rng())
    assert found.single.value == pytest.approx(0.5, abs=0.03)
    assert found.mean.value == pytest.approx(spearman_brown(0.5, per_text), abs=0.03)
    perfect = np.corrcoef(truth, value.mean(axis=1))[0, 1]
    assert found.attainable.value == pytest.approx(perfect, abs=0.02)


@pytest.mark.parametrize("known", [True, False])
def test_texts_with_many_raters_do_not_raise_the_ceiling(known):
    source = rng(8)
    m = source.choice([2, 2, 2, 8], 6000)
    truth = source.normal(size=6000)
    unit = np.repeat(np.arange(6000), m)
    value = truth[unit] + source.normal(size=len(unit))
    rater = np.concatenate([np.arange(k) for k in m]) if known else None
    found = ceiling(unit, rater, value, rng=rng())
    assert found.single.value == pytest.approx(0.5, abs=0.025)
    perfect = np.corrcoef(truth, np.bincount(unit, value) / m)[0, 1]
    assert found.attainable.value == pytest.approx(perfect, abs=0.015)


def test_a_crowd_is_compared_one_rating_at_a_time_from_a_seed():
    ratings = crowd(50, 30, 3)
    first, again, other = (ceiling(*ratings, rng=rng(seed)) for seed in (1, 1, 2))
    assert first.method.startswith("a rating drawn at random")
    assert first == again
    assert first.one.value != other.one.value
    assert first.one.value == pytest.approx(other.one.value, abs=0.05)


def test_unknown_raters_are_near_interval_alpha_on_mans():
    path = shared.path("data/openmeva_mans/mans_roc.json")
    stories = json.loads(path.read_text()).values()
    scores = [text["score"] for story in stories for text in story["gen"].values()]
    unit = np.repeat(np.arange(len(scores)), 5)
    found = ceiling(unit, None, np.ravel(scores), rng=rng(), units=unit // 5)
    assert found.raters == 5
    # Both are the share of variance that texts explain.
    assert found.single.value == pytest.approx(0.7706, abs=0.01)
    assert found.single.low < 0.7706 < found.single.high


def test_raters_who_oppose_each_other_have_no_reliability():
    found = ceiling([1, 1, 2, 2, 3, 3], [7, 8] * 3, [1, 3, 2, 2, 3, 1], rng=rng())
    assert found.one.value == pytest.approx(-1)
    assert found.single.value is None
    assert found.attainable.reason == "raters disagree more than by chance"


def test_two_texts_have_no_ceiling():
    found = ceiling([1, 1, 2, 2], [7, 8, 7, 8], [1, 2, 3, 4], rng=rng())
    assert (*found.one.numbers, found.one.reason) == (
        None,
        None,
        None,
        "fewer than 3 pairs of scores",
    )
    assert found.single.reason == found.one.reason


def test_kendalls_tau_has_no_reliability():
    found = ceiling(*crowd(), rng=rng(), coefficient="kendall")
    assert found.one.value > 0
    assert found.mean.reason == "not defined for Kendall's tau"


@pytest.mark.parametrize(
    ("r", "k", "expected"), [(0.5, 2, 2 / 3), (0.2, 5, 5 / 9), (0.6, 1, 0.6), (1, 9, 1)]
)
def test_spearman_brown(r, k, expected):
    assert spearman_brown(r, k) == pytest.approx(expected)
    assert spearman_brown(expected, 1 / k) == pytest.approx(r)


def test_what_does_not_fit_is_named():
    with pytest.raises(ValueError, match="pearson, spearman, kendall"):
        ceiling([1], [1], [1], rng=rng(), coefficient="cosine")
    with pytest.raises(ValueError, match="pearson, spearman, kendall"):
        leave_one_out([1], [1], [1], coefficient="cosine")
    with pytest.raises(ValueError, match=r"\(1,\), \(2,\), \(1,\)"):
        others_mean([1], [1, 2], [1])
    with pytest.raises(ValueError, match="got -0.1"):
        spearman_brown(-0.1, 2)


def test_the_examples_in_the_text_hold():
    assert doctest.testmod(raters) == (0, 2)
