"""How the result of each analysis is shown: sections of words, charts and tables.

`page.py` of an analysis has LEAD (the question that the page answers, in a sentence)
and `sections(result)`. No query, no request: a result comes in as it was kept, of the
type `Result` that the analysis gives.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, Protocol, cast

from scoring import analyses
from scoring.drawing.sections import Section
from scoring.drawing.tables import Table, without_ways

# Votes come in files: the workers that a study was simulated with do not vote.
OF_PEOPLE = frozenset({"preferences"})


class Page(Protocol):
    """What `page.py` of an analysis has."""

    LEAD: str

    @staticmethod
    def sections(result: Any) -> list[Section]: ...


def get(name: str) -> Page:
    """The module that shows an analysis; KeyError if there is none of that name."""
    analyses.get(name)  # which says what there is
    return cast(Page, importlib.import_module(f"{analyses.__name__}.{name}.page"))


def is_simulated(name: str, study_is: bool) -> bool:
    """Whether the numbers of an analysis are of simulated ratings."""
    return study_is and name not in OF_PEOPLE


def tables(name: str, result: Mapping[str, Any]) -> dict[str, Table]:
    """All tables of a page, by slug, as files have them."""
    return {
        key: without_ways(table)
        for section in get(name).sections(result)
        for key, table in section.tables.items()
    }
