"""Whether weights learned from ratings do better than CTRLEval's own.

python -m benchmarks.learned_weights --data DATA [--models NAME ...]

The sentiment task of CTRLEval is scored once by each model. Then the evaluators are
combined with the paper's weights, as a plain mean, and with weights learned from the
ratings of other prompts (`scoring.stats.learned_weights`), over several seeds of the
folds. Prints Pearson's r and Kendall's tau-b with people, and the difference from the
paper's, as a table in markdown: for the learned ones the mean over seeds, with the
smallest and the largest. Intervals of 95 % are from a bootstrap over prompts; of the
learned ones, of the first seed.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import bundled_models
from benchmarks.conditional_gain import COEFFICIENTS, Pair, difference
from scoring.metrics import get
from scoring.metrics._engine import models
from scoring.stats import learned_weights, weighting

ASPECTS = ("coherence", "consistency", "attribute_relevance")
SEEDS = 5
KEYS = ("attribute_relevance", "consistency")


def ways(
    s: np.ndarray, w: np.ndarray, human: np.ndarray, given: bundled_models.Texts
) -> dict[str, list[np.ndarray]]:
    """Scores of each text, (n,), by how its evaluators are combined; by seed."""
    found = {"mean": [weighting.combined(s, w, "mean")]}
    # The same prefix stands with both labels: keep the pair together, too.
    prefixes = np.array([example.prefix for example in given.examples])
    for name, units in (("prompts", given.prompts), ("prefixes", prefixes)):
        drawn = [
            learned_weights.cross_fitted(
                s, w, human, units, rng=np.random.default_rng(seed)
            )
            for seed in range(SEEDS)
        ]
        chosen = Counter(strength for one in drawn for strength in one.strengths)
        print(f"other {name}: strengths {dict(sorted(chosen.items()))}", flush=True)
        found[f"learned, other {name}"] = [one.scores for one in drawn]
    return found


def rows(data: Path, model: str, replicates: int) -> Iterator[tuple[str, ...]]:
    """Cells of the table."""
    given = bundled_models.read(data / "ctrleval/data_senti.txt")
    metric: Any = get("ctrleval")(model=model)
    parts = metric.load("cpu")(given.examples).parts
    for key in KEYS:
        human, s, w = (
            given.human[:, ASPECTS.index(key)],
            *(parts[f"{key}.{part}"] for part in "sw"),
        )
        paper = weighting.combined(s, w, "weighted")
        for way, scores in ways(s, w, human, given).items():
            for coefficient, function in COEFFICIENTS.items():
                base, _, low, high = difference(
                    function,
                    Pair(paper, scores[0]),
                    human,
                    given.prompts,
                    replicates=replicates,
                    rng=np.random.default_rng(2022),
                )
                values = [function(one, human).value for one in scores]
                these = np.array(values, float)
                shown = f"{these.mean():.3f}"
                if len(these) > 1:
                    shown += f" ({these.min():.3f} to {these.max():.3f})"
                numbers = (f"{base:.3f}", shown, f"{these.mean() - base:+.3f}")
                interval = f"[{low:+.3f}, {high:+.3f}]"
                short = model.removeprefix("bundled:")
                yield short, key, way, coefficient, *numbers, interval


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    names = ["bundled:infill-small", "bundled:infill-nano"]
    parser.add_argument("--models", nargs="+", default=names)
    parser.add_argument("--replicates", type=int, default=1000)
    options = parser.parse_args()
    models.limit_threads(1)
    found = [
        row
        for model in options.models
        for row in rows(options.data, model, options.replicates)
    ]
    titles = ("model", "score", "weights", "", "paper's", "these", "difference")
    print(f"| {' | '.join((*titles, '95 % interval'))} |")
    print("|---" * 8 + "|")
    for row in found:
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main()
