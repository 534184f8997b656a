"""Who is asked before each call, and told after it: limits, budget, what is kept.

`LocalAdmission` is what one process needs. Whoever has a database passes an admission
of its own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple, Protocol

from scoring.endpoints.call_records import Call, Earlier, Keeper
from scoring.endpoints.configuration import Endpoint
from scoring.endpoints.rate_limits import RateLimiter
from scoring.endpoints.requests import Request

BYTES_PER_TOKEN = 4  # an estimate, until the server has said how many there were
# What servers add to a message: the tokens of a chat, and a usual system prompt.
ADDED_TOKENS = 256
# Why there is no answer: what was reached, and what to do.
CALLS_REACHED = "the call limit was reached, so raise it to continue"
COST_REACHED = "the spending limit was reached, so raise it to continue"
CEILING_REACHED = (
    "the ceiling of this site was reached, so ask your administrator to raise it"
)
# The last is how the first two were stored at first.
LIMITS_REACHED = (CALLS_REACHED, COST_REACHED, CEILING_REACHED, "budget reached")
# Before anything was asked, so that nothing says which of the two it was.
AT_ONCE = (
    "the limit was reached before the first text was sent, so raise it to continue"
)


class BudgetReached(Exception):
    """A call was not made: it could have passed what was agreed to.

    Its text is CALLS_REACHED, COST_REACHED or CEILING_REACHED.
    """


class TokenBound(NamedTuple):
    """Tokens that a call cannot pass, as long as a token has at least one byte."""

    tokens_in: int
    tokens_out: int

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out

    def cost(self, endpoint: Endpoint) -> float:
        """Of a call at its longest; 0 for what has no known price."""
        return cost(endpoint, self.tokens_in, self.tokens_out)


def cost(endpoint: Endpoint, tokens_in: int, tokens_out: int) -> float:
    """tokens_in price_in / 10^6 + tokens_out price_out / 10^6."""
    cost_in = (endpoint.price_in or 0.0) * tokens_in
    return (cost_in + (endpoint.price_out or 0.0) * tokens_out) / 1e6


def token_bound(request: Request) -> TokenBound:
    """The most tokens that a request can take."""
    sent = len(request.message.encode()) + len(request.written.encode())
    return TokenBound(sent + ADDED_TOKENS, request.most_tokens)


class Admission(Protocol):
    """All of it is called in one event loop at a time; `close` ends with it."""

    async def earlier(self, key: str) -> Sequence[Earlier]:
        """What was asked before under this key, in order."""

    async def acquire(self, request: Request) -> Any:
        """Return when a call may be made; what comes back goes to `record`.

        Raises:
            BudgetReached: It may not be made at all.
        """

    async def record(self, permit: Any, call: Call) -> None:
        """Return when the call is kept: only then is its answer scored."""

    async def pause(self, seconds: float) -> None:
        """Let nobody ask for so long: the server said that all of us ask too much."""

    async def close(self) -> None:
        """Nobody asks for now."""


class LocalAdmission:
    """Limits of this process and a keeper; no budget, and no earlier answers."""

    def __init__(
        self,
        keeper: Keeper,
        limits: RateLimiter,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self.keeper, self.limits, self._sleep = keeper, limits, sleep

    async def earlier(self, key: str) -> Sequence[Earlier]:
        return ()

    async def acquire(self, request: Request) -> list[float]:
        estimate = len(request.message.encode()) // BYTES_PER_TOKEN
        while True:
            seconds, reservation = self.limits.reserve(estimate + request.most_tokens)
            if reservation is not None:
                return reservation
            await self._sleep(seconds)

    async def record(self, permit: list[float], call: Call) -> None:
        self.keeper.keep(call)
        if call.tokens_in is not None:
            self.limits.correct(permit, call.tokens_in + (call.tokens_out or 0))

    async def pause(self, seconds: float) -> None:
        self.limits.pause(seconds)

    async def close(self) -> None:
        """Nothing is open."""
