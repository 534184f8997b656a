"""What divergences from human text cost: a study of eight systems.

python -m benchmarks.divergences --imdb DATA/text_imdb

Systems are film reviews that something was done to, the corpus is reviews as they are.
Both recipes are run in one process, each with a scorer of its own; the vectors are kept
in a folder that is empty at first. Prints tables in markdown: where the time goes, how
many texts the model has read, and what the numbers are.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from scoring.metrics import SystemMetric, SystemScores, SystemTexts, get
from scoring.metrics._distributions import vectors
from scoring.metrics._engine import models
from scoring.metrics.divergence import PRESETS

STAGES = ("embedding", "pca", "clustering", "divergences", "chance")
SHOWN = ("jensen_shannon", "forward_kl", "mauve")

Change = Callable[[list[str], np.random.Generator], list[str]]

# What is done to the words of a review, by the name of the system.
SYSTEMS: dict[str, Change] = {
    "as they are": lambda words, rng: words,
    "as they are, others": lambda words, rng: words,
    "without articles": lambda words, rng: [
        word for word in words if word.lower() not in ("a", "an", "the")
    ],
    "first third": lambda words, rng: words[: len(words) // 3],
    "each tenth word lost": lambda words, rng: [
        word for word in words if rng.random() > 0.1
    ],
    "halves exchanged": lambda words, rng: [
        *words[len(words) // 2 :],
        *words[: len(words) // 2],
    ],
    "words shuffled": lambda words, rng: list(rng.permutation(words)),
    "first words repeated": lambda words, rng: words[:15] * (len(words) // 15 + 1),
}


class Run(NamedTuple):
    """A recipe's scores of all systems."""

    found: dict[str, SystemScores]
    seconds: float
    read: int  # texts that the model was given


def texts_of(folder: Path, name: str, n: int) -> list[str]:
    """Spread over the file, where reviews that follow each other are of one film."""
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        found = [json.loads(line)["text"] for line in lines]
    return [found[k] for k in np.random.default_rng(0).permutation(len(found))[:n]]


def systems_of(reviews: list[str], n: int) -> dict[str, tuple[str, ...]]:
    """Each has reviews of its own: a study's systems rarely share a text."""
    rng, found = np.random.default_rng(0), {}
    for k, (name, change) in enumerate(SYSTEMS.items()):
        own = reviews[k * n : (k + 1) * n]
        found[name] = tuple(" ".join(change(text.split(), rng)) for text in own)
    return found


def run(
    metric: SystemMetric, systems: dict[str, tuple[str, ...]], corpus: tuple[str, ...]
) -> Run:
    start = time.perf_counter()
    scorer, read = metric.load("cpu"), 0
    embedded = scorer._partitions._encoder._embedded

    def counting(texts: list[str], meter: object) -> np.ndarray:
        nonlocal read
        read += len(texts)
        return embedded(texts, meter)

    scorer._partitions._encoder._embedded = counting
    found = {
        name: scorer(SystemTexts(texts, corpus), np.random.default_rng(k))
        for k, (name, texts) in enumerate(systems.items())
    }
    return Run(found, time.perf_counter() - start, read)


def report(runs: dict[str, Run]) -> None:
    columns = " | ".join(f"{stage}, s" for stage in STAGES)
    print(f"| recipe | texts read by the model | {columns} | in all, s |")
    print("| --- " * (len(STAGES) + 3) + "|")
    for name, one in runs.items():
        spent = [
            sum(scores.details["seconds"][stage] for scores in one.found.values())
            for stage in STAGES
        ]
        stages = " | ".join(f"{seconds:.1f}" for seconds in spent)
        print(f"| {name} | {one.read:,} | {stages} | {one.seconds:.1f} |")
    for name, one in runs.items():
        print(f"\n| {name}, system | K | dimensions | {' | '.join(SHOWN)} |")
        print("| --- " * (len(SHOWN) + 3) + "|")
        for system, scores in one.found.items():
            sizes = [scores.details["clusters"], scores.details["dimensions"]]
            told = [*map(str, sizes), *(_told(scores.values[key]) for key in SHOWN)]
            print(f"| {system} | {' | '.join(told)} |")


def _told(values: np.ndarray) -> str:
    """Mean and standard deviation over seeds."""
    if np.isnan(values).any():
        return "infinite"
    return f"{values.mean():.3f} ± {values.std(ddof=1):.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--imdb", type=Path, required=True)
    parser.add_argument("--model", default="bundled:encoder-small")
    parser.add_argument("--n", type=int, default=500, help="texts of a system")
    parser.add_argument("--corpus", type=int, default=5000, help="human texts")
    parser.add_argument("--threads", type=int, default=0, help="0: all cores but one")
    given = parser.parse_args()
    models.limit_threads(given.threads)
    corpus = [
        text
        for name in ("test_pos", "test_neg")
        for text in texts_of(given.imdb, name, given.corpus // 2)
    ]
    reviews = texts_of(given.imdb, "train_unsup", given.n * len(SYSTEMS))
    systems = systems_of(reviews, given.n)
    with tempfile.TemporaryDirectory() as folder:
        vectors.keep_in(Path(folder))
        runs = {
            preset: run(
                get("divergence")(model=given.model, preset=preset),
                systems,
                tuple(corpus),
            )
            for preset in PRESETS
        }
    report(runs)
    used = resource.getrusage(resource.RUSAGE_SELF)
    told = f"highest memory {used.ru_maxrss / 1024:,.0f} MB"
    spent = used.ru_utime + used.ru_stime  # what the machine does beside counts less
    print(f"\n{told}; {spent:.0f} CPU seconds; load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
