"""Read many tables of known content, and count what became of them.

python -m tests.annotation.imports.people.many 100000
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from multiprocessing import Pool

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")


def _outcome(number: int) -> tuple[int, str, str]:
    from tests.annotation.imports.people.test_any_table import outcome

    return (number, *outcome(number))


def main(n: int) -> None:
    django.setup()
    kinds, why, others = Counter[str](), Counter[str](), []
    with Pool(initializer=django.setup) as pool:
        for number, kind, reason in pool.imap_unordered(_outcome, range(n), 50):
            kinds[kind] += 1
            why[reason[:60]] += kind == "asked"
            if kind == "other":
                others.append((number, reason))
    print(dict(kinds), f"asked: {kinds['asked'] / n:.1%}")
    for reason, times in why.most_common(15):
        print(f"{times:7,} {reason}")
    for number, reason in others[:20]:
        print("OTHER", number, reason)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
