from __future__ import annotations

import json as json_format
from dataclasses import replace
from typing import Any, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.analyses.saved import page as showing
from scoring.analyses.saved.result import Result
from scoring.drawing.tables import Cell, Table, Value, as_text
from scoring.management.commands.agreement import add_arguments, find_study
from scoring.results import analysing, answer

CHOSEN = ("target", "share", "metric")


class Command(BaseCommand):
    help = (
        "Say for each aspect how many ratings you can save with a metric. If the study"
        " drew a random part, also give each system's mean with its help."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_arguments(parser)
        parser.add_argument(
            "--target",
            choices=list(showing.TARGETS),
            default="prompts",
            help="whether means are for new prompts, or for these texts only",
        )
        parser.add_argument(
            "--share",
            type=int,
            default=20,
            help="if the study did not draw a random part itself, try this share of the"
            " texts, from 5 to 90 %%",
        )
        parser.add_argument(
            "--metric",
            default="",
            help="id of an output, as --json prints it (default: the one that saves"
            " the most ratings)",
        )

    def handle(self, *args: Any, study: str, json: bool, **options: Any) -> None:
        if not 5 <= options["share"] <= 90:
            given = options["share"]
            raise CommandError(f"expected a share from 5 to 90 percent, got {given}")
        found = find_study(study)
        if lacks := answer.missing(study=found):
            raise CommandError(f"{lacks.title}. {lacks.words}")
        names = (*CHOSEN, "with_excluded", "with_informed")
        chosen = {name: options[name] for name in names}
        made = analysing.result_of(study=found, name="saved", options=chosen)
        result = cast(Result, made)
        if json:
            self.stdout.write(json_format.dumps(result, indent=1, allow_nan=False))
        else:
            self.stdout.write("\n\n".join(_said(result)))


def _said(result: Result) -> list[str]:
    """For each aspect the sentence, then its tables."""
    found = []
    for section in showing.sections(result):
        if section.key.startswith("saved-"):
            found += [f"{section.title}: {section.words}"]
            tables = section.tables.values()
            found += [as_text(_with_intervals(table)) for table in tables]
    return found


def _with_intervals(table: Table) -> Table:
    """Numbers with their intervals behind them, as one text."""
    rows: list[list[Value]] = [
        [_in_full(v) if isinstance(v, Cell) else v for v in row] for row in table.rows
    ]
    return replace(table, rows=rows)


def _in_full(cell: Cell) -> Value:
    if cell.value is None or cell.low is None or cell.high is None:
        return cell
    ends = (f"{end:.{cell.digits}f}" for end in (cell.value, cell.low, cell.high))
    return "{}{unit} [{}, {}]".format(*ends, unit=cell.unit)
