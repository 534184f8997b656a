"""Everything a training needs to continue as if it had never stopped, in one file."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Any

from benchmarks.bundled.windows import Place


@dataclasses.dataclass
class State:
    """A training under way."""

    network: Any
    optimizer: Any
    step: int = 0
    tokens: int = 0  # read, padding included
    seconds: float = 0.0  # of training, over all commands
    place: Place = (0, 0)  # of the next batch
    done: bool = False
    log: list[dict[str, float]] = dataclasses.field(default_factory=list)
    facts: dict[str, object] = dataclasses.field(default_factory=dict)


_PLAIN = ("step", "tokens", "seconds", "place", "done", "log", "facts")


def save(path: Path, state: State) -> None:
    """Write the state, and its log beside it. A broken write leaves the old file."""
    import torch

    content = {name: getattr(state, name) for name in _PLAIN}
    content["network"] = state.network.state_dict()
    content["optimizer"] = state.optimizer.state_dict()
    content["random"] = torch.get_rng_state()
    if torch.cuda.is_available():
        content["random_cuda"] = torch.cuda.get_rng_state()
    waiting = path.with_suffix(".tmp")
    torch.save(content, waiting)
    os.replace(waiting, path)
    log = {"done": state.done, "facts": state.facts, "log": state.log}
    path.with_suffix(".json").write_text(json.dumps(log, indent=1) + "\n")


def restore(path: Path, state: State, *, device: str) -> None:
    """Put what was saved into a fresh state."""
    import torch

    content = read(path, device=device)
    state.network.load_state_dict(content["network"])
    state.optimizer.load_state_dict(content["optimizer"])
    for name in _PLAIN:
        setattr(state, name, content[name])
    state.place = (state.place[0], state.place[1])
    torch.set_rng_state(content["random"].cpu())
    if device != "cpu" and "random_cuda" in content:
        torch.cuda.set_rng_state(content["random_cuda"].cpu())


def read(path: Path, *, device: str = "cpu") -> dict[str, Any]:
    """What a checkpoint holds. No code in it is run."""
    import torch

    return torch.load(path, map_location=device, weights_only=True)
