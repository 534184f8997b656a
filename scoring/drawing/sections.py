"""A part of a page: words, a chart, tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import plotly.graph_objects as go

from scoring.drawing.charts import drawn
from scoring.drawing.passages import Passage
from scoring.drawing.tables import Table


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page, in the order: words, chart, texts, tables, small print."""

    key: str  # a slug: its anchor, and in the names of files
    title: str
    words: str = ""  # before; `what stands so` is code
    # The chart, or what draws it: files of tables need none.
    draws: go.Figure | Callable[[], go.Figure | None] | None = None
    alt: str = ""  # what the chart shows, for who does not see it
    tables: dict[str, Table] = field(default_factory=dict)  # by slug, unique on a page
    after: str = ""  # small print
    folded: bool = False  # its tables open by a click; without any, its words do
    passages: tuple[Passage, ...] = ()  # texts, whose marks the tables list
    answers: bool = False  # its words are the answer that the page is read for

    @property
    def chart(self) -> go.Figure | None:
        """Drawn now, each time."""
        return self.draws() if callable(self.draws) else self.draws


def with_figures(sections: Iterable[Section]) -> list[dict[str, object]]:
    """Sections as the template of one takes them, each with what a browser draws."""
    return [
        {"section": section, "figure": json.loads(chart.to_json()) if chart else None}
        for section in sections
        for chart in [drawn(section.chart)]
    ]
