import doctest
import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.stats import pairs
from scoring.stats.counts import Draws, draw, draw_both
from scoring.stats.pairs import (
    accuracy_replicates,
    cross_fitted,
    tie_calibrated,
)

GOLDEN = Path(__file__).parents[2] / "golden" / "metric_comparison.json"
NAN = float("nan")


def rng(seed=0):
    return np.random.default_rng(seed)


def flat(matrix):
    return np.array(matrix, np.float64).ravel()  # null becomes NaN


def by_hand(metric, human, groups, epsilon, texts=None):
    """Accuracy at one threshold, pair by pair; copies of one text make no pair."""
    shares = []
    for group in set(groups):
        rows = [
            i
            for i in np.flatnonzero(np.array(groups) == group)
            if not np.isnan(metric[i] + human[i])
        ]
        right = []
        for i, j in itertools.combinations(rows, 2):
            if texts is not None and texts[i] == texts[j]:
                continue
            d = metric[i] - metric[j]
            ours = 0 if abs(d) <= epsilon else np.sign(d)
            right.append(ours == np.sign(human[i] - human[j]))
        shares += [np.mean(right)] if right else []
    return np.mean(shares)


@pytest.mark.parametrize("case", range(6))
def test_it_calibrates_as_mt_metrics_eval_does(case):
    golden = json.loads(GOLDEN.read_text())["tie_calibrated"]["cases"][case]
    n_systems, n_items = np.shape(golden["metric"])
    items = np.tile(np.arange(n_items), n_systems)
    groups = items if golden["average_by"] == "item" else None
    found = tie_calibrated(flat(golden["metric"]), flat(golden["human"]), groups)
    assert found.accuracy == pytest.approx(golden["accuracy"], abs=1e-12)
    assert found.epsilon == pytest.approx(golden["epsilon"], abs=1e-9)


cells = st.tuples(
    st.sampled_from([0.0, 1, 2, 5, 9, NAN]),
    st.sampled_from([1.0, 2, 3, NAN]),
    st.integers(0, 2),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(cells, max_size=12))
def test_no_threshold_is_better_than_the_one_found(rows):
    metric, human, groups = np.array(rows).T if rows else np.zeros((3, 0))
    found = tie_calibrated(metric, human, groups)
    if found.accuracy is None:
        assert found.reason
        return
    known = metric[~np.isnan(metric)]
    candidates = {0.0, *np.abs(np.subtract.outer(known, known)).ravel()}
    tried = {e: by_hand(metric, human, groups, e) for e in candidates}
    assert found.accuracy == pytest.approx(max(tried.values()), abs=1e-12)
    best = [e for e, accuracy in tried.items() if accuracy > found.accuracy - 1e-9]
    assert found.epsilon == min(best)
    assert max(found.accuracy, found.constant_baseline) <= 1


@settings(max_examples=60, deadline=None)
@given(st.lists(cells, max_size=12), st.booleans())
def test_any_scores_give_an_accuracy_or_a_reason(rows, grouped):
    metric, human, groups = np.array(rows).T if rows else np.zeros((3, 0))
    groups = groups if grouped else None
    crossed = cross_fitted(metric, human, groups, rng=rng())
    assert (crossed.accuracy is None) == (crossed.reason is not None)
    assert crossed.accuracy is None or 0 <= crossed.accuracy <= 1
    made = draw(np.arange(len(metric)), rng=rng(), draws=5)
    found = accuracy_replicates(metric, human, made, groups, epsilon=1)
    assert (np.isnan(found) | ((found >= 0) & (found <= 1 + 1e-12))).all()


def test_equal_maxima_take_the_smallest_threshold():
    # people: all different. As it is, and with the nearest two tied, 2 of 3 are right.
    assert tie_calibrated([1, 2, 9], [2, 1, 3]).epsilon == 0


def test_a_threshold_ties_all_pairs_that_lie_equally_far():
    # 0.3 - 0.2 and 0.2 - 0.1 differ as floats
    found = tie_calibrated([0.1, 0.2, 0.3, 0.9], [1, 1, 1, 2])
    assert found.accuracy == 1
    assert found.epsilon == pytest.approx(0.2)


def test_the_unit_of_a_metric_changes_nothing_but_the_threshold():
    metric, human = rng().normal(size=40), rng(1).integers(1, 4, 40)
    plain = tie_calibrated(metric, human)
    for factor in (1e-9, 1e9):
        scaled = tie_calibrated(metric * factor, human)
        assert scaled.accuracy == plain.accuracy
        assert scaled.epsilon == pytest.approx(plain.epsilon * factor)


def test_human_means_that_differ_by_rounding_are_tied():
    assert 0.1 + 0.2 != 0.3
    found = tie_calibrated([1, 2, 3], [0.1 + 0.2, 0.3, 5])
    assert found.share_human_ties == pytest.approx(1 / 3)


def test_a_constant_metric_gets_the_share_of_human_ties():
    human, groups = rng().integers(1, 4, 60), np.repeat(np.arange(12), 5)
    found = tie_calibrated(np.ones(60), human, groups)
    assert found.accuracy == pytest.approx(found.constant_baseline)
    assert found.epsilon == 0


def test_random_metrics_are_right_half_the_time_and_as_often_as_calibration_gives():
    human = rng().permutation(200)
    found = tie_calibrated(human, human, rng=rng(3))
    assert found.accuracy == 1
    assert found.random_baseline == pytest.approx(0.5, abs=0.02)
    assert tie_calibrated(human, human).random_baseline is None


@pytest.mark.parametrize(
    ("metric", "human", "groups", "reason"),
    [
        ([], [], None, pairs.NO_PAIR),
        ([1.0], [1.0], None, pairs.NO_PAIR),
        ([1, 2, 3], [1, 2, 3], [1, 2, 3], pairs.NO_PAIR),
        ([1, NAN, 3], [NAN, 2, 3], None, pairs.NO_PAIR),
        ([1, 2, 3], [4, 4, 4], None, pairs.ALL_TIED),
        ([1, 2, 3, 4], [1, 1, 2, 2], [1, 1, 2, 2], pairs.ALL_TIED),
        ([1, np.inf], [1, 2], None, "metric scores: some are infinite"),
        ([1, 2], [1, np.inf], None, "human scores: some are infinite"),
    ],
)
def test_what_cannot_be_compared_has_a_reason(metric, human, groups, reason):
    calibrated = tie_calibrated(metric, human, groups)
    assert (calibrated.accuracy, calibrated.reason) == (None, reason)


def test_too_many_pairs_are_refused_before_they_fill_the_memory(monkeypatch):
    monkeypatch.setattr(pairs, "MAX_PAIRS", 5)
    found = tie_calibrated(np.arange(4.0), np.arange(4.0))
    assert found.reason == "6 pairs are too many: compare within groups"


def test_vectors_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match=r"\(2,\)"):
        tie_calibrated([1, 2], [1, 2, 3])


def test_accuracy_on_the_other_half_is_not_better_than_on_its_own():
    human = rng().integers(1, 4, 200)
    metric, groups = rng(1).normal(size=200), np.repeat(np.arange(50), 4)
    own = tie_calibrated(metric, human, groups).accuracy
    other = [
        cross_fitted(metric, human, groups, rng=rng(s)).accuracy for s in range(20)
    ]
    assert np.mean(other) < own


def test_halves_of_a_metric_that_is_right_are_right():
    human = np.arange(20.0)
    assert cross_fitted(human, human, rng=rng()).accuracy == 1


def test_a_half_without_a_pair_is_named():
    found = cross_fitted([1, 2, 3], [1, 2, 3], [1, 1, 2], rng=rng())
    assert found == (None, None, f"one half of the texts: {pairs.NO_PAIR}")


@pytest.mark.parametrize("grouped", [False, True])
def test_a_replicate_is_the_accuracy_of_the_sample_that_it_stands_for(grouped):
    metric = np.round(rng().normal(size=24), 1)
    human = rng(1).integers(1, 4, 24).astype(float)
    metric[3] = NAN
    groups = np.repeat(np.arange(6), 4) if grouped else np.zeros(24, int)
    made = draw(np.arange(24), rng=rng(2), draws=8)
    found = accuracy_replicates(metric, human, made, groups, epsilon=0.25)
    for counts, accuracy in zip(made.rows().astype(int), found, strict=True):
        rows = np.repeat(np.arange(24), counts)
        sample = by_hand(metric[rows], human[rows], groups[rows], 0.25, rows)
        assert accuracy == pytest.approx(sample, abs=1e-12)


def test_a_prompt_and_the_systems_within_it_can_be_drawn_at_once():
    metric, human = rng().normal(size=20), rng(1).integers(1, 4, 20)
    prompts, systems = np.repeat(np.arange(5), 4), np.tile(np.arange(4), 5)
    made = draw_both(prompts, systems, rng=rng(3), draws=8)
    found = accuracy_replicates(metric, human, made, prompts, epsilon=0.3)
    of_prompt, of_system = (c.astype(int) for c in made.counts)
    for b, accuracy in enumerate(found):
        shares = []
        for p in np.repeat(np.arange(5), of_prompt[b]):
            rows = np.repeat(np.flatnonzero(prompts == p), of_system[b])
            shares.append(by_hand(metric[rows], human[rows], [0] * 4, 0.3, rows))
        assert accuracy == pytest.approx(np.mean(shares), abs=1e-12)


@pytest.mark.parametrize("unit", ["prompts", "systems", "texts"])
def test_replicates_are_about_as_accurate_as_the_texts_themselves(unit):
    human = rng().integers(5, 26, (60, 5)) / 5
    metric = human + 2 * rng(1).normal(size=human.shape)
    prompts, systems = np.repeat(np.arange(60), 5), np.tile(np.arange(5), 60)
    units = {"prompts": prompts, "systems": systems, "texts": np.arange(300)}[unit]
    metric, human = metric.ravel(), human.ravel()
    found = tie_calibrated(metric, human, prompts)
    made = draw(units, rng=rng(2), draws=400)
    drawn = accuracy_replicates(metric, human, made, prompts, epsilon=found.epsilon)
    assert np.nanmean(drawn) == pytest.approx(found.accuracy, abs=0.01)


def test_a_prompt_that_is_drawn_twice_counts_twice():
    metric, human = rng().normal(size=20), rng(1).integers(1, 4, 20)
    prompts = np.repeat(np.arange(5), 4)
    made = draw(prompts, rng=rng(2), draws=6)
    found = accuracy_replicates(metric, human, made, prompts, epsilon=0.3)
    alone = np.array(
        [
            by_hand(metric[prompts == p], human[prompts == p], [0] * 4, 0.3)
            for p in range(5)
        ]
    )
    weights = made.counts[0].astype(float)
    assert found == pytest.approx(weights @ alone / weights.sum(axis=1))


def test_a_replicate_without_a_pair_is_undefined():
    made = Draws((np.array([[0, 0, 3], [1, 1, 1]], np.uint16),), (np.arange(3),))
    found = accuracy_replicates(
        [1, 2, 3], [1, 2, 3], made, np.array([1, 1, 2]), epsilon=0
    )
    assert np.isnan(found[0])
    assert found[1] == 1


def test_the_examples_in_the_text_hold():
    assert doctest.testmod(pairs).failed == 0
