"""How long the model of raters takes, and whether its intervals hold.

python -m benchmarks.raters

First 100,000 ratings, in CPU seconds of one thread. Then studies are simulated from the
model, and the share of 95 % intervals that hold the true value is counted: severity of
raters in points, less the mean of these raters; the score of systems by the average of
these raters; spread. Then the same where texts of one prompt are alike, which the model
does not know. Last, raters of the ends of the scale alone, and how often a strict rater
is seen.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from scoring.analyses.raters import strictness
from scoring.stats.estimates import Estimate
from scoring.stats.severity import ordinal, points
from scoring.stats.severity.dawid_skene import dawid_skene
from scoring.stats.severity.detecting import detectable

CUTS = np.array([-2.2, -0.8, 0.7, 2.1])
TEXT_SD, RATER_SD, REPEAT = 1.2, 0.8, 3


class Study(NamedTuple):
    text: np.ndarray
    rater: np.ndarray
    value: np.ndarray
    system: np.ndarray
    effects: np.ndarray  # (R,) of raters, higher = gives more
    stretch: np.ndarray  # (R,)
    better: np.ndarray  # (S,)
    text_sd: float  # of all that makes texts of a system differ


def study(
    rng: np.random.Generator,
    *,
    texts: int,
    each: int,
    raters: int,
    systems: int,
    spread: float = 0.0,
    prompts: float = 0.0,
) -> Study:
    """Ratings from 1 to 5 by the model; `prompts` is the SD of what prompts share."""
    text, of = np.repeat(np.arange(texts), each), np.arange(texts) % systems
    first = rng.integers(raters, size=(texts, 1))
    gap = 1 + rng.integers(max(1, (raters - 1) // each), size=(texts, 1))
    rater = ((first + gap * np.arange(each)) % raters).ravel()
    effects = rng.normal(0, RATER_SD, raters)
    stretch = np.maximum(0.2, rng.normal(1, spread, raters))
    better = np.linspace(-0.7, 0.7, systems)
    hard = rng.normal(0, prompts, -(-texts // systems))[np.arange(texts) // systems]
    latent = (better[of] + rng.normal(0, TEXT_SD, texts) + hard)[text]
    latent = latent + effects[rater] + rng.logistic(size=len(text))
    middle = CUTS.mean()
    cuts = stretch[rater, np.newaxis] * (CUTS - middle) + middle
    value = 1 + (latent[:, np.newaxis] > cuts).sum(axis=1)
    total = float(np.hypot(TEXT_SD, prompts))
    return Study(text, rater, value, of[text], effects, stretch, better, total)


def truth(made: Study) -> tuple[np.ndarray, np.ndarray]:
    """Severities and scores in points, by the effects that were drawn."""
    mean = made.effects.mean()
    nodes, weights = np.polynomial.hermite_e.hermegauss(points.NODES)

    def expected(effect: float) -> np.ndarray:
        eta = made.better[:, np.newaxis] + effect + made.text_sd * nodes
        given = 5 - expit(CUTS - eta[..., np.newaxis]).sum(axis=-1)
        return np.asarray(given @ weights / weights.sum())

    share = np.bincount(made.system[np.unique(made.text, return_index=True)[1]])
    share = share / share.sum()
    severity = [(expected(mean) - expected(v)) @ share for v in made.effects]
    return np.array(severity), expected(mean)


# Speed --------------------------------------------------------------------------------


def speed() -> None:
    print("| texts x ratings, raters, systems | fit, s | and spread, s | tables, s |")
    print("| --- | --- | --- | --- |")
    for texts, each, raters, systems in (
        (20_000, 5, 200, 8),
        (33_334, 3, 50, 4),
        (5_000, 20, 20, 5),
    ):
        rng = np.random.default_rng(0)
        made = study(rng, texts=texts, each=each, raters=raters, systems=systems)
        took = [
            fastest(partial(ordinal.fit, *made[:4])),
            fastest(partial(ordinal.spread, *made[:4])),
            fastest(partial(dawid_skene, *made[:3])),
        ]
        shown = " | ".join(f"{seconds:.2f}" for seconds in took)
        print(f"| {texts} x {each}, {raters}, {systems} | {shown} |", flush=True)


def fastest(call: Callable[[], object]) -> float:
    times = []
    for _ in range(REPEAT):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


# Intervals ----------------------------------------------------------------------------


def coverage() -> None:
    print("\n| texts x ratings, raters | severity | scores | spread | no model |")
    print("| --- | --- | --- | --- | --- |")
    cells = ((60, 3, 6, 0.0, 200), (200, 3, 12, 0.0, 200), (200, 3, 12, 0.8, 100))
    for texts, each, raters, prompts, times in cells:
        held = [one(k, texts, each, raters, prompts) for k in range(times)]
        there = [found for found in held if found is not None]
        shares = np.nanmean(there, axis=0)
        name = f"{texts} x {each}, {raters}{', prompts alike' if prompts else ''}"
        shown = " | ".join(f"{100 * share:.1f}" for share in shares)
        lost = times - len(there)
        print(f"| {name} | {shown} | {lost} of {times} |", flush=True)


def one(
    seed: int, texts: int, each: int, raters: int, prompts: float
) -> tuple[float, float, float] | None:
    """Shares of intervals that hold the truth: severities, scores, spreads."""
    rng = np.random.default_rng([seed, texts, raters])
    kind = {"texts": texts, "each": each, "raters": raters, "systems": 4}
    made = study(rng, **kind, prompts=prompts)
    fit = ordinal.fit(*made[:4])
    if isinstance(fit, ordinal.NoFit):
        return None
    severity, scores = truth(made)
    bent = study(rng, **kind, spread=0.2)
    spread = ordinal.spread(*bent[:4])
    n = np.bincount(bent.rater, minlength=raters)
    spreads = () if isinstance(spread, ordinal.NoFit) else points.spreads(spread, n)
    wanted = bent.stretch.mean() / bent.stretch
    return (
        holds(points.severities(fit), severity[np.unique(made.rater)]),
        holds(points.scores(fit), scores),
        holds(spreads, wanted),
    )


def holds(found: Sequence[Estimate], wanted: np.ndarray) -> float:
    inside = [
        one.low <= value <= one.high
        for one, value in zip(found, wanted, strict=False)
        if one.low is not None and one.high is not None
    ]
    return float(np.mean(inside)) if inside else np.nan


# Raters who are not like the others ---------------------------------------------------


def ends_alone(times: int = 20) -> None:
    """One rater gives 1 and 5 only: CPU seconds, and whose spread is the largest."""
    print(
        "\n| texts x ratings, raters | fit and spread, s | most, s | largest spread |"
    )
    print("| --- | --- | --- | --- |")
    for texts, each, raters in ((60, 3, 6), (200, 3, 12), (100, 10, 10)):
        took, largest = [], 0
        for seed in range(times):
            made = study(
                np.random.default_rng([seed, texts]),
                texts=texts, each=each, raters=raters, systems=4,
            )  # fmt: skip
            ends = np.where(made.value > 3, 5, 1)
            value = np.where(made.rater == 0, ends, made.value)
            start = time.process_time()
            found = ordinal.spread(made.text, made.rater, value, made.system)
            took.append(time.process_time() - start)
            if isinstance(found, ordinal.Spread):
                largest += int(np.nanargmin(found.stretch) == 0)
        mean, most = np.mean(took), np.max(took)
        shown = f"{mean:.2f} | {most:.2f} | {largest} of {times}"
        print(f"| {texts} x {each}, {raters} | {shown} |", flush=True)


def power(times: int = 200) -> None:
    """How often the page calls a rater stricter who is, beside what it says."""
    print("\n| texts x ratings, raters | each | log odds | seen | too few | keep |")
    print("| --- | --- | --- | --- | --- | --- |")
    for texts, raters in ((6, 6), (20, 6), (40, 6), (60, 6), (60, 12), (120, 12)):
        for by in (1.5, 2.0):
            said = [_said(seed, texts, raters, by) for seed in range(times)]
            shares = [said.count(what) / times for what in ("seen", "few", "keep")]
            shown = " | ".join(f"{100 * share:.0f}" for share in shares)
            each = 3 * texts // raters
            print(f"| {texts} x 3, {raters} | {each} | {by} | {shown} |", flush=True)


def _said(seed: int, texts: int, raters: int, by: float) -> str:
    """Of ratings on five points by raters alike, but one who is stricter."""
    rng = np.random.default_rng([seed, texts, raters])
    text = np.repeat(np.arange(texts), 3)
    rater = np.argsort(rng.random((texts, raters)), axis=1)[:, :3].ravel()
    latent = rng.normal(0, TEXT_SD, texts)[text] - by * (rater == 0)
    latent = latent + rng.logistic(size=len(text))
    value = 1 + (latent[:, np.newaxis] > CUTS).sum(axis=1)
    fit = ordinal.fit(text, rater, value)
    if isinstance(fit, ordinal.NoFit):
        return "no model"
    found = points.severities(fit)
    if any(one.low is not None and one.low > 0 for one in found):
        return "seen"
    asked = strictness.Power(detectable(text, rater, value), strictness.SHARE * 4)
    return "few" if asked.lacks else "keep"


if __name__ == "__main__":
    speed()
    coverage()
    ends_alone()
    power()
