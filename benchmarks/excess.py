"""Excess of divergences over chance, for different numbers of texts of one source.

python -m benchmarks.excess --imdb DATA/text_imdb

Film reviews, cut to 300 characters, are drawn as human texts and as a system's. Prints
a table in markdown: mean value, mean by chance and mean excess over the draws, and the
standard deviation of the excess.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np

from scoring.metrics import SystemTexts, get

READ, CHARACTERS, HUMAN = 1000, 300, 300
SIZES = (300, 100, 40, 20)
KEYS = ("forward_kl", "jensen_shannon", "mauve")


def reviews(folder: Path) -> list[str]:
    with gzip.open(folder / "train_unsup.jsonl.gz", "rt", encoding="utf-8") as file:
        lines = [file.readline() for _ in range(READ)]
    texts = [json.loads(line)["text"][:CHARACTERS] for line in lines]
    return list(dict.fromkeys(texts))


def rows(scorer: Any, texts: list[str], n: int, draws: range) -> list[list[str]]:
    """A row for each output, over draws of texts, each with its own seed."""
    found: dict[str, list[tuple[float, float, float]]] = {key: [] for key in KEYS}
    clusters = 0
    for draw in draws:
        rng = np.random.default_rng(draw)
        drawn = [texts[k] for k in rng.permutation(len(texts))[: HUMAN + n]]
        given = SystemTexts(tuple(drawn[HUMAN:]), tuple(drawn[:HUMAN]))
        scores = scorer(given, rng)
        clusters = scores.details["clusters"]
        for key, told in scores.details["chance"].items():
            if key in KEYS:
                value = float(scores.values[key].mean())
                found[key].append((value, told["mean"], told["p"]))
    return [_row(n, clusters, key, np.array(v)) for key, v in found.items() if v]


def _row(n: int, clusters: int, key: str, found: np.ndarray) -> list[str]:
    value, chance, p = found.T
    excess = value - chance
    numbers = value.mean(), chance.mean(), excess.mean(), excess.std(ddof=1)
    significant = f"{(p < 0.05).sum()} of {len(p)}"
    shown = (f"{number:.3f}" for number in numbers)
    return [str(n), str(clusters), key, *shown, significant]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--imdb", type=Path, required=True)
    parser.add_argument("--model", default="bundled:encoder-small")
    parser.add_argument("--preset", default="pimentel")
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--first", type=int, default=0, help="seed of the first draw")
    given = parser.parse_args()
    options = {"model": given.model, "preset": given.preset, "seeds": 2}
    scorer = get("divergence")(**options).load("cpu")
    texts = reviews(given.imdb)
    encode = scorer._partitions._encoder
    known = dict(zip(texts, encode(texts), strict=True))
    # Each text is embedded once for all draws.
    scorer._partitions._encoder = lambda texts, progress=None: np.array(
        [known[text] for text in texts], np.float32
    ).reshape(len(texts), -1)
    head = ["n", "K", "output", "value", "by chance", "excess", "its SD", "p < .05"]
    print(f"| {' | '.join(head)} |")
    print(f"| {' | '.join('---' for _ in head)} |")
    draws = range(given.first, given.first + given.draws)
    for n in SIZES:
        for row in rows(scorer, texts, n, draws):
            print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
