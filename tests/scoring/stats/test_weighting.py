from __future__ import annotations

import json

import numpy as np
import pytest

from scoring.stats.weighting import WAYS, combined
from tests.support import shared

NAN, INF = np.nan, np.inf
# scores, weights, and what comes of them: weighted, mean, largest, smallest
CASES = {
    "one evaluator": ([0.4], [2], [0.4, 0.4, 0.4, 0.4]),
    "two": ([0.2, 0.8], [3, 1], [0.35, 0.5, 0.8, 0.2]),
    "a gap": ([0.2, NAN, 0.8], [3, 9, 1], [0.35, 0.5, 0.8, 0.2]),
    "no evaluator": ([NAN, NAN], [1, 1], [NAN, NAN, NAN, NAN]),
    "all weights 0": ([1, 2], [0, 0], [1.5, 1.5, 2, 1]),
    "a weight not known": ([1, 2], [NAN, 1], [2, 1.5, 2, 1]),
    "infinite without weight": ([-INF, 2], [0, 1], [2, -INF, 2, -INF]),
}


@pytest.mark.parametrize("case", CASES)
def test_each_way_combines_as_defined(case):
    s, w, expected = CASES[case]
    found = [combined(np.array([s]), np.array([w], float), way)[0] for way in WAYS]
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("way", WAYS)
def test_texts_do_not_mix_and_none_is_no_error(way):
    s = np.array([[0.1, 0.4], [NAN, 0.9]])
    w = np.array([[1.0, 1.0], [1.0, 1.0]])
    alone = [combined(s[[k]], w[[k]], way)[0] for k in range(2)]
    np.testing.assert_allclose(combined(s, w, way), alone)
    assert combined(s[:0], w[:0], way).shape == (0,)
    assert np.isnan(combined(s[:, :0], w[:, :0], way)).all()


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="expected one of weighted, mean, max, min"):
        combined(np.ones((1, 2)), np.ones((1, 2)), "median")
    with pytest.raises(ValueError, match=r"expected weights of shape \(1, 2\)"):
        combined(np.ones((1, 2)), np.ones(2), "mean")


@pytest.mark.parametrize("aspect", ["coh", "cons"])
def test_the_weighted_sum_is_the_score_of_the_released_code(aspect):
    file = shared.path(f"golden/ctrleval/ctrleval_senti_{aspect}_intermediate20.json")
    for text in json.loads(file.read_text()):
        s, w = (
            np.array([[one[key] for one in text["evaluators"]]])
            for key in ("score", "beta")
        )
        assert combined(s, w, "weighted")[0] == pytest.approx(text["score"], abs=1e-6)
