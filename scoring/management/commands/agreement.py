from __future__ import annotations

from scoring.analyses.overview import page_tables
from scoring.drawing.tables import as_text
from scoring.management.analyses import PrintAnalysis, Result
from scoring.results import overview


class Command(PrintAnalysis):
    help = "Show Krippendorff's alpha of each aspect at three levels of measurement."
    analysis = overview.NAME

    def records(self, result: Result) -> object:
        return [overview.record(row, overview.AGREEMENT) for row in result["agreement"]]

    def paragraphs(self, result: Result) -> list[str]:
        return [as_text(page_tables.agreement(result["agreement"]))]
