"""Divergences of given features, labels and histograms, against released numbers."""

import json

import numpy as np
import pytest

from scoring.metrics._distributions import clusters, divergences
from tests.support import shared


def golden():
    path = shared.path("golden/mauve/mauve_hist_golden.json")
    return json.loads(path.read_text())


def arrays(name):
    return np.load(shared.path(f"golden/mauve/{name}.npz"))


def released():
    return json.loads(shared.path("golden/mauve/mauve_golden.json").read_text())


def test_mauve_and_the_frontier_integral_are_those_of_the_released_code():
    for one in golden():
        p, q = np.array(one["p"]), np.array(one["q"])
        points = divergences.curve(p, q, scale=one["c"], weights=one["n"])
        same = np.array_equal(p, q)  # where the released code loses to a tie
        expected = 1.0 if same else one["mauve"]
        assert divergences.area(points) == pytest.approx(expected, abs=1e-9)
        found = divergences.frontier_integral(p, q)
        assert found == pytest.approx(one["frontier_integral"], abs=1e-9)
        assert divergences.kl(p, q) == pytest.approx(one["kl_pq"], abs=1e-9)
        assert divergences.kl(q, p) == pytest.approx(one["kl_qp"], abs=1e-9)


def test_smoothing_gives_an_empty_cluster_its_share():
    labels = np.array([0, 0, 2])
    assert divergences.histogram(labels, 3).tolist() == [2 / 3, 0, 1 / 3]
    laplace = divergences.histogram(labels, 3, smoothing=1)
    assert laplace == pytest.approx([3 / 6, 1 / 6, 2 / 6])


def test_a_divergence_of_disjoint_distributions_is_as_large_as_it_gets():
    p, q = np.array([1.0, 0]), np.array([0, 1.0])
    assert divergences.kl(p, q) == float("inf")
    assert divergences.jensen_shannon(p, q) == pytest.approx(np.log(2))
    assert divergences.frontier_integral(p, q) == pytest.approx(1)


def test_weights_say_how_often_a_text_is_there():
    labels, weights = np.array([0, 2, 2]), np.array([2, 1, 0])
    found = divergences.histogram(labels, 3, weights=weights)
    assert found.tolist() == [2 / 3, 0, 1 / 3]


def test_from_labels_on_all_is_as_released():
    """Shares, curves, MAUVE, MAUVE* and frontier integrals, from released labels."""
    given, outputs = released()["results"], arrays("mauve_outputs")
    assert len(given) == 18
    for one in given:
        name, k = f"{one['pair']}_{one['num_buckets']}", one["actual_buckets"]
        labels = [outputs[f"{name}_{side}_labels"] for side in "pq"]
        p, q = (divergences.histogram(both, k) for both in labels)
        assert p == pytest.approx(outputs[f"{name}_p_hist"], abs=1e-9)
        assert q == pytest.approx(outputs[f"{name}_q_hist"], abs=1e-9)
        points = divergences.curve(p, q, scale=one["scaling"])
        curve = outputs[f"{name}_c{one['scaling']}_curve"]  # q first there
        assert points == pytest.approx(curve[:, ::-1], abs=1e-9)
        kt = [divergences.histogram(both, k, smoothing=0.5) for both in labels]
        smooth = divergences.curve(*kt, scale=one["scaling"])
        found = {
            "mauve": divergences.area(points),
            "mauve_star": divergences.area(smooth),
            "frontier_integral": divergences.frontier_integral(p, q),
            "frontier_integral_star": divergences.frontier_integral(*kt),
        }
        assert found == pytest.approx({key: one[key] for key in found}, abs=1e-9)


def test_axes_are_those_of_the_released_code():
    features = arrays("mauve_inputs")
    rows = clusters.unit(np.concatenate([features["q"], features["p"]]))
    mean, axes = clusters.reduce(rows)
    expected = arrays("mauve_outputs")["pq_pca_projected_q_then_p"]
    # An axis may point either way.
    assert np.abs((rows - mean) @ axes.T) == pytest.approx(np.abs(expected), abs=1e-4)


def test_from_features_on_numbers_are_within_the_spread_of_released_ones():
    """K-means begins elsewhere there; four of its seeds are known."""
    features = arrays("mauve_inputs")
    rows = np.concatenate([features["p"], features["q"]])
    found = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        labels = clusters.learn(rows, 50, rng=rng, normalise=True).labels
        pair = []
        for smoothing in (0, 0.5):
            p, q = (
                divergences.histogram(half, 50, smoothing=smoothing)
                for half in (labels[:500], labels[500:])
            )
            pair.append(divergences.area(divergences.curve(p, q, scale=5)))
        found.append(pair)
    known = np.array(released()["seed_sensitivity"])[:, 1:]
    middle = np.mean(found, axis=0)
    assert (known.min(axis=0) < middle).all() and (middle < known.max(axis=0)).all()


def test_many_pairs_at_once_have_the_numbers_of_each():
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 4, (2, 6, 5)) + np.eye(6, 5, dtype=int)
    p, q = (divergences.shares(side, smoothing=0.5) for side in counts)
    curves = divergences.curve(p, q, scale=5)
    for k in range(6):
        curve = divergences.curve(p[k], q[k], scale=5)
        assert curves[k] == pytest.approx(curve)
        assert divergences.area(curves)[k] == pytest.approx(divergences.area(curve))
        for name in ("kl", "jensen_shannon", "frontier_integral"):
            number = getattr(divergences, name)
            assert number(p, q)[k] == pytest.approx(number(p[k], q[k]))
