"""The newest bundle of each study: a worker makes it, and it is kept for a day."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from annotation.models import Study
from scoring.models import Bundle
from scoring.replication import writing
from scoring.replication.shelves import KEPT, Shelf

__all__ = ["FOLDER", "KEPT", "SHELF", "State"]

State = Bundle.State
FOLDER = "bundles"


def _write(*, study: Study, path: Path, now: datetime) -> None:
    writing.write(study=study, path=path, now=now)


SHELF = Shelf(Bundle, FOLDER, _write)
ask, find, tidy = SHELF.ask, SHELF.find, SHELF.tidy
file_of, path, folder = SHELF.file_of, SHELF.path, SHELF.folder
