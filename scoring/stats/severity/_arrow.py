"""Symmetric matrices with an arrow's shape: diagonal for texts, dense for raters.

    H = [[D, C], [C', E]]   D diagonal (T), C sparse (T, Q), E dense (Q, Q)

Raters are few beside texts, so the Schur complement S = E - C' D^-1 C is small: all
that is needed of the inverse of H comes from that of S.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy
from scipy import sparse

SLAB = 4_000_000  # numbers of a dense part that is made at once: 32 MB
# From this share of cells on, a dense product is the faster one.
DENSE = 0.1


class Arrow(NamedTuple):
    """H in parts, and what solves it."""

    d: np.ndarray  # (T,)
    c: sparse.csr_array  # (T, Q)
    factor: tuple[np.ndarray, bool]  # Cholesky's, of S

    @property
    def log_determinant(self) -> float:
        inner = 2 * np.log(np.diagonal(self.factor[0])).sum()
        return float(np.log(self.d).sum() + inner)

    def solve(self, right: np.ndarray) -> np.ndarray:
        """H^-1 right, for a vector (T + Q,)."""
        t = len(self.d)
        top, low = right[:t] / self.d, right[t:]
        below = scipy.linalg.cho_solve(self.factor, low - self.c.T @ top)
        return np.concatenate([top - (self.c @ below) / self.d, below])

    def inner_inverse(self) -> np.ndarray:
        """S^-1, which is the part of H^-1 of the raters, (Q, Q)."""
        return scipy.linalg.cho_solve(self.factor, np.eye(len(self.factor[0])))


def arrow(d: np.ndarray, c: sparse.csr_array, e: np.ndarray) -> Arrow:
    """Factor H.

    Raises:
        LinAlgError: If H is not positive definite.
    """
    scaled = c.copy()
    scaled.data = c.data * np.repeat(1 / np.sqrt(d), np.diff(c.indptr))
    if c.nnz > DENSE * c.shape[0] * c.shape[1]:
        whole = scaled.toarray()
        product = whole.T @ whole
    else:
        product = (scaled.T @ scaled).toarray()
    return Arrow(d, c, scipy.linalg.cho_factor(e - product, lower=True))


class Entries(NamedTuple):
    """Entries of H^-1 where H has some."""

    text: np.ndarray  # (T,) of the diagonal
    cells: np.ndarray  # (nnz,) of the entries of C, in their order
    raters: np.ndarray  # (Q, Q)


def entries(of: Arrow) -> Entries:
    """The entries of H^-1 that traces need, without all of it.

    H^-1 = [[D^-1 + D^-1 C S^-1 C' D^-1, -D^-1 C S^-1], [., S^-1]]
    """
    inverse = of.inner_inverse()
    n = np.diff(of.c.indptr)
    row = np.repeat(np.arange(len(of.d)), n)
    cells = np.empty(of.c.nnz)
    step = max(1, SLAB // max(1, len(inverse)))
    for start in range(0, len(of.d), step):
        part = of.c[start : start + step] @ inverse
        some = slice(of.c.indptr[start], of.c.indptr[min(start + step, len(of.d))])
        cells[some] = part[row[some] - start, of.c.indices[some]]
    cells /= -of.d[row]
    text = (1 - np.bincount(row, cells * of.c.data, len(of.d))) / of.d
    return Entries(text, cells, inverse)
