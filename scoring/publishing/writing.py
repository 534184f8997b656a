"""A study as a folder that others can load, read, import and recompute.

    README.md        what it is
    data/*.parquet   its tables
    replication/     numbers, and the script that checks

Beside them stands what contrib apps add: see `companions`. Everything is written beside
the folder's place and moved there at once.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from annotation.models import Study
from annotation.models.surveys import pseudonym
from scoring.archive import parquet, permission, tables
from scoring.archive.rows import Rows
from scoring.publishing import card, facts, gathering, public
from scoring.publishing.companions import COMPANIONS
from scoring.replication import rater_codes
from scoring.replication import writing as replication
from scoring.results import study_arrays


class FolderError(ValueError):
    """The folder cannot be written there. The message says why."""


@dataclass(frozen=True, slots=True)
class Written:
    """What was written, for people to read."""

    facts: facts.Facts
    rows: dict[str, int]  # of each table


def write(*, study: Study, path: Path, now: datetime) -> Written:
    """Write the data set of a study. There is the whole folder in the end, or none.

    Raises:
        FolderError: If there is something at this place already.
    """
    check_free(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    try:
        written = fill(study=study, folder=work, now=now)
        work.chmod(0o755)
        check_free(path)  # nobody came first
        if path.exists():
            path.rmdir()
        os.replace(work, path)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return written


def check_free(path: Path) -> None:
    """Refuse what is there, but for an empty folder.

    Raises:
        FolderError: With what to do.
    """
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        raise FolderError(f"{path} is not a folder. Choose another name.")
    if path.is_dir() and any(path.iterdir()):
        raise FolderError(
            f"The folder {path} is not empty. Choose a new or an empty folder."
        )


def fill(*, study: Study, folder: Path, now: datetime) -> Written:
    """Write all files into a folder."""
    allowed = permission.of(study=study)
    loaded = study_arrays.load(study=study)
    own = {pseudonym(study, pk) for pk in study.workers.values_list("pk", flat=True)}
    codes = rater_codes.of_all(loaded, own)
    coded = rater_codes.coded(loaded, codes)
    told = coded if allowed.level == "all" else public.without_single(coded)
    sink = Folder(folder / "replication")
    results = replication.add_numbers(sink, study=study, loaded=loaded, data=told)
    found = gathering.gather(
        study=study, data=loaded, level=allowed.level, results=results, now=now
    )
    rows = Rows(study, coded, allowed, codes)
    counted = {
        table.name: parquet.write(table, rows.of(table), folder)
        for table in tables.BY_NAME.values()
    }
    counted = {name: n for name, n in counted.items() if n}
    _describe(folder, found, counted)
    return Written(found, counted)


def _describe(folder: Path, found: facts.Facts, rows: dict[str, int]) -> None:
    """What is said in words, and for programs."""
    texts = {
        "README.md": card.write(found, rows, COMPANIONS),
        tables.MARK: _mark(found),
    }
    digests = {name: _digest(folder / tables.BY_NAME[name].file) for name in rows}
    for companion in COMPANIONS:
        texts |= companion.files(found, digests)
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


def _mark(study: facts.Facts) -> str:
    """What an import knows the folder by."""
    marks = {
        "format": "evalapp-dataset",
        "version": tables.FORMAT,
        "evalapp": study.version,
        "study": study.name,
        "made_at": study.made_at,
        "single_ratings": study.level,
    }
    return json.dumps(marks, indent=1) + "\n"


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Folder:
    """Takes files as a zip file does."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def write(self, filename: object, arcname: object = None) -> None:
        shutil.copyfile(str(filename), self._place(str(arcname)))

    def writestr(self, zinfo_or_arcname: object, data: str) -> None:
        # Bytes as they are: tables end their lines by CR LF.
        self._place(str(zinfo_or_arcname)).write_bytes(data.encode())

    def _place(self, name: str) -> Path:
        path = self._home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path
