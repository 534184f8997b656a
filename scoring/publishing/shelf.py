"""The newest data set of each study: a worker makes it, and it is kept for a day."""

from __future__ import annotations

import hashlib
from datetime import datetime
from pathlib import Path

from annotation.models import Study
from scoring.archive import permission
from scoring.models import DataSet, Publication
from scoring.publishing import packing
from scoring.replication.shelves import Shelf
from scoring.results import analysing

FOLDER = "datasets"


def stamp(study: Study) -> str:
    """Changes with the numbers, with what is said of them, and with what is allowed."""
    said = Publication.objects.filter(study=study).values().first()
    found = (analysing.stamp_of_all(study=study), said, permission.of(study=study))
    return hashlib.sha256(repr(found).encode()).hexdigest()


def _write(*, study: Study, path: Path, now: datetime) -> None:
    packing.write(study=study, path=path, now=now)


SHELF = Shelf(DataSet, FOLDER, _write, stamp, suffix="-dataset")
