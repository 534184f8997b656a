from __future__ import annotations

from dataclasses import replace
from textwrap import fill
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.models import Study
from scoring.analyses import pages
from scoring.drawing import tables
from scoring.drawing.tables import Cell, Table, Value
from scoring.management.analyses import find_study
from scoring.results import analysing


def as_text(table: Table) -> str:
    """With intervals, and with reasons where there is no number."""
    rows = [[_told(value) for value in row] for row in table.rows]
    text = tables.as_text(replace(table, rows=rows))
    return "\n\n".join([text, fill(table.caption, 88)])


def _told(value: Value) -> Value:
    if not isinstance(value, Cell):
        return value
    if value.value is None:
        return f"— {value.reason}"
    number = f"{value.value:.{value.digits}f}"
    if value.low is None or value.high is None:
        return number
    return f"{number} [{value.low:.{value.digits}f}, {value.high:.{value.digits}f}]"


FORMATS = {"text": as_text, "csv": tables.as_csv, "latex": tables.as_latex}


class Command(BaseCommand):
    help = (
        "Show how early people and each metric find the real texts of a study: the area"
        " under the pick-up curve with its interval, as on the page Real vs synthetic."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        for side, usual in (
            ("real", "those marked as people"),
            ("synthetic", "all others"),
        ):
            parser.add_argument(
                f"--{side}",
                action="append",
                default=[],
                metavar="SYSTEM",
                help=f"system whose texts are {side}; may be given several times;"
                f" without it, {usual}",
            )
        parser.add_argument("--format", choices=FORMATS, default="text")

    def handle(self, *args: Any, study: str, **options: Any) -> None:
        found = find_study(study)
        chosen = {side: known(found, options[side]) for side in ("real", "synthetic")}
        result = analysing.result_of(study=found, name="synthetic", options=chosen)
        if result["reason"]:
            raise CommandError(f"Nothing to compare: {result['reason']}.")
        table = pages.tables("synthetic", result)["area"]
        self.stdout.write(FORMATS[options["format"]](table))


def known(study: Study, names: list[str]) -> list[str]:
    """The names, all of which are systems of the study."""
    there = list(study.systems.order_by("name").values_list("name", flat=True))
    for name in names:
        if name not in there:
            raise CommandError(
                f"There is no system {name!r}. There are: {', '.join(there)}."
            )
    return names
