"""The newest bundle of each study on disk, and how far the making of one has come.

A worker makes it. What people download is a day old at most: a worker of the study who
takes their answers back must not live on in a file.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from annotation.models import Study
from scoring import bundling, computing

log = logging.getLogger(__name__)

ASKED, RUNNING, DONE, FAILED = "asked", "running", "done", "failed"
LEASE = timedelta(minutes=15)  # longer than any bundle takes
KEPT = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Bundle:
    """What is known of a study's bundle."""

    state: str
    at: datetime  # when it came into this state
    stamp: str = ""  # of the data: another one where they have changed since
    file: str = ""  # its name, where it is done
    error: str = ""

    def pending(self, now: datetime) -> bool:
        """Whether to wait for it. A worker that died leaves it as it was."""
        return self.state in (ASKED, RUNNING) and now - self.at < LEASE


def folder(study: Study) -> Path:
    return settings.DATA_DIR / "bundles" / str(study.public_id)


def find(*, study: Study) -> Bundle | None:
    try:
        found = json.loads((folder(study) / "state.json").read_text())
    except (OSError, ValueError):
        return None
    return Bundle(**{**found, "at": datetime.fromisoformat(found["at"])})


def path(*, study: Study) -> Path | None:
    """Where the finished bundle is."""
    found = find(study=study)
    at = folder(study) / found.file if found and found.state == DONE else None
    return at if at and at.exists() else None


def note(study: Study, bundle: Bundle) -> None:
    """Write down how far it has come; readers see the old line or the new one."""
    home = folder(study)
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = home / f".state-{os.getpid()}"
    unfinished.write_text(json.dumps({**asdict(bundle), "at": bundle.at.isoformat()}))
    unfinished.replace(home / "state.json")


def make(*, study_id: int, clock: Callable[[], datetime] = timezone.now) -> None:
    """Make the bundle that was asked for. What goes wrong is written down."""
    study = Study.objects.filter(pk=study_id).first()
    asked, now = study and find(study=study), clock()
    if not study or not asked or (asked.state == RUNNING and asked.pending(now)):
        return
    note(study, Bundle(RUNNING, now))
    file = f"{study.name}-{now:%Y%m%d-%H%M%S}.zip"
    try:
        # Taken before the data: what comes in meanwhile makes the bundle an old one.
        stamp = computing.stamp_of(study=study)
        bundling.write(study=study, path=folder(study) / file, now=now)
    except Exception as error:
        log.exception("the bundle of %s failed", study)
        said = f"{type(error).__name__}: {error}"[:2000]
        note(study, Bundle(FAILED, clock(), error=said))
        return
    note(study, Bundle(DONE, clock(), stamp, file))
    for old in folder(study).glob("*.zip"):
        if old.name != file:
            old.unlink(missing_ok=True)


def tidy(*, now: datetime) -> None:
    """Delete what is older than a day. Safe to do twice."""
    for home in (settings.DATA_DIR / "bundles").glob("*"):
        written = max((file.stat().st_mtime for file in home.iterdir()), default=0.0)
        if now.timestamp() - written > KEPT.total_seconds():
            shutil.rmtree(home, ignore_errors=True)
