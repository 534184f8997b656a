"""The state of an unfinished training, and the file from which it continues."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import os
import pickle
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from scoring.metrics._engine.base import MetricError
from scoring.metrics._learning.training import waiting

log = logging.getLogger(__name__)

LEFTOVER_SECONDS = 3600.0  # after these a file that waits belongs to a dead process
NUMBERS = ("step", "seconds", "log", "losses")


@dataclasses.dataclass
class State:
    """A training under way."""

    network: Any
    optimizer: Any
    step: int = 0
    seconds: float = 0.0
    log: list[dict[str, float]] = dataclasses.field(default_factory=list)
    losses: list[float] = dataclasses.field(default_factory=list)  # since the last look


def write(path: Path, state: State, signature: Any, *, device: str) -> None:
    """Replace the file as a whole: a broken write leaves the old one."""
    content = {
        "network": state.network.state_dict(),
        "optimizer": state.optimizer.state_dict(),
        "random": random(device),
        "signature": signature,
        **{name: getattr(state, name) for name in NUMBERS},
    }
    file = waiting(path)
    torch.save(content, file)
    os.replace(file, path)


def restore(path: Path, state: State, signature: Any, *, device: str) -> None:
    """Continue from the file; start from the beginning if it is missing or unreadable.

    Raises:
        MetricError: If it is of a training with another signature.
    """
    content = _read(path)
    if content is None:
        return
    if content["signature"] != signature:
        raise MetricError(
            f"{path.parent} holds a training with other data, other options or an"
            " earlier version: start a new training in its own folder"
        )
    state.network.load_state_dict(content["network"])
    state.optimizer.load_state_dict(content["optimizer"])
    for name in NUMBERS:
        setattr(state, name, content[name])
    set_random(content["random"], device)


def random(device: str) -> dict[str, torch.Tensor]:
    """The state of torch's random numbers, which dropout draws."""
    found = {"cpu": torch.get_rng_state()}
    if torch.device(device).type == "cuda":
        found["cuda"] = torch.cuda.get_rng_state(device)
    return found


def set_random(found: Mapping[str, torch.Tensor], device: str) -> None:
    torch.set_rng_state(found["cpu"])
    if "cuda" in found and torch.device(device).type == "cuda":
        torch.cuda.set_rng_state(found["cuda"], device)


def sweep(folder: Path) -> None:
    """Remove what dead processes left half written."""
    for path in folder.glob("*.tmp"):
        with contextlib.suppress(OSError):  # another process sweeps, too
            if time.time() - path.stat().st_mtime < LEFTOVER_SECONDS:
                continue
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def _read(path: Path) -> dict[str, Any] | None:
    """What was kept; None where there is nothing, or nothing that can be read."""
    if not path.exists():
        return None
    try:
        # Onto the processor: where a device has no memory left the file is still good.
        return torch.load(path, map_location="cpu", weights_only=True)
    except (RuntimeError, EOFError, ValueError, KeyError, pickle.UnpicklingError):
        log.warning("cannot read %s: the training starts from the beginning", path)
        return None
