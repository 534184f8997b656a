"""5. Rows of numbers as text, CSV and LaTeX. No query, no request.

A `Table` holds strings and numbers; None is a number that does not exist. Screens and
papers get three decimals and "—", CSV gets every digit and an empty cell.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from annotation.spreadsheets import harmless
from scoring.stats.estimates import Estimate, number


@dataclass(frozen=True, slots=True)
class Cell(Estimate):
    """An estimate, and how it is written."""

    reason: str = ""
    bold: bool = False
    heat: bool = False  # blue agrees with people, orange disagrees
    falls: bool = False  # to agree is to be below zero, as of a damaged text
    digits: int = 3
    unit: str = ""  # such as "%"
    std: float | None = None  # over so many seeds
    seeds: int | None = None
    spread: float | None = None  # SD that other texts would cause; shown instead of std

    @classmethod
    def of(cls, estimate: Estimate | Mapping[str, Any], **look: Any) -> Cell:
        """An estimate, as it is or as the result of an analysis holds it."""
        if isinstance(estimate, Estimate):
            estimate = number(estimate)
        stored: dict[str, Any] = {name: estimate.get(name) for name in STORED}
        stored |= {name: stored[name] or "" for name in ("reason", "signature")}
        return cls(**stored, **look)


STORED = ("value", "low", "high", "reason", "signature", "n", "std", "seeds", "spread")
# In this order JSON has them.
IN_JSON = (*STORED[:6], *"bold heat falls digits unit".split(), *STORED[6:])


@dataclass(frozen=True, slots=True)
class Link:
    """Words that lead to a page of the study: a name of a URL, and what it takes."""

    text: str
    to: str = ""  # "" = nowhere
    args: tuple[str | int, ...] = ()  # after the study's name
    query: str = ""  # "key=3-a"
    badges: tuple[str, ...] = ()  # of BADGES
    small: str = ""  # what tells it apart from its like


Value = str | int | float | Cell | Link | None

# What a number has beside it, by the words for its column.
IN_FILES = {
    "low": "low",
    "high": "high",
    "std": "SD",
    "seeds": "seeds",
    "spread": "SD over texts",
}
BROAD = 8  # columns that a page has room for


@dataclass(frozen=True, slots=True)
class Table:
    header: list[str]
    rows: list[list[Value]]
    caption: str = ""
    groups: list[tuple[str, int]] = field(default_factory=list)  # title, columns
    notes: list[str] = field(default_factory=list)
    title: str = ""  # a short one, for the page
    empty: str = ""  # what to say where there is no row
    ways: int = 0  # last columns that only lead to other pages
    foot: int = 0  # last rows that stay below the others, however these are sorted


def without_ways(table: Table) -> Table:
    """For files, which lead nowhere: without the last columns, a group of their own."""
    if not table.ways:
        return table
    return replace(
        table,
        header=table.header[: -table.ways],
        rows=[row[: -table.ways] for row in table.rows],
        groups=table.groups[:-1],
        ways=0,
    )


def simulated(table: Table, *, column: bool = True) -> Table:
    """Say in the table itself that its ratings are not from people."""
    caption = f"{table.caption} Simulated ratings, not from people."
    if not column:
        return replace(table, caption=caption)
    rows = [[*row, "simulated"] for row in table.rows]
    return replace(table, header=[*table.header, "ratings"], rows=rows, caption=caption)


def unit(text: str) -> str:
    """A unit as people write it: "nats per token, [0, ∞)"."""
    return re.sub(r"\binf\b", "∞", text.replace("-inf", "\N{MINUS SIGN}inf"))


def as_csv(table: Table) -> str:
    out = io.StringIO()
    writer = csv.writer(out)  # ends lines by CR LF, and so quotes a lone CR as well
    header, rows = _flat(table)
    writer.writerows([harmless(value) for value in row] for row in [header, *rows])
    return out.getvalue()


def as_json(table: Table) -> str:
    """Each row by its columns, each number with its interval, reason and signature."""
    found = {
        "caption": table.caption,
        "notes": table.notes,
        "columns": full_header(table),
        "rows": [[_as_json(cell) for cell in row] for row in table.rows],
    }
    return json.dumps(found, ensure_ascii=False, indent=1)


def _as_json(cell: Value) -> object:
    if isinstance(cell, Cell):
        return {name: getattr(cell, name) for name in IN_JSON}
    return asdict(cell) if isinstance(cell, Link) else cell


def full_header(table: Table) -> list[str]:
    """Column names that say their group: "Coherence r"."""
    groups = [title for title, width in table.groups for _ in range(width)]
    groups += [""] * (len(table.header) - len(groups))
    return [f"{g} {h}".strip() for g, h in zip(groups, table.header, strict=True)]


def _flat(table: Table) -> tuple[list[Value], list[list[Value]]]:
    """Numbers with intervals as three columns, reasons as one, for files."""
    columns = list(zip(*table.rows, strict=True)) or [()] * len(table.header)
    header: list[Value] = []
    flat: list[list[Value]] = []
    for name, column in zip(full_header(table), columns, strict=True):
        cells = [v if isinstance(v, Cell) else None for v in column]
        header.append(name)
        flat.append([_bare(value) for value in column])
        for end, title in IN_FILES.items():
            values = [getattr(c, end) if c else None for c in cells]
            if any(value is not None for value in values):
                header.append(f"{name} {title}")
                flat.append(values)
        if any(c and c.reason for c in cells):
            header.append(f"{name} why")
            flat.append([c.reason if c else "" for c in cells])
    return header, [list(row) for row in zip(*flat, strict=True)]


def _bare(value: Value) -> Value:
    if isinstance(value, Cell):
        return value.value
    if isinstance(value, Link):
        return f"{value.text} ({value.small})" if value.small else value.text
    return value


def as_latex(table: Table) -> str:
    """A booktabs table that stands alone but for its packages.

    A broad one is made as wide as the page: it would run off it otherwise.
    """
    broad = len(table.header) > BROAD
    kind, needs = ("table*", "booktabs,graphicx") if broad else ("table", "booktabs")
    numbers = number_columns(table)
    columns = "".join("r" if number else "l" for number in numbers)
    body = [[_latex(value) for value in row] for row in table.rows]
    header = [latex_text(name) for name in table.header]
    lines = [
        *(f"% {' '.join(note.split())}" for note in table.notes),
        rf"\begin{{{kind}}}  % needs \usepackage{{{needs}}}",
        r"\centering",
        rf"\caption{{{latex_text(table.caption)}}}",
        *([r"\resizebox{\textwidth}{!}{%"] if broad else []),
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        *_latex_groups(table),
        rf"{' & '.join(header)} \\",
        r"\midrule",
        *(rf"{' & '.join(row)} \\" for row in body),
        r"\bottomrule",
        r"\end{tabular}" + ("}" if broad else ""),
        rf"\end{{{kind}}}",
    ]
    return "\n".join(lines) + "\n"


def _latex(value: Value) -> str:
    shown = latex_text(_shown(value))
    if isinstance(value, (int, float)):
        return _signed(shown)
    if not isinstance(value, Cell) or value.value is None:
        return shown
    shown = _signed(shown)
    shown = rf"\textbf{{{shown}}}" if value.bold else shown
    deviation = value.std if value.spread is None else value.spread
    if deviation is not None:
        shown = rf"{shown} {{\scriptsize $\pm$ {deviation:.{value.digits}f}}}"
    if value.low is None or value.high is None:
        return shown
    ends = _signed(f"{value.low:.{value.digits}f}, {value.high:.{value.digits}f}")
    return rf"{shown} {{\scriptsize {{[}}{ends}]}}"


def _signed(number: str) -> str:
    """With a minus: a hyphen is shorter."""
    return number.replace("-", "$-$")


def _latex_groups(table: Table) -> list[str]:
    """A line of titles over several columns each, with their rules."""
    titles, rules, column = [], [], 1
    for title, width in table.groups:
        titles.append(rf"\multicolumn{{{width}}}{{c}}{{{latex_text(title)}}}")
        if title:
            rules.append(rf"\cmidrule(lr){{{column}-{column + width - 1}}}")
        column += width
    return [rf"{' & '.join(titles)} \\", " ".join(rules)] if titles else []


def as_text(table: Table) -> str:
    """Aligned columns for a terminal."""
    from tabulate import tabulate  # not for each start of a process

    rows = [table.header, *([_shown(value) for value in row] for row in table.rows)]
    sides = ["right" if number else "left" for number in number_columns(table)]
    # The header is a row here: as a header, tabulate would set it apart by more spaces.
    text = tabulate(rows, tablefmt="plain", colalign=sides, disable_numparse=True)
    notes = ["", *table.notes] if table.notes else []
    return "\n".join([text, *notes])


def number_columns(table: Table) -> list[bool]:
    return [
        any(isinstance(row[column], (int, float, Cell)) for row in table.rows)
        for column in range(len(table.header))
    ]


def _shown(value: Value) -> str:
    if isinstance(value, Cell) and value.value is not None:
        digits = value.digits if isinstance(value.value, float) else 0
        return f"{value.value:.{digits}f}{value.unit}"
    value = _bare(value)
    if value is None:
        return "—"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


_LATEX = {
    "\\": r"\textbackslash{}",
    "—": "---",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # At the start of a row they would belong to the \\ or the \midrule before it.
    "[": "{[}",
    "*": "{*}",
    "\n": " ",
    "\r": " ",
    # What pdflatex stops at.
    **{"\N{MINUS SIGN}": "$-$", "–": "--", "…": r"\ldots{}", "·": r"$\cdot$"},
    **{"ρ": r"$\rho$", "τ": r"$\tau$", "ε": r"$\varepsilon$", "ν": r"$\nu$"},
    **{"χ": r"$\chi$", "²": "$^2$", "±": r"$\pm$", "∞": r"$\infty$"},
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


def latex_text(text: str) -> str:
    """Text in which no character has a meaning to LaTeX."""
    return "".join(_LATEX.get(character, character) for character in text)
