"""What whoever asks a judge has agreed to."""

from __future__ import annotations

from typing import NamedTuple


class Limit(NamedTuple):
    """The most that may be asked and spent."""

    calls: int
    cost: float | None = None
    currency: str = "USD"
