"""Symmetric matrices with an arrow's shape: diagonal for texts, dense for raters.

    H = [[D, C], [C', E]]   D diagonal (T), C sparse (T, Q), E dense (Q, Q)

Raters are few beside texts, so the Schur complement S = E - C' D^-1 C is small: all
that is needed of the inverse of H comes from that of S. Where a text has few of the
raters, only the pairs of raters that it has are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy  # loads its parts when they are first used

SLAB = 4_000_000  # numbers of a dense part that is made at once: 32 MB
# Of these, as many as stay in a core's cache beside what is made of them.
PAIRS = 500_000
# A pair takes as long as so many steps of a product with a dense matrix.
PAIR_COSTS = 4
# From this share of cells on, a dense product is the faster one.
DENSE = 0.1


class Block(NamedTuple):
    """The part of S of raters who share texts, directly or through others."""

    at: np.ndarray  # (q,) of Q
    factor: np.ndarray  # (q, q) Cholesky's, 0 above the diagonal


class Arrow(NamedTuple):
    """H in parts, and what solves it."""

    d: np.ndarray  # (T,)
    c: scipy.sparse.csr_array  # (T, Q)
    blocks: list[Block]  # all that is in S

    @property
    def log_determinant(self) -> float:
        diagonals = [np.diagonal(block.factor) for block in self.blocks]
        inner = 2 * np.log(np.concatenate(diagonals)).sum()
        return float(np.log(self.d).sum() + inner)

    def solve(self, right: np.ndarray) -> np.ndarray:
        """H^-1 right, for a vector (T + Q,)."""
        t = len(self.d)
        top = right[:t] / self.d
        below = right[t:] - self.c.T @ top
        for at, factor in self.blocks:
            below[at] = scipy.linalg.cho_solve(
                (factor, True), below[at], check_finite=False
            )
        return np.concatenate([top - (self.c @ below) / self.d, below])

    def inner_inverse(self) -> np.ndarray:
        """S^-1, which is the part of H^-1 of the raters, (Q, Q)."""
        found = np.zeros((self.c.shape[1],) * 2)
        for at, factor in self.blocks:
            half, _ = scipy.linalg.lapack.dpotri(factor, lower=1)
            whole = half + half.T
            np.fill_diagonal(whole, np.diagonal(half))
            found[np.ix_(at, at)] = whole
        return found


def arrow(
    d: np.ndarray, c: scipy.sparse.csr_array, e: np.ndarray, groups: list[np.ndarray]
) -> Arrow:
    """Factor H.

    Args:
        d: (T,)
        c: (T, Q)
        e: (Q, Q), zero between groups.
        groups: Columns that share rows of C, directly or through others; all of Q.

    Raises:
        LinAlgError: If H is not positive definite, or not finite.
    """
    scaled = c.copy()
    scaled.data = c.data * np.repeat(1 / np.sqrt(d), np.diff(c.indptr))
    s = e - _squared(scaled)
    parts = [s] if len(groups) == 1 else [s[np.ix_(at, at)] for at in groups]
    if not np.isfinite(s).all():
        raise np.linalg.LinAlgError("expected finite numbers")
    factors = [scipy.linalg.cholesky(part, lower=True) for part in parts]
    return Arrow(d, c, [Block(*both) for both in zip(groups, factors, strict=True)])


class Entries(NamedTuple):
    """Entries of H^-1 where H has some."""

    text: np.ndarray  # (T,) of the diagonal
    cells: np.ndarray  # (nnz,) of the entries of C, in their order
    raters: np.ndarray  # (Q, Q)


def entries(of: Arrow) -> Entries:
    """The entries of H^-1 that traces need, without all of it.

    H^-1 = [[D^-1 + D^-1 C S^-1 C' D^-1, -D^-1 C S^-1], [., S^-1]]
    """
    inverse, n = of.inner_inverse(), np.diff(of.c.indptr)
    cells = _times(of.c, inverse) / np.repeat(-of.d, n)
    row = np.repeat(np.arange(len(of.d)), n)
    text = (1 - np.bincount(row, cells * of.c.data, len(of.d))) / of.d
    return Entries(text, cells, inverse)


# Products of sparse parts -------------------------------------------------------------


def _squared(c: scipy.sparse.csr_array) -> np.ndarray:
    """C' C, (Q, Q)."""
    width = c.shape[1]
    if c.nnz > DENSE * c.shape[0] * width:
        whole = c.toarray()
        return np.asarray(whole.T @ whole)
    if not _few_pairs(c):
        return np.asarray((c.T @ c).toarray())
    found = np.zeros(width * width)
    for cells, pairs in _crews(c):
        some = c.data[cells]
        products = np.matmul(some.swapaxes(1, 2), some)
        np.add.at(found, pairs.ravel(), products.ravel())
    return found.reshape(width, width)


def _times(c: scipy.sparse.csr_array, inverse: np.ndarray) -> np.ndarray:
    """C S^-1 where C has cells, (nnz,)."""
    found = np.empty(c.nnz)
    if _few_pairs(c):
        flat = inverse.ravel()
        for cells, pairs in _crews(c):
            found[cells] = np.matmul(c.data[cells], flat[pairs])
        return found
    row = np.repeat(np.arange(c.shape[0]), np.diff(c.indptr))
    step = max(1, SLAB // max(1, len(inverse)))
    for start in range(0, c.shape[0], step):
        part = c[start : start + step] @ inverse
        some = slice(c.indptr[start], c.indptr[min(start + step, c.shape[0])])
        found[some] = part[row[some] - start, c.indices[some]]
    return found


def _few_pairs(c: scipy.sparse.csr_array) -> bool:
    """Whether texts have so few raters that looking at each two of them is quicker."""
    n_pairs = (np.diff(c.indptr).astype(np.int64) ** 2).sum()
    return bool(PAIR_COSTS * n_pairs < c.nnz * c.shape[1])


def _crews(c: scipy.sparse.csr_array) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Cells of g crews, who have t texts of n cells each, by slabs.

    A crew is the raters of one text or of several that follow each other, as texts of
    one page do.

    Yields:
        The cells, (g, t, n), and where each two raters are in a flat (Q, Q), (g, n, n).
    """
    n = np.diff(c.indptr)
    for size in np.unique(n[n > 0]).tolist():
        first = c.indptr[:-1][n == size].astype(np.int64)
        at = c.indices[first[:, np.newaxis] + np.arange(size)].astype(np.int64)
        begins = np.append(True, (at[1:] != at[:-1]).any(axis=1))
        begins = np.flatnonzero(np.append(begins, True))
        n_texts = np.diff(begins)
        for times in np.unique(n_texts).tolist():
            crews = begins[:-1][n_texts == times]
            step = max(1, PAIRS // (size * max(size, times)))
            for start in range(0, len(crews), step):
                some = crews[start : start + step]
                texts = first[some[:, np.newaxis] + np.arange(times)]
                who = at[some]
                pairs = who[:, :, np.newaxis] * c.shape[1] + who[:, np.newaxis]
                yield texts[:, :, np.newaxis] + np.arange(size), pairs
