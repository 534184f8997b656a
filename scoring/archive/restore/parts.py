"""What scores are made of: numbers of single evaluators, by signature. No Django."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from evalapp.cage.packs import DAMAGED, BadPack, check_pack
from scoring.archive.parquet import Mismatch
from scoring.stats.data import BY_REFERENCE

HOME = "replication/data"
MOST_BYTES = 512 * 1024 * 1024  # unpacked
MOST_FILES = 200
Parts = dict[str, np.ndarray]  # by the name of a part, a row for each text


def read(path: Path, n_texts: int) -> dict[str, Parts]:
    """By text of the signature; empty where the folder has none.

    Raises:
        Mismatch: If a file is not what it should be.
    """
    try:
        listed = _json(path / HOME / "study.json")["evaluators"]
        outputs = {
            one["id"]: (str(one["signature"]), str(one["key"]))
            for one in _json(path / HOME / "outputs.json")["outputs"]
        }
        found: dict[str, Parts] = {}
        for number, output in enumerate(listed[:MOST_FILES]):
            signature, key = outputs[output.removesuffix(BY_REFERENCE)]
            s, w = _arrays(path / HOME / f"evaluators-{number}.npz", n_texts)
            found.setdefault(signature, {}).update({f"{key}.s": s, f"{key}.w": w})
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, Mismatch):
            raise
        raise Mismatch(f"{HOME} does not tell what scores are made of.") from error
    return found


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _arrays(path: Path, n_texts: int) -> tuple[np.ndarray, np.ndarray]:
    try:
        with path.open("rb") as file:
            check_pack(file, most_bytes=MOST_BYTES, most_files=2)
            with np.load(file, allow_pickle=False) as kept:
                s, w = kept["s"], kept["w"]
    except (*DAMAGED, BadPack) as error:
        raise Mismatch(f"{path.name} cannot be read.") from error
    for one in (s, w):
        if one.dtype != np.float64 or one.ndim != 2 or len(one) != n_texts:
            raise Mismatch(f"{path.name} has no row of numbers for each text.")
    if s.shape != w.shape:
        raise Mismatch(f"{path.name} has another number of scores than of weights.")
    return s, w
