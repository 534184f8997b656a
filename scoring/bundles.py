"""5. Ask for a bundle: a worker makes it, never a page."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from django.db import transaction

from annotation.models import Study
from scoring import shelving, tasks
from scoring.shelving import Bundle
from scoring.waking import wake


def ask(*, study: Study, now: datetime) -> None:
    """Have a worker make the bundle, unless one is at it."""
    found = shelving.find(study=study)
    if found and found.pending(now):
        return
    shelving.note(study, Bundle(shelving.ASKED, now))
    transaction.on_commit(partial(_send, study, now))


def _send(study: Study, now: datetime) -> None:
    if not wake(tasks.bundle, [study.pk]):
        said = "The queue does not take messages. Try again in a moment."
        shelving.note(study, Bundle(shelving.FAILED, now, error=said))
