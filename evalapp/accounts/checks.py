from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Tags, Warning, register

OTHERS = 0o077


@register(Tags.security)
def data_dir_is_private(
    app_configs: Sequence[AppConfig] | None, **more: Any
) -> list[CheckMessage]:
    """The settings make it so where they may."""
    mode = settings.DATA_DIR.stat().st_mode & 0o777
    if not mode & OTHERS:
        return []
    return [
        Warning(
            f"Others on this machine may look into DATA_DIR (mode {mode:o}).",
            hint="It holds the secret key, the database and all files. Run: chmod 700"
            f" {settings.DATA_DIR}",
            id="evalapp.W001",
        )
    ]
