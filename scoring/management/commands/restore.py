from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from evalapp import storage
from evalapp.backup import archive, restoring
from evalapp.backup.archive import BackupError
from scoring import data_folder


class Command(BaseCommand):
    help = (
        "Restore a backup into an empty installation: an empty database and an empty"
        " DATA_DIR. Nothing changes if the backup is damaged or does not fit. If the"
        " restore is interrupted, run it again."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "path", type=Path, help="the archive from `manage.py backup`"
        )
        parser.add_argument(
            "--keys", type=Path, metavar="FILE", help="the file with the secret key"
        )
        parser.add_argument(
            "--check",
            action="store_true",
            help="only verify the archive; change nothing",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["path"]
        try:
            if options["check"]:
                found, done = archive.check(path), "is complete"
            else:
                found, done = self._restore(path, options["keys"]), "is restored"
        except (BackupError, data_folder.Taken) as error:
            raise CommandError(str(error)) from error
        except (storage.Away, storage.Damaged) as error:
            raise CommandError(f"{error} Then run the restore again.") from error
        n = len(found.members) - 1
        count = f"{n} file" if n == 1 else f"{n} files"
        self.stdout.write(
            f"{path}, made at {found.made_at}, {done}: database and {count}, from"
            f" EvalApp {found.version}"
        )
        if not options["check"] and not options["keys"]:
            self.stdout.write(
                "If SECRET_KEY is not the old one, people have to log in again, and"
                " workers cannot continue in the browser they used."
            )

    def _restore(self, path: Path, keys: Path | None) -> archive.Manifest:
        with data_folder.held(settings.DATA_DIR):
            return restoring.restore(path, keys=keys, tell=self.stdout.write)
