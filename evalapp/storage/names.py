"""What both kinds of storage agree on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from django.core.exceptions import SuspiciousFileOperation

MODELS = "models"  # an operator fills this folder by hand
MOST_CHARACTERS = 900  # S3 allows 1024 bytes, with the prefix
_PART = re.compile(r"(?!\.\.?$)[^/\\\x00-\x1f\x7f]{1,255}")


class Away(Exception):
    """The storage does not answer, or refuses. The message says what to do."""


class Refused(Away):
    """It answers, and refuses for a reason that does not pass by itself."""


class Damaged(Exception):
    """What is stored is not what was kept. The message says which file."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A stored file or folder. Of a folder only its name is sure to be known."""

    name: str
    bytes: int = 0
    modified: datetime | None = None
    is_folder: bool = False

    @property
    def base(self) -> str:
        return self.name.rpartition("/")[2]


def checked(name: str) -> str:
    """The name, which leads nowhere else.

    Raises:
        SuspiciousFileOperation: It would.
    """
    parts = name.split("/")
    if len(name) > MOST_CHARACTERS or not all(map(_PART.fullmatch, parts)):
        raise SuspiciousFileOperation(
            f"{name[:200]!r} is not a valid name for a stored file"
        )
    return name
