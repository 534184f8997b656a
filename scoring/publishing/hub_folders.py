"""Folders of data sets as hubs have them -> the one file that an import reads.

A card (README.md) may say in its header which files are which table ("configs"); else
all tables of one kind are one. Shards are packed into a zip file, which imports read
one after the other. Nothing is downloaded, and nothing outside of the folder is read.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast
from zipfile import ZIP_STORED, ZipFile

import yaml

from annotation.imports import UploadError, shown
from annotation.imports.files.packed import SUFFIXES

CARD = "README.md"
LONGEST_HEADER = 100_000  # characters
MOST_FILES = 1_000
# Where a card says nothing, the first kind of which there is a file.
KINDS = (".parquet", ".jsonl", ".ndjson", ".csv", ".tsv", ".json", ".xlsx", ".txt")


@contextmanager
def opened(path: Path, table: str = "") -> Iterator[BinaryIO]:
    """Open the table of that name, or the first.

    Raises:
        UploadError: If there is none.
    """
    found = files(path, table)
    if len(found) == 1:
        with found[0].open("rb") as file:
            yield file
        return
    with tempfile.TemporaryFile() as packed:
        with ZipFile(packed, "w", ZIP_STORED) as pack:
            for one in found:
                pack.write(one, one.relative_to(path.resolve()).as_posix())
        packed.seek(0)
        yield cast(BinaryIO, packed)


def files(path: Path, table: str = "") -> list[Path]:
    """The files of a table, in the order of their names.

    Raises:
        UploadError: If there is none, with the tables that there are.
    """
    named = tables(path)
    if table and table not in named:
        told = ", ".join(sorted(named)) or "none with a name"
        raise UploadError([f"There is no table {shown(table)}: there are {told}."])
    patterns = named.get(table) or _first(named)
    found = _matching(path, patterns) if patterns else _of_one_kind(path)
    if not found:
        raise UploadError([f"The folder {path.name} has no table in it."])
    if len(found) > MOST_FILES:
        raise UploadError([f"The table has more than {MOST_FILES:,} files."])
    return found


def tables(path: Path) -> dict[str, list[str]]:
    """Patterns of files by the name of a table, as the card says; the default first."""
    found: dict[str, list[str]] = {}
    for one in _configs(path):
        name = one.get("config_name")
        patterns = list(_patterns(one.get("data_files")))
        if isinstance(name, str) and patterns:
            found[name] = patterns
            if one.get("default") is True:
                found = {name: patterns, **found}
    return found


def _configs(path: Path) -> list[dict[str, Any]]:
    try:
        text = (path / CARD).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    begin, _, rest = text[:LONGEST_HEADER].partition("---\n")
    header, end, _ = rest.partition("\n---")
    if begin.strip() or not end:
        return []
    try:
        found = yaml.safe_load(header)
    except (yaml.YAMLError, RecursionError):
        return []
    configs = found.get("configs") if isinstance(found, dict) else None
    return [one for one in configs or () if isinstance(one, dict)]


def _patterns(given: Any) -> Iterator[str]:
    """Of "a.csv", ["a.csv", ...] or [{"split": "train", "path": "a.csv"}, ...]."""
    if isinstance(given, str):
        yield given
    elif isinstance(given, list):
        for one in given:
            yield from _patterns(one)
    elif isinstance(given, dict):
        yield from _patterns(given.get("path"))


def _first(named: dict[str, list[str]]) -> list[str]:
    return next(iter(named.values()), [])


def _matching(path: Path, patterns: list[str]) -> list[Path]:
    found: dict[Path, None] = {}
    for pattern in patterns:
        if pattern.startswith(("/", "~")) or ".." in Path(pattern).parts:
            raise UploadError([f"{shown(pattern)} in {CARD} leads out of the folder."])
        for one in sorted(path.glob(pattern)):
            found |= dict.fromkeys(_tables_in(path, [one]))
    return list(found)


def _of_one_kind(path: Path) -> list[Path]:
    everything = _tables_in(path, sorted(path.rglob("*")))
    kinds = {one.suffix.lower() for one in everything}
    kind = next((kind for kind in KINDS if kind in kinds), "")
    return [one for one in everything if one.suffix.lower() == kind]


def _tables_in(path: Path, among: list[Path]) -> list[Path]:
    """Files with a table's suffix that lie in the folder, and no hidden ones."""
    home = path.resolve()
    return [
        one.resolve()
        for one in among
        if one.suffix.lower() in SUFFIXES
        and one.is_file()
        and one.resolve().is_relative_to(home)
        and not any(part.startswith(".") for part in one.relative_to(path).parts)
    ]
