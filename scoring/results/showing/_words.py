"""Words that several pages use."""

from __future__ import annotations

from typing import Any

from scoring.showing._metrics import COEFFICIENTS


def n_of(n: int, one: str, many: str = "") -> str:
    """How many of something: "1 text", "1,200 texts", "2 batches"."""
    return f"{n:,} {one if n == 1 else many or f'{one}s'}"


def coefficient(result: dict[str, Any]) -> str:
    """The coefficient that was chosen, as it is written."""
    return COEFFICIENTS[result["coefficient"]]
