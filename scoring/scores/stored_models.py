"""Models that lie in the storage which STORAGE_URL names, for all machines.

Options name them with "stored:" in front. A worker copies one when it first uses it;
pages look at an outline of it, without its weights.
"""

from __future__ import annotations

import logging
import time
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.core.exceptions import SuspiciousFileOperation

from evalapp import storage
from scoring.metrics import MetricError

log = logging.getLogger(__name__)

STORED = "stored:"
KEPT_SECONDS = 30  # so that not each page asks the storage
DEPTH = 2  # folders: a model is NAME or ORGANISATION/NAME


def names() -> list[str]:
    """Of models, without "stored:". No request where there is no such storage."""
    ends = "/config.json"
    found = [file.removesuffix(ends) for file in files() if file.endswith(ends)]
    return [name for name in found if name.count("/") < DEPTH]


def files() -> list[str]:
    """All files, without "stored:"."""
    if not storage.is_remote():
        return []
    return list(_files(int(time.monotonic() // KEPT_SECONDS), id(storage.store())))


@lru_cache(maxsize=1)
def _files(period: int, of: int) -> tuple[str, ...]:
    try:
        found = storage.below(storage.MODELS)
    except storage.Away as error:
        log.warning("models in the storage cannot be chosen: %s", error)
        return ()
    return tuple(name.removeprefix(f"{storage.MODELS}/") for name in found)


def is_there(value: str) -> bool:
    """Whether "stored:NAME" is a file or folder there."""
    try:
        found = storage.is_remote() and storage.find(_name(value))
    except SuspiciousFileOperation:
        return False
    return bool(found)


def outline(value: Any) -> Path | None:
    """What pages look at, of a value with "stored:"; None where there is no such."""
    if not storage.is_remote() or not str(value).startswith(STORED):
        return None
    period = int(time.monotonic() // KEPT_SECONDS)
    try:
        return _outline(_name(value), period, id(storage.store()))
    except (FileNotFoundError, SuspiciousFileOperation, storage.Away, storage.Damaged):
        return None


@lru_cache(maxsize=256)
def _outline(name: str, period: int, of: int) -> Path:
    """It is in use until this process ends, so nobody deletes it meanwhile."""
    return storage.outline(name)


def local(value: Any) -> Any:
    """The value of an option for this machine: a path, where it began with "stored:".

    Raises:
        MetricError: There is no such model.
    """
    if not isinstance(value, str) or not value.startswith(STORED):
        return value
    try:
        return str(storage.local(_name(value)))
    except FileNotFoundError:
        raise MetricError(
            f"{value[:150]} is not in the storage any more: choose another model"
        ) from None


def _name(value: str) -> str:
    return f"{storage.MODELS}/{value.removeprefix(STORED)}"
