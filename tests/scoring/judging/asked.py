"""Judges behind addresses of this machine."""

from __future__ import annotations

from pathlib import Path

import pytest


def judges_file(
    monkeypatch: pytest.MonkeyPatch, folder: Path, url: str, *more: str
) -> Path:
    """Let the operator have set up the endpoint lab, with the model tiny."""
    path = folder / "judges.toml"
    lines = ("[judges.lab]", f'url = "{url}"', 'models = ["tiny"]', *more)
    path.write_text("\n".join(lines))
    monkeypatch.setenv("JUDGES_FILE", str(path))
    return path
