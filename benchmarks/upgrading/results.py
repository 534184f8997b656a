"""Whether analyses say the same of a database as the commit that filled it.

    DATABASE_URL=... DATA_DIR=... .venv/bin/python benchmarks/upgrading/results.py

Computes each stored result once more, in an upgraded copy, and prints what differs.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def differences(old: Any, new: Any, path: str = "") -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        for key in old:
            yield from differences(old[key], new[key], f"{path}/{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for place, pair in enumerate(zip(old, new, strict=True)):
            yield from differences(*pair, f"{path}/{place}")
    elif old != new:
        yield f"{path}: {old!r} -> {new!r}"


def main() -> None:
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalapp.settings")
    import django

    django.setup()
    from scoring.models import Analysis
    from scoring.results import analysing

    equal = 0
    for row in Analysis.objects.exclude(result=None).select_related("study"):
        result = analysing.result_of(
            study=row.study, name=row.name, options=row.options
        )
        lines = list(differences(row.result, json.loads(json.dumps(result))))
        equal += not lines
        if lines:
            print(row.study.name, row.name, len(lines), *lines[:5], sep="\n    ")
    print(f"{equal} results are equal to the last digit")


if __name__ == "__main__":
    main()
