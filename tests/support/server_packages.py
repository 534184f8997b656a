"""What requirements-server.txt alone installs: the mark `server` is for tests of it."""

from __future__ import annotations

from importlib.util import find_spec

# How code imports them, by their names in the file.
MODULES = {
    "django-allauth": "allauth",
    "django-storages": "storages",
    "oauthlib": "oauthlib",
    "prometheus-client": "prometheus_client",
    "pyjwt": "jwt",
    "python-json-logger": "pythonjsonlogger",
}


def missing() -> list[str]:
    return [name for name, module in MODULES.items() if find_spec(module) is None]
