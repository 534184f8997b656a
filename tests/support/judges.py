"""The file in which an operator sets up judges over the network, and a judge in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.scoring.endpoints.servers import Reply, Server


def write(settings: Any, folder: Path, **fields: object) -> Path:
    """One endpoint, lab, with the model tiny. Fields are as TOML writes them."""
    settings.DATA_DIR = folder
    known = {"url": '"http://127.0.0.1:9/v1"', "models": '["tiny"]', **fields}
    lines = [f"{name} = {value}" for name, value in known.items()]
    file = folder / "judges.toml"
    file.write_text("\n".join(["[judges.lab]", *lines]))
    return file


@contextmanager
def serving(
    settings: Any,
    folder: Path,
    monkeypatch: Any,
    reply: Callable[[Any, int], Reply],
    **fields: object,
) -> Iterator[Server]:
    """A server behind the endpoint lab, for the site and for its workers."""
    with Server(reply).running() as server:
        file = write(settings, folder, url=f'"{server.url}"', **fields)
        monkeypatch.setenv("JUDGES_FILE", str(file))
        yield server
