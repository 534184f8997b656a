"""The newest bundle of each study: asked for on a page, made by a worker, kept a day.

Not longer: a worker of the study who takes their answers back must not live on in a
file.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from django.utils import timezone

from annotation.models import Study
from evalapp import storage
from evalapp.queue import attempts, leases
from evalapp.queue.attempts import Clock
from evalapp.queue.waking import wake_on_commit
from scoring.models import Bundle
from scoring.replication import writing
from scoring.results import analysing

State = Bundle.State
KEPT = timedelta(days=1)
FOLDER = "bundles"


def ask(*, study: Study) -> None:
    """Have a worker make the bundle, unless one is at it."""
    row, is_new = Bundle.objects.get_or_create(study=study)
    ended = Bundle.objects.filter(pk=row.pk, state__in=Bundle.ENDED)
    if ended.update(**leases.QUEUED, attempt=0, error="") or is_new:
        wake_on_commit(Bundle, [row.pk])


def find(*, study: Study) -> Bundle | None:
    return Bundle.objects.filter(study=study).first()


def file_of(bundle: Bundle | None) -> storage.Entry | None:
    """The newest file, if it is stored."""
    if bundle is None or not bundle.file:
        return None
    return storage.find(f"{folder(bundle.study)}/{bundle.file}")


def path(bundle: Bundle | None) -> Path | None:
    """Where the newest file can be read on this machine, if there is one."""
    found = file_of(bundle)
    return storage.local(found.name) if found else None


def folder(study: Study) -> str:
    """What names of its bundles begin with."""
    return f"{FOLDER}/{study.public_id}"


def make(*, bundle_id: int, owner: str, clock: Clock = timezone.now) -> None:
    """Make a bundle if it waits. What goes wrong is written in its row."""
    rows = Bundle.objects.select_related("study")
    row = leases.take(rows, pk=bundle_id, owner=owner, now=clock())
    if row is not None:
        attempts.attempt(row, partial(_make, clock), clock=clock, again=False)


def _make(clock: Clock, row: Bundle) -> None:
    study, now = row.study, clock()
    file = f"{study.name}-{now:%Y%m%d-%H%M%S}.zip"
    # Taken before the data: what comes in meanwhile makes the bundle an old one.
    stamp = analysing.stamp_of_all(study=study)
    name = f"{folder(study)}/{file}"
    with storage.writing(name) as path:
        writing.write(study=study, path=path, now=now)
    if not leases.finish(row, now=clock(), stamp=stamp, file=file):
        storage.delete(name)
        raise attempts.Lost
    for old in storage.children(folder(study)):
        if old.name != name and old.base.endswith(".zip"):
            storage.delete(old.name)


def tidy(*, now: datetime) -> None:
    """Delete what is older than a day. Safe to do twice."""
    old = Bundle.objects.filter(finished_at__lte=now - KEPT)
    old.filter(state__in=Bundle.ENDED).delete()
    for home in storage.children(FOLDER):
        if now - storage.written_at(home.name) > KEPT:
            storage.delete(home.name)
