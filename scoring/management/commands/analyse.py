from __future__ import annotations

from contextlib import suppress
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.models import Study
from evalapp.work import heartbeats
from evalapp.work.kinds import Refused
from scoring import analyses
from scoring.management.commands.agreement import add_comparing, compared, find_study
from scoring.models import Analysis
from scoring.option_fields import option_fields
from scoring.results import analysing


class Command(BaseCommand):
    help = (
        "Compute the results pages of a study now, so that nobody has to wait for"
        " them: with the default options, but for which texts are compared."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument(
            "names",
            nargs="*",
            metavar="NAME",
            help=f"of {', '.join(analyses.names())}; without one, all of them",
        )
        add_comparing(parser)

    def handle(self, *args: Any, study: str, names: list[str], **options: Any) -> None:
        unknown = [name for name in names if name not in analyses.names()]
        if unknown:
            known = ", ".join(analyses.names())
            raise CommandError(f"There is no {unknown[0]!r}. There are: {known}.")
        found = find_study(study)
        chosen = compared(options)
        rows = [_computed(found, name, chosen) for name in names or analyses.names()]
        for row in rows:
            self.stdout.write(f"{row.name}: {_said(row)}")
        if any(row.state == Analysis.State.FAILED for row in rows):
            raise CommandError("some analyses could not be computed", returncode=2)


def _computed(study: Study, name: str, chosen: dict[str, Any]) -> Analysis:
    """The row with its result; what is fresh already is left as it is.

    An analysis that compares no texts, as that of raters, has nothing to choose.
    """
    has = {one.name for one in option_fields(analyses.get(name).Options)}
    given = {option: value for option, value in chosen.items() if option in has}
    options = analyses.options(name, given)
    row = analysing.find(study=study, name=name, options=options, now=timezone.now())
    with suppress(Refused):  # it is fresh, or waits
        analysing.ANALYSES.retry(row)
    analysing.ANALYSES.perform(pk=row.pk, owner=heartbeats.me())
    row.refresh_from_db()
    return row


def _said(row: Analysis) -> str:
    if row.state == Analysis.State.FAILED:
        return row.error
    if row.state == Analysis.State.DONE:
        return f"{row.seconds:.2f} s"
    return "a worker is computing it"
