"""Files of some kilobytes that took gigabytes or minutes: now they take a sentence.

In a process of its own, as a web process is: the peak of its memory is measured.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.evalapp.cage import bombs
from tests.test_architecture import ROOT

MOST_GROWTH = 50 * 1024  # kB
ADVICE = ("split", "save it", "shorten", "leave out", "unpack", "Choose", "choose")
FILES = {
    "one text in 2,000 rows": lambda: bombs.one_text(4_000_000, 2000),
    "one text of 40 MB in 256 rows": lambda: bombs.one_text(40_000_000, 256),
    "a list of 30 million": lambda: bombs.long_list(30_000_000),
    "one cell of 240 MB": lambda: bombs.one_text(240_000_000, 1),
    "60,000 empty cells in the last column": lambda: bombs.wide_sheet(60_000),
    "200 zip files in one": lambda: bombs.nested(200, 200),
    "3 million texts of no cell": lambda: bombs.many_strings(3_000_000),
}
PROCESS = """
import json, os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
import django
django.setup()
from annotation import imports

def peak():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))

for path in sys.argv[1:]:
    before = peak()
    with open(path, "rb") as file:
        sheet = imports.check(format="columns", file=file)
    said = sheet.problems.lines()[:1]
    print(json.dumps([peak() - before, sheet.counts.texts, said]))
"""


@pytest.mark.slow
def test_each_is_a_sentence_and_the_process_that_asked_stays_small(tmp_path):
    warm = tmp_path / "warm.csv"
    warm.write_text("text\nA lake.\n")
    paths = [warm]
    for number, make in enumerate(FILES.values()):
        paths.append(tmp_path / str(number))
        paths[-1].write_bytes(make())
    run = subprocess.run(
        [sys.executable, "-c", PROCESS, *map(str, paths)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60 * len(paths),
    )
    assert run.returncode == 0, run.stderr
    _, *found = map(json.loads, run.stdout.splitlines())
    assert len(found) == len(FILES)
    for name, (grown, texts, said) in zip(FILES, found, strict=True):
        assert grown < MOST_GROWTH, name
        assert texts == 0, name
        assert any(word in said[0] for word in ADVICE), (name, said)
