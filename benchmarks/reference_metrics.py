"""How long metrics take that compare texts with references by vectors of their tokens.

python -m benchmarks.reference_metrics --texts FILE [--model MODEL] [--n 500]
python -m benchmarks.reference_metrics ... --joined 16

The texts are sentences of FILE, a book in plain text: n of them, and as references of
each two others that no other text has. `--joined` makes one text of so many sentences.
CPU seconds of one thread without loading, the best of `--repeat` runs.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import resource
import time
from collections.abc import Sequence
from pathlib import Path

from annotation import sentences
from scoring.metrics import Example, get
from scoring.metrics._engine import models
from scoring.metrics._references.token_pairs import TokenScorer

REFERENCES = 2
METRICS = (("bertscore", {}), ("moverscore", {}), ("moverscore", {"ngram": 2}))


def examples(path: Path, n: int, joined: int) -> list[Example]:
    """n texts, each with the two that follow in the book."""
    found = sentences.split(path.read_text(encoding="utf-8"))
    texts = [
        " ".join(found[start : start + joined])
        for start in range(0, len(found) - joined, joined)
    ]
    step = 1 + REFERENCES
    return [
        Example(texts[k], references=tuple(texts[k + 1 : k + step]))
        for k in range(0, len(texts) - REFERENCES, step)
    ][:n]


def seconds(scorer: TokenScorer, given: Sequence[Example], repeat: int) -> float:
    """CPU seconds of the fastest run: on one core what it takes when alone."""
    found = []
    for _ in range(repeat):
        start = time.process_time()
        scorer(given)
        found.append(time.process_time() - start)
    return min(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--model", default="bundled:encoder-small")
    parser.add_argument("--n", type=int, default=500)
    parser.add_argument("--joined", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=2)
    asked = parser.parse_args()
    models.limit_threads(1)
    given = examples(asked.texts, asked.n, asked.joined)
    print("| metric | texts | tokens of a text | CPU seconds | pairs/s |")
    print("| --- | --- | --- | --- | --- |")
    for name, options in METRICS:
        scorer = get(name)(model=asked.model, **options).load("cpu")
        rows = scorer.encoder.rows([one.text for one in given]).values()
        tokens = sum(len(row.ids) for row in rows) / len(rows)
        scorer(given[:10])  # libraries are loaded with the first text
        took = seconds(scorer, given, asked.repeat)
        pairs = len(given) * REFERENCES / took
        shown = " ".join([name, *(f"{key}={value}" for key, value in options.items())])
        print(f"| {shown} | {len(given)} | {tokens:.0f} | {took:.2f} | {pairs:,.0f} |")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"\nHighest memory of the process: {peak:.1f} GB")


if __name__ == "__main__":
    main()
