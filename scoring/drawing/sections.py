"""A part of a page: words, a chart, tables."""

from __future__ import annotations

from dataclasses import dataclass, field

import plotly.graph_objects as go

from scoring.drawing.tables import Table


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page, in the order: words, chart, tables, small print."""

    key: str  # a slug: its anchor, and in the names of files
    title: str
    words: str = ""  # before; `what stands so` is code
    chart: go.Figure | None = None
    alt: str = ""  # what the chart shows, for who does not see it
    tables: dict[str, Table] = field(default_factory=dict)  # by slug, unique on a page
    after: str = ""  # small print
    folded: bool = False  # opened by a click
