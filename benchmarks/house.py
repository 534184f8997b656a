"""Measure the code: its size, its names, its rooms. Prints one row for a table.

    python benchmarks/house.py            # of this checkout
    python benchmarks/house.py FOLDER     # of another one

Code lines hold a token that is neither comment nor docstring. Migrations are left out.
An empty name is a bound name (assignment, parameter) that is one of `EMPTY` or `VAGUE`.
"""

from __future__ import annotations

import ast
import io
import json
import re
import sys
import tokenize
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.bound_names import (  # noqa: E402
    APPS,
    EMPTY,
    VAGUE,
    bound_names,
)

NO_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT),
    *(tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER),
}


def docstring_lines(tree: ast.Module) -> set[int]:
    lines: set[int] = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if not isinstance(body, list) or not body:
            continue
        first = body[0]
        constant = first.value if isinstance(first, ast.Expr) else None
        if isinstance(constant, ast.Constant) and isinstance(constant.value, str):
            lines |= set(range(first.lineno, (first.end_lineno or 0) + 1))
    return lines


def code_lines(text: str, tree: ast.Module) -> int:
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            lines |= set(range(token.start[0], token.end[0] + 1))
    return len(lines - docstring_lines(tree))


def part(path: Path) -> str:
    """Core or contrib: what can be switched off lies in a folder of that name."""
    return "contrib" if "contrib" in path.parts else "core"


def room(path: Path) -> str:
    """The app and the folder or file in it."""
    return "/".join(path.with_suffix("").parts[:2])


def measure(root: Path) -> dict[str, object]:
    code: Counter[str] = Counter()
    names: Counter[str] = Counter()
    n_files = n_functions = n_public = n_any = 0
    rooms: set[str] = set()
    for app in APPS:
        for path in sorted((root / app).rglob("*.py")):
            relative = path.relative_to(root)
            if "migrations" in relative.parts:
                continue
            text = path.read_text()
            tree = ast.parse(text)
            code[part(relative)] += code_lines(text, tree)
            names.update(bound_names(tree))
            rooms.add(room(relative))
            n_files += 1
            n_any += len(re.findall(r"dict\[str, Any\]", text))
            for node in tree.body:
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                    n_public += not node.name.startswith("_")
            n_functions += sum(
                isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
                for node in ast.walk(tree)
            )
    total = names.total()
    share = {
        label: round(100 * sum(names[word] for word in words) / total, 2)
        for label, words in (("empty", EMPTY), ("vague", VAGUE))
    }
    return {
        "code": dict(code),
        "files": n_files,
        "functions": n_functions,
        "public names": n_public,
        "rooms": len(rooms),
        "bound names": total,
        "per cent of names": share,
        "dict[str, Any]": n_any,
        "templates": sum(1 for _ in (root / "templates").rglob("*.html")),
        "migrations": sum(
            1 for app in APPS for path in (root / app).rglob("migrations/0*.py")
        ),
    }


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]
    print(json.dumps(measure(folder.resolve()), indent=1))
