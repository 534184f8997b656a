"""The agreement of people: a table of alphas."""

from __future__ import annotations

from typing import Any

from scoring.showing import Section
from scoring.tables import Cell, Table

LEAD = "How far do people agree with each other?"


def sections(result: dict[str, Any]) -> list[Section]:
    rows = [[row["aspect"], Cell.of(row["alpha"])] for row in result["rows"]]
    caption = f"Krippendorff's alpha ({result['level']}), with 95 % intervals."
    table = Table(["Aspect", "Alpha"], rows, caption)
    return [Section("alpha", "Krippendorff's alpha", tables={"alpha": table})]
