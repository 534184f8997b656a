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


def changed(folder: Path, changes: Mapping[str, tuple[str, str]]) -> Path:
    """By file of `annotation/`: words that stand there once, and those instead."""
    unread = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "annotation", folder / "annotation", ignore=unread)
    for name in ("evalapp", "scoring", "tests"):
        (folder / name).symlink_to(ROOT / name)
    for name, (before, after) in changes.items():
        path = folder / "annotation" / name
        words = path.read_text()
        assert words.count(before) == 1
        path.write_text(words.replace(before, after))
    return folder


def answer(folder: Path, script: str) -> Any:
    """What a script prints as JSON that runs there, with a database of its own."""
    (folder / "use.py").write_text(script)
    run = subprocess.run(
        [sys.executable, "use.py"],
        cwd=folder,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "tests.settings"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)
