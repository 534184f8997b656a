"""How often 95 % intervals hold the truth, with 5 to 40 prompts in nine worlds.

OMP_NUM_THREADS=1 python -m benchmarks.coverage_of_intervals [--studies 4000]

Each study draws new prompts for the same four systems; the truth is the same number of
very many prompts. All studies of a cell are computed at once, with the functions that
the pages use. A cell outside its aim is repeated once with four times the studies, and
that number stands.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np

from benchmarks.cells import on_all_processors, table
from benchmarks.level_of_tests import coefficients
from benchmarks.worlds import OTHER_WORLDS, RATERS, WORLDS, Studies, World, studies
from scoring.stats import _alpha, _davidson, cluster_t, clustered, jackknife
from scoring.stats.by_prompt import of_ratio, of_sums
from scoring.stats.estimates import Estimate
from scoring.stats.jackknife import Jackknifed

ALL = WORLDS | OTHER_WORLDS
PROMPTS = (5, 6, 10, 15, 20, 40)
LOW, HIGH = 92.5, 97.5
LOW_ALPHA = 90.0  # with 10 and 15 prompts
TRUTH = 200_000
BATCH = 20_000  # prompts of all studies of a batch
NOISE = (0.3, 0.8)  # of a good metric and of a usual one
TIE = 0.4  # votes on texts that are closer are ties

# Low, high and value of each kind of number, (studies,) each; NaN = none.
Ends = dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]


class Cell(NamedTuple):
    world: str
    prompts: int
    studies: int
    again: bool
    truth: dict[str, float]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--studies", type=int, default=4000)
    n = parser.parse_args().studies
    truth = dict(zip(ALL, on_all_processors(truths, list(ALL)), strict=True))
    first = covered([Cell(w, p, n, False, truth[w]) for w in ALL for p in PROMPTS])
    missed = [
        Cell(world, prompts, 4 * n, True, truth[world])
        for (world, prompts), shares in first.items()
        if any(misses(kind, prompts, share) for kind, (share, _) in shares.items())
    ]
    second = covered(missed)
    for world in ALL:
        rows = []
        for kind, value in truth[world].items():
            row = [kind, f"{value:.2f}"]
            for prompts in PROMPTS:
                found = first[world, prompts][kind]
                again = misses(kind, prompts, found[0])
                row.append(
                    text(second[world, prompts][kind] if again else found, again)
                )
            rows.append(row)
        print(f"\n## {world}\n\n{table(['number', 'truth', *PROMPTS], rows)}\n")


def misses(kind: str, prompts: int, share: float) -> bool:
    if prompts < 10 or np.isnan(share):
        return False
    low = LOW_ALPHA if kind == "alpha" and prompts < 20 else LOW
    return not low <= share <= HIGH


def text(found: tuple[float, float], again: bool) -> str:
    share, shown = found
    if not shown:
        return "-"
    percent = f"{share:.1f}" + ("*" if again else "")
    return percent if shown > 0.995 else f"{percent} ({100 * shown:.0f} %)"


Shares = dict[str, tuple[float, float]]  # percent that hold the truth, share shown


def covered(cells: list[Cell]) -> dict[tuple[str, int], Shares]:
    slowest_first = sorted(cells, key=lambda c: -c.prompts * c.studies)
    found = on_all_processors(of_cell, slowest_first)
    return {
        (cell.world, cell.prompts): shares
        for cell, shares in zip(slowest_first, found, strict=True)
    }


def of_cell(cell: Cell) -> Shares:
    place = list(ALL).index(cell.world)
    rng = np.random.default_rng([place, cell.prompts, cell.again])
    step = max(1, BATCH // cell.prompts)
    parts = [
        numbers(rng, ALL[cell.world], min(step, cell.studies - start), cell.prompts)
        for start in range(0, cell.studies, step)
    ]
    found = {}
    for kind, value in cell.truth.items():
        low, high = (np.concatenate([p[kind][k] for p in parts]) for k in (0, 1))
        there = np.isfinite(low)
        inside = (low[there] <= value) & (value <= high[there])
        share = 100 * float(inside.mean()) if there.any() else np.nan
        found[kind] = share, float(there.mean())
    return found


def truths(world: str) -> dict[str, float]:
    rng = np.random.default_rng([9, list(ALL).index(world)])
    found = numbers(rng, ALL[world], 1, TRUTH)
    return {kind: float(ends[2][0]) for kind, ends in found.items()}


def numbers(rng: np.random.Generator, world: World, n: int, prompts: int) -> Ends:
    made = studies(rng, world, n, prompts, noise=NOISE)
    of_ratings = {
        **of_means(made),
        **by_prompt(made),
        **of_texts(made),
        "alpha": ends(of_alpha(made)),
    }
    if len(world.systems) != 4:
        return of_ratings
    return of_ratings | of_votes(rng, world, n, prompts)


def ends(of: Jackknifed) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    found = jackknife.tested(of)
    return found.low, found.high, found.value


def of_means(made: Studies) -> Ends:
    scores = made.ratings.mean(axis=-1)
    n = len(scores)
    parts: dict[str, list[tuple[float, ...]]] = {"mean": [], "difference of means": []}
    step = max(1, 100 if scores.shape[1] < 1000 else 1)
    for start in range(0, n, step):
        some = scores[start : start + step, :, [0, -1]]
        at = np.indices(some.shape)
        of = cluster_t.means(
            some.ravel(), (at[0] * 2 + at[2]).ravel(), 2 * len(some), at[1].ravel()
        )
        for one in cluster_t.estimates(of)[::2]:
            parts["mean"].append(_numbers(one))
        between = cluster_t.differences(of)
        for k in range(0, 2 * len(some), 2):
            one = cluster_t.difference(of, between, k + 1, k)
            parts["difference of means"].append(_numbers(one))
    return {kind: _columns(rows) for kind, rows in parts.items()}


def _numbers(one: Estimate) -> tuple[float, ...]:
    low, high = one.low, one.high
    return (
        np.nan if low is None else low,
        np.nan if high is None else high,
        np.nan if one.value is None else one.value,
    )


def _columns(
    rows: list[tuple[float, ...]],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    low, high, value = np.array(rows).T
    return low, high, value


def by_prompt(made: Studies) -> Ends:
    """Means of the prompts' r of two metrics and of one rater, and contrasts."""
    human = made.ratings.mean(axis=-1)
    found: Ends = {}
    for name in ("pearson", "spearman", "kendall"):
        values, counts = coefficients(made.metrics, human, name)
        of = of_ratio(counts * values, counts)
        good, usual = of.at(slice(None), 0), of.at(slice(None), 1)
        found[f"{name} by prompt, good metric"] = ends(good)
        found[f"{name} by prompt, usual metric"] = ends(usual)
        apart = jackknife.contrast((1, good), (-1, usual))
        found[f"{name} by prompt, difference"] = ends(apart)
    rater = one_rater(made)
    of = of_ratio(*_pearson(made.metrics, human))
    good = of.at(slice(None), 0)
    found["one rater by prompt (o)"] = ends(rater)
    found["m - 0.85 o"] = ends(jackknife.contrast((1, good), (-0.85, rater)))
    usual = of.at(slice(None), 1)
    parts = ((1 / 3, rater), (1, usual), (-1, good))
    found["o / 3 + g - m"] = ends(jackknife.contrast(*parts))
    return found


def _pearson(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    values, counts = coefficients(x, y)
    return counts * values, counts


def one_rater(made: Studies) -> Jackknifed:
    """The mean over raters of each with the mean of the others."""
    parts = []
    for j in range(RATERS):
        others = np.delete(made.ratings, j, axis=-1).mean(axis=-1)
        of = of_ratio(*_pearson(made.ratings[..., [j]], others))
        parts.append((1 / RATERS, of.at(slice(None), 0)))
    return jackknife.contrast(*parts)


def of_texts(made: Studies) -> Ends:
    """Correlations of all texts and pooled within prompts, of sums without a prompt."""
    y = made.ratings.mean(axis=-1)[..., np.newaxis]
    flat = sums_without(made.metrics, y)
    centred = [s - s.mean(axis=2, keepdims=True) for s in (made.metrics, y)]
    c, v, w = (
        part.sum(axis=2).swapaxes(0, 1)
        for part in (centred[0] * centred[1], centred[0] ** 2, centred[1] ** 2)
    )
    size = np.full(c.shape, made.metrics.shape[2])
    pooled = of_sums(c, v, np.broadcast_to(w, c.shape), size)
    found: Ends = {}
    for name, of in (("pearson, all texts", flat), ("pooled within prompts", pooled)):
        good, usual = of.at(slice(None), 0), of.at(slice(None), 1)
        found[f"{name}, good metric"] = ends(good)
        found[f"{name}, usual metric"] = ends(usual)
        apart = jackknife.contrast((1, good), (-1, usual))
        found[f"{name}, difference"] = ends(apart)
    return found


def sums_without(x: np.ndarray, y: np.ndarray) -> Jackknifed:
    """Pearson's r of all texts without each prompt, (prompts, studies, metrics).

    What `by_prompt.of_texts` computes study by study; equal to it, see the tests.
    """
    x, y = (
        x - x.mean(axis=(1, 2), keepdims=True),
        y - y.mean(axis=(1, 2), keepdims=True),
    )
    parts = [
        part.sum(axis=2).swapaxes(0, 1)
        for part in (x, np.broadcast_to(y, x.shape), x * y, x**2, y**2 + 0 * x)
    ]
    n_texts = x.shape[1] * x.shape[2]

    def r(sums: list[np.ndarray], n: float) -> np.ndarray:
        a, b, ab, aa, bb = sums
        with np.errstate(invalid="ignore", divide="ignore"):
            spread = (aa - a * a / n) * (bb - b * b / n)
            found: np.ndarray = (ab - a * b / n) / np.sqrt(spread)
            return found

    whole = [part.sum(axis=0) for part in parts]
    value = r(whole, n_texts)
    rest = [total - part for total, part in zip(whole, parts, strict=True)]
    deviation = value - r(rest, n_texts - x.shape[2])
    u = x.shape[1]
    units = np.full(value.shape, u)
    return Jackknifed(
        value, deviation, np.array([[[(u - 1) / u]]]), units - 1.0, units, "fisher"
    )


def of_alpha(made: Studies) -> Jackknifed:
    """Ordinal alpha of weights of patterns of counts: all of three ratings."""
    n, u = made.ratings.shape[:2]
    points = int(made.ratings.max()) + 1
    counts = (made.ratings[..., np.newaxis] == np.arange(points)).sum(axis=3)
    found = _alpha.patterns(counts.reshape(-1, points))
    width = len(found.times)
    unit = np.repeat(np.arange(n * u), made.ratings.shape[2])
    weights = np.zeros((n * u, width), np.float32)
    np.add.at(weights, (unit, found.at), 1)
    weights = weights.reshape(n, u, width)
    whole = weights.sum(axis=1)
    values = np.arange(points)

    def alphas(w: np.ndarray) -> np.ndarray:
        flat = w.reshape(-1, width).astype(np.float64)
        parts = [
            _alpha.alphas(flat[k : k + BATCH], found.rows, values, "ordinal")
            for k in range(0, len(flat), BATCH)
        ]
        return np.concatenate(parts).reshape(w.shape[:-1])

    value = alphas(whole)
    without = (
        value[:, np.newaxis] if u > 1000 else alphas(whole[:, np.newaxis] - weights)
    )
    units = np.full(n, u)
    factor = np.full((1, 1), (u - 1) / u)
    return Jackknifed(value, (value[:, None] - without).T, factor, units - 1.0, units)


def of_votes(rng: np.random.Generator, world: World, n: int, prompts: int) -> Ends:
    """Strength of the first system, and its share of votes against the last.

    One vote on each two systems of a prompt, by a rater who hears both with noise.
    """
    heard = studies(rng, world, n, prompts).metrics[..., 0]
    heard = heard + rng.normal(0, world.rater, heard.shape)
    apart = heard[..., :, np.newaxis] - heard[..., np.newaxis, :]
    tie = TIE if len(world.cuts) > 1 else 0.0
    wins, ties = (apart > tie).astype(float), (np.abs(apart) <= tie).astype(float)
    ties[..., np.arange(4), np.arange(4)] = 0
    whole = wins.sum(axis=1), ties.sum(axis=1)
    same = _davidson.components(*whole)
    fitted = _davidson.solve(*whole, same)
    value = np.where(same.all(axis=(1, 2)), fitted[0][:, 0], np.nan)
    moved = np.full((n, prompts, 4), np.nan)
    known = np.flatnonzero(np.isfinite(fitted[0]).all(axis=1))
    if prompts < TRUTH:
        moved[known] = _davidson.influence(
            (fitted[0][known], fitted[1][known]),
            same[known],
            (whole[0][known], whole[1][known]),
            (wins[known], ties[known]),
        )
    units = np.full(n, prompts)
    factor = np.full((1, 1), prompts / (prompts - 1))
    of = Jackknifed(value, moved[..., 0].T, factor, units - 1.0, units)
    points = wins[..., 0, 3] + ties[..., 0, 3] / 2
    shares = [_numbers(clustered.share(row, np.arange(prompts))) for row in points]
    return {"strength (log odds)": ends(of), "share won": _columns(shares)}


if __name__ == "__main__":
    main()
