"""Copy the files of DATA_DIR into the storage that STORAGE_URL names, or back."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import SuspiciousFileOperation
from django.core.management.base import BaseCommand, CommandError, CommandParser

from evalapp import storage


class Command(BaseCommand):
    help = (
        "Copy uploads, parts, data sets, embeddings, trained metrics and models from"
        " DATA_DIR and MODELS_DIR into the storage that STORAGE_URL names, or back."
        " Nothing is deleted. Each file is compared by its hash. If it stops, run it"
        " again: files that have arrived are not sent again. Stop the site and all"
        " workers first."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("direction", choices=("to-storage", "to-folder"))

    def handle(self, *args: Any, direction: str, **options: Any) -> None:
        if not storage.is_remote():
            raise CommandError("Set STORAGE_URL to the storage first.")
        from evalapp.storage import copying

        copy = copying.to_storage if direction == "to-storage" else copying.to_folder
        sent = there = 0
        try:
            for one in copy(storage.store()):  # type: ignore[arg-type]
                sent, there = sent + one.sent, there + (not one.sent)
                if one.sent and options["verbosity"]:
                    self.stdout.write(one.name)
        except (storage.Away, storage.Damaged, SuspiciousFileOperation) as error:
            raise CommandError(
                f"{str(error).rstrip(chr(46))}. Files copied: {sent}."
            ) from None
        self.stdout.write(f"Files copied: {sent}. Files already there: {there}.")
