"""The texts that come with the app, as golden numbers are made of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

# By its path: `annotation.simulation` needs Django, a script that asks a program not.
_FILE = Path(__file__).parents[3] / "annotation/simulation/sample/texts.jsonl"
ROWS: list[dict[str, Any]] = [
    json.loads(line) for line in _FILE.read_text("utf-8").splitlines()
]


def of(system: str) -> list[str]:
    """A system's texts."""
    return [row["text"] for row in ROWS if row["system"] == system]


def pairs() -> list[tuple[str, list[str]]]:
    """Texts of all systems but the best, with those of the best as references."""
    references: dict[tuple[str, str], list[str]] = {}
    for row in ROWS:
        if row["system"] == "plain":
            references.setdefault((row["prefix"], row["label"]), []).append(row["text"])
    return [
        (row["text"], references[row["prefix"], row["label"]])
        for row in ROWS
        if row["system"] != "plain"
    ]
