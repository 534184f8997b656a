"""How much may be asked per minute, for all judges of this process together."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

from scoring.endpoints.configuration import Endpoint

MINUTE = 60.0


class RateLimiter:
    """Calls and tokens of the last minute. Safe to share among threads."""

    def __init__(
        self, calls: int, tokens: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """A limit of 0 is none."""
        self._calls, self._tokens, self._clock = calls, tokens, clock
        self._reserved: deque[list[float]] = deque()  # when, and how many tokens
        self._not_before = 0.0
        self._lock = threading.Lock()

    def reserve(self, tokens: int) -> tuple[float, list[float] | None]:
        """Reserve a call now, or the seconds until it is worth asking again.

        A call that alone is over the limit of tokens goes through when all is quiet:
        it could never be made otherwise.
        """
        with self._lock:
            now = self._clock()
            while self._reserved and self._reserved[0][0] <= now - MINUTE:
                self._reserved.popleft()
            spent = sum(each[1] for each in self._reserved)
            full = self._calls and len(self._reserved) >= self._calls
            over = self._tokens and self._reserved and spent + tokens > self._tokens
            if now < self._not_before:
                return self._not_before - now, None
            if full or over:
                return self._reserved[0][0] + MINUTE - now, None
            reservation = [now, float(tokens)]
            self._reserved.append(reservation)
            return 0.0, reservation

    def correct(self, reservation: list[float], tokens: int) -> None:
        """Put what a call took in place of the estimate."""
        with self._lock:
            reservation[1] = float(tokens)

    def pause(self, seconds: float) -> None:
        """Let nobody ask for so long: the server said that all of us ask too much."""
        with self._lock:
            self._not_before = max(self._not_before, self._clock() + seconds)


_known: dict[tuple[str, str, int, int], RateLimiter] = {}
_lock = threading.Lock()


def of(endpoint: Endpoint) -> RateLimiter:
    """The same limits for all who ask the endpoint in this process."""
    calls, tokens = endpoint.calls_per_minute, endpoint.tokens_per_minute
    with _lock:
        key = (endpoint.name, endpoint.url, calls, tokens)
        return _known.setdefault(key, RateLimiter(calls, tokens))
