from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from evalapp.backup import files, writing
from evalapp.backup.archive import BackupError


class Command(BaseCommand):
    help = (
        "Write the database and all files to one archive, while the site keeps running."
        " The secret key is not in it: write it to a separate file with --keys."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "path",
            type=Path,
            help="the archive to write, or a folder: it is then named after the time",
        )
        parser.add_argument(
            "--keep",
            type=int,
            metavar="N",
            help="in a folder, delete all but the newest N backups",
        )
        parser.add_argument(
            "--keys", type=Path, metavar="FILE", help="also write the secret key here"
        )
        parser.add_argument(
            "--without-models",
            action="store_true",
            help="leave out the models in DATA_DIR and in the bucket, if you can get"
            " them again",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["path"]
        keep = options["keep"]
        if keep is not None and (keep < 1 or not path.is_dir()):
            raise CommandError(
                f"--keep needs a folder that exists and a number of at least 1, not"
                f" {path} and {keep}."
            )
        now, models = timezone.now(), not options["without_models"]
        target = writing.named(path, now=now) if path.is_dir() else path
        try:
            if options["keys"]:
                writing.write_keys(options["keys"])
            written = writing.write(target, now=now, models=models)
        except BackupError as error:
            raise CommandError(str(error)) from error
        self._tell(target, written)
        if models and (links := files.links()):
            are = "model is a link and is" if links == 1 else "models are links and are"
            self.stdout.write(f"{links} {are} not in the backup.")
        for old in writing.forget_old(path, keep=keep) if keep else ():
            self.stdout.write(f"Deleted {old.name}")

    def _tell(self, target: Path, written: writing.Written) -> None:
        mb = target.stat().st_size / 2**20
        n = len(written.manifest.members) - 1
        count = f"{n} file" if n == 1 else f"{n} files"
        self.stdout.write(f"{target}: database and {count}, {mb:,.1f} MB")
        if gone := written.gone:
            lost = "1 file" if len(gone) == 1 else f"{len(gone)} files"
            self.stdout.write(
                f"Deleted during the backup and not in it: {lost}, such as {gone[0]}."
            )
