from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from scoring.analyses.overview import page_tables as tables
from scoring.drawing.tables import as_text
from scoring.management.commands.agreement import (
    add_arguments,
    add_comparing,
    as_json,
    compared,
    find_study,
)
from scoring.results import overview


class Command(BaseCommand):
    help = (
        "Correlation of each output of each metric with each human aspect, both"
        " oriented so that higher is better."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_arguments(parser)
        add_comparing(parser)

    def handle(self, *args: Any, study: str, json: bool, **options: Any) -> None:
        found = overview.now(
            study=find_study(study),
            with_excluded=options["with_excluded"],
            with_informed=options["with_informed"],
            **compared(options),
        )
        rows = found["correlations"]
        if json:
            self.stdout.write(as_json(rows, overview.CORRELATION))
        else:
            shown = overview.marked(rows)
            self.stdout.write(
                as_text(tables.correlations_brief(shown, found["grouping_why"]))
            )
