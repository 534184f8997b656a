"""How often intervals of judge-corrected means hold the truth, and what they save.

OMP_NUM_THREADS=1 python -m benchmarks.saved FILE --data DATA [--replays 2000]
    [--only WORD]

Each replay draws a random part of the texts, shows their ratings alone, and asks
whether the intervals of two means of systems and of their difference hold the truth.
For "these texts only" the texts stay and the truth is their mean; for "new prompts"
each replay draws whole prompts with replacement first, and the truth is the mean of the
set. FILE keeps the counts of each cell: a run that is stopped goes on from there, and
cells take turns, so that part of the replays can be read. DATA is a folder with the
public sets `alttest/summeval` and `openmeva_mans`.
"""

from __future__ import annotations

import argparse
import json
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, cast, get_args

import numpy as np

from scoring.stats.saving import correcting, draws, mapping
from scoring.stats.saving.correcting import Corrected, Estimates
from scoring.stats.saving.forms import Forms, Known, Target, forms

TURN = 50  # replays of a cell in turn
SHARE = 0.25
# Of texts that were there first, and of those of the last third of prompts, which came
# later and were drawn on their own.
SHARES = (0.5, 0.1)
PAIR = np.array([[0, 1]])
PROMPTS, TEXTS = 150, 4  # of the simulation: a system has 4 texts a prompt
FEW = 80  # of which about 55 have a rating of each system
RATERS, SIMULATED = 3, (0.0, 0.5, 0.9)
# Systems of SummEval of which 93 and 96, or 86 and 86 texts of 100 are rated 5.
SKEWED = {"nearly constant": ("M17", "M22"), "on the edge": ("M13", "M14")}


class Set(NamedTuple):
    """Texts with the ratings of all of them, and a metric."""

    name: str
    y: np.ndarray  # (n,)
    f: np.ndarray  # (n,)
    system: np.ndarray  # (n,) 0 or 1
    prompt: np.ndarray  # (n,) from 0
    batch: np.ndarray | None = None  # (n,) place in SHARES; None = all drawn at once


Counts = dict[str, float]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--replays", type=int, default=2000)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    kept = json.loads(asked.file.read_text()) if asked.file.exists() else {}
    cells = [
        (one, cast(Target, target))
        for one in sets(asked.data)
        if asked.only in one.name
        for target in get_args(Target)
    ]
    for turn in range(asked.replays // TURN):
        for one, target in cells:
            counts = kept.setdefault(f"{one.name} | {target}", {})
            if counts.get("replays", 0) <= turn * TURN:
                start = time.process_time()
                take_turn(one, target, turn, counts)
                add(counts, "seconds", time.process_time() - start)
        asked.file.write_text(json.dumps(kept))
    print("\n".join(report(kept)))


def sets(data: Path) -> Iterator[Set]:
    yield from summeval(data)
    yield from mans(data)
    for r in SIMULATED:
        yield simulation(r, np.random.default_rng(20261123))
    few = simulation(0.0, np.random.default_rng(20261123), n_prompts=FEW)
    yield few._replace(name=f"{few.name}, few prompts")
    yield later(simulation(0.5, np.random.default_rng(20261123), n_prompts=FEW))
    for name, systems in SKEWED.items():
        yield of_systems(data, name, systems)


def summeval(data: Path) -> Iterator[Set]:
    """Four aspects by six judges; systems in two halves, each 800 texts."""
    folder = data / "alttest" / "summeval"
    people = json.loads((folder / "human_annotations.json").read_text())
    judges = json.loads((folder / "llm_annotations.json").read_text())
    keys = [key.rsplit("__", 2) for key in next(iter(people.values()))]
    for aspect in sorted({key[2] for key in keys}):
        rows = ["__".join(key) for key in keys if key[2] == aspect]
        y = np.mean([[one[row] for row in rows] for one in people.values()], axis=0)
        articles, systems = (
            np.unique([row.rsplit("__", 2)[k] for row in rows], return_inverse=True)[1]
            for k in (0, 1)
        )
        for judge, given in judges.items():
            f = np.array([given[row] for row in rows], np.float64)
            yield Set(f"SummEval {aspect} {judge}", y, f, systems % 2, articles)


def mans(data: Path) -> Iterator[Set]:
    """Two of five systems, each 200 texts; one of five raters is the metric."""
    found = json.loads((data / "openmeva_mans" / "mans_roc.json").read_text())
    names = list(next(iter(found.values()))["gen"])
    rng = np.random.default_rng(20261123)
    rows = [
        (place, k, rng.permutation(one["gen"][name]["score"]), one["gen"][name]["text"])
        for place, one in enumerate(found.values())
        for k, name in enumerate(names[:4])
    ]
    system = np.array([k % 2 for _, k, _, _ in rows])
    prompt = np.array([place for place, _, _, _ in rows])
    y = np.array([scores[1:].mean() for _, _, scores, _ in rows])
    rater = np.array([float(scores[0]) for _, _, scores, _ in rows])
    words = np.array([float(len(text.split())) for _, _, _, text in rows])
    for name, f in (("a rater", rater), ("words", words)):
        yield Set(f"MANS overall {name}", y, f, system, prompt)


def of_systems(data: Path, name: str, chosen: tuple[str, ...]) -> Set:
    """Two systems of SummEval on consistency, with gpt-4o as judge."""
    folder = data / "alttest" / "summeval"
    people = json.loads((folder / "human_annotations.json").read_text())
    judge = json.loads((folder / "llm_annotations.json").read_text())["gpt-4o"]
    rows = [
        row
        for row in next(iter(people.values()))
        if row.endswith("__consistency") and row.split("__")[1] in chosen
    ]
    y = np.mean([[one[row] for row in rows] for one in people.values()], axis=0)
    f = np.array([judge[row] for row in rows], np.float64)
    articles, systems = (
        np.unique([row.split("__")[k] for row in rows], return_inverse=True)[1]
        for k in (0, 1)
    )
    return Set(f"SummEval consistency, {name}", y, f, systems, articles)


def simulation(r: float, rng: np.random.Generator, *, n_prompts: int = PROMPTS) -> Set:
    """Prompts shared by ratings and metric; ratings are means of three on five points.

    The metric's own part correlates with the quality of a text at r.
    """
    prompt = np.repeat(np.arange(n_prompts), 2 * TEXTS)
    system = np.tile(np.repeat([0, 1], TEXTS), n_prompts)
    shared = rng.normal(0, 0.5, (n_prompts, 2))[prompt]
    own = rng.normal(size=(len(prompt), 2))
    quality = shared[:, 0] + own[:, 0] + 0.2 * system
    f = r * quality + np.sqrt(1 - r**2) * (shared[:, 1] + own[:, 1])
    noise = rng.normal(0, 0.8, (len(prompt), RATERS))
    y = np.clip(np.round(3.3 + quality[:, np.newaxis] + noise), 1, 5).mean(axis=1)
    return Set(f"Simulation r = {r}", y, f, system, prompt)


def later(one: Set) -> Set:
    """With the last third of its prompts drawn later."""
    last = one.prompt >= 2 * (int(one.prompt.max()) + 1) // 3
    return one._replace(name=f"{one.name}, two draws", batch=last.astype(np.int64))


def take_turn(one: Set, target: Target, turn: int, counts: Counts) -> None:
    rng = np.random.default_rng([turn, *one.name.encode()])
    truth = means_of(one)
    for _ in range(TURN):
        here = one if target == "texts" else resampled(one, rng)
        drawn, stratum = drawn_of(here, rng)
        y = np.where(drawn, here.y, np.nan)
        f = mapping.expected(here.f, y, here.prompt, rng=rng)
        known = Known(y, f, here.system, here.prompt, stratum, 2)
        count(forms(known, target), target, truth, counts)
    add(counts, "replays", TURN)


def drawn_of(one: Set, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Which texts are rated, and the strata that they are drawn from; both (n,)."""
    if one.batch is None:
        made = draws.draw(draws.by_group(one.system), SHARE, rng)
        return made.drawn, made.stratum
    drawn = np.zeros(len(one.y), bool)
    for k, share in enumerate(SHARES):
        rows = np.flatnonzero(one.batch == k)
        drawn[rows] = draws.draw(draws.by_group(one.system[rows]), share, rng).drawn
    return drawn, draws.by_group(one.batch * 2 + one.system)


def means_of(one: Set) -> np.ndarray:
    return np.bincount(one.system, one.y) / np.bincount(one.system)


def resampled(one: Set, rng: np.random.Generator) -> Set:
    """Whole prompts, drawn with replacement: one that comes twice counts as two."""
    order = np.argsort(one.prompt, kind="stable")
    sizes = np.bincount(one.prompt)
    drawn = rng.integers(0, len(sizes), len(sizes))
    first = np.cumsum(sizes) - sizes
    rows = np.concatenate([order[first[k] : first[k] + sizes[k]] for k in drawn])
    prompt = np.repeat(np.arange(len(sizes)), sizes[drawn])
    batch = None if one.batch is None else one.batch[rows]
    return Set(one.name, one.y[rows], one.f[rows], one.system[rows], prompt, batch)


def count(found: Forms, target: Target, truth: np.ndarray, counts: Counts) -> None:
    for k, (made, true) in enumerate(
        (
            (correcting.means(found, target), truth),
            (correcting.differences(found, PAIR, target), truth[:1] - truth[1:]),
        )
    ):
        _count(made, true, "mean" if k == 0 else "difference", counts)
    add(counts, "rated", float(found.n.sum()))


def _count(made: Corrected, truth: np.ndarray, what: str, counts: Counts) -> None:
    for who, one in (("people", made.people), ("corrected", made.corrected)):
        there = ~np.isnan(one.se)
        add(counts, f"{what} {who} n", float(there.sum()))
        add(counts, f"{what} {who} held", float(_held(one, truth)[there].sum()))
    both = ~np.isnan(made.people.se) & ~np.isnan(made.corrected.se)
    width = made.corrected.high - made.corrected.low
    alone = made.people.high - made.people.low
    add(counts, f"{what} widths", float((width / alone)[both].sum()))
    add(counts, f"{what} compared", float(both.sum()))
    add(counts, f"{what} asked", float(len(truth)))
    if what == "mean":
        add(counts, "like", float(made.like[both].sum()))
        add(counts, "weight", float(made.weight.sum()))


def _held(one: Estimates, truth: np.ndarray) -> np.ndarray:
    return (one.low <= truth) & (truth <= one.high)


def add(counts: Counts, name: str, value: float) -> None:
    counts[name] = counts.get(name, 0.0) + value


def report(kept: dict[str, Counts]) -> Iterator[str]:
    """A row for each cell, in percent."""
    yield (
        "| set | target | replays | texts rated | means: people | corrected |"
        " differences: people | corrected | width | lambda | ratings saved |"
        " means refused | differences refused |"
    )
    yield "|" + " --- |" * 13
    for name, one in kept.items():
        if not one.get("mean compared"):
            yield f"| {name} | {one['replays']:.0f} | refused |"
            continue
        shares = [
            100 * one[f"{what} {who} held"] / max(one[f"{what} {who} n"], 1)
            for what in ("mean", "difference")
            for who in ("people", "corrected")
        ]
        rated = one["rated"] / one["replays"]
        like = one["like"] / one["mean compared"]
        numbers = [
            f"{one['replays']:.0f}",
            f"{rated:.0f}",
            *(f"{share:.1f}" for share in shares),
            f"{one['mean widths'] / one['mean compared']:.3f}",
            f"{one['weight'] / one['mean asked']:.2f}",
            f"{round(100 * (1 - rated / 2 / like))}",
            *(
                f"{100 * (1 - one[f'{what} corrected n'] / one[f'{what} asked']):.1f}"
                for what in ("mean", "difference")
            ),
        ]
        yield f"| {name} | " + " | ".join(numbers) + " |"


if __name__ == "__main__":
    main()
