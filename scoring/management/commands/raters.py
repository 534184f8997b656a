from __future__ import annotations

import json as json_format
from typing import Any, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.analyses.raters import page as showing
from scoring.analyses.raters.result import Result
from scoring.drawing.tables import as_text
from scoring.management.commands.agreement import add_arguments, find_study
from scoring.results import analysing


class Command(BaseCommand):
    help = (
        "Say for each aspect whether a rater is too strict or too lenient, and what"
        " each system would get from the average rater."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_arguments(parser)
        parser.add_argument("--aspect", default="", help="key of one aspect")

    def handle(self, *args: Any, study: str, json: bool, **options: Any) -> None:
        found = find_study(study)
        keys = list(found.aspects.values_list("key", flat=True))
        if options["aspect"] and options["aspect"] not in keys:
            known = ", ".join(keys)
            asked = options["aspect"]
            raise CommandError(f"There is no aspect {asked!r}. There are: {known}.")
        chosen = {
            name: options[name] for name in ("aspect", "with_excluded", "with_informed")
        }
        made = analysing.result_of(study=found, name="raters", options=chosen)
        if json:
            text = json_format.dumps(made, indent=1, allow_nan=False)
            self.stdout.write(text)
        else:
            self.stdout.write("\n\n".join(_said(cast(Result, made))))


def _said(result: Result) -> list[str]:
    """For each aspect the sentence, then its tables."""
    found = []
    for one in result["aspects"]:
        tables = showing.raters_table(one), showing.systems_table(one)
        found += [one["sentence"], *(as_text(table) for table in tables if table.rows)]
    return found
