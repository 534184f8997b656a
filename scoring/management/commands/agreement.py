from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.models import Study
from scoring.analyses.overview import page_tables as tables
from scoring.analyses.shared.grouping import COMPARING, Grouped
from scoring.drawing.tables import as_text
from scoring.option_fields import option_fields
from scoring.results import overview


class Command(BaseCommand):
    help = "Show Krippendorff's alpha of each aspect at three levels of measurement."

    def add_arguments(self, parser: CommandParser) -> None:
        add_arguments(parser)

    def handle(self, *args: Any, study: str, json: bool, **options: Any) -> None:
        found = overview.now(
            study=find_study(study),
            with_excluded=options["with_excluded"],
            with_informed=options["with_informed"],
        )
        rows = found["agreement"]
        if json:
            self.stdout.write(as_json(rows, overview.AGREEMENT))
        else:
            self.stdout.write(as_text(tables.agreement(rows)))


def add_arguments(parser: CommandParser) -> None:
    """The arguments of every command that prints results of a study."""
    parser.add_argument("study", help="name of the study")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--with-excluded",
        action="store_true",
        help="include texts that a researcher excluded",
    )
    parser.add_argument(
        "--with-informed",
        action="store_true",
        help="include pages that were rated after the debriefing",
    )


def add_comparing(parser: CommandParser, names: Sequence[str] = COMPARING) -> None:
    """Which texts are compared: the options of every page that correlates."""
    for name in names:
        option = next(one for one in option_fields(Grouped) if one.name == name)
        titles = zip(option.choices, option.titles, strict=True)
        words = "; ".join(f"{value}: {title}" for value, title in titles)
        help = f"{option.label}. {words}; the default is {option.default}"
        parser.add_argument(f"--{name}", choices=option.choices, help=help)


def compared(options: Mapping[str, Any]) -> dict[str, Any]:
    """Of the arguments of `add_comparing` those that were given."""
    return {name: options[name] for name in COMPARING if options.get(name)}


def find_study(name: str) -> Study:
    try:
        return Study.objects.whole().get(name=name)
    except Study.DoesNotExist:
        raise CommandError(f"There is no study named {name!r}.") from None


def as_json(rows: Sequence[Mapping[str, Any]], keys: list[str]) -> str:
    records = [overview.record(row, keys) for row in rows]
    return json.dumps(records, indent=1, allow_nan=False)
