"""Options of a run as people read them. No query."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings

BUNDLED = "bundled:"


def shown(value: Any) -> Any:
    """An option as a page shows it: by its name in MODELS_DIR, not where that is."""
    inside = f"{settings.MODELS_DIR}/"
    return value.removeprefix(inside) if isinstance(value, str) else value


def named(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as others may read them: no folder of this server, only what lies there.

    The command line may name any path.
    """
    found = {name: shown(value) for name, value in options.items()}
    return {
        name: Path(value).name
        if isinstance(value, str) and value.startswith("/")
        else value
        for name, value in found.items()
    }


def bundled(*options: Mapping[str, object]) -> list[str]:
    """Names of the small models that ship with the app among options of runs."""
    values = (value for one in options for value in one.values())
    given = {value for value in values if isinstance(value, str)}
    return sorted(v.removeprefix(BUNDLED) for v in given if v.startswith(BUNDLED))
