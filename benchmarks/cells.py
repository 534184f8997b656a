"""Cells of a simulation on all processors, each with a seed of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

Cell = TypeVar("Cell")
Result = TypeVar("Result")


def on_all_processors(
    compute: Callable[[Cell], Result], cells: Sequence[Cell]
) -> list[Result]:
    """Results in the order of the cells, however many run at once."""
    with ProcessPoolExecutor() as pool:
        return list(pool.map(compute, cells))


def table(head: Sequence[object], rows: Sequence[Sequence[object]]) -> str:
    """In Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
