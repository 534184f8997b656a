from __future__ import annotations

import json as json_format
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.analyses.answer import page as showing
from scoring.analyses.answer.result import Result
from scoring.drawing.tables import as_text
from scoring.management.commands.agreement import (
    add_arguments,
    add_comparing,
    compared,
    find_study,
)
from scoring.results import answer
from scoring.stats.correlation import COEFFICIENTS


class Command(BaseCommand):
    help = (
        "Say for each aspect whether a metric can stand in for people, in a sentence"
        " with the numbers behind it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_arguments(parser)
        add_comparing(parser, ("grouping",))
        parser.add_argument(
            "--coefficient",
            choices=COEFFICIENTS,
            help="the default is the one of the locked plan, or else pearson",
        )

    def handle(self, *args: Any, study: str, json: bool, **options: Any) -> None:
        found = find_study(study)
        if lacks := answer.missing(study=found):
            raise CommandError(f"{lacks.title}. {lacks.words}")
        chosen = options["coefficient"]
        result = answer.now(
            study=found,
            **({"coefficient": chosen} if chosen else {}),
            with_excluded=options["with_excluded"],
            with_informed=options["with_informed"],
            **compared(options),
        )
        if json:
            text = json_format.dumps(result, indent=1, allow_nan=False)
            self.stdout.write(text)
        else:
            planned = "" if chosen else answer.as_planned(study=found)
            said = [*_said(result), *([planned] if planned else [])]
            self.stdout.write("\n\n".join(said))


def _said(result: Result) -> list[str]:
    """For each aspect the sentence, then its table."""
    found = []
    for one in result["aspects"]:
        section = showing.card(result, one)
        tables = [as_text(table) for table in section.tables.values() if table.rows]
        found += [section.words, *tables]
    return found
