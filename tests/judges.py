"""The file in which an operator sets up judges over the network."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def write(settings: Any, folder: Path, **fields: object) -> None:
    """One endpoint, lab, with the model tiny. Fields are as TOML writes them."""
    settings.DATA_DIR = folder
    known = {"url": '"http://127.0.0.1:9/v1"', "models": '["tiny"]', **fields}
    lines = [f"{name} = {value}" for name, value in known.items()]
    (folder / "judges.toml").write_text("\n".join(["[judges.lab]", *lines]))
