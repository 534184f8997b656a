"""What `manage.py check` says of the settings, and what stops `up` before it serves."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, register

CRYPTO = "cryptography"
NO_JWT = (
    "PROLIFIC_WORKSPACES needs the packages PyJWT and cryptography. Install them with"
    " pip install -r requirements-server.txt, or remove PROLIFIC_WORKSPACES."
)


@register()
def packages_are_there(
    app_configs: Sequence[AppConfig] | None, **more: Any
) -> list[CheckMessage]:
    """Those of other optional settings are asked for where the settings are read."""
    if settings.PROLIFIC_WORKSPACES and not (find_spec("jwt") and find_spec(CRYPTO)):
        return [Error(NO_JWT, id="evalapp.E002")]
    return []
