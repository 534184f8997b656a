from __future__ import annotations

from scoring.analyses.overview import page_tables
from scoring.analyses.shared.grouping import COMPARING
from scoring.drawing.tables import as_text
from scoring.management.analyses import PrintAnalysis, Result
from scoring.results import overview


class Command(PrintAnalysis):
    help = (
        "Correlation of each output of each metric with each human aspect, both"
        " oriented so that higher is better."
    )
    analysis = overview.NAME
    own = COMPARING

    def records(self, result: Result) -> object:
        rows = result["correlations"]
        return [overview.record(row, overview.CORRELATION) for row in rows]

    def paragraphs(self, result: Result) -> list[str]:
        rows = overview.marked(result["correlations"])
        return [as_text(page_tables.correlations_brief(rows, result["grouping_why"]))]
