from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.imports import UploadError
from annotation.models import Study
from scoring import corpora


class Command(BaseCommand):
    help = (
        "Create a corpus of human texts from a file: .jsonl or .txt, plain or with gzip"
        " (.gz)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument("path", type=Path)
        parser.add_argument(
            "--name", help="name of the corpus; default: the file's name"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.whole().filter(name=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study named {options['study']!r}.")
        path = options["path"]
        name = options["name"] or path.name.partition(".")[0]
        try:
            with path.open("rb") as file:
                made = corpora.add(
                    study=study, name=name, file=file, file_name=path.name
                )
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}") from error
        except UploadError as error:
            raise CommandError("\n".join(["nothing was imported", *error.lines])) from (
                error
            )
        self.stdout.write(f"{study.name}, {made.name}: {corpora.described(made)}")
