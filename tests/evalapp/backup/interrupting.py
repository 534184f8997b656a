"""A site to restore into, with a database that is pretended, and kills on the way."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path

import pytest

from evalapp.backup import database, restoring


class Killed(BaseException):
    """As if the process ended: nothing of ours catches it."""


class Site:
    """What lies in the database, and what was said."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.rows = ""  # empty: no table
        self.told: list[str] = []
        monkeypatch.setattr("os.fsync", lambda _: None)  # a busy disk takes seconds
        monkeypatch.setattr(database, "is_empty", lambda: not self.rows)
        monkeypatch.setattr(database, "is_of", lambda backup: self.rows == "rows")
        monkeypatch.setattr(database, "put_back", self.fill)
        monkeypatch.setattr(restoring, "call_command", lambda *_, **__: None)

    def fill(self, path: Path) -> None:
        self.rows = path.read_text()

    def restore(self, path: Path) -> None:
        self.told.clear()
        restoring.restore(path, tell=self.told.append)


@contextmanager
def killed(module: object, name: str, *, at: int = 1):
    """End when a function of a module is called for that time, before it does it."""
    calls = 0
    real = getattr(module, name)

    def call(*words, **given):
        nonlocal calls
        calls += 1
        if calls == at:
            raise Killed
        return real(*words, **given)

    with pytest.MonkeyPatch.context() as patched, pytest.raises(Killed):
        patched.setattr(module, name, call)
        yield
