from __future__ import annotations

from typing import NamedTuple


class Figure(NamedTuple):
    """A number, or why there is none."""

    value: float | None
    reason: str = ""
