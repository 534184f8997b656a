"""Whether CTRLEval agrees better with people as a gain over the gap alone.

python -m benchmarks.conditional_gain --data DATA [--models NAME ...]

Each set of rated texts in DATA is scored once with baseline=gap, whose parts give the
paper's score as well: s + alone. By aspect that people rated, Pearson's r and Kendall's
tau-b of both, and their difference with a 95 % interval from a bootstrap over prompts
(the same draws for both). Prints a table in markdown.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks import bundled_models
from scoring.metrics import Example, get
from scoring.metrics._engine import models
from scoring.stats.correlation import Coefficient, kendall, pearson

KEYS = ("coherence", "consistency")
# Of the two evaluators of consistency, the text after its prefix alone.
FORWARD = "consistency, X to Y"
SHOWN = (*KEYS, FORWARD)
COEFFICIENTS: dict[str, Callable[..., Coefficient]] = {"r": pearson, "tau": kendall}


class Rated(NamedTuple):
    """Texts, their prompts and what people think of them, by aspect."""

    name: str
    examples: list[Example]
    prompts: np.ndarray  # (n,) number of the prompt
    human: dict[str, np.ndarray]  # (n,) each
    # Which outputs are compared with an aspect; all that are not named: both.
    meant: dict[str, Sequence[str]] = {}


def sentiment(data: Path) -> Rated:
    """The paper's sentiment task: each output with the aspect that it is meant for."""
    found = bundled_models.read(data / "ctrleval/data_senti.txt")
    human = {key: found.human[:, k] for k, key in enumerate(KEYS)}
    meant = {"coherence": ["coherence"], "consistency": ["consistency", FORWARD]}
    name = "CTRLEval sentiment"
    return Rated(name, found.examples, found.prompts, human, meant)


def stories(data: Path) -> Rated:
    """OpenMEVA's MANS: 200 openings with five endings each, rated as a whole."""
    rows = json.loads((data / "openmeva_mans/mans_roc.json").read_text("utf-8"))
    examples, prompts, human = [], [], []
    for number, row in enumerate(rows.values()):
        for one in row["gen"].values():
            prefix = row["prompt"].strip()
            examples.append(Example(f"{prefix} {one['text'].strip()}", prefix))
            prompts.append(number)
            human.append(np.mean(one["score"]))
    return Rated(
        "MANS", examples, np.array(prompts), {"overall": np.array(human, float)}
    )


def dialogues(data: Path) -> Rated:
    """USR's Topical-Chat: 60 contexts with six responses, the context as prefix."""
    rows = json.loads((data / "usr_topicalchat/tc_usr_data.json").read_text("utf-8"))
    qualities = ("Maintains Context", "Natural", "Overall")
    examples, prompts = [], []
    human: dict[str, list[float]] = {quality: [] for quality in qualities}
    for number, row in enumerate(rows):
        context = " ".join(row["context"].split())
        for one in row["responses"]:
            text = f"{context} {' '.join(one['response'].split())}"
            examples.append(Example(text, context))
            prompts.append(number)
            for quality in qualities:
                human[quality].append(float(np.mean(one[quality])))
    arrays = {quality: np.array(values) for quality, values in human.items()}
    return Rated("USR Topical-Chat", examples, np.array(prompts), arrays)


SETS = (sentiment, stories, dialogues)


class Pair(NamedTuple):
    """Scores of one output both ways, (n,) each."""

    plain: np.ndarray
    gain: np.ndarray


def score(rated: Rated, model: str) -> tuple[dict[str, Pair], float]:
    """By output, and seconds."""
    metric: Any = get("ctrleval")(model=model, baseline="gap")
    scorer = metric.load("cpu")
    start = time.perf_counter()
    found = scorer(rated.examples)
    seconds = time.perf_counter() - start
    pairs = {}
    for key in KEYS:
        s, w, alone = (found.parts[f"{key}.{part}"] for part in ("s", "w", "alone"))
        with np.errstate(invalid="ignore"):  # a text without a score
            plain = np.nansum(w * (s + alone), axis=1) / np.nansum(w, axis=1)
        pairs[key] = Pair(plain, found.values[key])
    s, alone = (found.parts[f"consistency.{part}"][:, 0] for part in ("s", "alone"))
    pairs[FORWARD] = Pair(s + alone, s)
    return pairs, seconds


def difference(
    coefficient: Callable[..., Coefficient],
    pair: Pair,
    human: np.ndarray,
    prompts: np.ndarray,
    *,
    replicates: int,
    rng: np.random.Generator,
) -> tuple[float, float, float, float]:
    """The coefficient both ways, and the ends of the interval of gain less plain."""

    def both(rows: np.ndarray) -> tuple[float, float]:
        values = (coefficient(one[rows], human[rows]).value for one in pair)
        plain, gain = (np.nan if value is None else value for value in values)
        return plain, gain

    members = [np.flatnonzero(prompts == k) for k in range(prompts.max() + 1)]
    drawn = []
    for _ in range(replicates):
        chosen = rng.integers(len(members), size=len(members))
        plain, gain = both(np.concatenate([members[k] for k in chosen]))
        drawn.append(gain - plain)
    low, high = np.nanpercentile(drawn, [2.5, 97.5])
    return *both(np.arange(len(human))), float(low), float(high)


def rows(
    rated: Rated, model: str, *, replicates: int, seed: int
) -> Iterator[tuple[str, ...]]:
    """Cells of the table, one row for each aspect, output and coefficient."""
    pairs, seconds = score(rated, model)
    n = int(np.isfinite(pairs["coherence"].gain).sum())
    print(f"{rated.name}, {model}: {n} texts in {seconds:.0f} s", flush=True)
    for aspect, human in rated.human.items():
        for key in rated.meant.get(aspect, SHOWN):
            there = np.isfinite(pairs[key].gain) & np.isfinite(human)
            pair = Pair(pairs[key].plain[there], pairs[key].gain[there])
            for name, coefficient in COEFFICIENTS.items():
                plain, gain, low, high = difference(
                    coefficient,
                    pair,
                    human[there],
                    rated.prompts[there],
                    replicates=replicates,
                    rng=np.random.default_rng(seed),
                )
                short = model.removeprefix("bundled:")
                numbers = (f"{plain:.3f}", f"{gain:.3f}", f"{gain - plain:+.3f}")
                interval = f"[{low:+.3f}, {high:+.3f}]"
                yield rated.name, short, aspect, key, name, *numbers, interval


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    names = ["bundled:infill-small", "bundled:infill-nano"]
    parser.add_argument("--models", nargs="+", default=names)
    parser.add_argument("--replicates", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=2022)
    options = parser.parse_args()
    models.limit_threads(1)
    found = [
        row
        for make in SETS
        for model in options.models
        for row in rows(
            make(options.data), model, replicates=options.replicates, seed=options.seed
        )
    ]
    titles = ("set", "model", "people", "CTRLEval", "", "paper", "gain", "difference")
    print(f"| {' | '.join((*titles, '95 % interval'))} |")
    print("|---" * 9 + "|")
    for row in found:
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main()
