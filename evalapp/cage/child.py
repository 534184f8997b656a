"""The child: limits itself, reads one file from its standard input, and ends.

Run as a script, not imported by anybody: see `process`.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

# Room for what libraries reserve and never use. The parent watches what is used.
RESERVED = 1 << 30
LONGEST = 3600  # seconds: longer than any parent reads, but a lost child ends


def main(order: dict[str, Any]) -> None:
    _alone()
    _limit(order["limits"]["seconds"], order["limits"]["memory"])
    pipe = os.dup(1)
    os.dup2(2, 1)  # what a library prints must not look like a row
    from evalapp.cage.readers import Out, Refused

    out = Out(pipe, **order.pop("limits"))
    file = os.fdopen(0, "rb")
    try:
        reader = importlib.import_module(f"evalapp.cage.readers.{order.pop('reader')}")
        reader.read(file, out, **order)
        out.end()
    except Refused as error:
        out.event(refused=str(error))
    except MemoryError:
        out.event(spent="memory")


def _alone() -> None:
    """Without what takes a second to load and no reader needs.

    The package itself brings Celery and Django; openpyxl and Arrow bring numpy if it
    is there.
    """
    root = Path(__file__).resolve().parent.parent
    package = ModuleType("evalapp")
    package.__path__ = [str(root)]
    sys.modules["evalapp"] = package
    sys.modules["numpy"] = None  # type: ignore[assignment]


def _limit(seconds: int, memory: int) -> None:
    # Windows has none of them: there, the parent's clock alone ends a child.
    with suppress(ImportError, AttributeError, OSError, ValueError):
        import resource

        os.nice(5)  # pages go first
        signal.alarm(LONGEST)
        for what, most in (
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_FSIZE, 1 << 16),  # for the words with which it fails
            (resource.RLIMIT_CPU, seconds),
            (resource.RLIMIT_AS, memory + RESERVED),
        ):
            _, hard = resource.getrlimit(what)
            if hard != resource.RLIM_INFINITY:
                most = min(most, hard)
            # A later end for CPU: the first signal tells the parent what happened.
            last = most + 5 if what == resource.RLIMIT_CPU else most
            resource.setrlimit(what, (most, last))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
