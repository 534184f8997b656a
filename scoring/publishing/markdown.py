"""Text of others within Markdown and YAML: shown as it is, and never as more. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

LONGEST = 5_000  # characters of one text, so that a card stays readable
# What begins a link, a picture, HTML, code, a table cell or emphasis.
SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#|~$&!])")


def cut(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def plain(text: str, longest: int = LONGEST) -> str:
    """On one line, without a meaning of its own."""
    return SPECIAL.sub(r"\\\1", " ".join(cut(text, longest).split()))


def quoted(text: str, longest: int = LONGEST) -> str:
    """A block of words of others; lines stay apart."""
    lines = cut(text.strip(), longest).splitlines()
    return "\n".join(f"> {plain(line)}  " if line.strip() else ">" for line in lines)


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Cells are given as Markdown: put what others wrote through `plain`."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def yaml(value: str) -> str:
    """A string as YAML reads it back: JSON is YAML."""
    return json.dumps(value, ensure_ascii=True)


def number(value: float | None, digits: int = 3) -> str:
    return "—" if value is None else f"{value:.{digits}f}"
