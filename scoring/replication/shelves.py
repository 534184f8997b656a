"""One file of a study that a worker makes, kept for a day: what bundles and data sets
share.

Its row is the work; the file lies in the storage, which site and workers share. It is
not kept longer: a worker of the study who takes their answers back must not live on in
a file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from django.utils import timezone

from annotation.models import Study
from evalapp import storage
from evalapp.work import heartbeats, leases, retries
from evalapp.work.dispatch import wake_on_commit
from evalapp.work.retries import Clock
from scoring.models.analyses import Made
from scoring.results import analysing

KEPT = timedelta(days=1)


@dataclass(frozen=True)
class Shelf:
    """Where files of one kind lie."""

    kind: type[Made]
    home: str  # what the names of its files begin with
    write: Callable[..., object]  # study, path, now
    stamp: Callable[[Study], str] = lambda study: analysing.stamp_of_all(study=study)
    suffix: str = ""  # of the file's name, before the time

    @property
    def rows(self) -> Any:
        return self.kind._default_manager

    def ask(self, *, study: Study) -> None:
        """Have a worker make the file, unless one is at it."""
        row, is_new = self.rows.get_or_create(study=study)
        ended = self.rows.filter(pk=row.pk, state__in=self.kind.ENDED)
        if ended.update(**leases.QUEUED, attempt=0, error="") or is_new:
            wake_on_commit(self.kind, [row.pk])

    def find(self, *, study: Study) -> Any:
        """The row; None where nobody asked."""
        return self.rows.filter(study=study).first()

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

    def make(self, *, pk: int, owner: str, clock: Clock = timezone.now) -> None:
        """Make a file if it waits. What goes wrong is written in its row."""
        rows = self.rows.select_related("study")
        row = leases.take(rows, pk=pk, owner=owner, now=clock())
        if row is not None:
            retries.attempt(row, partial(self._make, clock), clock=clock, again=False)

    def _make(self, clock: Clock, row: Made) -> None:
        study, now = row.study, clock()
        file = f"{study.name}{self.suffix}-{now:%Y%m%d-%H%M%S}.zip"
        # Taken before the data: what comes in meanwhile makes the file an old one.
        stamp = self.stamp(study)
        name = f"{self.folder(study)}/{file}"
        with storage.writing(name) as path:
            self.write(study=study, path=path, now=now)
        if not leases.finish(row, now=clock(), stamp=stamp, file=file):
            storage.delete(name)
            raise retries.Lost
        for old in storage.children(self.folder(study)):
            if old.name != name and old.base.endswith(".zip"):
                storage.delete(old.name)

    def tidy(self, *, now: datetime) -> None:
        """Delete what is older than a day. Safe to do twice."""
        old = self.rows.filter(finished_at__lte=now - KEPT)
        old.filter(state__in=self.kind.ENDED).delete()
        for home in storage.children(self.home):
            if now - storage.written_at(home.name) > KEPT:
                storage.delete(home.name)

    def shown(self, study: Study) -> dict[str, object]:
        """For the page."""
        found = self.find(study=study)
        file = self.file_of(found)
        waits = found is not None and not found.ended
        return {
            "made": found,
            "file": file,
            "size": file.bytes if file else 0,
            "made_at": file and file.modified,
            "pending": waits,
            "elsewhere": found and found.state == found.State.DONE and not file,
            "no_worker": waits
            and not heartbeats.alive(now=timezone.now(), queue=found.queue),
            "fresh": file and found.stamp == self.stamp(study),
        }

    def state(self, study: Study) -> dict[str, object]:
        """For the API."""
        found = self.find(study=study)
        file = self.file_of(found)
        return {
            "state": found.state if found else "none",
            "error": found.error if found else "",
            "ready": file is not None,
            "fresh": bool(file and found.stamp == self.stamp(study)),
            "bytes": file.bytes if file else None,
        }
