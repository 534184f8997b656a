"""Compute every number of results/ again from the files in data/, and compare.

    python -m pip install -r requirements.txt
    python recompute.py

It uses the statistics beside it (scoring/stats) alone. It ends with 1 if a number
differs by more than 1e-12, absolutely or relatively.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from scoring.stats import analyses, folder  # noqa: E402

TOLERANCE = 1e-12


def compare(kept: Any, found: Any, at: str = "") -> Iterator[tuple[str, float]]:
    """Where each value stands, and how far the two are apart."""
    if isinstance(kept, dict) and isinstance(found, dict):
        for key in sorted(kept.keys() | found.keys()):
            yield from compare(kept.get(key), found.get(key), f"{at}/{key}")
    elif isinstance(kept, list) and isinstance(found, list) and len(kept) == len(found):
        for number, pair in enumerate(zip(kept, found, strict=True)):
            yield from compare(*pair, f"{at}/{number}")
    elif {type(kept), type(found)} <= {int, float}:
        yield at, abs(kept - found) / max(1.0, abs(kept))
    else:
        yield at, 0.0 if kept == found else math.inf


def main() -> int:
    data, worst, wrong = folder.read(HERE / "data"), 0.0, 0
    for path in sorted((HERE / "results").glob("*.json")):
        kept = json.loads(path.read_text(encoding="utf-8"))
        made_of = kept["made_of"]
        needed = folder.part(data, analyses.get(made_of["analysis"]).NEEDS)
        options = analyses.options(made_of["analysis"], made_of["options"])
        found = analyses.run(made_of["analysis"], needed, options)
        apart = dict(compare(kept, found))
        far = [at for at, distance in apart.items() if distance > TOLERANCE]
        largest = max(apart.values(), default=0.0)
        print(f"{path.name}: {len(apart)} values, largest difference {largest:.3g}")
        print(*(f"  differs: {at}\n" for at in far[:10]), sep="", end="")
        worst, wrong = max(worst, largest), wrong + len(far)
    print(f"{wrong} values differ. The largest difference is {worst:.3g}.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
