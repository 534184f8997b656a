"""Divergences of given histograms, against the released implementation."""

import json

import numpy as np
import pytest

from scoring.metrics import _divergences as divergences
from tests import shared


def golden():
    path = shared.path("golden/mauve/mauve_hist_golden.json")
    return json.loads(path.read_text())


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
