"""How many parameters a model has, read off the headers of its files."""

from __future__ import annotations

import json
import math
from pathlib import Path

from scoring.metrics._engine import models
from scoring.metrics._engine.base import MetricError
from scoring.option_fields import option_fields

FLOATS = ("F", "BF")  # of types: the others are positions and masks
LONGEST_HEADER = 100_000_000  # bytes, the most that the format allows


def of_options(options: object) -> int | None:
    """Of the one model that the options name; None for several, none or other files."""
    kind: type = type(options)
    fields = [field for field in option_fields(kind) if field.path == "model"]
    names = {getattr(options, field.name) for field in fields} - {"", None}
    if len(names) != 1:
        return None
    try:
        return of_folder(models.find(str(names.pop())))
    except MetricError:
        return None


def of_folder(folder: Path) -> int | None:
    """None where there are no weights in the safetensors format."""
    files = sorted(folder.glob("*.safetensors"))
    return sum(map(_of_file, files)) if files else None


def _of_file(path: Path) -> int:
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        if size > LONGEST_HEADER:
            raise MetricError(f"{path.name} is no safetensors file: download it again")
        header = json.loads(file.read(size))
    header.pop("__metadata__", None)
    floats = (one for one in header.values() if one["dtype"].startswith(FLOATS))
    return sum(math.prod(one["shape"]) for one in floats)
