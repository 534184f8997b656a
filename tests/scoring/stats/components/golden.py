"""Ratings with the components that GeneralizIT finds: see tests/golden."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np

from scoring.stats.components.levels import RESIDUAL, crossed

PATH = Path(__file__).resolve().parents[3] / "golden/components.json"
FACETS = {
    "system": ("system",),
    "prompt": ("prompt",),
    "system x prompt": ("system", "prompt"),
    "text": ("text",),
    "rater": ("rater",),
    "rater x system": ("rater", "system"),
    "rater x prompt": ("rater", "prompt"),
}
SETS = (
    "nested and crossed",
    "one text each",
    "without raters",
    "a variance of 0",
)


class Golden(NamedTuple):
    columns: dict[str, np.ndarray]
    levels: dict[str, np.ndarray]
    generalizit: dict[str, float]


def golden(name: str) -> Golden:
    found = json.loads(PATH.read_text("utf-8"))[name]
    columns = {key: np.array(of) for key, of in found["ratings"].items()}
    effects = {e: FACETS[e] for e in found["generalizit"] if e != RESIDUAL}
    levels = crossed(columns, effects)
    return Golden(columns, levels, found["generalizit"])
