from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.assistant import past
from annotation.imports import undoing
from annotation.models import Import, Study


class Command(BaseCommand):
    help = (
        "Take back what a file has added to a study: texts, ratings, scores or votes,"
        " as long as nobody has rated its texts. Without ID, list what was added."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument("id", type=int, nargs="?", help="of the import")

    def handle(self, *args: Any, **options: Any) -> None:
        name, number = options["study"], options["id"]
        study = Study.objects.whole().filter(name=name).first()
        if study is None:
            raise CommandError(f"There is no study named {name!r}.")
        if number is None:
            for one in study.imports.all():
                self.stdout.write(_line(one))
            return
        record = study.imports.filter(pk=number).first()
        if record is None:
            raise CommandError(
                f"{name} has no import {number}. manage.py undo_import {name} lists"
                " them."
            )
        line = _line(record)
        try:
            undoing.undo(record=record)
        except undoing.NotUndone as error:
            raise CommandError(f"Nothing was changed. {error}") from error
        self.stdout.write(f"{name}: undone: {line}")


def _line(record: Import) -> str:
    when = f"{record.created_at:%Y-%m-%d}"
    return f"{record.pk}: {record.file_name}, {when}: {past.came_of(record)}"
