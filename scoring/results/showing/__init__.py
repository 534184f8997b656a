"""5. How the result of each analysis is shown: sections of words, charts and tables.

One file for each analysis of `scoring.stats.analyses`, under the same name, with LEAD
(the question that the page answers, in a sentence) and `sections(result)`. No query, no
request: a result comes in as it was kept.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

import plotly.graph_objects as go

from scoring.stats import analyses
from scoring.tables import Table, without_ways

# Votes come in files: the workers that a study was simulated with do not vote.
OF_PEOPLE = frozenset({"preferences"})


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


class Showing(Protocol):
    LEAD: str

    @staticmethod
    def sections(result: dict[str, Any]) -> list[Section]: ...


def get(name: str) -> Showing:
    """The module that shows an analysis; KeyError if there is none of that name."""
    analyses.get(name)  # which says what there is
    return cast(Showing, importlib.import_module(f"{__name__}.{name}"))


def is_simulated(name: str, study_is: bool) -> bool:
    """Whether the numbers of an analysis are of simulated ratings."""
    return study_is and name not in OF_PEOPLE


def tables(name: str, result: dict[str, Any]) -> dict[str, Table]:
    """All tables of a page, by slug, as files have them."""
    return {
        key: without_ways(table)
        for section in get(name).sections(result)
        for key, table in section.tables.items()
    }
