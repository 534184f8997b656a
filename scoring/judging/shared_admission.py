"""A client and a scorer for a run or a trial: with its limit, its calls, its answers.

The event loop that asks must not wait for a database. So what its tasks want (earlier
answers, leave to call, a call to be kept) is gathered, and a thread does all of it at
once, in one transaction, while the next is gathered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import close_old_connections, connections, transaction
from django.utils import timezone

from evalapp.spending import budgets
from evalapp.work.retries import Clock
from scoring.endpoints import admission, call_records, configuration
from scoring.judging import call_log, ledger, rate_limits, site_ceilings
from scoring.judging.rate_limits import Booking
from scoring.metrics.judge import support
from scoring.models import JudgeGate, JudgeTrial, MetricRun

if TYPE_CHECKING:
    from scoring.endpoints.client import Client, Waits
    from scoring.endpoints.requests import Request
    from scoring.metrics.judge.scorer import EndpointScorer
    from scoring.metrics.llm_judge import LLMJudge

Call = call_records.Call
Earlier = call_records.Earlier
BudgetReached = admission.BudgetReached
AGAIN_SECONDS = 0.25  # until a limit of money is looked at again


def client(
    model: str, row: MetricRun | JudgeTrial, *, waits: Waits | None = None
) -> Client:
    """Asks `endpoint:NAME/MODEL` for a run or a trial.

    Raises:
        MetricError: If there is no such endpoint, or the variable of its key is not
            set.
    """
    endpoint, asked = configuration.chosen(model)
    return support.client(endpoint, asked, desk=Desk(row, endpoint), waits=waits)


def scorer(
    metric: LLMJudge, row: MetricRun | JudgeTrial, *, waits: Waits | None = None
) -> EndpointScorer:
    """A loaded judge for a run or a trial; the probe of a run is asked once.

    Raises:
        MetricError, OptionError: If it cannot be asked.
    """
    endpoint, _ = configuration.chosen(metric.options.model)
    return support.scorer(metric, desk=Desk(row, endpoint), waits=waits)


class Leave(NamedTuple):
    """Given to one call."""

    booking: Booking
    held: float
    month: str  # whose ceiling holds it, too


class _Wish(NamedTuple):
    """What a task waits for."""

    wish: Any
    answer: asyncio.Future[Any]


class _Batch(NamedTuple):
    """What is done in one transaction."""

    keys: list[_Wish]  # key -> list of Earlier
    kept: list[_Wish]  # (Leave, Call) -> None
    holds: list[_Wish]  # seconds -> None
    leaves: list[_Wish]  # Most -> Leave

    def all(self) -> list[_Wish]:
        return [*self.keys, *self.kept, *self.holds, *self.leaves]


class _Done(NamedTuple):
    """What the transaction gave."""

    known: dict[str, list[Earlier]]
    leaves: list[Leave]  # for the first of the batch
    refused: str = ""  # the next one would pass this limit of the run
    wait: float = 0.0  # seconds, until the next may be made


class Desk:
    """See `scoring.endpoints.admission.Desk`."""

    def __init__(
        self,
        row: MetricRun | JudgeTrial,
        endpoint: configuration.Endpoint,
        clock: Clock = timezone.now,
    ) -> None:
        """
        Raises:
            MetricError: If the limit that was agreed to cannot be held by now.
        """
        self.row, self.endpoint, self._clock = row, endpoint, clock
        # As it is now: whoever read the row may have started it since.
        found = type(row)._base_manager.get(pk=row.pk)
        ledger.check_still(found, endpoint)
        self._gate = rate_limits.gate(endpoint)
        self._since = found.started_at
        self._keys: list[_Wish] = []
        self._kept: list[_Wish] = []
        self._holds: list[_Wish] = []
        self._leaves: list[_Wish] = []
        self._calling = 0  # calls that were let through and not kept yet
        self._not_before = 0.0  # of the loop's clock
        self._refused = ""
        self._thread: ThreadPoolExecutor | None = None
        self._work: asyncio.Task[None] | None = None
        self._woken = asyncio.Event()

    async def earlier(self, key: str) -> Sequence[Earlier]:
        found: list[Earlier] = await self._wish(self._keys, key)
        return found

    async def leave(self, request: Request) -> Leave:
        if self._refused:
            raise BudgetReached(self._refused)
        leave: Leave = await self._wish(self._leaves, admission.most(request))
        return leave

    async def keep(self, leave: Leave, call: Call) -> None:
        await self._wish(self._kept, (leave, call))

    async def hold(self, seconds: float) -> None:
        await self._wish(self._holds, seconds)

    async def close(self) -> None:
        """Finish what is under way, and leave the thread and its connection."""
        if self._work:
            self._woken.set()  # those who waited for leave may be gone
            await self._work
        if self._thread:
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(self._thread, connections.close_all)
            self._thread.shutdown()
        self._work = self._thread = None
        self._calling = 0

    async def _wish(self, wishes: list[_Wish], wish: Any) -> Any:
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        wishes.append(_Wish(wish, answer))
        if self._work is None or self._work.done():
            self._woken = asyncio.Event()  # of this loop
            self._not_before = 0.0
            self._work = asyncio.create_task(self._fulfil())
        self._woken.set()
        return await answer

    # One batch after the other --------------------------------------------------------

    async def _fulfil(self) -> None:
        """Until nobody wishes for anything."""
        loop = asyncio.get_running_loop()
        while batch := self._next(loop.time()):
            if not batch.all():  # all wait for their turn
                await self._until(self._not_before - loop.time())
                continue
            self._thread = self._thread or ThreadPoolExecutor(1, "desk")
            try:
                done = await loop.run_in_executor(self._thread, self._do, batch)
            except Exception as error:
                self._fail([*batch.all(), *self._leaves], error)
            else:
                self._answer(batch, done, loop.time())

    async def _until(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._woken.wait(), max(0.001, seconds))

    def _next(self, now: float) -> _Batch | None:
        self._woken.clear()
        self._leaves = [one for one in self._leaves if not one.answer.done()]
        due = now >= self._not_before
        batch = _Batch(
            self._keys, self._kept, self._holds, self._leaves[:] if due else []
        )
        self._keys, self._kept, self._holds = [], [], []
        return batch if batch.all() or self._leaves else None

    def _do(self, batch: _Batch) -> _Done:
        """In the thread."""
        close_old_connections()
        known = self._known([one.wish for one in batch.keys])
        if not (batch.kept or batch.holds or batch.leaves):
            return _Done(known, [])
        with transaction.atomic():
            # First, so that two workers never wait for each other.
            gate = rate_limits.lock(self._gate)
            self._save([one.wish for one in batch.kept])
            for one in batch.holds:
                rate_limits.hold(gate, seconds=one.wish, now=self._clock())
                gate.refresh_from_db()
            return self._grant(gate, [one.wish for one in batch.leaves], known)

    def _known(self, keys: list[str]) -> dict[str, list[Earlier]]:
        if not keys:
            return {}
        known = call_log.earlier(self.row, keys, since=self._since)
        used = [one for found in known.values() for one in found if not one.mine]
        ledger.count_kept(self.row, len(used))
        return known

    def _save(self, kept: list[tuple[Leave, Call]]) -> None:
        if not kept:
            return
        call_log.save(self.row, [call for _, call in kept], now=self._clock())
        spent = [
            ledger.spent_by(call, leave.held, self.endpoint) for leave, call in kept
        ]
        ledger.settle(self.row, spent)
        for month in {leave.month for leave, _ in kept}:  # one, but for one second
            of_month = [
                one
                for (leave, _), one in zip(kept, spent, strict=True)
                if leave.month == month
            ]
            site_ceilings.settle(self.row.study_id, self.endpoint, month, of_month)
        took = [
            (leave.booking, one.tokens_in + one.tokens_out)
            for (leave, _), one in zip(kept, spent, strict=True)
            if one.cost is not None
        ]
        if self.endpoint.tokens_per_minute:
            rate_limits.correct(self._gate, took)

    def _grant(
        self, gate: JudgeGate, asked: list[admission.Most], known: dict[str, Any]
    ) -> _Done:
        if not asked:
            return _Done(known, [])
        tokens = [one.tokens for one in asked]
        costs = [one.cost(self.endpoint) for one in asked]
        room = rate_limits.room(self.endpoint, gate, tokens, self._clock)
        n, refused = self._hold(costs[: room.n])
        bookings = rate_limits.book(gate, room.second, tokens[:n])
        month = budgets.of_month(self._clock())
        leaves = [Leave(*one, month) for one in zip(bookings, costs[:n], strict=True)]
        return _Done(known, leaves, refused, room.wait)

    def _hold(self, costs: list[float]) -> tuple[int, str]:
        """How many calls may be made, and which limit the next one would pass.

        The limit of the row first: what the ceilings refuse is given back to it.
        """
        n = ledger.hold(self.row, costs)
        study, now = self.row.study_id, self._clock()
        under = site_ceilings.hold(study, self.endpoint, costs[:n], now)
        if under < n:
            ledger.undo(self.row, costs[under:n])
            return under, admission.CEILING_REACHED
        return n, ledger.limit_reached(self.row) if n < len(costs) else ""

    def _answer(self, batch: _Batch, done: _Done, now: float) -> None:
        for one in batch.keys:
            _give(one, done.known.get(one.wish, []))
        for one in (*batch.kept, *batch.holds):
            _give(one, None)
        for one, leave in zip(batch.leaves, done.leaves, strict=False):
            self._calling += not one.answer.done()
            _give(one, leave)
        self._calling -= len(batch.kept)
        if done.wait:
            self._not_before = now + done.wait
        if done.refused and self._calling:
            # Calls that end may cost less than was held for them.
            self._not_before = now + AGAIN_SECONDS
        elif done.refused:
            self._refused = done.refused
            self._fail(self._leaves, BudgetReached(done.refused))

    def _fail(self, wishes: list[_Wish], error: Exception) -> None:
        for one in wishes:
            if not one.answer.done():
                one.answer.set_exception(error)


def _give(one: _Wish, answer: Any) -> None:
    if not one.answer.done():  # or its task was cancelled meanwhile
        one.answer.set_result(answer)
