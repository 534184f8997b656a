"""Run what waits for the network from code that does not wait."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Result = TypeVar("Result")


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """The result of a coroutine, also where an event loop runs in this thread.

    In a thread of its own: `asyncio.run` refuses to run inside another loop, as in a
    notebook.
    """
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
