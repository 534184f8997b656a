"""One file of a study that a worker makes, kept for a day: what bundles and data sets
share.

Its row is the work; the file lies in the storage, which site and workers share. It is
not kept longer: a worker of the study who takes their answers back must not live on in
a file.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from annotation.models import Study
from evalapp import storage
from evalapp.work import leases, retries
from evalapp.work.dispatch import wake_on_commit
from evalapp.work.kinds import Work
from evalapp.work.retries import Report
from scoring.models.analyses import Made
from scoring.results import analysing

KEPT = timedelta(days=1)


def _stamp(study: Study) -> str:
    return analysing.stamp_of_all(study=study)


class Shelf(Work[Made, Made]):
    """Where files of one kind lie, and the work of making them."""

    related = ("study",)
    again = False

    def __init__(
        self,
        model: type[Made],
        home: str,
        write: Callable[..., object],
        stamp: Callable[[Study], str] = _stamp,
        suffix: str = "",
    ) -> None:
        """
        Args:
            model: Of its rows.
            home: What the names of its files begin with.
            write: Given study, path and now.
            stamp: Of the data that a file is made of.
            suffix: Of the file's name, before the time.
        """
        self.model, self.name, self.home = model, home, home
        self.write, self.stamp, self.suffix = write, stamp, suffix

    def rows(self) -> Any:  # of a model that has a study
        return super().rows()

    def ask(self, *, study: Study) -> None:
        """Have a worker make the file, unless one is at it."""
        row, is_new = self.rows().get_or_create(study=study)
        ended = self.rows().filter(pk=row.pk, state__in=self.model.ENDED)
        if ended.update(**leases.QUEUED, attempt=0, error="") or is_new:
            wake_on_commit(self.model, [row.pk])

    def words(self, job: Made) -> str:
        return f"Creating the {job.KIND} of {job.study}"

    def jobs(self, *, study: Any, user: Any) -> Any:
        return self.rows().filter(study=study)

    def find(self, *, study: Study) -> Any:
        """The row; None where nobody asked."""
        return self.rows().filter(study=study).first()

    def file_of(self, row: Made | None) -> storage.Entry | None:
        """The newest file, if it is stored."""
        if row is None or not row.file:
            return None
        return storage.find(f"{self.folder(row.study)}/{row.file}")

    def path(self, row: Made | None) -> Path | None:
        """Where the newest file can be read on this machine, if there is one."""
        found = self.file_of(row)
        return storage.local(found.name) if found else None

    def folder(self, study: Study) -> str:
        """What names of its files begin with."""
        return f"{self.home}/{study.public_id}"

    def run(self, row: Made, report: Report) -> None:
        study, now = row.study, report.clock()
        file = f"{study.name}{self.suffix}-{now:%Y%m%d-%H%M%S}.zip"
        # Taken before the data: what comes in meanwhile makes the file an old one.
        stamp = self.stamp(study)
        name = f"{self.folder(study)}/{file}"
        with storage.writing(name) as path:
            self.write(study=study, path=path, now=now)
        if not leases.finish(row, now=report.clock(), stamp=stamp, file=file):
            storage.delete(name)
            raise retries.Lost
        for old in storage.children(self.folder(study)):
            if old.name != name and old.base.endswith(".zip"):
                storage.delete(old.name)

    def tidy(self, *, now: datetime) -> None:
        """Delete what is older than a day. Safe to do twice."""
        old = self.model._default_manager.filter(finished_at__lte=now - KEPT)
        old.filter(state__in=self.model.ENDED).delete()
        for home in storage.children(self.home):
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
            "fresh": file and row and row.stamp == self.stamp(study),
        }

    def state(self, study: Study) -> dict[str, object]:
        """For the API."""
        row = self.find(study=study)
        file = self.file_of(row)
        return {
            "state": row.state if row else "none",
            "error": row.error if row else "",
            "ready": file is not None,
            "fresh": bool(file and row and row.stamp == self.stamp(study)),
            "bytes": file.bytes if file else None,
        }
