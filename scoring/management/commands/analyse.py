from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.models import Study
from evalapp.work import heartbeats
from evalapp.work.kinds import Refused
from scoring import analyses
from scoring.analyses import pages
from scoring.analyses.shared.grouping import COMPARING, Grouped
from scoring.management import analyses as printing
from scoring.models import Analysis
from scoring.option_fields import option_fields
from scoring.results import analysing

Chosen = dict[str, Any]


class Command(BaseCommand):
    help = (
        "Compute the results pages of a study now, so that nobody has to wait for"
        " them. With --json or --text, print those that are named instead."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument(
            "names",
            nargs="*",
            metavar="NAME",
            help=f"of {', '.join(analyses.names())}; without one, all of them",
        )
        parser.add_argument(
            "--option",
            "-o",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="an option as the page of the analysis has it in its address; may be"
            " given several times",
        )
        form = parser.add_mutually_exclusive_group()
        form.add_argument("--json", action="store_true", help="print JSON")
        form.add_argument("--text", action="store_true", help="print words and tables")
        for field in option_fields(Grouped):
            if field.name in COMPARING:
                printing.add_option(parser, field)

    def handle(self, *args: Any, study: str, names: list[str], **options: Any) -> None:
        if unknown := [name for name in names if name not in analyses.names()]:
            known = ", ".join(analyses.names())
            raise CommandError(f"There is no {unknown[0]!r}. There are: {known}.")
        row = printing.find_study(study)
        chosen = {name: _chosen(name, options) for name in names or analyses.names()}
        if options["json"] or options["text"]:
            self._print(row, chosen, as_json=options["json"])
        else:
            self._keep(row, chosen)

    def _print(
        self, study: Study, by_name: Mapping[str, Chosen], as_json: bool
    ) -> None:
        results = {
            name: printing.computed(study, name, chosen)
            for name, chosen in by_name.items()
        }
        if as_json:
            records = {name: pages.records(name, r) for name, r in results.items()}
            alone = len(records) == 1
            self.stdout.write(
                printing.as_json(next(iter(records.values())) if alone else records)
            )
        else:
            texts = [pages.as_text(name, result) for name, result in results.items()]
            self.stdout.write("\n\n".join(part for text in texts for part in text))

    def _keep(self, study: Study, by_name: Mapping[str, Chosen]) -> None:
        rows = [_kept(study, name, chosen) for name, chosen in by_name.items()]
        for row in rows:
            self.stdout.write(f"{row.name}: {_state(row)}")
        if any(row.state == Analysis.State.FAILED for row in rows):
            raise CommandError("some analyses could not be computed", returncode=2)


def _chosen(name: str, options: Mapping[str, Any]) -> Chosen:
    """Options of one analysis.

    One that compares no texts, as that of raters, has nothing to choose of these.
    """
    known = printing.options_of(name)
    chosen: Chosen = {
        option: [options[option]]
        for option in COMPARING
        if options[option] and option in known
    }
    for pair in options["option"]:
        option, is_pair, value = pair.partition("=")
        if not is_pair:
            raise CommandError(f"expected NAME=VALUE, got {pair!r}")
        chosen.setdefault(option, []).append(value)
    return chosen


def _kept(study: Study, name: str, chosen: Chosen) -> Analysis:
    """The row with its result; what is fresh already is left as it is."""
    options = printing.options(study, name, chosen)
    row = analysing.find(study=study, name=name, options=options, now=timezone.now())
    with suppress(Refused):  # it is fresh, or waits
        analysing.ANALYSES.retry(row)
    analysing.ANALYSES.perform(pk=row.pk, owner=heartbeats.me())
    row.refresh_from_db()
    return row


def _state(row: Analysis) -> str:
    if row.state == Analysis.State.FAILED:
        return row.error
    if row.state == Analysis.State.DONE:
        return f"{row.seconds:.2f} s"
    return "a worker is computing it"
