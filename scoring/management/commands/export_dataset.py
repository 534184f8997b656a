from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from scoring.management.analyses import find_study
from scoring.publishing import writing
from scoring.publishing.companions import COMPANIONS

ADDED = [title for companion in COMPANIONS for title in companion.titles]


class Command(BaseCommand):
    help = (
        "Write a study as a data set: a folder with its tables as Parquet, a card,"
        f" {''.join(f'{title}, ' for title in ADDED)}and a script that computes every"
        " number again."
        " Single ratings are in it only if the consent allows it: say so on the page"
        " Export, Data set."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument("folder", type=Path, help="new or empty")

    def handle(self, *args: Any, study: str, folder: Path, **options: Any) -> None:
        found, path = find_study(study), folder.absolute()
        if not path.parent.is_dir():
            raise CommandError(f"There is no folder {path.parent}.")
        try:
            written = writing.write(study=found, path=path, now=timezone.now())
        except writing.FolderError as error:
            raise CommandError(str(error)) from None
        for name, n in written.rows.items():
            self.stdout.write(f"{name}: {n:,} rows")
        level = f"single ratings: {written.facts.level}"
        reports = [companion.report(written.facts) for companion in COMPANIONS]
        self.stdout.write(f"{folder}: {'; '.join([level, *reports])}.")
