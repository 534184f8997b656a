"""Matrices with an arrow's shape against the same written out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from scoring.stats.severity import _arrow


def crews() -> np.ndarray:
    """Which of 60 raters rated each of 40 texts: pages of one, two or four texts."""
    rng, rows = np.random.default_rng(3), []
    for size, times in ((3, 4), (2, 1), (4, 2), (3, 1), (3, 2)) * 4:
        rows += [rng.choice(60, size, replace=False)] * times
    return np.array([np.isin(np.arange(60), row) for row in rows])


def scattered(share: float) -> np.ndarray:
    return np.random.default_rng(5).random((40, 60)) < share


def two_apart() -> np.ndarray:
    there = np.zeros((40, 60), bool)
    there[:20, :4] = there[20:, 4:8] = True
    return there


def groups(there: np.ndarray) -> list[np.ndarray]:
    n, of = sparse.csgraph.connected_components(there.T.astype(int) @ there)
    return [np.flatnonzero(of == k) for k in range(n)]


@pytest.mark.parametrize(
    "there", [crews(), scattered(0.02), scattered(0.5), two_apart()]
)
def test_it_gives_what_the_whole_matrix_gives(there):
    rng = np.random.default_rng(1)
    c = np.where(there, rng.random(there.shape), 0)
    d, e = 8 + rng.random(40), np.diag(30 + rng.random(60))
    whole = np.block([[np.diag(d), c], [c.T, e]])
    found = _arrow.arrow(d, sparse.csr_array(c), e, groups(there))
    inverse, right = np.linalg.inv(whole), rng.random(100)
    assert found.log_determinant == pytest.approx(np.linalg.slogdet(whole)[1])
    assert found.solve(right) == pytest.approx(inverse @ right)
    parts = _arrow.entries(found)
    assert parts.text == pytest.approx(np.diagonal(inverse)[:40])
    assert parts.cells == pytest.approx(inverse[:40, 40:][there])
    assert parts.raters == pytest.approx(inverse[40:, 40:])


@pytest.mark.parametrize("off", [5.0, np.inf, np.nan])
def test_a_matrix_that_is_not_positive_is_refused(off):
    c = sparse.csr_array(np.full((1, 1), off))
    with pytest.raises(np.linalg.LinAlgError):
        _arrow.arrow(np.ones(1), c, np.ones((1, 1)), [np.array([0])])
