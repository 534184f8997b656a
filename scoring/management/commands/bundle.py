from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from scoring.management.analyses import find_study
from scoring.replication import writing


class Command(BaseCommand):
    help = "Write the reproduction bundle of a study: data, results and code."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument("file", type=Path, metavar="FILE.zip")

    def handle(self, *args: Any, study: str, file: Path, **options: Any) -> None:
        found = find_study(study)
        if not file.absolute().parent.is_dir():
            raise CommandError(f"There is no folder {file.absolute().parent}.")
        writing.write(study=found, path=file.absolute(), now=timezone.now())
        self.stdout.write(f"{file}: {file.stat().st_size / 1e6:.1f} MB")
