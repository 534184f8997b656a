"""Reads the environment strictly: a typo stops the start instead of being guessed."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def boolean(name: str, default: bool) -> bool:
    """`DEBUG=no` is a mistake that would read as true elsewhere: refuse it."""
    value = os.environ.get(name, str(default))
    if value in {"1", "True", "true"}:
        return True
    if value in {"0", "False", "false"}:
        return False
    raise ImproperlyConfigured(f"{name}={value}: expected True or False.")


def integer(name: str, default: int, *, low: int, high: int) -> int:
    value = os.environ.get(name, str(default))
    if not value.isdigit() or not low <= int(value) <= high:
        raise ImproperlyConfigured(
            f"{name}={value}: expected a whole number from {low} to {high}."
        )
    return int(value)


def words(name: str, default: str = "") -> list[str]:
    return [word.strip() for word in os.environ.get(name, default).split(",") if word]


def secret_key(folder: Path) -> str:
    """SECRET_KEY, or a key made once and kept in `folder` for its owner alone."""
    if key := os.environ.get("SECRET_KEY"):
        return key
    path = folder / "secret_key"
    try:
        # O_EXCL: of two processes that start together one makes the key.
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        return path.read_text()
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(50))
    return path.read_text()
