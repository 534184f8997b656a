"""Where token embeddings start: from which tokens stand near each other.

Most tokens are rare. A short training moves their embeddings little, so they begin as
the factors of a matrix that is counted in a minute instead of as noise: the positive
pointwise mutual information of tokens within WINDOW of each other,

    ppmi(a, b) = max(0, log n(a, b) N / (n(a) m(b))),    m(b) ~ n(b)^0.75,

whose truncated decomposition U S V' gives U S^0.5 (Levy et al. 2015).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.bundled.pack import Pack
from benchmarks.bundled.vocabulary import SPECIAL

FILE = "embeddings.npy"
WIDTH = 384  # narrower models take the first columns
WINDOW = 8
SMOOTHING = 0.75  # makes much of frequent neighbours, little of chance
SPREAD = 0.02  # as of untrained embeddings
ROUNDS = 4  # of the power iteration


def write(pack: Pack, rng: np.random.Generator) -> None:
    """Write the vectors into the pack's folder."""
    width = min(WIDTH, pack.vocabulary // 2)
    found = scaled(vectors(pair_counts(pack), width, rng))
    np.save(pack.folder / FILE, found.astype(np.float16))


def read(folder: Path, width: int, spread: float = SPREAD) -> np.ndarray | None:
    """Starting embeddings, (vocabulary, width) float32; None of a smaller pack."""
    found = np.load(folder / FILE).astype(np.float32)
    return scaled(found[:, :width], spread) if found.shape[1] >= width else None


def pair_counts(pack: Pack) -> np.ndarray:
    """How often two tokens stand within WINDOW in a document to learn from, (v, v)."""
    size = pack.vocabulary
    tokens = pack.tokens.astype(np.int64)
    starts = pack.sentences[pack.documents]
    document = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    learned = ~pack.held_out[document]
    counts = np.zeros(size * size, dtype=np.float32)
    for step in range(1, WINDOW + 1):
        near = (document[step:] == document[:-step]) & learned[step:]
        pairs = tokens[:-step][near] * size + tokens[step:][near]
        found, n = np.unique(pairs, return_counts=True)
        counts[found] += n / step  # the nearer, the more
    table = counts.reshape(size, size)
    return table + table.T


def vectors(counts: np.ndarray, width: int, rng: np.random.Generator) -> np.ndarray:
    """U S^0.5 of the positive pointwise mutual information, (v, width).

    Special tokens have no neighbours: their rows are noise of the same size.
    """
    size = len(counts)
    own = counts.sum(axis=1)
    others = own**SMOOTHING
    others *= own.sum() / max(others.sum(), 1e-9)
    expected = np.outer(own, others / max(own.sum(), 1e-9)).astype(np.float32)
    with np.errstate(divide="ignore", invalid="ignore"):
        ppmi = np.log(counts / expected)
    ppmi = np.where(np.isfinite(ppmi) & (ppmi > 0), ppmi, 0).astype(np.float32)
    basis = rng.normal(size=(size, min(width + 16, size))).astype(np.float32)
    for _ in range(ROUNDS):
        basis, _ = np.linalg.qr(ppmi @ (ppmi.T @ basis))
    inner, sizes, _ = np.linalg.svd(basis.T @ ppmi, full_matrices=False)
    found = (basis @ inner)[:, :width] * np.sqrt(sizes[:width])
    noise = rng.normal(size=found.shape).astype(np.float32)
    empty = np.linalg.norm(found, axis=1) < 1e-6
    empty[: len(SPECIAL)] = True
    found[empty] = noise[empty]
    return found


def scaled(found: np.ndarray, spread: float = SPREAD) -> np.ndarray:
    """Rows of one length."""
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    target = spread * np.sqrt(found.shape[1])
    return (found / np.maximum(lengths, 1e-9) * target).astype(np.float32)
