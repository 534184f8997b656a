"""How often each verdict of the answer is claimed where it is false.

    OMP_NUM_THREADS=1 python -m benchmarks.verdicts [--studies 2000] [WORLD ...]

Each world is a way to make quality, raters and metrics. What is true of a metric there
is read off one study of 20,000 prompts; then the real rules judge many small studies,
and each claim (chip) is counted beside whether it is true. A cell with more false
claims than the aim is computed once more with new seeds and four times the studies,
and that number stands.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np

from benchmarks.cells import on_all_processors, table
from scoring.stats.answer import ceiling, chips, floor
from scoring.stats.answer.chips import Chip
from scoring.stats.answer.contributions import Contrast
from scoring.stats.answer.evidence import Evidence, Measure, gather
from scoring.stats.answer.margins import HARDLY
from scoring.stats.answer.question import Question, examine

POPULATION = 20_000
MOST = 0.061  # of studies with a false claim
CHUNK = 100  # studies of one process
CHANCE = 3  # standard errors of the population's numbers, within which two are equal
Judge = Callable[["Drawn", np.random.Generator], np.ndarray]


@dataclass(frozen=True)
class World:
    """How quality, raters and metrics come about."""

    judges: tuple[Judge, ...]
    systems: int = 4
    raters: int = 3
    points: int = 5
    of_system: float = 0.5  # SD of systems
    of_prompt: float = 0.5
    of_text: float = 1.0
    noise: float = 1.2  # SD of one rating
    length: float = 0.0  # what people like about long texts
    middle: float = 0.0  # and about texts of middle length
    skew: float = 0.0


@dataclass(frozen=True)
class Drawn:
    """One study."""

    quality: np.ndarray  # (P, S)
    prompt: np.ndarray  # (P, 1)
    size: np.ndarray  # (P, S) log length, mean 0 and SD 1
    ratings: np.ndarray  # (P, S, R)


def noisy(sd: float) -> Judge:
    """Knows quality, with noise."""
    return lambda d, rng: d.quality + sd * rng.normal(size=d.quality.shape)


def noise(_: Drawn, rng: np.random.Generator) -> np.ndarray:
    return rng.normal(size=_.quality.shape)


def long(d: Drawn, rng: np.random.Generator) -> np.ndarray:
    return d.size + 0.2 * rng.normal(size=d.size.shape)


def middling(d: Drawn, _: np.random.Generator) -> np.ndarray:
    return -(d.size**2)


def like_a_rater(sd: float) -> Judge:
    """As one more rater would answer."""

    def judge(d: Drawn, rng: np.random.Generator) -> np.ndarray:
        return _points(d.quality + d.prompt + sd * rng.normal(size=d.quality.shape), 5)

    return judge


def tying(share: float, sd: float) -> Judge:
    """The same for all texts of a prompt, in so many prompts."""

    def judge(d: Drawn, rng: np.random.Generator) -> np.ndarray:
        silent = rng.random((len(d.quality), 1)) < share
        return np.where(silent, 3.0, noisy(sd)(d, rng))

    return judge


WORLDS = {
    "judge of 1.5 raters": World((noisy(0.45),)),
    "judge of one rater": World((like_a_rater(1.2),)),
    "judge of two thirds of a rater": World((noisy(2.2),)),
    "judge of half a rater": World((noisy(3.1),)),
    "noise": World((noise,)),
    "ten kinds of noise": World((noise,) * 10),
    "ten judges of one rater": World((like_a_rater(1.2),) * 10),
    "length, and people like it": World((long,), length=0.8),
    "middle length, and people like it": World((middling,), middle=0.8),
    "judge ties 95 % of the prompts": World((tying(0.95, 0.3),)),
    "people hardly agree": World((noisy(0.45), noise), noise=7.0),
    "people are at chance": World((noisy(0.45), noise), noise=1e6),
    "systems decide": World((noisy(0.45), noise), of_system=3.0, of_text=0.3),
    "two-valued ratings": World((noisy(0.8), noise), points=2),
    "skewed ratings": World((noisy(0.8), noise), skew=1.0),
    "two raters, two systems": World(
        (noisy(0.45), noise), raters=2, systems=2, of_system=0.2
    ),
}


def _points(raw: np.ndarray, points: int) -> np.ndarray:
    if points == 2:
        return (raw > 0).astype(np.float64)
    return np.clip(np.rint(3 + 0.8 * raw), 1, points)


def draw(world: World, prompts: int, rng: np.random.Generator) -> Drawn:
    shape = (prompts, world.systems)
    systems = np.linspace(-1, 1, world.systems)
    size = rng.normal(size=shape)
    quality = world.of_system * systems / systems.std()
    quality = quality + world.of_text * rng.normal(size=shape)
    quality = quality + world.length * size - world.middle * (size**2 - 1) / 2**0.5
    prompt = world.of_prompt * rng.normal(size=(prompts, 1))
    raw = (quality + prompt)[..., np.newaxis]
    raw = raw + world.noise * rng.normal(size=(*shape, world.raters))
    if world.skew:  # most ratings are at one end
        raw = raw - world.skew - 1.0
    return Drawn(quality, prompt, size, _points(raw, world.points))


def judged(
    world: World, prompts: int, rng: np.random.Generator, *, systems: bool = True
) -> tuple[Question, list[Evidence]]:
    """The real rules on one study."""
    d = draw(world, prompts, rng)
    n, raters = d.quality.size, world.raters
    prompt = np.repeat(np.arange(prompts), world.systems)
    system = np.tile(np.arange(world.systems), prompts)
    human = d.ratings.mean(axis=2).ravel()
    panel = ceiling.panel(
        np.repeat(np.arange(n), raters),
        np.tile(np.arange(raters), n),
        d.ratings.ravel(),
        rng=rng,
    )
    words = np.rint(np.exp(4 + 0.4 * d.size.ravel()))
    features = np.column_stack([words * 6, words, rng.random((n, 2))])
    guesses = {
        one.key: one.scores
        for one in (
            floor.length(words, human, prompt),
            floor.surface(features, human, prompt),
        )
        if one.reason is None
    }
    coefficient = "pearson" if world.systems > 2 else "kendall"
    question = examine(
        Measure(coefficient, prompt),
        panel.picks,
        human,
        guesses,
        system if systems else np.full(n, -1),
        n_rest=panel.n_rest,
    )
    metrics = np.column_stack([judge(d, rng).ravel() for judge in world.judges])
    return question, gather(question.measure, question.picks, human, metrics, guesses)


class Truth(NamedTuple):
    """Agreement of a metric, one rater and the best guess with people; and signs."""

    metric: float
    rater: float
    guess: float
    beats: int  # of the smallest m - g_k
    gap: int  # of m - o
    keeps: int  # of m - KEEPS o
    little: int  # of the largest g_k + LITTLE o - m

    @classmethod
    def of(cls, e: Evidence) -> Truth:
        beats = min(_sign(c) for c in e.beats.values())
        little = max(_sign(c) for c in e.little.values())
        gap, keeps = _sign(e.rater_gap), _sign(e.keeps)
        best = max(e.guesses.values())
        return cls(e.metric, e.rater, best, beats, gap, keeps, little)


def _sign(of: Contrast | None) -> int:
    """1 or -1 only by more than chance in reading it off the population."""
    assert of is not None
    return int(np.sign(of.value)) if abs(of.value) > CHANCE * of.se else 0


def is_true(chip: Chip, truth: Truth) -> bool:
    """Whether a claim holds in a population."""
    above_guess = truth.beats > 0
    return {
        "worse": truth.beats < 0,
        "better": above_guess and truth.gap > 0,
        "like": above_guess and truth.keeps > 0,
        "below": above_guess and truth.gap < 0,
        "beats": above_guess,
        "little": truth.little > 0,
        "hardly": truth.rater < HARDLY,
    }.get(chip, True)


DECIDED = ("better", "like", "below", "little", "worse")
Shown = tuple[int, bool, Chip, bool]  # metric, within systems, chip, whether true


@dataclass
class Count:
    """Studies, those with any false claim, those in which every metric is decided."""

    studies: int = 0
    false: int = 0
    decided: int = 0
    shown: Counter[Shown] = field(default_factory=Counter)

    def add(self, other: Count) -> None:
        self.studies += other.studies
        self.false += other.false
        self.decided += other.decided
        self.shown.update(other.shown)


class Cell(NamedTuple):
    world: str
    prompts: int
    studies: int
    seed: int
    truths: dict[bool, list[Truth]]


def replay(cell: Cell) -> Count:
    """Judge many studies of one world."""
    world, count = WORLDS[cell.world], Count(studies=cell.studies)
    rng = np.random.default_rng([cell.prompts, cell.seed])
    alike = [world.judges.index(judge) for judge in world.judges]
    for _ in range(cell.studies):
        question, evidence = judged(world, cell.prompts, rng)
        adjusted = chips.adjust(evidence, [False] * len(evidence), len(evidence))
        claims = [
            chips.chip_of(question, e, p)
            for e, p in zip(evidence, adjusted, strict=True)
        ]
        within = question.within_systems
        truths = cell.truths[within]
        holds = [is_true(*pair) for pair in zip(claims, truths, strict=True)]
        several = [within] * len(claims)
        count.shown.update(zip(alike, several, claims, holds, strict=True))
        count.false += not all(holds)
        count.decided += all(chip in DECIDED for chip in claims)
    return count


def truths_of(name: str) -> dict[bool, list[Truth]]:
    """By prompt, and within systems where they decide."""
    by_prompt = partial(judged, WORLDS[name], POPULATION)
    return {
        False: _truths(*by_prompt(np.random.default_rng(1), systems=False)),
        True: _truths(*by_prompt(np.random.default_rng(1))),
    }


def _truths(_: Question, evidence: list[Evidence]) -> list[Truth]:
    return [Truth.of(e) for e in evidence]


def counted(
    truths: dict[str, dict[bool, list[Truth]]],
    cells: list[tuple[str, int]],
    studies: int,
    first_seed: int = 0,
) -> dict[tuple[str, int], Count]:
    starts = range(0, studies, CHUNK)
    chunks = [
        Cell(
            world,
            prompts,
            min(CHUNK, studies - start),
            first_seed + start,
            truths[world],
        )
        for world, prompts in cells
        for start in starts
    ]
    counts = {cell: Count() for cell in cells}
    for chunk, count in zip(chunks, on_all_processors(replay, chunks), strict=True):
        counts[chunk.world, chunk.prompts].add(count)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("worlds", nargs="*", default=list(WORLDS))
    parser.add_argument("--studies", type=int, default=2000)
    parser.add_argument("--prompts", type=int, nargs="+", default=[10, 20, 40, 100])
    asked = parser.parse_args()
    found = on_all_processors(truths_of, asked.worlds)
    truths = dict(zip(asked.worlds, found, strict=True))
    cells = [(world, prompts) for world in asked.worlds for prompts in asked.prompts]
    counts = counted(truths, cells, asked.studies)
    missed = [cell for cell, c in counts.items() if c.false > MOST * c.studies]
    counts |= counted(truths, missed, 4 * asked.studies, 10**6)
    print(of_worlds(asked.worlds, asked.prompts, counts, missed), end="\n\n")
    print(of_chips(asked.worlds, asked.prompts, counts, truths))


def of_worlds(
    worlds: list[str],
    prompts: list[int],
    counts: dict[tuple[str, int], Count],
    missed: list[tuple[str, int]],
) -> str:
    def false(cell: tuple[str, int]) -> str:
        again = "*" if cell in missed else ""
        return f"{100 * counts[cell].false / counts[cell].studies:.1f}{again}"

    def decided(cell: tuple[str, int]) -> str:
        return f"{100 * counts[cell].decided / counts[cell].studies:.0f}"

    rows = [
        [w, *(false((w, p)) for p in prompts), *(decided((w, p)) for p in prompts)]
        for w in worlds
    ]
    claims = [f"{what} at {p}" for what in ("false", "decided") for p in prompts]
    return table(["world", *claims], rows)


def of_chips(
    worlds: list[str],
    prompts: list[int],
    counts: dict[tuple[str, int], Count],
    truths: dict[str, dict[bool, list[Truth]]],
) -> str:
    rows = []
    for world in worlds:
        judges = WORLDS[world].judges
        shown = {k for p in prompts for k in counts[world, p].shown}
        for metric, within, chip, true in sorted(shown):
            n = judges.count(judges[metric])
            cells = [counts[world, p] for p in prompts]
            key = metric, within, chip, true
            shares = [c.shown[key] / c.studies / n for c in cells]
            m, o, best = truths[world][within][metric][:3]
            what = "noise" if judges[metric] is noise else "judge"
            what += " within systems" if within else ""
            rows.append(
                [world, f"{what} ({m:.2f}, {o:.2f}, {best:.2f})", chip]
                + ["true" if true else "**false**"]
                + [f"{100 * share:.1f}" for share in shares]
            )
    head = [
        "world",
        "metric (its r, one rater's, best guess's)",
        "chip",
        "is",
        *prompts,
    ]
    return table(head, rows)


if __name__ == "__main__":
    main()
