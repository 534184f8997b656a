"""The numbers at a glance, as files and bundles have them; results.html is the page."""

from __future__ import annotations

from scoring.analyses.overview import page_tables as tables
from scoring.analyses.overview.result import Result
from scoring.drawing.sections import Section

LEAD = "How well do people agree with each other, and which metric agrees with them?"


def sections(result: Result) -> list[Section]:
    found = {
        "agreement": ("Rater agreement", tables.agreement(result["agreement"])),
        "correlations": (
            "Which metric agrees with people",
            tables.correlations(result["correlations"], result["grouping_why"]),
        ),
        "systems": (
            "Systems",
            tables.of_people(result["systems"], result["aspects"]),
        ),
    }
    return [
        Section(key, title, tables={key: table})
        for key, (title, table) in found.items()
    ]
