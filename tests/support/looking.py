"""What a worker does only at its second look, a day after the first."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from evalapp.work import deferred_deletion

T = TypeVar("T")


def twice(job: Callable[..., T], *, now: datetime) -> T:
    """What the second look comes to. Both see what is due at `now`."""
    job(now=now)
    return job(now=now + deferred_deletion.PAUSE)
