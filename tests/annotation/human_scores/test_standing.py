from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import rankdata

from annotation import human_scores
from annotation.human_scores import Standing
from tests.support.scored import rate

MEANS = [[5, 5], [4, 5], [3, 3], [1, 2], [2, 2], [4, 4], [1, 1], [3, 3]]


def test_each_mean_with_how_many_texts_have_it(make_study):
    study = make_study(aspects=("coherence", "consistency"))
    rate(study, "coherence", MEANS)
    first, second = human_scores.standings(study)
    assert first == Standing(
        "coherence", [1.0, 1.5, 2.0, 3.0, 4.0, 4.5, 5.0], [1, 1, 1, 2, 1, 1, 1]
    )
    assert (second.values, second.of) == ([], 0)


def test_ranks_are_those_of_scipy():
    values = np.random.default_rng(3).integers(1, 30, 200) / 7
    each, n = np.unique(values, return_counts=True)
    standing = Standing("coherence", each.tolist(), n.tolist())
    for value, expected in zip(values.tolist(), rankdata(values), strict=True):
        less, equal, more = standing.around(value)
        assert less + (equal + 1) / 2 == expected
        assert less + equal + more == standing.of


@pytest.mark.parametrize(("value", "expected"), [(0, (0, 1, 3)), (2.5, (2, 1, 1))])
def test_a_text_rated_since_stands_between_the_others(value, expected):
    standing = Standing("coherence", [1.0, 2.0, 4.0], [1, 1, 1])
    assert standing.around(value) == expected
