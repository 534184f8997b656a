from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation import votes
from annotation.imports import UploadError
from annotation.models import Study


class Command(BaseCommand):
    help = "Add votes on pairs of systems to a study."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument("path", type=Path)
        parser.add_argument("--format", choices=list(votes.FORMATS), default="votes")
        parser.add_argument(
            "--create-systems",
            action="store_true",
            help="create the systems that the study does not have",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.whole().filter(name=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study named {options['study']!r}.")
        path = options["path"]
        try:
            with path.open("rb") as file:
                added = votes.add(
                    study=study,
                    format=options["format"],
                    file=file,
                    file_name=path.name,
                    create_systems=options["create_systems"],
                )
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}") from error
        except UploadError as error:
            raise CommandError("\n".join(["nothing was imported", *error.lines])) from (
                error
            )
        self.stdout.write(f"{study.name}: {added}")
