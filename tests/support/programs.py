"""The program with a change in it: a folder, whose other parts are links."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
PARTS = ("annotation", "evalapp", "scoring", "static", "templates", "tests")


def copied(folder: Path, *names: str) -> Path:
    """These parts of the program, to be changed, and links to the others."""
    unread = shutil.ignore_patterns("__pycache__")
    for name in names:
        shutil.copytree(ROOT / name, folder / name, ignore=unread)
    for name in set(PARTS).difference(names):
        (folder / name).symlink_to(ROOT / name)
    return folder


def changed(folder: Path, changes: Mapping[str, tuple[str, str]]) -> Path:
    """By file of `annotation/`: words that stand there once, and those instead."""
    copied(folder, "annotation")
    for name, (before, after) in changes.items():
        path = folder / "annotation" / name
        words = path.read_text()
        assert words.count(before) == 1
        path.write_text(words.replace(before, after))
    return folder


def answer(folder: Path, script: str, database: Path, **variables: str) -> Any:
    """What a script prints as JSON that runs there, on a copy of the database.

    The database has the tables of the program as it is without the change.
    """
    (folder / "use.py").write_text(script)
    shutil.copy(database, folder / "db.sqlite3")
    run = subprocess.run(
        [sys.executable, "use.py"],
        cwd=folder,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "DATABASE_URL": f"sqlite:///{folder}/db.sqlite3",
            **variables,
        },
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)
