"""How long a large file takes to check and to import, and how much memory.

    .venv/bin/python benchmarks/importing.py 1000 10000 100000
    .venv/bin/python benchmarks/importing.py --kind xlsx 20000
    .venv/bin/python benchmarks/importing.py --words 400 20000

A file with columns of its own (id, model, prompt, output, coherence) of four systems,
as csv, jsonl, xlsx or parquet. Works in a folder of its own, which it removes at the
end, and each size in a process of its own. Meanwhile another process saves something
ten times a second, until it is refused. `DATABASE_URL` names another database.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = ("id", "model", "prompt", "output", "coherence")
WORDS = "the lake lay still under a grey sky and a boat crossed it slowly".split()


def rows(n: int, words: int) -> Iterator[tuple[object, ...]]:
    for number in range(n):
        text = " ".join(WORDS[(number + k) % len(WORDS)] for k in range(words))
        prompt = f"Write about lake {number // 4}."
        yield (
            number,
            f"system {number % 4}",
            prompt,
            f"{number} {text}.",
            number % 5 + 1,
        )


def write(path: Path, kind: str, n: int, words: int) -> None:
    made = rows(n, words)
    if kind == "csv":
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([COLUMNS, *made])
    elif kind == "jsonl":
        with path.open("w") as file:
            for row in made:
                file.write(json.dumps(dict(zip(COLUMNS, row, strict=True))) + "\n")
    elif kind == "xlsx":
        from openpyxl import Workbook

        book = Workbook(write_only=True)
        sheet = book.create_sheet("Data")
        for row in (COLUMNS, *made):
            sheet.append(list(row))
        book.save(path)
    else:
        import pyarrow as pa
        from pyarrow import parquet

        columns = zip(*made, strict=True)
        parquet.write_table(
            pa.table(dict(zip(COLUMNS, map(list, columns), strict=True))), path
        )


def measure(path: Path, n: int, kind: str) -> None:
    import django

    django.setup()
    from django.contrib.auth.models import User
    from django.core.management import call_command

    from annotation import assistant
    from annotation.assistant import working
    from annotation.models import Importing

    call_command("migrate", verbosity=0)
    user = User.objects.create_user("ann")
    with path.open("rb") as file:
        upload = assistant.keep(user=user, file=file, file_name=path.name)
    before = peak()
    working.SMALL_BYTES = 0
    working.wake_on_commit = lambda kind, ids: None
    seconds = []
    with another() as waits:
        for begin in (
            lambda: assistant.choose(upload=upload, choices={"name": "lake"}),
            lambda: assistant.finish(upload=upload),
        ):
            begin()
            row = Importing.objects.get()
            start, cpu = time.perf_counter(), time.process_time()
            working.IMPORTS.perform(pk=row.pk, owner="benchmark/1/x")
            seconds += [time.perf_counter() - start, time.process_time() - cpu]
            row.refresh_from_db()
            assert row.state == "done", row.error
            upload.refresh_from_db()
    assert upload.made.generations.count() == n
    megabytes = path.stat().st_size / 2**20
    print(
        f"{kind:8}{n:8} texts {megabytes:6.1f} MB   check {seconds[0]:5.1f} s"
        f" ({seconds[1]:.1f} of CPU)   import {seconds[2]:5.1f} s"
        f" ({seconds[3]:.1f} of CPU)   others wait {max(waits, default=0):4.1f} s"
        f"   peak {peak():4.0f} MB ({before:.0f} before)",
        flush=True,
    )


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class another:
    """Another process that saves something, as workers do, and how long each took."""

    CODE = (
        "import django, sys, time; django.setup()\n"
        "from evalapp.work import heartbeats\n"
        "from django.utils import timezone\n"
        "print('ready', flush=True)\n"
        "while True:\n"
        "    start = time.perf_counter()\n"
        "    heartbeats.beat(owner='h/1/x', now=timezone.now())\n"
        "    print(time.perf_counter() - start, flush=True)\n"
        "    time.sleep(.1)\n"
    )

    def __enter__(self) -> list[float]:
        self.process = subprocess.Popen(
            [sys.executable, "-c", self.CODE],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # it may wait for longer than SQLite lets it
            text=True,
        )
        assert self.process.stdout and self.process.stdout.readline()
        self.waits: list[float] = []
        return self.waits

    def __exit__(self, *_: object) -> None:
        time.sleep(0.5)
        self.process.terminate()
        out, _ = self.process.communicate()
        self.waits += [float(line) for line in out.split()[:-1]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="+", type=int)
    parser.add_argument("--kind", default="csv")
    parser.add_argument("--words", type=int, default=40)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        measure(Path(given.one), given.sizes[0], given.kind)
        return
    for n in given.sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"texts.{given.kind}"
            write(path, given.kind, n, given.words)
            env = {
                **os.environ,
                "DATA_DIR": folder,
                "DJANGO_SETTINGS_MODULE": "evalapp.settings",
                "PYTHONPATH": str(ROOT),
            }
            call = [sys.executable, __file__, str(n), "--kind", given.kind]
            subprocess.run([*call, "--one", str(path)], env=env, check=True, cwd=ROOT)


if __name__ == "__main__":
    main()
