"""5. The texts of a chart and the means of systems as tables. No query, no request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from scoring.drawing.tables import Table, Value

if TYPE_CHECKING:
    from scoring.results.overview import SystemTable
    from scoring.results.points import Scatter


def scatter(points: Scatter) -> Table:
    row, cells = points.row, [list(values) for values in scatter_rows(points)]
    caption = f"{points.output.title} and {row['title']} of each text."
    return Table(scatter_header(points), cells, caption)


def scatter_header(points: Scatter) -> list[str]:
    row = points.row
    scores = f"{row['metric']} {row['metric_aspect']}", f"human {row['human_aspect']}"
    return ["generation", "system", *scores, "n_ratings"]


def scatter_rows(points: Scatter) -> Iterator[tuple[Value, ...]]:
    """One by one: there may be 100,000."""
    numbers = points.scores, points.means, points.n_ratings
    for k, (key, system) in enumerate(zip(points.keys, points.systems, strict=True)):
        score, mean, n = (column[k].item() for column in numbers)
        yield key, system, score, mean, n or None


def systems(table: SystemTable) -> Table:
    failed = table.n_no_output > 0
    rows: list[list[Value]] = [
        [
            row.system,
            row.n_texts,
            *([row.n_no_output] if failed else []),
            *(cell["value"] for cell in row.cells),
        ]
        for row in table.rows
    ]
    about = ["system", "n_texts", *(["n_no_output"] if failed else [])]
    header = [*about, *table.columns]
    return Table(header, rows, "Mean human scores and metrics of each system.")
