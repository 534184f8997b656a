from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.models import Study
from scoring.management.analyses import find_study
from scoring.results import stars, study_arrays
from scoring.stats.data import Output

WORDS = {"before": "chosen before any result was shown", "after": "chosen afterwards"}


class Command(BaseCommand):
    help = (
        "Choose the metrics that a study is about, before you look at any result: then"
        " claims about them are corrected only for each other. Without a metric, list"
        " those that can be chosen."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument(
            "metric", nargs="*", help="id or name of an output, as the list has it"
        )
        parser.add_argument("--remove", action="store_true", help="take stars away")

    def handle(
        self, *args: Any, study: str, metric: list[str], remove: bool, **options: Any
    ) -> None:
        found = find_study(study)
        outputs = study_arrays.outputs(study=found)
        ids = [_id_of(outputs, name) for name in metric]
        for output in ids:
            if remove:
                stars.drop(study=found, output=output)
            else:
                stars.choose(study=found, output=output, now=timezone.now())
        self.stdout.write(_listed(found, outputs))


def _id_of(outputs: list[Output], name: str) -> str:
    """The one output of that id or name."""
    ids = [one.id for one in outputs if name in (one.id, one.name, one.label)]
    if len(ids) != 1:
        many = "several outputs have this name" if ids else "no output has this name"
        known = "; ".join(f"{one.id} {one.name}" for one in outputs) or "none"
        raise CommandError(f"{name}: {many}. Expected one of: {known}.")
    return ids[0]


def _listed(study: Study, outputs: list[Output]) -> str:
    chosen = stars.of(study=study, outputs=outputs).chosen
    lines = [
        f"{'*' if chosen[one.id] else ' '} {one.id} {one.name}"
        + (f" ({WORDS[chosen[one.id]]})" if chosen[one.id] else "")
        for one in outputs
    ]
    return "\n".join(lines) or "No metric has scored these texts yet."
