"""The checkpoints of all folds as one, whose texts each get the one that is right.

The folder is that of the last fold's checkpoint, with those of the others within it, so
that everything that takes a checkpoint takes this one too. `head.json` says which fold
each prompt is in, and what the other folds' checkpoints contain.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scoring.metrics._engine import models
from scoring.metrics._learning.fitting import CARD, README
from scoring.metrics._learning.heads import FACTS
from scoring.metrics._learning.model_card import card
from scoring.metrics._learning.training import MODEL, waiting


def name(fold: int) -> str:
    return f"fold-{fold}"


def join(folder: Path, folds: Mapping[str, int], n: int) -> None:
    """Make the checkpoint of a training out of those of its folds, as a whole."""
    parts = [folder / name(fold) / MODEL for fold in range(n)]
    made = waiting(folder / MODEL)
    shutil.copytree(parts[-1], made)
    for fold, part in enumerate(parts[:-1]):
        shutil.copytree(part, made / name(fold))
    facts = _read(made / FACTS)
    facts |= {
        "fold_of": dict(folds),
        "contents": [models.content_hash(p) for p in parts],
    }
    (made / FACTS).write_text(json.dumps(facts, indent=1) + "\n")
    cards = [_read(part / CARD) for part in parts]
    about = cards[-1] | {
        "figures": _mean([one["figures"] for one in cards]) | {"folds": n},
        "steps": sum(one["steps"] for one in cards),
        "seconds": round(sum(one["seconds"] for one in cards), 1),
    }
    (made / CARD).write_text(json.dumps(about, indent=1) + "\n")
    (made / README).write_text(card(about))
    try:
        os.replace(made, folder / MODEL)
    except OSError:
        if not (folder / MODEL).is_dir():
            raise
        shutil.rmtree(made, ignore_errors=True)  # another process was faster
    for part in parts:
        shutil.rmtree(part.parent, ignore_errors=True)


def parts_of(folder: Path, facts: Mapping[str, Any]) -> list[Path]:
    """The folders of all folds; that of the checkpoint itself where it has none."""
    n = len(facts.get("contents", [0]))
    return [*(folder / name(fold) for fold in range(n - 1)), folder]


def _mean(figures: Sequence[Mapping[str, Any]]) -> dict[str, object]:
    """Of what all folds have; texts are counted together."""
    found: dict[str, object] = {}
    for key, first in figures[0].items():
        values: list[Any] = [one.get(key) for one in figures]
        if key == "n":
            found[key] = sum(values)
        elif isinstance(first, Mapping):
            found[key] = _mean(values)
        elif all(isinstance(value, int | float) for value in values):
            found[key] = sum(values) / len(values)
    return found


def _read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())
    return found
