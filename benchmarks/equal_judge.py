"""Saved ratings where the judge hardly ever differs from people, for these texts only.

OMP_NUM_THREADS=1 python -m benchmarks.equal_judge [--studies 4000]

Four systems with a text for each prompt; ratings on five points or of two answers; the
judge gives people's rating but for a share of texts, where it gives the next point or
the other answer. Half of the texts of each system are rated. Percent of 95 % intervals
that hold the mean of all texts, and the difference of two systems' means.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

from typing import NamedTuple

import numpy as np

from scoring.stats.saving import correcting, draws, mapping, ranking
from scoring.stats.saving.correcting import Corrected
from scoring.stats.saving.forms import Known, forms

SYSTEMS, SHARE = 4, 0.5
CUTS = np.array([-1.5, -0.5, 0.5, 1.5])
PAIRS = ranking.pairs(SYSTEMS)


class Study(NamedTuple):
    y: np.ndarray
    judge: np.ndarray
    system: np.ndarray
    prompt: np.ndarray
    scale: tuple[float, float]


def study(rng: np.random.Generator, prompts: int, binary: bool, wrong: float) -> Study:
    prompt = np.repeat(np.arange(prompts), SYSTEMS)
    system = np.tile(np.arange(SYSTEMS), prompts)
    quality = rng.normal(0, 0.7, prompts)[prompt] + rng.normal(size=len(prompt))
    quality = quality + 0.3 * system
    if binary:
        y, scale = (quality > 0.3).astype(float), (0.0, 1.0)
        other = 1 - y
    else:
        y = 1.0 + (quality[:, np.newaxis] > CUTS).sum(axis=1)
        scale = (1.0, 5.0)
        other = np.where(y == 5, 4, y + 1)
    judge = np.where(rng.random(len(y)) < wrong, other, y)
    return Study(y, judge, system, prompt, scale)


def tried(rng: np.random.Generator, one: Study) -> list[Corrected]:
    """Means and differences after one draw."""
    stratum = draws.by_group(one.system)
    drawn = draws.draw(stratum, SHARE, rng).drawn
    y = np.where(drawn, one.y, np.nan)
    f = mapping.expected(one.judge, y, one.prompt, rng=rng)
    known = Known(y, f, one.system, one.prompt, stratum, SYSTEMS, one.scale)
    found = forms(known, "texts")
    return [
        correcting.means(found, "texts"),
        correcting.differences(found, PAIRS, "texts"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--studies", type=int, default=4000)
    studies = parser.parse_args().studies
    print(
        "| scale | prompts | differs on | means: people | with judge | shown | width"
        " | differences: people | with judge | shown | width |"
    )
    print("|" + " --- |" * 11)
    for binary in (False, True):
        for prompts in (10, 20, 40, 100, 200):
            for wrong in (0.0, 0.01, 0.02):
                print(_row(binary, prompts, wrong, studies), flush=True)


def _row(binary: bool, prompts: int, wrong: float, studies: int) -> str:
    numbers: list[list[list[float]]] = [[], []]
    for k in range(studies):
        rng = np.random.default_rng([k, prompts, int(1000 * wrong), binary])
        one = study(rng, prompts, binary, wrong)
        true = np.bincount(one.system, one.y) / prompts
        truths = true, true[PAIRS[:, 0]] - true[PAIRS[:, 1]]
        for place, (made, truth) in enumerate(
            zip(tried(rng, one), truths, strict=True)
        ):
            numbers[place].append(_counts(made, truth))
    shown = []
    for of in numbers:
        alone, held, n_alone, n_held, width, both, asked = np.sum(of, axis=0)
        shown += [
            f"{100 * alone / max(n_alone, 1):.1f}" if n_alone else "—",
            f"{100 * held / max(n_held, 1):.1f}" if n_held else "—",
            f"{100 * n_held / asked:.0f}",
            f"{width / both:.2f}" if both else "—",
        ]
    scale = "two answers" if binary else "five points"
    return f"| {scale} | {prompts} | {100 * wrong:.0f} % | " + " | ".join(shown) + " |"


def _counts(made: Corrected, truth: np.ndarray) -> list[float]:
    near, there = 1e-9, [~np.isnan(one.se) for one in (made.people, made.corrected)]
    held = [
        (one.low - near <= truth) & (truth <= one.high + near)
        for one in (made.people, made.corrected)
    ]
    both = there[0] & there[1]
    widths = [one.high - one.low for one in (made.corrected, made.people)]
    return [
        held[0][there[0]].sum(),
        held[1][there[1]].sum(),
        there[0].sum(),
        there[1].sum(),
        (widths[0][both] / widths[1][both]).sum(),
        both.sum(),
        len(truth),
    ]


if __name__ == "__main__":
    main()
