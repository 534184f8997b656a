"""Compute every number of results/ and every cell of tables/ again, and compare.

    python -m pip install -r requirements.txt
    python recompute.py

It uses the files beside it alone: data/, and the program in scoring/ and annotation/.
It ends with 1 if a number differs by more than 1e-12, absolutely or relatively, or if
a cell has another text.
"""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from scoring import analyses  # noqa: E402
from scoring.stats import folder  # noqa: E402

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


class Comparison:
    """How many values differ, and by how much at most."""

    def __init__(self) -> None:
        self.worst, self.wrong, self.n = 0.0, 0, 0

    def add(self, name: str, kept: Any, found: Any) -> None:
        apart = dict(compare(kept, found))
        far = [at for at, distance in apart.items() if distance > TOLERANCE]
        largest = max(apart.values(), default=0.0)
        print(f"{name}: {len(apart)} values, largest difference {largest:.3g}")
        print(*(f"  differs: {at}\n" for at in far[:10]), sep="", end="")
        self.worst, self.n = max(self.worst, largest), self.n + len(apart)
        self.wrong += len(far)


def results() -> Iterator[tuple[str, Any, Any]]:
    """The name of each result, as it was kept and as it is found now."""
    data = folder.read(HERE / "data")
    for path in sorted((HERE / "results").glob("*.json")):
        kept = json.loads(path.read_text(encoding="utf-8"))
        made_of = kept["made_of"]
        needed = folder.part(data, analyses.get(made_of["analysis"]).NEEDS)
        options = analyses.options(made_of["analysis"], made_of["options"])
        found = analyses.run(made_of["analysis"], needed, options)
        yield path.stem, kept, json.loads(json.dumps(found))


def tables(name: str, found: Any, stand: dict[str, Any]) -> dict[str, str]:
    """Each table of a result as the text of its file."""
    from scoring.drawing.tables import as_csv
    from scoring.results import standing

    status = standing.from_json(stand[name])
    simulated = json.loads((HERE / "data" / "study.json").read_text("utf-8"))
    made = standing.files_of(
        found["made_of"]["analysis"],
        found,
        status,
        simulated=simulated["simulated"],
    )
    return {f"{name}-{key}.csv": as_csv(table) for key, table in made.items()}


def cells(text: str) -> list[list[Any]]:
    """Rows of a table, numbers as numbers."""
    return [[number(cell) for cell in row] for row in csv.reader(io.StringIO(text))]


def number(cell: str) -> Any:
    try:
        return float(cell)
    except ValueError:
        return cell


def kept_tables(name: str) -> dict[str, str]:
    """What the folder has of a result."""
    paths = (HERE / "tables").glob(f"{name}-*.csv")
    return {path.name: path.read_bytes().decode() for path in sorted(paths)}


def why_no_tables() -> str:
    """What is missing to make them; empty where nothing is."""
    try:
        import nltk  # noqa: F401

        from scoring.results import standing  # noqa: F401
    except ImportError as error:
        return str(error)
    return ""


def main() -> int:
    compared, n_tables, missing = Comparison(), 0, why_no_tables()
    stand = json.loads((HERE / "standing.json").read_text(encoding="utf-8"))
    for name, kept, found in results():
        compared.add(f"{name}.json", kept, found)
        if missing:
            continue
        before, now = kept_tables(name), tables(name, found, stand)
        for file in sorted(before.keys() | now.keys()):
            both = (cells(before.get(file, "")), cells(now.get(file, "")))
            compared.add(f"tables/{file}", *both)
            n_tables += 1
    if missing:
        print(f"Tables are not compared: {missing}. Install requirements.txt for that.")
    else:
        print(f"{n_tables} tables are compared, cell by cell.")
    print(
        f"{compared.wrong} values differ. The largest difference is"
        f" {compared.worst:.3g}."
    )
    return 1 if compared.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
