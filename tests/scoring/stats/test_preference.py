import csv
import doctest
import json
import re
from pathlib import Path

import choix
import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats
from statsmodels.stats.proportion import proportions_ztest

from scoring.stats import _davidson, jackknife, preference, votes
from scoring.stats.preference import bradley_terry, check, fit
from scoring.stats.votes import read, tally
from tests.support import shared

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "preferences.json"
NAN = float("nan")


def rng():
    return np.random.default_rng(3)


def table(n, **cells):
    """`table(3, w01=2, t12=1)`: 0 beat 1 twice, and 1 and 2 tied once."""
    wins, ties = np.zeros((n, n)), np.zeros((n, n))
    for name, number in cells.items():
        i, j = int(name[1]), int(name[2])
        if name[0] == "w":
            wins[i, j] = number
        else:
            ties[i, j] = ties[j, i] = number
    return wins, ties


def listed(wins, ties):
    """Votes that a table counts: first, second and outcome."""
    rows = [(i, j, 1) for i, j in np.argwhere(wins > 0) for _ in range(int(wins[i, j]))]
    tied = np.triu(ties)
    rows += [
        (i, j, 0) for i, j in np.argwhere(tied > 0) for _ in range(int(tied[i, j]))
    ]
    return (np.array(column) for column in zip(*rows, strict=True))


def simulated(strengths, n_votes, nu, generator):
    theta = np.asarray(strengths, float)
    n = len(theta)
    first = generator.integers(0, n, n_votes)
    second = (first + generator.integers(1, n, n_votes)) % n
    d = theta[first] - theta[second]
    odds = np.stack([np.full(n_votes, nu), np.exp(d / 2), np.exp(-d / 2)])
    share = np.cumsum(odds / odds.sum(axis=0), axis=0)
    return first, second, (generator.random(n_votes) > share[:2]).sum(axis=0)


def golden():
    return json.loads(GOLDEN.read_text())


def test_votes_are_counted_from_the_side_of_the_winner():
    wins, ties = tally(read([0, 0, 1, 2], [1, 1, 0, 0], [1, 2, 2, 0], 3))
    assert wins.tolist() == [[0, 2, 0], [1, 0, 0], [0, 0, 0]]
    assert ties.tolist() == [[0, 0, 1], [0, 0, 0], [1, 0, 0]]


def test_a_vote_without_an_outcome_is_left_out():
    cast = read([0, 1], [1, 0], [NAN, 1], 2, unit=np.array(["a", "b"]))
    assert cast.unit.tolist() == ["b"] and tally(cast)[0].sum() == 1


@pytest.mark.parametrize(
    ("first", "second", "outcome", "words"),
    [
        ([0], [0], [1], "itself"),
        ([0], [2], [1], "items: expected 0 to 1"),
        ([-1], [1], [1], "items: expected 0 to 1"),
        ([0], [1], [3], "outcome"),
        ([0, 1], [1], [1], "one length"),
    ],
)
def test_votes_that_cannot_be_are_refused(first, second, outcome, words):
    with pytest.raises(ValueError, match=words):
        read(first, second, outcome, 2)


def test_two_items_are_as_far_apart_as_the_log_of_their_odds():
    found = fit(*table(2, w01=30, w10=10))
    assert found.values == pytest.approx((np.log(3) / 2, -np.log(3) / 2))
    assert found.nu == 0 and found.components == ((0, 1),)


def test_two_items_with_ties_are_fitted_exactly():
    # P(0) / P(1) = e^d = 4, P(tie) / sqrt(P(0) P(1)) = nu = 6 / sqrt(8 * 2)
    found = fit(*table(2, w01=8, w10=2, t01=6))
    assert np.diff(found.values)[0] == pytest.approx(-np.log(4))
    assert found.nu == pytest.approx(1.5)


def test_it_equals_evalica():
    data = golden()
    wins, ties = tally(read(data["first"], data["second"], data["outcome"], 6))
    found = fit(wins, ties)
    assert found.values == pytest.approx(data["davidson"], abs=1e-10)
    assert found.nu == pytest.approx(data["nu"], abs=1e-10)
    assert fit(wins, 0 * ties).values == pytest.approx(data["decided_only"], abs=1e-10)
    halved = fit(wins, ties, ties_as="half")
    assert halved.values == pytest.approx(data["half"], abs=1e-10)
    assert halved.nu is None


def test_votes_that_stop_one_library_after_its_first_step_are_fitted_to_the_end():
    """An update in place makes crowd-kit see no change: 600 unbalanced votes show it.

    At the maximum each item has as many wins as the strengths expect.
    """
    data = golden()
    wins, ties = tally(read(data["first"], data["second"], data["outcome"], 6))
    theta = np.array(fit(wins, 0 * ties).values)
    chance = 1 / (1 + np.exp(theta[np.newaxis] - theta[:, np.newaxis]))
    expected = ((wins + wins.T) * chance).sum(axis=1)
    assert expected == pytest.approx(wins.sum(axis=1), abs=1e-8)


def test_it_equals_choix():
    first, second, outcome = simulated([1, 0.5, 0, -0.5, -1], 400, 0, rng())
    pairs = [
        (a, b) if won == 1 else (b, a)
        for a, b, won in zip(first, second, outcome, strict=True)
    ]
    expected = choix.opt_pairwise(5, pairs, tol=1e-12)
    found = fit(*tally(read(first, second, outcome, 5)))
    assert found.values == pytest.approx(expected - expected.mean(), abs=1e-6)


def test_nothing_is_more_likely():
    wins, ties = table(3, w01=4, w12=3, w20=2, w21=1, t01=2, t12=5)

    def against(point):
        theta, log_nu = np.append(point[:2], -point[:2].sum()), point[2]
        d = theta[:, np.newaxis] - theta
        log_z = np.log(np.exp(d / 2) + np.exp(-d / 2) + np.exp(log_nu))
        return -(wins * (d / 2 - log_z)).sum() - (ties * (log_nu - log_z)).sum() / 2

    best = optimize.minimize(against, np.zeros(3), tol=1e-12)
    found = fit(wins, ties)
    assert found.values[:2] == pytest.approx(best.x[:2], abs=1e-5)
    assert found.nu == pytest.approx(np.exp(best.x[2]), abs=1e-5)


def test_an_unbeaten_item_has_no_strength_and_the_others_keep_theirs():
    wins, ties = table(4, w01=3, w02=2, w12=2, w21=1, w23=1, w31=1)
    found = fit(wins, ties)
    assert found.values[0] is None and "only wins" in found.reasons[0]
    alone = fit(wins[1:, 1:], ties[1:, 1:])
    assert found.values[1:] == pytest.approx(alone.values)
    assert found.components == ((0,), (1, 2, 3))


def test_groups_that_never_meet_have_a_scale_each():
    found = fit(*table(5, w01=2, w10=1, w23=1, w32=3))
    assert sorted(found.components) == [(0, 1), (2, 3)]
    assert found.values[:2] == pytest.approx((np.log(2) / 2, -np.log(2) / 2))
    assert found.values[2:4] == pytest.approx((-np.log(3) / 2, np.log(3) / 2))
    assert found.values[4] is None and found.reasons[4] == "no votes"
    assert found.left_out == (4,)


def test_a_group_that_beats_another_comes_first():
    found = fit(*table(4, w01=1, w10=1, w23=1, w32=1, w20=5))
    assert found.components == ((2, 3), (0, 1))


@pytest.mark.parametrize(
    ("cells", "exists"),
    [
        ({"w01": 3, "t01": 1}, False),  # nu and the difference grow together
        ({"t01": 2, "t12": 2}, False),  # all ties
        ({"w01": 1, "w10": 1, "t01": 9}, True),
        ({"w01": 1, "w12": 1, "t02": 1}, True),  # a circle: two wins, one tie
        ({"w01": 1, "t12": 1, "t02": 1}, False),  # a circle: one win, two ties
        ({"w01": 1, "w12": 1, "w20": 1, "t01": 4}, True),
    ],
)
def test_ties_need_a_circle_with_more_wins_than_ties(cells, exists):
    found = fit(*table(3, **cells))
    assert (found.values[0] is not None) == exists
    assert exists or "ties and differences" in found.reasons[0]


def test_without_a_tie_rate_the_likelihood_rises_for_ever():
    """1 win and 1 tie: it nears log 1/4 and never gets there."""
    rising = []
    for d in (1, 5, 20):
        nu = np.exp(d / 2)
        z = np.exp(d / 2) + np.exp(-d / 2) + nu
        rising.append(d / 2 + np.log(nu) - 2 * np.log(z))
    assert rising == sorted(rising) and rising[-1] < 2 * np.log(0.5) + 1e-8


def test_ties_as_half_wins_need_no_tie_rate():
    found = fit(*table(2, w01=3, t01=2), ties_as="half")
    assert np.diff(found.values)[0] == pytest.approx(-np.log(4))


def test_a_ridge_makes_strengths_finite_but_joins_no_strangers():
    wins, ties = table(4, w01=3, w23=1)
    found = fit(wins, ties, ridge=0.5)
    assert np.diff(found.values[:2])[0] == pytest.approx(-np.log(3.5 / 0.5))
    assert sorted(found.components) == [(0, 1), (2, 3)]
    assert found.regularised and not fit(wins, ties).regularised


def test_wrong_settings_are_named():
    with pytest.raises(ValueError, match="davidson, half"):
        fit(*table(2, w01=1), ties_as="rao")
    with pytest.raises(ValueError, match="ridge"):
        fit(*table(2, w01=1), ridge=-1)


def test_far_apart_items_are_fitted_too():
    found = fit(*table(2, w01=10**7, w10=1))
    assert np.diff(found.values)[0] == pytest.approx(-np.log(10**7))


def test_many_tables_at_once_are_fitted_as_each_alone():
    generator = rng()
    wins = generator.integers(0, 4, (60, 4, 4)).astype(float)
    ties = generator.integers(0, 2, (60, 4, 4)).astype(float)
    ties = np.triu(ties, 1) + np.triu(ties, 1).swapaxes(1, 2)
    wins[:, range(4), range(4)] = 0
    same = _davidson.components(wins, ties)
    theta, nu = _davidson.solve(wins, ties, same)
    for b in range(60):
        found = fit(wins[b], ties[b])
        values = [NAN if value is None else value for value in found.values]
        known = ~np.isnan(values)
        assert theta[b][known] == pytest.approx(np.array(values)[known], abs=1e-8)


def test_the_order_of_votes_and_of_sides_changes_nothing():
    first, second, outcome = simulated([1, 0, -1], 80, 0.5, rng())
    order = rng().permutation(80)
    turned = np.array([0, 2, 1])[outcome]
    expected = fit(*tally(read(first, second, outcome, 3))).values
    for again in (
        (first[order], second[order], outcome[order]),
        (second, first, turned),
    ):
        assert fit(*tally(read(*again, 3))).values == pytest.approx(expected)


def test_intervals_hold_the_value_and_shrink_with_more_votes():
    few, many = (
        bradley_terry(*simulated([0.8, 0, -0.8], n, 0.5, rng()), 3) for n in (150, 1500)
    )
    for found in (few, many):
        assert all(one.low < one.value < one.high for one in found.strengths)
    for a, b in zip(few.strengths, many.strengths, strict=True):
        assert b.high - b.low < (a.high - a.low) / 2
    assert many.ranks == ((1, 1), (2, 2), (3, 3))


def test_an_interval_of_two_items_is_that_of_their_log_odds():
    first, second, outcome = listed(*table(2, w01=120, w10=80))
    found = bradley_terry(first, second, outcome, 2)
    # d = 2 theta, of standard error sqrt(1/120 + 1/80)
    half = 1.96 * (1 / 120 + 1 / 80) ** 0.5 / 2
    assert found.strengths[0].high - found.strengths[0].value == pytest.approx(
        half, rel=0.1
    )


def test_votes_of_one_unit_are_drawn_together():
    first, second, outcome = simulated([0.3, -0.3], 60, 0, rng())
    votes_of = [np.repeat(column, 5) for column in (first, second, outcome)]
    alone = bradley_terry(*votes_of, 2).strengths[0]
    together = bradley_terry(*votes_of, 2, unit=np.repeat(np.arange(60), 5)).strengths[
        0
    ]
    assert together.high - together.low > 1.8 * (alone.high - alone.low)


def test_the_elo_scale_has_its_mean_at_1000_and_400_points_for_odds_of_ten():
    first, second, outcome = listed(*table(2, w01=100, w10=10))
    found = bradley_terry(first, second, outcome, 2)
    assert [one.value for one in found.elo] == pytest.approx([1200, 800])
    assert found.elo[0].low < 1200 < found.elo[0].high


def test_an_item_that_lost_one_vote_has_a_value_but_no_interval():
    """Without that vote nothing says how strong it is."""
    cells = {"w01": 9, "w10": 1, "w12": 20, "w21": 15, "w20": 0, "w02": 9}
    found = bradley_terry(*listed(*table(3, **cells)), 3)
    best, other = found.strengths[:2]
    assert best.value is not None and best.low is None
    assert best.reason == jackknife.ONE_UNIT and found.ranks[0] is None
    assert found.n_undefined == (1, 0, 0)
    assert other.low < other.value < other.high


def test_the_interval_is_that_of_a_logistic_regression_clustered_by_prompt():
    """Without ties: statsmodels' sandwich of the same model, with t of 19 degrees."""
    first, second, outcome = simulated([0.6, 0, -0.6], 240, 0, rng())
    unit = np.arange(240) // 12
    found = bradley_terry(first, second, outcome, 3, unit=unit)
    rows = np.eye(3)[first] - np.eye(3)[second]
    design = rows[:, :2] - rows[:, [2]]  # strengths add up to 0
    made = sm.GLM(outcome == 1, design, family=sm.families.Binomial()).fit(
        cov_type="cluster",
        cov_kwds={"groups": unit, "use_correction": False},
        use_t=True,
    )
    se = made.bse[0] * (20 / 19) ** 0.5
    half = stats.t.isf(0.025, 19) * se
    one = found.strengths[0]
    assert one.value == pytest.approx(made.params[0])
    assert one.high - one.value == pytest.approx(half, rel=1e-6)


def test_influences_of_all_votes_add_up_to_nothing():
    first, second, outcome = simulated([0.6, 0, -0.6], 240, 0.4, rng())
    cast = read(first, second, outcome, 3, np.arange(240) // 20)
    moved = preference._moved(cast, fit(*tally(cast)), preference.Model())
    assert moved.deviation.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-9)
    without = [
        fit(*tally(read(*(c[cast.unit != u] for c in (first, second, outcome)), 3)))
        for u in range(12)
    ]
    value = np.array([one.values for one in without])
    by_hand = np.array(fit(*tally(cast)).values) - value
    np.testing.assert_allclose(moved.deviation, by_hand, atol=0.06)


def test_few_units_give_values_without_intervals():
    first, second, outcome = listed(*table(2, w01=3, w10=2))
    found = bradley_terry(first, second, outcome, 2, unit=np.zeros(5))
    assert found.strengths[0].low is None
    assert found.strengths[0].reason == jackknife.FEW_UNITS


def test_no_votes_at_all_are_said_to_be_none():
    none = np.zeros(0, int)
    found = bradley_terry(none, none, none, 3)
    assert found.fitted.left_out == (0, 1, 2)
    assert [one.reason for one in found.strengths] == ["no votes"] * 3
    assert found.position.share.reason == "no vote is decided"
    assert found.fit.chi2 is None and found.fit.reason


def test_position_bias_is_the_share_that_the_first_text_wins():
    first, second = np.tile([0, 1], 50), np.tile([1, 0], 50)
    outcome = np.repeat([1, 2, 0], [60, 20, 20])
    found = bradley_terry(first, second, outcome, 2).position
    assert found.share.value == 0.75 and found.share.n == 80
    assert 0.5 < found.share.low < 0.75 < found.share.high
    assert found.p == pytest.approx(proportions_ztest(60, 80, 0.5, prop_var=0.5)[1])


def test_the_fit_check_is_pearsons_of_the_expected_votes():
    wins, ties = table(3, w01=30, w10=20, w12=30, w21=20, w20=30, w02=20)
    found = check(wins, ties, fit(wins, ties))
    # strengths are equal: 25 expected in each of six cells
    assert found.chi2 == pytest.approx(6 * 5**2 / 25) and found.df == 1
    assert found.p == pytest.approx(stats.chi2.sf(6, 1))
    assert found.smallest == pytest.approx(25)


def test_the_fit_check_of_votes_from_the_model_is_even():
    generator = rng()
    p = [
        check(*tables, fit(*tables)).p
        for tables in (
            tally(read(*simulated([0.5, 0.2, 0, -0.7], 900, 0.6, generator), 4))
            for _ in range(150)
        )
    ]
    assert stats.kstest(p, "uniform").pvalue > 0.01


def test_rock_paper_scissors_do_not_fit():
    wins, ties = table(3, w01=40, w10=10, w12=40, w21=10, w20=40, w02=10)
    assert check(wins, ties, fit(wins, ties)).p < 1e-6


@pytest.mark.parametrize(
    ("options", "words"),
    [({"ridge": 0.5}, "without shrinkage"), ({"ties_as": "half"}, "ties as half wins")],
)
def test_the_fit_check_is_for_most_likely_strengths_only(options, words):
    wins, ties = table(3, w01=4, w10=2, w12=3, w21=2, w20=2, t01=1)
    found = check(
        wins,
        ties,
        fit(wins, ties, **options),
        ties_as=options.get("ties_as", "davidson"),
    )
    assert found.chi2 is None and words in found.reason


def test_two_items_leave_nothing_to_check():
    wins, ties = table(2, w01=4, w10=2, t01=1)
    assert check(wins, ties, fit(wins, ties)).chi2 is None


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(1, 3), st.integers(0, 2)), max_size=25
    ),
    st.sampled_from(["davidson", "half"]),
    st.sampled_from([0.0, 0.5]),
)
def test_any_votes_give_numbers_or_reasons(cast, ties_as, ridge):
    first = np.array([a for a, _, _ in cast], int)
    second = np.array([(a + b) % 4 for a, b, _ in cast], int)
    outcome = np.array([o for _, _, o in cast], int)
    found = bradley_terry(first, second, outcome, 4, ties_as=ties_as, ridge=ridge)
    for one in (*found.strengths, *found.elo, found.position.share):
        numbers = [x for x in one.numbers if x is not None]
        assert np.isfinite(numbers).all()
        assert (one.low is None) == (one.reason is not None)
    listed_items = sorted(i for group in found.fitted.components for i in group)
    assert sorted(listed_items + list(found.fitted.left_out)) == [0, 1, 2, 3]
    for group in found.fitted.components:
        values = [found.fitted.values[i] for i in group]
        if None not in values:
            assert sum(values) == pytest.approx(0, abs=1e-8)
    if ridge and (ties_as == "half" or not found.ties.any()):
        assert all(v is not None or r == "no votes" for v, r in _pairs(found.fitted))


def _pairs(fitted):
    return zip(fitted.values, fitted.reasons, strict=True)


def test_the_votes_of_rankgen_are_read_and_fitted():
    """Beam search against nucleus sampling after reranking: 609 votes, no ties."""
    folder = shared.path("data/rankgen")
    rows = []
    for name in ("gpt2_medium.csv", "t5_xxl_c4.csv"):
        with (folder / name).open() as file:
            rows += list(csv.DictReader(file))
    names = ["beam", "nucleus"]
    order = [row["Input.Order"].split(",") for row in rows]
    answer = [
        re.match(r"\s*text ([12])", row["Answer.utterance"], re.I) for row in rows
    ]
    found = bradley_terry(
        np.array([names.index(a) for a, _ in order]),
        np.array([names.index(b) for _, b in order]),
        np.array([int(match[1]) for match in answer]),
        2,
        unit=np.array([row["Input.Prefix"] for row in rows]),
    )
    assert found.wins.sum() == 609 and found.ties.sum() == 0
    won, lost = found.wins[0, 1], found.wins[1, 0]
    assert found.strengths[0].value == pytest.approx(np.log(won / lost) / 2)
    assert found.strengths[0].low < found.strengths[0].value < found.strengths[0].high
    assert found.position.share.n == 609


def test_no_items_have_no_strengths():
    found = bradley_terry([], [], [], 0)
    assert (found.strengths, found.fitted.components) == ((), ())
    assert found.wins.shape == (0, 0)


def test_the_examples_in_the_text_hold():
    assert doctest.testmod(preference).failed == doctest.testmod(votes).failed == 0
