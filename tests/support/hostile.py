"""Texts that are made to keep a program busy, and a limit to how long they may."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

CHARACTERS = 100_000  # five times the longest text that an upload may have
# Of the processor, not of the clock: how busy the machine is makes no difference. What
# grows with the length takes milliseconds; what grows with its square, far longer.
SECONDS = 4.0


class TooLong(AssertionError):
    """It was still at work."""


def repeated(head: str, pump: str, tail: str, characters: int = CHARACTERS) -> str:
    return head + (pump * (characters // len(pump) + 1))[:characters] + tail


@contextmanager
def bounded(seconds: float = SECONDS) -> Iterator[None]:
    """Stop what uses the processor for longer, patterns at work included."""

    def stop(*args: object) -> None:
        raise TooLong(f"still at work after {seconds:g} seconds of the processor")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
