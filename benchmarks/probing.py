"""What the clusters of an encoder know: perturbations, attributes and surface.

    python -m benchmarks.probing --imdb DATA/text_imdb \\
        --newsgroups DATA/text_20newsgroups

Does the probes of section 6 of Pimentel, Meister & Cotterell (2023) on reviews of films
and on posts to newsgroups, and prints tables in markdown. Texts are cut to what the
encoder reads, as workers do it. Headers of posts name their group: they are left out.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scoring.contrib.probing.protocols import (
    DIVERGENCES,
    Given,
    Options,
    cut_to_tokens,
    get,
)
from scoring.metrics._distributions import embeddings
from scoring.metrics._engine import models
from scoring.metrics._engine.base import Progress

SEED = 20_261_121
CLUSTERS = (5, 20, 50, 100, 200, 500)


class Encoder:
    """Cuts texts, and embeds each of them once, whatever probes ask for it."""

    def __init__(self, model: str, pooling: str) -> None:
        models.limit_threads()
        self._encoder = embeddings.load(model, pooling=pooling)
        self._known: dict[str, np.ndarray] = {}
        self._tokenizer = models.tokenizer(models.find(model))

    def cut(self, texts: Sequence[str]) -> list[str]:
        return cut_to_tokens(self._tokenizer, texts, n=self._encoder.max_tokens)

    def embed(
        self, texts: Sequence[str], progress: Progress | None = None
    ) -> np.ndarray:
        if new := sorted(set(texts) - set(self._known)):
            self._known |= zip(new, self._encoder(new, progress), strict=True)
        return np.array([self._known[text] for text in texts])

    def run(self, name: str, given: Given, options: Options) -> dict[str, Any]:
        return get(name).run(
            given,
            options,
            rng=np.random.default_rng(SEED),
            embed=self.embed,
            report=lambda stage, done, total: None,
        )


def reviews(folder: Path, n: int) -> tuple[list[str], list[str]]:
    """N texts of the test set, half of them positive, and what they are."""
    found = {
        kind: _drawn(_read(folder / f"test_{kind}.jsonl.gz"), n // 2)
        for kind in ("pos", "neg")
    }
    texts = [
        row["text"].replace("<br />", " ") for part in found.values() for row in part
    ]
    return texts, [kind for kind, part in found.items() for _ in part]


def posts(folder: Path, n: int) -> tuple[list[str], list[str]]:
    """N posts without their headers, and their groups."""
    rows = _drawn(_read(folder / "20_newsgroups.jsonl.gz"), n)
    pairs = [(row["text"].partition("\n\n")[2].strip(), row["group"]) for row in rows]
    pairs = [(text, group) for text, group in pairs if text]
    return [text for text, _ in pairs], [group for _, group in pairs]


def _read(file: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _drawn(rows: Iterator[dict[str, Any]], n: int) -> list[dict[str, Any]]:
    found = list(rows)
    chosen = np.random.default_rng(SEED).permutation(len(found))[:n]
    return [found[i] for i in np.sort(chosen)]


# Tables -------------------------------------------------------------------------------


def show_perturbations(found: dict[str, Any]) -> None:
    k = found["clusters"][0]["used"]
    print(f"\n{found['n_reference']} texts in each half, K = {k}, {_facts(found)}\n")
    _line(["row", *(f"{title}" for title, _ in DIVERGENCES.values())])
    _line(["---"] * (len(DIVERGENCES) + 1))
    for row in found["rows"]:
        _line([row["title"], *(_spread(row["cells"][0][key]) for key in DIVERGENCES)])


def show_clusters(found: dict[str, Any]) -> None:
    ks = [one["used"] for one in found["clusters"]]
    print(f"\nAUC, {found['n_reference']} texts in each half, {_facts(found)}\n")
    _line(["row", *(f"K = {k}" for k in ks)])
    _line(["---"] * (len(ks) + 1))
    for row in found["rows"]:
        title = "Other half" if row["key"] == "unmodified" else row["title"]
        _line([title, *(_spread(cell["auc"]) for cell in row["cells"])])


def show_attributes(found: dict[str, Any]) -> None:
    [one] = found["attributes"]
    print(
        f"\n{one['name']}: {one['n_train']} texts to learn from, {one['n_test']} to"
        f" test, {one['categories']} categories, baseline"
        f" {_spread(one['baseline'])}, {_facts(found)}\n"
    )
    _line(["learned on", *(f"K = {k}" for k in found["clusters"])])
    _line(["---"] * (len(found["clusters"]) + 1))
    for way, cells in one["ways"].items():
        name = "its training texts" if way == "training" else "the other corpus"
        _line([name, *(_spread(cell["accuracy"]) for cell in cells)])


def show_surface(found: dict[str, Any]) -> None:
    print(f"\n{found['n_texts']} texts, {_facts(found)}\n")
    _line(["R2", *(f"K = {one['used']}" for one in found["clusters"])])
    _line(["---"] * (len(found["clusters"]) + 1))
    for one in found["features"]:
        _line([one["title"], *(_spread(cell) for cell in one["r2"])])


def _facts(found: dict[str, Any]) -> str:
    stages = ", ".join(f"{k} {v:.0f} s" for k, v in found["seconds"].items())
    return f"{found['seeds']} seeds, {stages}"


def _spread(found: dict[str, Any]) -> str:
    return f"{found['mean']:.3f} ± {found['sd']:.3f}"


def _line(cells: Sequence[str]) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--imdb", type=Path, required=True)
    parser.add_argument("--newsgroups", type=Path, required=True)
    parser.add_argument("--model", default="bundled:encoder-small")
    parser.add_argument("--pooling", default="auto")
    parser.add_argument("--n", type=int, default=2000, help="reviews, and posts")
    parser.add_argument("--clusters", type=int, nargs="+", default=[200, 500])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", nargs="*", help="names of probes")
    given = parser.parse_args()
    start = time.monotonic()
    encoder = Encoder(given.model, given.pooling)
    texts, sentiment = reviews(given.imdb, given.n)
    films, options = encoder.cut(texts), Options(CLUSTERS, given.seeds)
    wanted = given.only or ["perturbations", "attributes", "surface", "clusters"]
    if "perturbations" in wanted:
        for k in given.clusters:
            one = Options((k,), given.seeds)
            show_perturbations(encoder.run("perturbations", Given(films), one))
    if "attributes" in wanted:
        written, group = posts(given.newsgroups, given.n)
        news = encoder.cut(written)
        of_films = Given(films, {"sentiment": sentiment}, learn_on=news)
        of_news = Given(news, {"topic": group}, learn_on=films)
        show_attributes(encoder.run("attributes", of_films, options))
        show_attributes(encoder.run("attributes", of_news, options))
    if "surface" in wanted:
        show_surface(encoder.run("surface", Given(films), options))
    if "clusters" in wanted:
        show_clusters(encoder.run("clusters", Given(films), options))
    print(f"\n{time.monotonic() - start:.0f} s in all")


if __name__ == "__main__":
    main()
