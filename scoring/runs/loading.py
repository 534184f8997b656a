"""Load a metric once per process, and again only when its files have changed."""

from __future__ import annotations

import gc
import json
import platform
import sys
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings

from evalapp import storage
from scoring import metrics
from scoring.judging import endpoint_runs, estimates
from scoring.judging.endpoint_runs import Loaded
from scoring.metrics import Metric, SystemMetric, models
from scoring.models import MetricRun
from scoring.runs import placing, shared_vectors
from scoring.scores import stored_models

__all__ = [
    "Loaded",
    "device",
    "forget_all",
    "free_memory",
    "here",
    "held",
    "know_folders",
    "load",
]

KEPT = 2  # two runs that alternate do not make each other load for every chunk


_loaded: OrderedDict[str, Loaded] = OrderedDict()
_keys: dict[str, str] = {}  # of what is loaded: what chunks say that they load


def load(
    *, metric: str, options: Mapping[str, object], run: MetricRun | None = None
) -> Loaded:
    """The metric, ready to score. May take minutes the first time.

    A judge over the network is that of its run, which has a limit and answers of its
    own.

    Raises:
        UnknownMetric, OptionError, MetricError: What a user can cure.
    """
    know_folders()
    kind = metrics.get(metric)
    made = kind(**here(kind.Options, options))
    asking = run if run and estimates.is_endpoint(made.options) else None
    of = endpoint_runs.start_state(asking) if asking else ()
    key = json.dumps([metric, options, _files(made), of], sort_keys=True, default=str)
    if key not in _loaded:
        # Room first: the new model and all the old ones may not fit side by side.
        while len(_loaded) >= KEPT:
            _loaded.popitem(last=False)
        free_memory()
        # By the name in the options, as its chunks have it: not by a copy's folder.
        _keys[key] = placing.key(kind(**options))
        _loaded[key] = endpoint_runs.load(made, asking) if asking else _load(made)
    _loaded.move_to_end(key)
    return _loaded[key]


def held() -> frozenset[str]:
    """What this worker has loaded, as chunks say what they load."""
    return frozenset(_keys[key] for key in _loaded) - {""}


def forget_all() -> None:
    """Drop every loaded metric: after an error its memory or state may be the cause."""
    _loaded.clear()
    _keys.clear()
    free_memory()


def free_memory() -> None:
    gc.collect()
    torch = sys.modules.get("torch")
    if torch and torch.cuda.is_available():
        torch.cuda.empty_cache()


def device() -> str:
    """DEVICE, or the best there is. Imports torch only if it may find one.

    Metrics without weights shall not wait for torch where it is of no use.
    """
    if settings.DEVICE != "auto":
        return str(settings.DEVICE)
    if Path("/proc/driver/nvidia/version").exists() or "torch" in sys.modules:
        import torch

        if torch.cuda.is_available():
            return "cuda"
    if (platform.system(), platform.machine()) == ("Darwin", "arm64"):
        return "mps"
    return "cpu"


def know_folders() -> None:
    """Where checkpoints are found, and embeddings of human texts kept for the next."""
    models.checkpoints_by(_trained)
    shared_vectors.know()


def here(kind: type, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options for this machine: what is named in the storage is copied here first.

    Raises:
        MetricError: It is not there any more.
    """
    paths = {field.name for field in metrics.option_fields(kind) if field.path}
    return {
        name: stored_models.local(value) if name in paths else value
        for name, value in options.items()
    }


def _trained(name: str) -> Path:
    return storage.local(f"checkpoints/{name}/{models.TRAINED}")


def _load(made: Metric | SystemMetric) -> Loaded:
    scorer = made.load(device())
    if "torch" in sys.modules:
        # The site needs a core too, and a core that is missing costs far more than one.
        models.limit_threads()
    return Loaded(made, scorer, scorer.signature)


def _files(made: Metric | SystemMetric) -> list[tuple[str, int, int]]:
    """Sizes and times of the files that the options name."""
    found = []
    for field in metrics.option_fields(made.Options):
        value = getattr(made.options, field.name)
        if not field.path or not value:
            continue
        # A checkpoint may be deleted, and another one be trained under its name.
        path = models.local(value) or Path(value)
        if path.exists():
            files = sorted(path.rglob("*")) if path.is_dir() else [path]
            found += [(str(file), *_stat(file)) for file in files]
    return found


def _stat(file: Path) -> tuple[int, int]:
    stat = file.stat()
    return stat.st_size, stat.st_mtime_ns
