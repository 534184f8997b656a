"""Run a benchmark on SQLite, and on the database of DATABASE_URL if there is one."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run_on_each(script: str) -> None:
    """Call `script --here` once for each, in a process with settings of its own."""
    urls = [""] + [url for url in [os.environ.get("DATABASE_URL", "")] if url]
    for url in urls:
        with tempfile.TemporaryDirectory() as folder:
            settings = {
                "DATA_DIR": folder,
                "DJANGO_SETTINGS_MODULE": "evalapp.settings",
                "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "benchmarks")]),
            }
            env = {**os.environ, **settings, "DATABASE_URL": url}
            if not url:
                del env["DATABASE_URL"]
            command = [sys.executable, script, "--here"]
            subprocess.run(command, env=env, check=True)
