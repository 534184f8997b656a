"""How the result of each analysis is shown: sections of words, charts and tables.

`page.py` of an analysis has LEAD (the question that the page answers, in a sentence)
and `sections(result)`. No query, no request: a result comes in as it was kept, of the
type `Result` that the analysis gives. It may have more, for which there is a usual way:

- NEED: what a study must have before the analysis is offered (`needs`)
- SIMULATED = False: its numbers never come from simulated workers
- `as_text(result)`: what a terminal shows, in paragraphs
- `records(result)`: what `--json` prints
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, Protocol, cast

from scoring import analyses
from scoring.analyses.needs import Need
from scoring.analyses.shared.page_words import with_tables
from scoring.drawing.sections import Section
from scoring.drawing.tables import Table, without_ways


class Page(Protocol):
    """What `page.py` of an analysis has."""

    LEAD: str

    @staticmethod
    def sections(result: Any) -> list[Section]: ...


def get(name: str) -> Page:
    """The module that shows an analysis; KeyError if there is none of that name."""
    analyses.get(name)  # which says what there is
    return cast(Page, importlib.import_module(f"{analyses.__name__}.{name}.page"))


def need(name: str) -> Need | None:
    """What a study must have for it; None: every study has enough."""
    return getattr(get(name), "NEED", None)


def may_be_simulated(name: str) -> bool:
    """Whether its numbers are of simulated ratings where the workers were simulated."""
    return getattr(get(name), "SIMULATED", True)


def tables(name: str, result: Mapping[str, Any]) -> dict[str, Table]:
    """All tables of a page, by slug, as files have them."""
    return {
        key: without_ways(table)
        for section in get(name).sections(result)
        for key, table in section.tables.items()
    }


def as_text(name: str, result: Mapping[str, Any]) -> list[str]:
    """What a terminal shows: of each section its title, its words and its tables."""
    page = get(name)
    if hasattr(page, "as_text"):
        return cast(list[str], page.as_text(result))
    return [
        paragraph
        for section in page.sections(result)
        for paragraph in (
            section.title,
            *with_tables(section.words, section.tables.values()),
            section.after,
        )
        if paragraph
    ]


def records(name: str, result: Mapping[str, Any]) -> object:
    """What `--json` prints: all of the result, unless its page says otherwise."""
    page = get(name)
    return page.records(result) if hasattr(page, "records") else result
