from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation import workers
from annotation.models import Study, Worker
from annotation.models.surveys import CODE


class Command(BaseCommand):
    help = (
        "Delete everything that a worker gave, at their request. This cannot be undone."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument("who", help="their platform id or personal code")
        parser.add_argument(
            "--yes", action="store_true", help="do not ask for confirmation"
        )

    def handle(
        self, *args: Any, study: str, who: str, yes: bool, **options: Any
    ) -> None:
        worker = _find(study, who)
        n = worker.seats.count()
        pages = "1 page" if n == 1 else f"{n} pages"
        if not yes and not _agreed(f"Delete all that this worker gave ({pages})?"):
            raise CommandError("Nothing was deleted.")
        workers.withdraw(worker=worker, now=timezone.now())
        self.stdout.write(
            f"Deleted everything that the worker gave ({pages}). Their places"
            " are open again."
        )


def _find(name: str, who: str) -> Worker:
    study = Study.objects.filter(name=name).first()
    if study is None:
        raise CommandError(f"There is no study named {name!r}.")
    found = workers.find(study=study, who=who)
    if not found:
        raise CommandError(
            f"{name} has no worker with the id or personal code {who!r}."
            f" The code has {CODE} characters and is shown on the worker's last page."
        )
    if len(found) > 1:
        raise CommandError(
            f"{len(found)} workers of {name} match. Give the full platform id."
        )
    return found[0]


def _agreed(question: str) -> bool:
    return input(f"{question} This cannot be undone. [y/N] ").strip().lower() == "y"
