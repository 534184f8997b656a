"""Run what waits for the network from code that does not wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

Result = TypeVar("Result")
TICK_SECONDS = 0.25


def run(
    work: Coroutine[Any, Any, Result], tick: Callable[[], None] | None = None
) -> Result:
    """The result of a coroutine, also where an event loop runs in this thread.

    In a thread of its own: `asyncio.run` refuses to run inside another loop, as in a
    notebook. Meanwhile `tick` is called in this one, a few times a second. What it
    raises stops the work: its tasks are cancelled and waited for, and then it is
    raised.
    """
    with ThreadPoolExecutor(1) as pool:
        begun: Future[Callable[[], None]] = Future()
        done = pool.submit(asyncio.run, _stoppable(work, begun))
        try:
            while tick is not None:
                tick()
                if _is_done(done):
                    break
        except BaseException:
            begun.result()()
            with suppress(BaseException):
                done.result()
            raise
        return done.result()


async def _stoppable(
    work: Coroutine[Any, Any, Result], begun: Future[Callable[[], None]]
) -> Result:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None

    def stop() -> None:
        with suppress(RuntimeError):  # the loop has ended by itself
            loop.call_soon_threadsafe(task.cancel)

    begun.set_result(stop)
    return await work


def _is_done(done: Future[Any]) -> bool:
    try:
        done.exception(TICK_SECONDS)
    except TimeoutError:
        return False
    return True
