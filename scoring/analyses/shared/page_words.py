"""Words that several pages use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict

from scoring.analyses.shared.page_metrics import COEFFICIENTS
from scoring.drawing.tables import Cell, Table, as_text
from scoring.stats.correlation import CoefficientName
from scoring.stats.estimates import Number


class OneCoefficient(TypedDict):
    """A result whose options have a coefficient."""

    coefficient: CoefficientName


def n_of(n: int, one: str, many: str = "") -> str:
    """How many of something: "1 text", "1,200 texts", "2 batches"."""
    return f"{n:,} {one if n == 1 else many or f'{one}s'}"


def coefficient(result: OneCoefficient) -> str:
    """The coefficient that was chosen, as it is written."""
    return COEFFICIENTS[result["coefficient"]]


def percent(found: Number, *, digits: int = 0) -> Cell:
    """A share, which has no interval here, in percent."""
    value = found["value"]
    shown = {**found, "value": None if value is None else 100 * value}
    return Cell.of(shown, digits=digits)


def with_tables(words: str, tables: Iterable[Table]) -> list[str]:
    """Words and the tables that have a row, for a terminal."""
    return [words, *(as_text(table) for table in tables if table.rows)]
