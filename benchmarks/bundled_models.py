"""How well a bundled model's CTRLEval agrees with people, beside the paper's models.

python -m benchmarks.bundled_models --texts data_senti.txt [--model MODEL]
    [--baseline gap]

The texts are those of the paper's sentiment task in the form the authors released:
label, prefix, text and the means of five ratings of coherence, consistency and
attribute relevance, with tabs between. Prints a table in markdown. Intervals of 95 %
are from a bootstrap over prompts (label and prefix): texts of one prompt are not
independent. Look once; models are chosen by their held-out loss alone.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from scoring.metrics import Example, get, output_key
from scoring.metrics._engine import models
from scoring.stats.correlation import Coefficient, kendall, pearson, spearman

ASPECTS = ("coherence", "consistency", "attribute-relevance")
COEFFICIENTS: dict[str, Callable[..., Coefficient]] = {
    "Pearson": pearson,
    "Spearman": spearman,
    "Kendall": kendall,
}
# Ke et al. (2022): tables 3, 4 and 7; by aspect Pearson, Spearman, Kendall. Of
# T5-small the paper has Kendall alone.
PAPER = {
    "CTRLEval, PEGASUS (568 M), paper": (
        (0.4395, 0.4208, 0.3044),
        (0.3226, 0.3096, 0.2235),
        (0.2861, 0.3008, 0.2111),
    ),
    "CTRLEval, T5-small (60 M), paper": (
        (None, None, 0.2389),
        (None, None, 0.1495),
        (None, None, 0.1765),
    ),
    "PPL-GPT, paper": (
        (0.3376, 0.3310, 0.2350),
        (0.1881, 0.1672, 0.1203),
        (-0.0197, -0.0472, -0.0338),
    ),
}


class Texts(NamedTuple):
    """Texts and what people think of them."""

    examples: list[Example]
    human: np.ndarray  # (n, aspects)
    prompts: np.ndarray  # (n,) number of the prompt


def read(path: Path) -> Texts:
    """Read the released form."""
    rows = [line.split("\t") for line in path.read_text("utf-8").splitlines()]
    examples = [Example(text, prefix, label) for label, prefix, text, *_ in rows]
    names = [(example.label, example.prefix) for example in examples]
    known = list(dict.fromkeys(names))
    return Texts(
        examples,
        np.array([row[3:6] for row in rows], dtype=np.float64),
        np.array([known.index(name) for name in names]),
    )


def interval(
    coefficient: Callable[..., Coefficient],
    x: np.ndarray,
    y: np.ndarray,
    prompts: np.ndarray,
    *,
    replicates: int,
    rng: np.random.Generator,
) -> tuple[float, float] | None:
    """Percentiles of the coefficient over prompts drawn with replacement."""
    members = [np.flatnonzero(prompts == k) for k in range(prompts.max() + 1)]
    found = []
    for _ in range(replicates):
        drawn = rng.integers(len(members), size=len(members))
        rows = np.concatenate([members[k] for k in drawn])
        value = coefficient(x[rows], y[rows]).value
        if value is not None:
            found.append(value)
    if not found:
        return None
    low, high = np.percentile(found, [2.5, 97.5])
    return float(low), float(high)


def cells(
    x: np.ndarray, y: np.ndarray, prompts: np.ndarray, *, replicates: int, seed: int
) -> list[str]:
    """One per coefficient: its value and interval."""
    found = []
    for coefficient in COEFFICIENTS.values():
        value = coefficient(x, y).value
        rng = np.random.default_rng(seed)
        ends = interval(coefficient, x, y, prompts, replicates=replicates, rng=rng)
        text = "—" if value is None else _number(value)
        found.append(
            text if ends is None else f"{text} [{_number(ends[0])}, {_number(ends[1])}]"
        )
    return found


def table(
    texts: Texts, ours: dict[str, Sequence[np.ndarray]], *, replicates: int, seed: int
) -> str:
    """Rows by aspect: each metric of ours, then the paper's.

    Args:
        texts: What was scored.
        ours: By name, scores for each aspect, (n,) each.
        replicates: Of the bootstrap.
        seed: Of the bootstrap; the same draws for all rows.
    """
    lines = [f"| aspect | metric | {' | '.join(COEFFICIENTS)} |", "|---" * 5 + "|"]
    for k, aspect in enumerate(ASPECTS):
        for name, scores in ours.items():
            own = cells(
                scores[k],
                texts.human[:, k],
                texts.prompts,
                replicates=replicates,
                seed=seed,
            )
            lines.append(f"| {aspect} | {name} | {' | '.join(own)} |")
        for name, values in PAPER.items():
            own = ["—" if one is None else _number(one) for one in values[k]]
            lines.append(f"| {aspect} | {name} | {' | '.join(own)} |")
    return "\n".join(lines)


def _name(model: str, baseline: str) -> str:
    name = f"CTRLEval, {model.removeprefix('bundled:')}"
    return name if baseline == "none" else f"{name}, baseline={baseline}"


def _number(value: float) -> str:
    return f"{value:.3f}".replace("0.", ".", 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--model", default="bundled:infill-small")
    parser.add_argument("--iwf", default="", help="default: the model's own")
    parser.add_argument("--baseline", default="none", choices=("none", "gap"))
    parser.add_argument("--replicates", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=2022)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    models.limit_threads(options.threads)
    texts = read(options.texts)
    metric: Any = get("ctrleval")(
        model=options.model, iwf=options.iwf, baseline=options.baseline
    )
    scorer = metric.load(options.device)
    start, busy = time.perf_counter(), time.process_time()
    found = scorer(texts.examples).values
    seconds, busy = time.perf_counter() - start, time.process_time() - busy
    length: Any = get("length")()
    words = length.load("cpu")(texts.examples).values["words"]
    ours: dict[str, Sequence[np.ndarray]] = {
        _name(options.model, options.baseline): [
            found[output_key(aspect)] for aspect in ASPECTS
        ],
        "length in words": [words] * len(ASPECTS),
    }
    print(table(texts, ours, replicates=options.replicates, seed=options.seed))
    missing = {a: int(np.isnan(found[output_key(a)]).sum()) for a in ASPECTS}
    print(f"\n{len(texts.examples)} texts of {texts.prompts.max() + 1} prompts")
    print(f"Without a score: {missing}. Scored in {seconds:.1f} s on {options.device},")
    print(f"{busy:.1f} s of them on a processor.")
    print(f"Signature: `{scorer.signature}`")


if __name__ == "__main__":
    main()
