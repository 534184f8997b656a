"""All that a page of results makes of a result, as a browser or a program gets it."""

from __future__ import annotations

import json
from typing import Any

from scoring.analyses import pages
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, as_csv, as_json, as_latex


def everything(name: str, result: dict[str, Any]) -> list[Section]:
    """Make sections, charts, and every table in every format; check what must hold."""
    result = json.loads(json.dumps(result, allow_nan=False))  # as a database keeps it
    sections = pages.get(name).sections(result)
    keys = [section.key for section in sections]
    tables = [table for section in sections for table in section.tables.items()]
    slugs = [slug for slug, _ in tables]
    assert sections and len(set(keys)) == len(keys) and len(set(slugs)) == len(slugs)
    for section in sections:
        if section.chart:
            assert section.alt and section.tables
            section.chart.to_json()
    for _, table in tables:
        as_csv(table), as_latex(table), as_json(table)
        assert {len(row) for row in table.rows} <= {len(table.header)}
        assert table.rows or table.empty
        for cell in (value for row in table.rows for value in row):
            if isinstance(cell, Cell):
                assert cell.value is not None or cell.reason, (table.title, cell)
    return sections
