"""Divergences from human text by n-grams and by LSTMs, and what people think.

python -m benchmarks.string_densities --data DATA [--seeds N] [--folds N] [--set NAME]

The rows of figure 6 in Pimentel, Meister & Cotterell (2023) on rated systems of DATA:
for each set, model of texts and output, the value of each system and the correlation
over systems with the mean rating that people gave them, each with its standard
deviation over seeds. A set that is not there is left out, with a line that says so.
Prints tables in markdown.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from scoring.metrics import SystemTexts, get
from scoring.stats.correlation import pearson, spearman

DENSITIES = ("ngram", "lstm")
OUTPUTS = {
    "forward_kl": "forward KL",
    "backward_kl": "backward KL",
    "jensen_shannon": "JS",
    "exponentiated_kl": "exponentiated KL",
    "jensen_shannon_per_word": "JS per word",
    "auc_per_word": "AUC per word",
}


class Rated(NamedTuple):
    """Systems, what they wrote, and the mean rating of each."""

    name: str
    human: list[str]
    systems: dict[str, list[str]]  # texts answer the same prompts, in the same order
    ratings: dict[str, float]


def stories(data: Path) -> Rated:
    """OpenMEVA's MANS: endings of 200 stories by people and by five systems."""
    rows = json.loads((data / "openmeva_mans/mans_roc.json").read_text("utf-8"))
    systems: dict[str, list[str]] = {}
    scores: dict[str, list[float]] = {}
    for row in rows.values():
        for name, one in row["gen"].items():
            systems.setdefault(name, []).append(one["text"].strip())
            scores.setdefault(name, []).append(float(np.mean(one["score"])))
    human = [row["gold_response"].strip() for row in rows.values()]
    ratings = {name: float(np.mean(values)) for name, values in scores.items()}
    return Rated("MANS", human, systems, ratings)


def dialogues(data: Path) -> Rated:
    """USR's Topical-Chat: 60 responses of four decoders and, as a fifth, of people.

    They are compared with the responses that stood in the dialogues.
    """
    rows = json.loads((data / "usr_topicalchat/tc_usr_data.json").read_text("utf-8"))
    systems: dict[str, list[str]] = {}
    scores: dict[str, list[float]] = {}
    for row in rows:
        for one in row["responses"]:
            systems.setdefault(one["model"], []).append(one["response"].strip())
            scores.setdefault(one["model"], []).append(float(np.mean(one["Overall"])))
    human = systems.pop("Original Ground Truth")
    ratings = {name: float(np.mean(scores[name])) for name in systems}
    return Rated("USR Topical-Chat", human, systems, ratings)


SETS = {"stories": stories, "dialogues": dialogues}


def scored(rated: Rated, **options: object) -> dict[str, np.ndarray]:
    """By output, (systems, seeds)."""
    scorer: Any = get("string_divergence")(**options).load()
    prompts = tuple(f"{n}" for n in range(len(rated.human)))
    found = []
    for n, texts in enumerate(rated.systems.values()):
        given = SystemTexts(
            tuple(texts), tuple(rated.human), prompts=prompts, corpus_prompts=prompts
        )
        found.append(scorer(given, np.random.default_rng(n)).values)
    return {key: np.array([one[key] for one in found]) for key in OUTPUTS}


def values(
    rated: Rated, found: dict[str, dict[str, np.ndarray]]
) -> Iterator[list[str]]:
    """Cells: a row for each system and density, the best rated system first."""
    yield ["people", "system", "texts", *OUTPUTS.values()]
    names = list(rated.systems)
    for name in sorted(names, key=lambda name: -rated.ratings[name]):
        for density, by_output in found.items():
            of_system = (by_output[key][names.index(name)] for key in OUTPUTS)
            yield [f"{rated.ratings[name]:.2f}", name, density, *map(_shown, of_system)]


def correlations(
    rated: Rated, found: dict[str, dict[str, np.ndarray]]
) -> Iterator[list[str]]:
    """Cells: a row for each density and coefficient, of the divergences negated."""
    yield ["texts", "coefficient", *OUTPUTS.values()]
    people = np.array([rated.ratings[name] for name in rated.systems])
    for density, by_output in found.items():
        for title, coefficient in (("Pearson", pearson), ("Spearman", spearman)):
            cells = []
            for key in OUTPUTS:
                each = [coefficient(-seed, people).value for seed in by_output[key].T]
                there = [value for value in each if value is not None]
                cells.append(_shown(np.array(there)) if there else "—")
            yield [density, title, *cells]


def _shown(of_seeds: np.ndarray) -> str:
    deviation = of_seeds.std(ddof=1) if len(of_seeds) > 1 else np.nan
    return f"{of_seeds.mean():.3g} ± {deviation:.2g}"


def printed(rows: Iterator[list[str]]) -> None:
    head, *others = rows
    for row in (head, ["---"] * len(head), *others):
        print(f"| {' | '.join(row)} |", flush=True)
    print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--set", choices=SETS, help="one alone")
    given = parser.parse_args()
    import torch

    torch.set_num_threads(1)
    for name in [given.set] if given.set else SETS:
        try:
            rated = SETS[name](given.data)
        except FileNotFoundError as error:
            print(f"{name}: left out, {error.filename} is not there\n")
            continue
        found = {}
        for density in DENSITIES:
            start = time.process_time()
            found[density] = scored(
                rated, density=density, seeds=given.seeds, folds=given.folds
            )
            seconds = time.process_time() - start
            print(f"{rated.name}, {density}: {seconds:.0f} s of one core", flush=True)
        print()
        printed(values(rated, found))
        printed(correlations(rated, found))


if __name__ == "__main__":
    main()
