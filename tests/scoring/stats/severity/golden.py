"""What R's ordinal::clmm and crowd-kit found, and the ratings that they got."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from tests.support import shared

FILE = Path(__file__).resolve().parents[3] / "golden" / "severity.json"
FOUND: dict[str, Any] = json.loads(FILE.read_text())
Columns = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def made_up() -> Columns:
    """Text, rater, value and system of the small set."""
    return columns(FOUND["made_up"]["rows"])


def columns(rows: list) -> Columns:
    text, rater, system, value = (
        np.array(column) for column in zip(*rows, strict=True)
    )
    return text, rater, value, system


def usr() -> Columns:
    file = shared.path("data/usr_topicalchat/tc_usr_data.json")
    return columns(
        [
            (f"{k}-{one['model']}", f"r{r}", one["model"], value)
            for k, dialogue in enumerate(json.loads(file.read_text()))
            for one in dialogue["responses"]
            for r, value in enumerate(one["Overall"])
        ]
    )


def alttest(name: str) -> Columns:
    file = shared.path(f"data/alttest/{name}/human_annotations.json")
    return columns(
        [
            (text, rater, "", value)
            for rater, given in json.loads(file.read_text()).items()
            for text, value in given.items()
        ]
    )
