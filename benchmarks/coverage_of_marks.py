"""Do the intervals of the page "Marked errors" hold the truth?

    OMP_NUM_THREADS=1 python -m benchmarks.coverage_of_marks [--studies 1000]

A world says how many texts have errors and how well people and a metric find them. It
has 800 prompts of four texts, five people and a metric; a study draws prompts of it at
random, with replacement, so the truth is the number of the world itself. Counted apart:
in how many studies a number has an interval, and how often those that are shown hold
the truth. Results: coverage_of_marks.md.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from benchmarks.cells import on_all_processors, table
from scoring.stats import shares
from scoring.stats.estimates import Estimate
from scoring.stats.jackknife import Jackknifed, LeaveOut, leave_out
from scoring.stats.spans import characters, floors, matching
from scoring.stats.spans.f_scores import Compared, estimate, mean_scores
from scoring.stats.spans.marks import Mark, Marks
from scoring.stats.spans.pages import Pages, Texts
from scoring.stats.spans.unit_alpha import Coincidences, coincidences, of_sums

PROMPTS = (5, 10, 15, 20, 40)
SIZES = ((1, 2), (1, 3), (2, 3), (4, 2), (2, 5))  # texts of a prompt, people
RATES = (0.1, 0.3, 0.6, 0.9)  # texts with an error
N, TEXTS, PEOPLE, LENGTH = 800, 4, 5, 200
DRAWS = 4  # of the marks at random places, which are drawn once for a world
GUESSES = 20  # of marks of other texts
LEAST_SHARED = 10  # texts, below which all pairs of judges are taken together
PAIRS = list(combinations(range(PEOPLE), 2))
FEW = 200  # studies that show a number: below this many a cell says little


class Skill(NamedTuple):
    """How well errors are found: share, characters a border moves, false marks."""

    people: tuple[float, int, float]
    metric: tuple[float, int, float]


SKILLS = {
    "poor metric": Skill((0.4, 8, 0.5), (0.05, 8, 1.0)),
    "like a person": Skill((0.65, 4, 0.2), (0.65, 4, 0.2)),
    "nearly perfect": Skill((0.97, 0, 0.02), (0.97, 0, 0.02)),
}
Numbers = dict[str, np.ndarray]
Cell = tuple[str, float, int]  # skill, rate, studies
Shown = dict[tuple[str, int], list[tuple[int, int, int]]]  # studies, shown, held


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1000)
    n = parser.parse_args().studies
    cells = [(skill, rate, n) for skill, rate in product(SKILLS, RATES)]
    total: Shown = defaultdict(list)
    for cell in on_all_processors(of_world, cells):
        for key, counts in cell.items():
            total[key] += counts
    names = list(dict.fromkeys(name for name, _ in total))
    rows = [[name, *(text(total[name, p]) for p in PROMPTS)] for name in names]
    print(table(["number", *PROMPTS], rows))


def text(cells: list[tuple[int, int, int]]) -> str:
    """Coverage of all shown, of the worst cell, and the share shown, in percent."""
    studies, shown, held = np.array(cells).sum(axis=0)
    if not shown:
        return "- (0)"
    large = [100 * h / s for _, s, h in cells if s >= FEW]
    worst = f"{min(large):.1f}" if large else "-"
    return f"{100 * held / shown:.1f}, {worst} ({100 * shown / studies:.0f})"


# A world -----------------------------------------------------------------------------


def marked(
    rate: float, skill: Skill, rng: np.random.Generator
) -> Iterator[list[Marks]]:
    """Of each text what its people and the metric mark, the metric last.

    Errors of a prompt: Poisson with a gamma of shape 2, so that `rate` of the texts
    have one. Some prompts are harder than others for all who read them.
    """
    mean = 2 * ((1 - rate) ** -0.5 - 1)
    judges = [(skill.people, s) for s in (0.0, -0.5, 0.5, -0.25, 0.25)]
    for _ in range(N):
        often, hard = mean * rng.gamma(2) / 2, 0.7 * rng.normal()
        for _ in range(TEXTS):
            errors = [_error(rng) for _ in range(rng.poisson(often))]
            yield [
                _found(errors, of, hard + more, often, rng)
                for of, more in [*judges, (skill.metric, 0.0)]
            ]


def _error(rng: np.random.Generator) -> Mark:
    start = int(rng.integers(LENGTH - 25))
    category = "x" if rng.random() < 0.7 else "y"
    return Mark(start, start + int(rng.integers(5, 25)), category)


def _found(
    errors: list[Mark],
    judge: tuple[float, int, float],
    hard: float,
    often: float,
    rng: np.random.Generator,
) -> Marks:
    share, border, false = judge
    chance = 1 / (1 + (1 - share) / share * np.exp(-hard))
    marks = [_moved(e, border, rng) for e in errors if rng.random() < chance]
    return (*marks, *(_error(rng) for _ in range(rng.poisson(false * often))))


def _moved(mark: Mark, border: int, rng: np.random.Generator) -> Mark:
    start, end = np.array(mark[:2]) + rng.integers(-border, border + 1, 2)
    start = int(np.clip(start, 0, LENGTH - 1))
    other = rng.random() < 0.15
    category = "xy"[mark.category == "x"] if other else mark.category
    return Mark(start, int(np.clip(end, start + 1, LENGTH)), category)


class World(NamedTuple):
    """Counts of each text, summed later over those that a study has of a prompt."""

    shares: Numbers  # (N, TEXTS, judges or pairs, 4), as `matching.scores` takes them
    alphas: dict[tuple[str, int], np.ndarray]  # by people; see `_coincided`
    others: np.ndarray  # (n, n, PEOPLE - 2, 2, 4): text, donor, person, whose marks


def world(rate: float, skill: Skill, rng: np.random.Generator) -> World:
    texts = list(marked(rate, skill, rng))

    def compared(
        measure: Callable[[Marks, Marks], np.ndarray], pairs: list[tuple[int, int]]
    ) -> np.ndarray:
        rows = [[measure(judges[a], judges[b]) for a, b in pairs] for judges in texts]
        return np.array(rows).reshape(N, TEXTS, len(pairs), 4)

    with_metric = [(PEOPLE, person) for person in range(PEOPLE)]
    by_share = {
        "metric": compared(_mpp, with_metric),
        "people": compared(_mpp, PAIRS),
        "metric, WMT25": compared(characters.wmt25, with_metric),
        "people, WMT25": compared(characters.wmt25, PAIRS),
        "of one category": compared(_of_y, with_metric),
        "moved": _of_moved(texts, rng),
    }
    by_alpha = {
        (name, people): counts
        for people in sorted({people for _, people in SIZES})
        for name, counts in _coincided(texts, people).items()
    }
    return World(by_share, by_alpha, _of_others(texts))


def _mpp(predicted: Marks, reference: Marks) -> np.ndarray:
    return matching.mpp(predicted, reference).counts


def _of_y(predicted: Marks, reference: Marks) -> np.ndarray:
    ours, theirs = (
        tuple(m for m in marks if m.category == "y") for marks in (predicted, reference)
    )
    return _mpp(ours, theirs)


def _of_moved(texts: list[list[Marks]], rng: np.random.Generator) -> np.ndarray:
    n = len(texts)
    of = Texts(np.full(n, LENGTH), np.arange(n), np.zeros(n, int))
    counts = np.zeros((n, PEOPLE, 4))
    for _ in range(DRAWS):
        guess = floors.moved([judges[PEOPLE] for judges in texts], of, rng=rng).marks
        counts += [
            [_mpp(marks or (), judges[person]) for person in range(PEOPLE)]
            for marks, judges in zip(guess, texts, strict=True)
        ]
    return (counts / DRAWS).reshape(N, TEXTS, PEOPLE, 4)


def _of_others(texts: list[list[Marks]]) -> np.ndarray:
    """What two of the people marked in the first text of another prompt."""
    first = texts[:: TEXTS * 3]
    rows = [
        [[[_mpp(d[j], judges[i]) for j in (0, 1)] for i in range(2)] for d in first]
        for judges in first
    ]
    return np.array(rows)


def _coincided(texts: list[list[Marks]], people: int) -> Numbers:
    """Sums of alpha of each text: disagreed, paired, agreed (2), lengths (V)."""
    n = len(texts)
    of = Texts(np.full(n, LENGTH), np.arange(n), np.zeros(n, int))
    text, rater = np.repeat(np.arange(n), people), np.tile(np.arange(people), n)
    marks = tuple(judges[k] for judges in texts for k in range(people))
    pages = Pages(text, rater, marks)
    found = {}
    for name, unit, categories in (
        ("characters", "character", False),
        ("marks", "mark", False),
        ("marks and categories", "mark", True),
    ):
        sums = coincidences(pages, of, unit=unit, categories=categories)  # type: ignore[arg-type]
        columns = (sums.disagreed, sums.paired, *sums.agreed.T, *sums.lengths.T)
        found[f"alpha of {name}"] = np.stack(columns, axis=-1).reshape(N, TEXTS, -1)
    yes = np.array([len(each) > 0 for each in marks]).reshape(n, people).sum(axis=1)
    no = people - yes
    columns = (2 * yes * no / (people - 1), np.full(n, people), no * (no - 1))
    columns = (*columns, yes * (yes - 1), no, yes)
    found["alpha of texts"] = np.stack(columns, axis=-1).reshape(N, TEXTS, -1)
    return found


# Studies -----------------------------------------------------------------------------


class Study(NamedTuple):
    """Some prompts of a world."""

    world: World
    prompts: np.ndarray  # (P,) of the world
    n_texts: int  # of each prompt
    people: int
    together: bool  # all pairs of judges are taken together

    @property
    def left(self) -> LeaveOut:
        """Of the texts."""
        units = np.repeat(np.arange(len(self.prompts)), self.n_texts)
        return leave_out(units, rng=np.random.default_rng(0))


def of_world(cell: Cell) -> Shown:
    skill, rate, n = cell
    rng = np.random.default_rng([list(SKILLS).index(skill), int(100 * rate)])
    made = world(rate, SKILLS[skill], rng)
    total: dict[tuple[str, int], np.ndarray] = defaultdict(lambda: np.zeros(3, int))
    for prompts, (n_texts, people) in product(PROMPTS, SIZES):
        few = prompts * n_texts < LEAST_SHARED
        truth = of_study(Study(made, np.arange(N), n_texts, people, few), rng)
        for _ in range(n):
            some = rng.integers(N, size=prompts)
            numbers = of_study(Study(made, some, n_texts, people, few), rng)
            for name, number in numbers.items():
                total[name, prompts] += [1, *held(number, truth[name].value)]
    return {key: [tuple(counts.tolist())] for key, counts in total.items()}


def held(number: Estimate, truth: float | None) -> tuple[bool, bool]:
    """Whether an interval is shown, and whether it holds the truth."""
    if number.low is None or number.high is None or truth is None:
        return False, False
    return True, number.low <= truth <= number.high


def of_study(study: Study, rng: np.random.Generator) -> dict[str, Estimate]:
    """All numbers, by the functions that the page uses."""
    left, n = study.left, study.people
    pairs = [k for k, (_, second) in enumerate(PAIRS) if second < n]
    judges = {name: list(range(n)) for name in study.world.shares}
    judges |= {"people": pairs, "people, WMT25": pairs}
    scores = {
        name: (of := compared(study, name, columns), mean_scores(of, left))
        for name, columns in judges.items()
    }
    numbers = {
        f"F {name}": estimate(parts[2], of, "") for name, (of, parts) in scores.items()
    }
    of, (precision, recall, f) = scores["metric"]
    numbers["precision"] = estimate(precision, of, "")
    numbers["recall"] = estimate(recall, of, "")
    for other in ("people", "moved"):
        numbers[f"F metric - {other}"] = apart(f, scores[other][1][2])
    return numbers | of_others(study, rng) | alphas(study)


def compared(study: Study, name: str, columns: list[int]) -> Compared:
    counts = study.world.shares[name][study.prompts, : study.n_texts][:, :, columns]
    n = counts.shape[0] * counts.shape[1]
    text, pair = (grid.ravel() for grid in np.indices((n, len(columns))))
    of = Compared(counts.reshape(-1, 4), text, pair)
    return of.together() if study.together or name == "of one category" else of


def apart(first: Jackknifed, second: Jackknifed) -> Estimate:
    return shares.difference(first, second, n=0, with_p=False)[0]


def of_others(study: Study, rng: np.random.Generator) -> dict[str, Estimate]:
    """F of marks of other texts, with two people and a text of each prompt."""
    others = study.world.others
    prompts = study.prompts % len(others)
    n = len(prompts)
    text, person, _ = (grid.ravel() for grid in np.indices((n, 2, GUESSES)))
    drawn = rng.integers(n - 1, size=(n, 1, GUESSES))
    donor = (drawn + (drawn >= np.arange(n)[:, None, None])).repeat(2, axis=1).ravel()
    whose = rng.integers(2, size=(n, 1, GUESSES)).repeat(2, axis=1).ravel()
    counts = others[prompts[text], prompts[donor], person, whose]
    guess = Compared(counts, text, person, donor)
    own = study.world.shares["metric"][3 * prompts, 0, :2].reshape(-1, 4)
    metric = Compared(own, *(grid.ravel() for grid in np.indices((n, 2))))
    if study.together:
        guess, metric = guess.together(), metric.together()
    left = leave_out(np.arange(n), rng=rng)
    floor, f = (mean_scores(of, left)[2] for of in (guess, metric))
    return {
        "F of other texts": estimate(floor, guess, ""),
        "F metric - other texts": apart(f, floor),
    }


def alphas(study: Study) -> dict[str, Estimate]:
    prompts = np.repeat(np.arange(len(study.prompts)), study.n_texts)
    numbers = {}
    for (name, people), counts in study.world.alphas.items():
        if people == study.people:
            rows = counts[study.prompts, : study.n_texts].reshape(len(prompts), -1)
            sums = Coincidences(
                text=np.arange(len(rows)),
                disagreed=rows[:, 0],
                lengths=rows[:, 4:],
                paired=rows[:, 1],
                agreed=rows[:, 2:4],
            )
            numbers[name] = of_sums(sums, prompts, study.left, "")
    return numbers


if __name__ == "__main__":
    main()
