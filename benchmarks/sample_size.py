"""Whether the planner knows beforehand how wide intervals will be.

python -m benchmarks.sample_size --data DATA

Five sets of rated texts in DATA. Three questions, each answered by subsampling:

known    components from the whole set; smaller designs are drawn from it
crowd    the same of sets that name their raters, where each text draws raters of its
         own, so that no two texts of a prompt need have the same ones
pilot    components from half of the prompts with one rater fewer; the other half is the
         study, with all raters. The pilot knows nothing of the study

In each drawn study the difference of every two systems gets its interval as on the
site: percentiles of a bootstrap over prompts. Printed is half its width, as the root of
the mean square over pairs of systems and as the mean, averaged over draws, beside the
prediction. Tables in markdown.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from csv import DictReader
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from scoring.stats.components.designs import Design, half_width
from scoring.stats.components.estimating import estimate
from scoring.stats.components.levels import Rated

DRAWS, RESAMPLES = 40, 500


class Set(NamedTuple):
    """Ratings of one aspect: NaN where a rater gave none."""

    name: str
    values: np.ndarray  # (prompts, systems, raters)
    named: bool  # a rater is the same person on all texts


def mans(data: Path) -> Iterator[Set]:
    rows = json.loads((data / "openmeva_mans/mans_roc.json").read_text("utf-8"))
    values = [[one["score"] for one in row["gen"].values()] for row in rows.values()]
    yield Set("MANS", np.array(values, float), False)


def hanna(data: Path) -> Iterator[Set]:
    text = (data / "hanna/hanna_metric_scores_llm.csv").read_text("utf-8")
    rows = list(DictReader(text.splitlines()))
    for aspect in ("RE", "CH", "EM", "SU", "EG", "CX"):
        columns = [f"Human {number} {aspect}" for number in (1, 2, 3)]
        values = [[json.loads(row[column]) for column in columns] for row in rows]
        yield Set(f"HANNA {aspect}", np.array(values, float).transpose(2, 0, 1), False)


def newsroom(data: Path) -> Iterator[Set]:
    """Seven summaries of each article, in the order of the systems."""
    found = json.loads((data / "newsroom/ratings.json").read_text("utf-8"))
    rows = found["instances"]
    for aspect in ("Informativeness", "Relevance", "Fluency", "Coherence"):
        values = [r["annotations"][aspect]["individual_human_scores"] for r in rows]
        shaped = np.array(values, float).reshape(len(rows) // 7, 7, 3)
        yield Set(f"Newsroom {aspect}", shaped, False)


def topical_chat(data: Path) -> Iterator[Set]:
    rows = json.loads((data / "usr_topicalchat/tc_usr_data.json").read_text("utf-8"))
    for aspect in ("Natural", "Engaging", "Overall"):
        values = [[one[aspect] for one in row["responses"]] for row in rows]
        yield Set(f"Topical-Chat {aspect}", np.array(values, float), True)


def summeval(data: Path) -> Iterator[Set]:
    path = data / "alttest/summeval/human_annotations.json"
    rows = json.loads(path.read_text("utf-8"))
    raters = sorted(rows)
    keys = [key.split("__") for key in rows[raters[0]]]
    articles = sorted({key[0] for key in keys})
    systems = sorted({key[1] for key in keys})
    for aspect in sorted({key[2] for key in keys}):
        values = [
            [
                [rows[r].get(f"{a}__{s}__{aspect}", np.nan) for r in raters]
                for s in systems
            ]
            for a in articles
        ]
        yield Set(f"SummEval {aspect}", np.array(values, float), True)


SETS: tuple[Callable[[Path], Iterator[Set]], ...]
SETS = (mans, hanna, newsroom, topical_chat, summeval)


def rated(one: Set) -> Rated:
    prompt, system, rater = (at.ravel() for at in np.indices(one.values.shape))
    text = prompt * one.values.shape[1] + system
    return Rated(one.values.ravel(), system, prompt, text, rater if one.named else None)


def drawn(
    one: Set,
    prompts: int,
    raters: int,
    rng: np.random.Generator,
    together: bool | None = None,
) -> np.ndarray:
    """A study: some prompts, of each text some ratings; of named raters the same."""
    together = one.named if together is None else together
    values = one.values[rng.permutation(len(one.values))[:prompts]]
    shape = (prompts, 1 if together else values.shape[1], values.shape[2])
    order = rng.random(shape).argsort(axis=2)[:, :, :raters]
    order = np.broadcast_to(order, (*values.shape[:2], raters))
    return np.take_along_axis(values, order, axis=2)


def realised(values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Half the interval of each two systems, (pairs,)."""
    means = np.nanmean(values, axis=2)
    n = len(means)
    w = rng.multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
    known = np.isfinite(means)
    of = (w @ np.where(known, means, 0)) / (w @ known)
    pairs = np.array(list(combinations(range(of.shape[1]), 2)))
    low, high = np.quantile(of[:, pairs[:, 0]] - of[:, pairs[:, 1]], [0.025, 0.975], 0)
    return np.asarray((high - low) / 2)


class Line(NamedTuple):
    """One row of a table."""

    name: str
    design: Design
    predicted: float
    square: float  # realised, root mean square over pairs
    mean: float


def predicted(one: Set, design: Design, rng: np.random.Generator) -> float:
    found = estimate(rated(one), rng=rng, draws=0)
    assert found.components is not None, (one.name, found.reason)
    return float(half_width(found.components.of, design))


def known(one: Set, rng: np.random.Generator) -> Iterator[Line]:
    n, _, raters = one.values.shape
    pool = raters if one.named else None
    for prompts in (n // 4, n // 2, n):
        for each in sorted({1, (raters + 1) // 2, raters}):
            design = Design(prompts, each, pool=pool)
            widths = [
                realised(drawn(one, prompts, each, rng), rng) for _ in range(DRAWS)
            ]
            yield _line(one.name, design, predicted(one, design, rng), widths)


def crowd(one: Set, rng: np.random.Generator) -> Iterator[Line]:
    """Each text with raters of its own; all three would be the same ones again."""
    n, _, raters = one.values.shape
    for prompts in (n // 4, n // 2, n):
        for each in range(1, raters):
            design = Design(prompts, each, pool=raters, together=0)
            widths = [
                realised(drawn(one, prompts, each, rng, together=False), rng)
                for _ in range(DRAWS)
            ]
            yield _line(one.name, design, predicted(one, design, rng), widths)


def pilot(one: Set, rng: np.random.Generator) -> tuple[Line, float]:
    """And the standard deviation of predicted / realised over draws."""
    n, _, raters = one.values.shape
    design = Design(n - n // 2, raters, pool=raters if one.named else None)
    said, widths = [], []
    for _ in range(DRAWS):
        order = rng.permutation(n)
        first = one._replace(values=one.values[order[: n // 2]])
        second = one._replace(values=one.values[order[n // 2 :]])
        tried = first._replace(values=drawn(first, n // 2, raters - 1, rng))
        # Who is who is lost by drawing two of three for each prompt.
        tried = tried._replace(named=False) if one.named else tried
        said.append(predicted(tried, design, rng))
        widths.append(realised(second.values, rng))
    line = _line(one.name, design, float(np.mean(said)), widths)
    of = [np.sqrt((w**2).mean()) for w in widths]
    return line, float(np.std(np.array(said) / np.array(of)))


def _line(name: str, design: Design, said: float, widths: list[np.ndarray]) -> Line:
    found = np.array(widths)
    square = float(np.sqrt((found**2).mean(axis=1)).mean())
    return Line(name, design, said, square, float(found.mean()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", choices=["crowd"], help="without the other tables")
    arguments = parser.parse_args()
    every = [one for read in SETS for one in read(arguments.data)]
    if not arguments.only:
        _usual(every, np.random.default_rng(1))
    print(f"\ncrowd\n\n{HEAD}\n{LINE}")
    rng = np.random.default_rng(2)
    for one in (one for one in every if one.named):
        for line in crowd(one, rng):
            print(_row(line), flush=True)


HEAD = (
    "| set | prompts | raters | predicted | realised | error"
    " | mean over pairs | error |"
)
LINE = "|---|---:|---:|---:|---:|---:|---:|---:|"


def _usual(every: list[Set], rng: np.random.Generator) -> None:
    print(f"known\n\n{HEAD}\n{LINE}")
    for one in every:
        for line in known(one, rng):
            print(_row(line), flush=True)
    print(f"\npilot\n\n{HEAD} SD of one pilot |\n{LINE}---:|")
    for one in every:
        line, spread = pilot(one, rng)
        print(f"{_row(line)} {spread:.1%} |", flush=True)


def _row(line: Line) -> str:
    errors = [line.predicted / of - 1 for of in (line.square, line.mean)]
    design = line.design
    return (
        f"| {line.name} | {design.prompts} | {design.raters} | {line.predicted:.3f} |"
        f" {line.square:.3f} | {errors[0]:+.1%} | {line.mean:.3f} | {errors[1]:+.1%} |"
    )


if __name__ == "__main__":
    main()
