"""How long an upgrade of a database on PostgreSQL keeps others waiting.

    DATABASE_URL=postgres://... .venv/bin/python benchmarks/upgrading/locks.py

Runs `manage.py migrate` while one connection writes to the largest tables, as workers
do, and another looks at who holds a lock that keeps readers or writers out. Use a copy
of a database of the older commit.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import psycopg

ROOT = Path(__file__).resolve().parents[2]
LARGEST = ("annotation_annotation", "annotation_seat", "scoring_score")
HELD = """
    SELECT relation::regclass::text FROM pg_locks
    WHERE granted AND locktype = 'relation' AND relation::regclass::text !~ '^pg_'
    AND mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock',
                 'AccessExclusiveLock')
"""


def watch(address: str, ended: threading.Event, longest: dict[str, float]) -> None:
    """The longest time for which each table was seen locked without a break."""
    since: dict[str, float] = {}
    with psycopg.connect(address, autocommit=True) as connection:
        while not ended.is_set():
            rows = connection.execute(HELD).fetchall()
            now = time.perf_counter()
            since = {table: since.get(table, now) for (table,) in rows}
            for table, start in since.items():
                longest[table] = max(longest.get(table, 0.0), now - start)
            time.sleep(0.002)


def write(address: str, ended: threading.Event, waits: list[float]) -> None:
    """Locks a row of each large table and lets it go, as an autosave would."""
    with psycopg.connect(address, autocommit=True) as connection:
        while not ended.is_set():
            for table in LARGEST:
                start = time.perf_counter()
                connection.execute(f"SELECT id FROM {table} LIMIT 1 FOR UPDATE")
                waits.append(time.perf_counter() - start)
            time.sleep(0.005)


def main() -> None:
    address = os.environ["DATABASE_URL"]
    ended = threading.Event()
    longest: dict[str, float] = {}
    waits: list[float] = []
    threads = [
        threading.Thread(target=watch, args=(address, ended, longest)),
        threading.Thread(target=write, args=(address, ended, waits)),
    ]
    for thread in threads:
        thread.start()
    start = time.perf_counter()
    try:
        subprocess.run([sys.executable, "manage.py", "migrate"], cwd=ROOT, check=True)
    finally:
        seconds = time.perf_counter() - start
        ended.set()
        for thread in threads:
            thread.join()
    print(f"{seconds:.1f} s; {len(waits)} writes, the longest {max(waits):.3f} s")
    for table, held in sorted(longest.items(), key=lambda row: -row[1])[:10]:
        print(f"{held:8.3f} s  {table}")


if __name__ == "__main__":
    main()
