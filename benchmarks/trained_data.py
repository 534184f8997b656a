"""Texts that the benchmark of trained metrics learns from and is judged on.

`data` is a folder with text_imdb, text_20newsgroups, ctrleval, openmeva_mans,
usr_topicalchat and newsroom in the forms in which they were published.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.bundled import texts as collections
from scoring.metrics import Example
from scoring.metrics._learning.training import Rated

TOPICS = {
    "comp.": "computers",
    "talk.politics.": "politics",
    "alt.atheism": "religion",
    "soc.religion.": "religion",
    "talk.religion.": "religion",
    "sci.": "science",
}


class Rows(NamedTuple):
    """Texts and their labels."""

    texts: list[str]
    labels: list[str]


class Judged(NamedTuple):
    """Texts that people rated."""

    examples: list[Example]
    human: dict[str, np.ndarray]  # by aspect, (n,)


def reviews(data: Path, split: str) -> Rows:
    """All labelled reviews of the official "train" or "test" split."""
    texts: list[str] = []
    labels: list[str] = []
    for name, label in (("neg", "negative"), ("pos", "positive")):
        for row in collections.rows(data / "text_imdb" / f"{split}_{name}.jsonl.gz"):
            texts.append(collections.review(row["text"]))
            labels.append(label)
    return Rows(texts, labels)


def messages(data: Path) -> Rows:
    """Newsgroup messages of four topics, bodies only, each once."""
    found: dict[str, tuple[str, str]] = {}
    for document in collections.newsgroups(data / "text_20newsgroups"):
        topic = next(
            (t for start, t in TOPICS.items() if document.label.startswith(start)), ""
        )
        if topic and len(document.text.split()) >= collections.MIN_WORDS:
            found.setdefault(collections.key(document.text), (document.text, topic))
    return Rows([text for text, _ in found.values()], [t for _, t in found.values()])


def ctrleval(data: Path) -> Judged:
    """The paper's sentiment task: 360 texts, means of five ratings."""
    path = data / "ctrleval" / "data_senti.txt"
    rows = [line.split("\t") for line in path.read_text("utf-8").splitlines()]
    names = ("coherence", "consistency", "attribute-relevance")
    human = {
        name: np.array([float(row[3 + k]) for row in rows])
        for k, name in enumerate(names)
    }
    return Judged(
        [Example(text, prefix, label) for label, prefix, text, *_ in rows], human
    )


def mans(data: Path) -> Judged:
    """OpenMEVA: 1000 stories of five systems, means of five overall ratings."""
    found = json.loads((data / "openmeva_mans" / "mans_roc.json").read_text())
    examples, ratings = [], []
    for story in found.values():
        for made in story["gen"].values():
            text = f"{story['prompt']} {made['text']}"
            whole = f"{story['prompt']} {story['gold_response']}"
            examples.append(Example(text, story["prompt"], references=(whole,)))
            ratings.append(float(np.mean(made["score"])))
    return Judged(examples, {"overall": np.array(ratings)})


def evaluated(data: Path) -> list[str]:
    """What no metric may learn from."""
    both = ctrleval(data).examples + mans(data).examples
    return [example.text for example in both]


def dialogues(data: Path) -> list[Rated]:
    """Topical-Chat of USR: responses beside the person's, overall quality 1 to 5."""
    path = data / "usr_topicalchat" / "tc_usr_data.json"
    found: list[Rated] = []
    for number, one in enumerate(json.loads(path.read_text())):
        people = [r for r in one["responses"] if r["model"] == "Original Ground Truth"]
        for row in one["responses"]:
            if row not in people:
                found.append(_rated(row, people[0]["response"], str(number)))
    return found


def _rated(row: dict[str, Any], reference: str, document: str) -> Rated:
    quality = (float(np.mean(row["Overall"])) - 1) / 4
    return Rated(row["response"].strip(), reference.strip(), quality, document)
