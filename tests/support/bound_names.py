"""Which names of a module say nothing: what a ratchet and `benchmarks/house.py` count.

python -m tests.support.bound_names    # writes down the numbers of today
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).parent / "empty_names.txt"
APPS = ("annotation", "scoring", "evalapp")
# A reader has to look up what each of them holds.
EMPTY = frozenset(
    "found one said known made given own asked told kept there some shown both seen"
    " others wanted".split()
)
VAGUE = frozenset("result value data item output".split())


def bound_names(tree: ast.Module) -> Iterator[str]:
    """Of assignments and parameters."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name


def counts(path: Path) -> tuple[int, int]:
    """How many names of a file are empty, and how many are vague."""
    names = list(bound_names(ast.parse(path.read_text())))
    return sum(name in EMPTY for name in names), sum(name in VAGUE for name in names)


def modules() -> Iterator[Path]:
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path


def listed() -> dict[str, tuple[int, int]]:
    """What was counted when the list was written."""
    rows = (line.split() for line in LIST.read_text().splitlines())
    return {name: (int(empty), int(vague)) for empty, vague, name in rows}


def write() -> None:
    lines = [
        f"{empty} {vague} {path.relative_to(ROOT)}"
        for path in modules()
        for empty, vague in [counts(path)]
        if empty or vague
    ]
    LIST.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    write()
