"""The newest data set of each study: a worker makes it, and it is kept for a day.

Its row is the work; the file lies in the storage, which site and workers share. It is
not kept longer: a worker of the study who takes their answers back must not live on in
a file.
"""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.db.models import QuerySet

from annotation.models import Study
from evalapp import storage
from evalapp.work import leases, retries
from evalapp.work.dispatch import wake_on_commit
from evalapp.work.kinds import Work
from evalapp.work.retries import Report
from scoring.archive import permission
from scoring.models import DataSet, Publication
from scoring.publishing import packing
from scoring.results import analysing

KEPT = timedelta(days=1)
FOLDER = "datasets"
OLD = "bundles"  # files of versions before, which backups may bring


def stamp_of(study: Study) -> str:
    """Changes with the numbers, with what is said of them, and with what is allowed."""
    words = Publication.objects.filter(study=study).values().first()
    parts = (analysing.stamp_of_all(study=study), words, permission.of(study=study))
    return hashlib.sha256(repr(parts).encode()).hexdigest()


class DataSets(Work[DataSet, DataSet]):
    """Where they lie, and the work of making them."""

    model = DataSet
    name = FOLDER
    related = ("study",)
    again = False

    def ask(self, *, study: Study) -> None:
        """Have a worker make the file, unless one is at it."""
        row, is_new = self.rows().get_or_create(study=study)
        ended = self.rows().filter(pk=row.pk, state__in=DataSet.ENDED)
        if ended.update(**leases.QUEUED, attempt=0, error="") or is_new:
            wake_on_commit(DataSet, [row.pk])

    def words(self, job: DataSet) -> str:
        return f"Creating the {job.KIND} of {job.study}"

    def jobs(self, *, study: Any, user: Any) -> QuerySet[DataSet]:
        return self.rows().filter(study=study)

    def find(self, *, study: Study) -> DataSet | None:
        """The row; None where nobody asked."""
        return self.rows().filter(study=study).first()

    def file_of(self, row: DataSet | None) -> storage.Entry | None:
        """The newest file, if it is stored."""
        if row is None or not row.file:
            return None
        return storage.find(f"{self.folder(row.study)}/{row.file}")

    def path(self, row: DataSet | None) -> Path | None:
        """Where the newest file can be read on this machine, if there is one."""
        found = self.file_of(row)
        return storage.local(found.name) if found else None

    def folder(self, study: Study) -> str:
        """What names of its files begin with."""
        return f"{FOLDER}/{study.public_id}"

    def run(self, row: DataSet, report: Report) -> None:
        study, now = row.study, report.clock()
        file = f"{study.name}-dataset-{now:%Y%m%d-%H%M%S}.zip"
        # Taken before the data: what comes in meanwhile makes the file an old one.
        stamp = stamp_of(study)
        name = f"{self.folder(study)}/{file}"
        with storage.writing(name) as path:
            packing.write(study=study, path=path, now=now)
        if not leases.finish(row, now=report.clock(), stamp=stamp, file=file):
            storage.delete(name)
            raise retries.Lost
        for old in storage.children(self.folder(study)):
            if old.name != name and old.base.endswith(".zip"):
                storage.delete(old.name)

    def tidy(self, *, now: datetime) -> None:
        """Delete what is older than a day. Safe to do twice."""
        old = DataSet._default_manager.filter(finished_at__lte=now - KEPT)
        old.filter(state__in=DataSet.ENDED).delete()
        for home in (*storage.children(FOLDER), *storage.children(OLD)):
            if now - storage.written_at(home.name) > KEPT:
                storage.delete(home.name)

    def shown(self, study: Study) -> dict[str, object]:
        """For the page."""
        row = self.find(study=study)
        file = self.file_of(row)
        return {
            "made": row,
            "file": file,
            "size": file.bytes if file else 0,
            "made_at": file and file.modified,
            "pending": row is not None and not row.ended,
            "elsewhere": row and row.state == row.State.DONE and not file,
            "no_worker": row is not None and self.progress(row).no_worker,
            "fresh": file and row and row.stamp == stamp_of(study),
        }

    def state(self, study: Study) -> dict[str, object]:
        """For the API."""
        row = self.find(study=study)
        file = self.file_of(row)
        return {
            "state": row.state if row else "none",
            "error": row.error if row else "",
            "ready": file is not None,
            "fresh": bool(file and row and row.stamp == stamp_of(study)),
            "bytes": file.bytes if file else None,
        }


SHELF = DataSets()
