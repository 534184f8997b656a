"""A name for the contents of a study's data: equal contents, equal name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np

# Added later: data without them keep their digest.
LATE = (
    *("surface", "system_beside", "system_pairs", "vote_lengths", "unsaid", "whole"),
    *("judge_votes", "drawn", "no_output"),
    *("marked_texts", "marked_words", "error_marks", "metric_marks", "unplaced"),
)
USUAL: dict[tuple[str, str], object] = {
    ("Output", "quality"): True,
    ("Output", "parameters"): None,
    ("Output", "chosen"): "",
    ("Data", "tried"): 0,
    ("Aspect", "level"): "ordinal",
    ("Aspect", "scale"): None,
}


def digest(data: Any) -> str:
    """Twelve hexadecimal digits of SHA-256 over all fields of a dataclass."""
    found = hashlib.sha256()
    for part in _flat(data):
        found.update(part)
    return found.hexdigest()[:12]


def _flat(thing: Any) -> Iterator[bytes]:
    """The contents of dataclasses, lists and arrays, with what tells them apart."""
    if isinstance(thing, np.ndarray):
        plain = thing.astype("U") if thing.dtype.kind in "OU" else thing
        yield f"{plain.dtype.kind}{thing.shape}".encode()
        yield (
            "\0".join(plain.ravel().tolist()).encode()
            if plain.dtype.kind == "U"
            else (np.ascontiguousarray(plain).tobytes())
        )
    elif hasattr(thing, "__dataclass_fields__"):
        for f in fields(thing):
            part = getattr(thing, f.name)
            size = part.size if isinstance(part, np.ndarray) else None
            if f.name in LATE and not (len(part) if size is None else size):
                continue
            of = type(thing).__name__, f.name
            if of in USUAL and part == USUAL[of]:
                continue
            yield f.name.encode()
            yield from _flat(part)
    elif isinstance(thing, (list, tuple)):
        yield f"[{len(thing)}".encode()
        for one in thing:
            yield from _flat(one)
    else:
        yield repr(thing).encode()
