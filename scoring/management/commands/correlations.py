from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from scoring import meta_evaluation, tables
from scoring.management.commands.agreement import as_json, find_study


class Command(BaseCommand):
    help = (
        "Correlation of each output of each metric with each human aspect, both"
        " oriented so that higher is better."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument("--json", action="store_true", help="print JSON")
        parser.add_argument(
            "--with-excluded",
            action="store_true",
            help="count texts in that a researcher excluded",
        )

    def handle(self, *args: Any, study: str, json: bool, **options: Any) -> None:
        rows = meta_evaluation.correlations(
            study=find_study(study), with_excluded=options["with_excluded"]
        )
        if json:
            self.stdout.write(as_json(rows))
        else:
            self.stdout.write(tables.as_text(tables.correlations_brief(rows)))
