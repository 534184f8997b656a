"""A study's data as a folder of plain files, read again without a difference.

    from scoring.stats import folder
    data = folder.read(Path("data"))

Tables are CSV in UTF-8, one file for each; a number is written with as many digits as
it takes to read the same number (Python's repr), an empty cell of a column of numbers
is "not known" (NaN). Rows refer to rows of other tables by position, from 0; -1 is
none. Nothing is put before what a spreadsheet would run as a formula: a text must come
back as it was. Parts of scores are NumPy's .npz without pickle.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from scoring.stats.answer import surface
from scoring.stats.columns import column_of
from scoring.stats.data import BESIDE as FACTS_BESIDE
from scoring.stats.data import (
    Aspect,
    Data,
    Drawn,
    ErrorMarks,
    Evaluators,
    MarkedTexts,
    MarkedWords,
    Means,
    MetricMarks,
    NegativeRatings,
    Negatives,
    Output,
    Ratings,
    System,
    Texts,
    UnplacedErrors,
    Unsaid,
    Votes,
    column_type,
)

T = TypeVar("T")

TABLES: dict[str, type] = {
    "texts": Texts,
    "drawn": Drawn,
    "ratings": Ratings,
    "unsaid": Unsaid,
    "means": Means,
    "negatives": Negatives,
    "negative_ratings": NegativeRatings,
    "votes": Votes,
    "judge_votes": Votes,
    "marked_texts": MarkedTexts,
    "marked_words": MarkedWords,
    "error_marks": ErrorMarks,
    "metric_marks": MetricMarks,
    "unplaced": UnplacedErrors,
}
# Left out where they are empty.
IF_ANY = (
    *("drawn", "unsaid", "judge_votes"),
    *("marked_texts", "marked_words", "error_marks", "metric_marks", "unplaced"),
)
# Rows x outputs, features or sides.
GRIDS = ("scores", "negative_scores", "surface", "vote_lengths")
SEEDS = "system_seeds"  # systems x outputs x seeds: a line for each system and seed
# The same with a line for each system and fact, or each pair of systems. Only if known.
BESIDE = {"system_beside": "fact", "system_pairs": "other"}
MARKS = ("whole", "no_output")  # a line for each text, if any of them is so
OUTPUTS = ("outputs", "system_outputs")
FACTS = ("study", "scale", "simulated", "policy")
LATE_FACTS = ("tried",)  # older folders lack them
PARTS = {  # of the data, by what an analysis needs
    "ratings": ("ratings", "unsaid", "means"),
    "scores": ("outputs", "scores", "tried"),
    "systems": ("system_outputs", SEEDS, *BESIDE),
    "negatives": ("negatives", "negative_ratings", "negative_scores"),
    "votes": ("votes", "vote_lengths", "judge_votes"),
    "surface": ("surface",),
    "marks": (
        "marked_texts",
        "marked_words",
        "error_marks",
        "metric_marks",
        "unplaced",
    ),
    "evaluators": ("evaluators",),
}


def write(data: Data, path: Path) -> None:
    """Write the data into a folder, which is made where it is not there yet."""
    path.mkdir(parents=True, exist_ok=True)
    for name, kind in TABLES.items():
        if name in IF_ANY and not len(getattr(data, name)):
            continue
        columns = [field.name for field in fields(kind)]
        table = getattr(data, name)
        cells = [_cells(getattr(table, column)) for column in columns]
        _write_csv(path / f"{name}.csv", [columns, *zip(*cells, strict=True)])
    for name in GRIDS:
        header, names = _edges(data, name)
        grid = [_cells(row) for row in getattr(data, name)]
        lines = zip(names if grid else [], grid, strict=True)
        _write_csv(path / f"{name}.csv", [header, *([n, *row] for n, row in lines)])
    _write_csv(path / "system_scores.csv", _seed_lines(data))
    for name in MARKS:
        if (marks := getattr(data, name)).size:
            marked = zip(data.texts.key.tolist(), _cells(marks), strict=True)
            _write_csv(path / f"{name}.csv", [("text", name), *marked])
    beside = [name for name in BESIDE if getattr(data, name).size]
    for name in beside:
        _write_csv(path / f"{name}.csv", _beside_lines(data, name))
    for number, one in enumerate(data.evaluators):
        np.savez_compressed(path / f"evaluators-{number}.npz", s=one.s, w=one.w)
    _write_json(path / "outputs.json", {name: _plain(data, name) for name in OUTPUTS})
    study = {name: getattr(data, name) for name in (*FACTS, *LATE_FACTS)}
    lists = {name: _plain(data, name) for name in ("aspects", "systems")}
    shapes = {name: getattr(data, name).shape for name in (*GRIDS, SEEDS, *beside)}
    evaluators = [one.output for one in data.evaluators]
    _write_json(
        path / "study.json",
        {**study, **lists, "shapes": shapes, "evaluators": evaluators},
    )


def read(path: Path) -> Data:
    """Read what `write` wrote: equal data, and so an equal digest.

    Raises:
        ValueError: If a file has other columns, another number of rows, or a cell of
            another type than it should.
        OSError: If a file is missing.
    """
    study, outputs = (_read_json(path / f"{n}.json") for n in ("study", "outputs"))
    facts = {name: study[name] for name in FACTS}
    facts |= {name: study[name] for name in LATE_FACTS if name in study}
    parts: dict[str, Any] = {**facts, "scale": tuple(facts["scale"])}
    for name, kind in TABLES.items():
        if name not in IF_ANY or (path / f"{name}.csv").exists():
            parts[name] = _table(path / f"{name}.csv", kind)
    for name in GRIDS:
        if name in study["shapes"]:  # older folders lack the last ones
            parts[name] = _grid(path / f"{name}.csv", study["shapes"][name])
    for name in MARKS:
        if (path / f"{name}.csv").exists():
            _, rows = _read_csv(path / f"{name}.csv")
            parts[name] = _column([row[1] for row in rows], "bool")
    parts[SEEDS] = _seeds(path / "system_scores.csv", study["shapes"])
    for name in BESIDE:
        if name in study["shapes"]:
            parts[name] = _beside(path / f"{name}.csv", study["shapes"][name], name)
    for name in OUTPUTS:
        parts[name] = [Output(**one) for one in outputs[name]]
    return Data(
        **parts,
        aspects=[_aspect(**one) for one in study["aspects"]],
        systems=[System(**one) for one in study["systems"]],
        evaluators=[
            _evaluators(path / f"evaluators-{number}.npz", output)
            for number, output in enumerate(study["evaluators"])
        ],
    )


def _aspect(scale: Sequence[Any] | None = None, **facts: Any) -> Aspect:
    return Aspect(**facts, scale=(scale[0], scale[1]) if scale else None)


def part(data: Data, needs: Iterable[str]) -> Data:
    """What an analysis gets that needs so much; the rest is empty.

    Scores of negatives and evaluators stand under outputs: none without "scores".
    """
    needs = frozenset(needs)
    bare = {name: getattr(data, name) for name in (*FACTS, "aspects", "systems")}
    kept = {name: getattr(data, name) for need in needs for name in PARTS[need]}
    of_texts = {name: getattr(data, name) for name in ("texts", *MARKS, "drawn")}
    found = Data(**bare, **of_texts, **kept)
    if "scores" in needs:
        return found
    return replace(found, negative_scores=found.negative_scores[:, :0], evaluators=[])


# Files -------------------------------------------------------------------------------


def _edges(data: Data, grid: str) -> tuple[list[str], Sequence[str]]:
    """The header of a grid, and what its rows are of: for people, not for reading."""
    kind, names = {
        "scores": ("text", data.texts.key.tolist()),
        "negative_scores": ("negative", data.negatives.name.tolist()),
        "surface": ("text", data.texts.key.tolist()),
        "vote_lengths": ("vote of pair", data.votes.pair.tolist()),
    }[grid]
    if grid == "vote_lengths":
        return [kind, "words of first", "words of second"], names
    if grid == "surface":
        width = data.surface.shape[1]
        return [kind, *(surface.NAMES if width == len(surface.NAMES) else ())], names
    return [kind, *(output.id for output in data.outputs)], names


def _seed_lines(data: Data) -> Iterator[list[str]]:
    """A line for each system and seed; none where they were not loaded."""
    yield ["system", "seed", *(output.id for output in data.system_outputs)]
    for system, of_system in zip(data.systems, data.system_seeds, strict=False):
        for seed, values in enumerate(of_system.T):
            yield [system.name, str(seed), *_cells(values)]


def _beside_lines(data: Data, name: str) -> Iterator[list[str]]:
    """A line for each system and fact, or system and other system."""
    systems = [system.name for system in data.systems]
    names = list(FACTS_BESIDE) if name == "system_beside" else systems
    yield ["system", BESIDE[name], *(output.id for output in data.system_outputs)]
    grid = getattr(data, name)
    for system, of_system in zip(systems, grid, strict=True):
        lines = of_system.T if name == "system_beside" else of_system
        for second, values in zip(names, lines, strict=True):
            yield [system, second, *_cells(values)]


def _cells(column: np.ndarray) -> list[str]:
    if column.dtype.kind == "f":
        return ["" if value != value else repr(value) for value in column.tolist()]
    if column.dtype.kind == "b":
        return [str(int(value)) for value in column.tolist()]
    return [str(value) for value in column.tolist()]


def _write_csv(path: Path, rows: Iterable[Sequence[str]]) -> None:
    # Lines end by CR LF: only then is a lone CR within a cell put in quotes, too.
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)


def _read_csv(path: Path) -> tuple[list[str], list[list[str]]]:
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return header, rows


def _table(path: Path, kind: type[T]) -> T:
    columns = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    header, rows = _read_csv(path)
    if header != columns:
        raise ValueError(f"{path.name}: expected the columns {columns}, got {header}")
    try:
        cells = list(zip(*rows, strict=True)) or [()] * len(columns)
        types = [column_type(kind, column) for column in columns]
        made = [_column(c, type) for c, type in zip(cells, types, strict=True)]
        return kind(**dict(zip(columns, made, strict=True)))
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from error


def _column(cells: Sequence[str], type: str) -> np.ndarray:
    values: Iterable[Any] = cells
    if type == "float":
        values = _floats(cells)
    elif type == "int":
        values = map(int, cells)
    elif type == "number":
        values = [int(c) if c.lstrip("-").isdecimal() else float(c) for c in cells]
    elif type == "bool":
        values = (bool(int(cell)) for cell in cells)
    return column_of(list(values), type)


def _floats(cells: Sequence[str]) -> list[float]:
    return [float(cell) if cell else np.nan for cell in cells]


def _seeds(path: Path, shapes: dict[str, Sequence[int]]) -> np.ndarray:
    if SEEDS not in shapes:  # written when every system had one number
        return _grid(path, shapes["system_scores"])[:, :, np.newaxis]
    systems, outputs, seeds = shapes[SEEDS]
    return _grid(path, (systems, seeds, outputs), names=2).transpose(0, 2, 1)


def _beside(path: Path, shape: Sequence[int], name: str) -> np.ndarray:
    if name == "system_pairs":
        return _grid(path, shape, names=2)
    systems, outputs, facts = shape
    return _grid(path, (systems, facts, outputs), names=2).transpose(0, 2, 1)


def _grid(path: Path, shape: Sequence[int], names: int = 1) -> np.ndarray:
    """The numbers behind the first columns, which name a line."""
    _, rows = _read_csv(path)
    try:
        values = [_floats(row[names:]) for row in rows]
        return np.array(values, np.float64).reshape(shape)
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from error


def _evaluators(path: Path, output: str) -> Evaluators:
    with np.load(path, allow_pickle=False) as kept:
        return Evaluators(output, kept["s"], kept["w"])


def _plain(data: Data, name: str) -> list[dict[str, object]]:
    return [asdict(one) for one in getattr(data, name)]


def _write_json(path: Path, thing: Any) -> None:
    path.write_text(json.dumps(thing, ensure_ascii=False, indent=1), encoding="utf-8")


def _read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
