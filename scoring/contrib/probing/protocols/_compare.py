"""Divergences of a human half from other texts: figures 4, 8 and 9 of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scoring.contrib.probing.protocols._common import (
    Embed,
    Given,
    Options,
    Report,
    Steps,
    Stopwatch,
    halves,
    lowered,
    picked,
    summary,
    vectors,
)
from scoring.contrib.probing.protocols._edits import EDITS
from scoring.contrib.probing.protocols.results import Compared, Spread
from scoring.metrics import clusters as _clusters
from scoring.metrics import divergences

UNMODIFIED, GENERATOR = "unmodified", "generator"
# Key -> title and unit, in the order of the paper.
DIVERGENCES = {
    "forward-kl": ("Forward KL", "nats"),
    "backward-kl": ("Backward KL", "nats"),
    "exponentiated-kl": ("Exponentiated KL", "from 1"),
    "jensen-shannon": ("Jensen-Shannon", "nats, 0 to 0.693"),
    "auc": ("AUC", "0 to 1"),
}
# The paper's own: Laplace smoothing, and s of the curve.
SMOOTHING, SCALE = 1.0, 5.0
# This edit mixes texts: its half must stay to itself, so each seed makes its own.
ACROSS = "swapped"


class Draw(NamedTuple):
    """What one seed draws."""

    reference: np.ndarray  # indices of texts
    other: np.ndarray
    edited: np.ndarray  # which of both halves is damaged
    generated: np.ndarray  # indices of the generator's texts
    swapped: list[str]
    rng: np.random.Generator


def compare(
    given: Given,
    options: Options,
    *,
    edit_reference: bool,
    per_cluster: int = 1,
    rng: np.random.Generator,
    embed: Embed,
    report: Report,
) -> Compared:
    """Divergence of each row from the reference half, for each K, over the seeds.

    Each seed shuffles the corpus, cuts it into halves and clusters again. Damage that
    concerns each text alone is the same for all seeds, so it is embedded once. All rows
    have the same K, which the texts of the smallest pair allow.

    Args:
        given: Texts, and a generator's if there is one.
        options: K and the number of seeds.
        edit_reference: Damage the reference half's own texts, not the other half's.
        per_cluster: How many texts there are for each cluster, at least.
        rng: Halves, damage, where k-means begins.
        embed: Gives vectors.
        report: Called with progress.

    Raises:
        MetricError: If there are fewer than 4 texts.
    """
    watch = Stopwatch()
    children = rng.spawn(options.seeds + 1)
    draws = [_draw(given, child, edit_reference) for child in children[1:]]
    found = vectors(_versions(given, draws, children[0]), embed, report)
    watch.lap("embedding")
    rows = _rows(given)
    half = len(draws[0].reference)
    sizes = {key: _size(key, draws[0]) for key in rows}
    texts = half + min(sizes.values())
    used = lowered(options.clusters, max(2, texts // per_cluster))
    step = Steps(len(draws) * len(rows) * len(used), report)
    numbers = {key: _over_seeds(key, draws, found, used, step) for key in rows}
    watch.lap("clustering")
    return {
        "rows": [
            {"key": key, "title": title, "n": sizes[key], "cells": numbers[key]}
            for key, title in rows.items()
        ],
        "clusters": [
            {"asked": asked, "used": k}
            for asked, k in zip(options.clusters, used, strict=True)
        ],
        "n_texts": len(given.texts),
        "n_reference": half,
        "seeds": options.seeds,
        "seconds": watch.seconds,
    }


def _draw(given: Given, rng: np.random.Generator, edit_reference: bool) -> Draw:
    reference, other = halves(len(given.texts), rng)
    edited = reference if edit_reference else other
    n = min(len(reference), len(given.generator))
    return Draw(
        reference=reference,
        other=other,
        edited=edited,
        generated=rng.permutation(len(given.generator))[:n],
        swapped=EDITS[ACROSS][1](picked(given.texts, edited), rng),
        rng=rng,
    )


def _versions(
    given: Given, draws: Sequence[Draw], rng: np.random.Generator
) -> dict[tuple[str, int], Sequence[str]]:
    """All that is embedded, by row; the number of the seed where that matters, or 0."""
    found: dict[tuple[str, int], Sequence[str]] = {(UNMODIFIED, 0): given.texts}
    for key, (_, edit) in EDITS.items():
        if key != ACROSS:
            found[key, 0] = edit(given.texts, rng)
    for seed, draw in enumerate(draws):
        found[ACROSS, seed] = draw.swapped
    if given.generator:
        found[GENERATOR, 0] = given.generator
    return found


def _rows(given: Given) -> dict[str, str]:
    rows = {UNMODIFIED: "Unmodified", **{key: t for key, (t, _) in EDITS.items()}}
    if given.generator:
        rows[GENERATOR] = given.generator_name or "Generator"
    return rows


def _size(key: str, draw: Draw) -> int:
    return len(draw.generated) if key == GENERATOR else len(draw.other)


def _over_seeds(
    key: str,
    draws: Sequence[Draw],
    found: dict[tuple[str, int], np.ndarray],
    used: Sequence[int],
    step: Steps,
) -> list[dict[str, Spread]]:
    """Mean and spread of each divergence of one row, for each K."""
    cells = []
    for k in used:
        numbers = []
        for seed, draw in enumerate(draws):
            p = found[UNMODIFIED, 0][draw.reference]
            q = _compared(key, seed, draw, found)
            numbers.append(_divergences_of(p, q, k, draw.rng))
            step()
        cells.append({name: summary(n[name] for n in numbers) for name in DIVERGENCES})
    return cells


def _compared(
    key: str, seed: int, draw: Draw, found: dict[tuple[str, int], np.ndarray]
) -> np.ndarray:
    if key == ACROSS:
        return found[ACROSS, seed]
    if key == GENERATOR:
        return found[GENERATOR, 0][draw.generated]
    return found[key, 0][draw.other if key == UNMODIFIED else draw.edited]


def _divergences_of(
    p: np.ndarray, q: np.ndarray, k: int, rng: np.random.Generator
) -> dict[str, float]:
    """All divergences of vectors q from vectors p, clustered together."""
    clusters = _clusters.learn(np.concatenate([p, q]), k, rng=rng)
    labels = clusters.labels[: len(p)], clusters.labels[len(p) :]
    a, b = (divergences.histogram(part, k, smoothing=SMOOTHING) for part in labels)
    forward = divergences.kl(a, b)
    found = {
        "forward-kl": forward,
        "backward-kl": divergences.kl(b, a),
        "exponentiated-kl": np.exp(forward),
        "jensen-shannon": divergences.jensen_shannon(a, b),
        "auc": 1 - divergences.area(divergences.curve(a, b, scale=SCALE)),
    }
    return {name: float(number) for name, number in found.items()}
