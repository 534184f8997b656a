"""Whether the device that DEVICE names is there: a worker asks before it takes work.

Else each chunk would fail three times, and people would read about it in their runs.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from typing import Any

from evalapp.work.heartbeats import Gpu, Gpus

NAMES = re.compile(r"auto|cpu|mps|cuda(?::(?P<number>\d{1,3}))?")
VISIBLE = "CUDA_VISIBLE_DEVICES"
UNUSED = "no model is loaded on a GPU now"
NOT_THERE = 78  # the code of a process that is set up wrongly: EX_CONFIG


def n_gpus() -> int:
    """How many NVIDIA or AMD GPUs this process may use. Imports torch."""
    import torch

    return torch.cuda.device_count() if torch.cuda.is_available() else 0


def has_mps() -> bool:
    import torch

    return torch.backends.mps.is_available()


def memory(name: str) -> Gpus:
    """How full those are that this process computes on.

    Asked at each sign of life, so it imports nothing, and asks no GPU that this process
    does not use yet: the answer alone would take some hundred MB of its memory.
    """
    if name in ("cpu", "mps"):
        return Gpus(why_none=f"DEVICE is {name}")
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    try:
        if cuda is None or not cuda.is_available():
            return Gpus(why_none=UNUSED if cuda is None else "torch finds no GPU here")
        used = range(cuda.device_count() if cuda.is_initialized() else 0)
        found = [_of(cuda, n) for n in used if cuda.memory_reserved(n)]
    except Exception as error:  # a GPU that broke must not end the signs of life
        return Gpus(why_none=f"the GPU does not answer: {error}"[:100])
    return Gpus(tuple(found), "" if found else UNUSED)


def _of(cuda: Any, number: int) -> Gpu:
    free, total = cuda.mem_get_info(number)
    return Gpu(f"cuda:{number}", total - free, total)


def problem(
    name: str, *, gpus: Callable[[], int] = n_gpus, mps: Callable[[], bool] = has_mps
) -> str:
    """Why nothing can be computed on this device; empty: all is well."""
    found = NAMES.fullmatch(name)
    if not found:
        return f"DEVICE={name[:100]}: expected auto, cpu, mps, cuda or cuda:NUMBER."
    if name == "mps" and not mps():
        return "DEVICE=mps: this machine has no Apple GPU that torch can use. Set auto."
    if not name.startswith("cuda"):
        return ""
    there, wanted = gpus(), int(found["number"] or 0)
    return "" if wanted < there else f"DEVICE={name}: {_told(there)}"


def _told(there: int) -> str:
    if not there:
        said = "torch finds no GPU here. Set DEVICE=cpu, or repair the driver or torch."
    elif there == 1:
        said = "this process sees one GPU. Set DEVICE=cuda:0."
    else:
        said = f"this process sees {there} GPUs. Set one of cuda:0 to cuda:{there - 1}."
    if VISIBLE not in os.environ:
        return said
    shown = os.environ[VISIBLE][:100]
    return f"{said} {VISIBLE} is {shown!r}, and numbers count only what it shows."


def stop_without(name: str) -> None:
    """End this process, with a sentence, where there is no such device."""
    if said := problem(name):
        print(said, file=sys.stderr, flush=True)
        raise SystemExit(NOT_THERE)
