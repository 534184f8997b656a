from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.models import Study
from scoring import meta_evaluation, tables


class Command(BaseCommand):
    help = "Krippendorff's alpha of each aspect, at three levels of measurement."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument("--json", action="store_true", help="print JSON")
        parser.add_argument(
            "--with-excluded",
            action="store_true",
            help="count texts in that a researcher excluded",
        )

    def handle(self, *args: Any, study: str, json: bool, **options: Any) -> None:
        rows = meta_evaluation.agreement(
            study=find_study(study), with_excluded=options["with_excluded"]
        )
        if json:
            self.stdout.write(as_json(rows))
        else:
            self.stdout.write(tables.as_text(tables.agreement(rows)))


def find_study(name: str) -> Study:
    try:
        return Study.objects.get(name=name)
    except Study.DoesNotExist:
        raise CommandError(f"There is no study named {name!r}.") from None


def as_json(rows: list) -> str:
    return json.dumps([row.record() for row in rows], indent=1, allow_nan=False)
