"""A client and a scorer for a run or a trial: with its limit, its calls, its answers.

The event loop that asks must not wait for a database. So what its tasks want (earlier
answers, a permit to call, a call to be kept) is gathered, and a thread does all of it
at once, in one transaction, while the next is gathered.
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
from scoring.judging.rate_limits import Reservation
from scoring.metrics.judge import support
from scoring.models import JudgeGate, JudgeTrial, MetricRun

if TYPE_CHECKING:
    from scoring.endpoints.client import Client, Waits
    from scoring.endpoints.requests import Request
    from scoring.metrics.judge.marking_scorer import MarkingScorer
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
    endpoint, model_name = configuration.resolve(model)
    return support.client(
        endpoint, model_name, admission=SharedAdmission(row, endpoint), waits=waits
    )


def scorer(
    metric: LLMJudge, row: MetricRun | JudgeTrial, *, waits: Waits | None = None
) -> EndpointScorer | MarkingScorer:
    """A loaded judge for a run or a trial; the probe of a run is asked once.

    Raises:
        MetricError, OptionError: If it cannot be asked.
    """
    endpoint, _ = configuration.resolve(metric.options.model)
    return support.scorer(metric, admission=SharedAdmission(row, endpoint), waits=waits)


class Permit(NamedTuple):
    """Given to one call."""

    reservation: Reservation
    held: float
    month: str  # whose ceiling holds it, too


class _Pending(NamedTuple):
    """What a task waits for."""

    payload: Any
    answer: asyncio.Future[Any]


class _Batch(NamedTuple):
    """What is done in one transaction."""

    keys: list[_Pending]  # key -> list of Earlier
    calls: list[_Pending]  # (Permit, Call) -> None
    holds: list[_Pending]  # seconds -> None
    permits: list[_Pending]  # TokenBound -> Permit

    def all(self) -> list[_Pending]:
        return [*self.keys, *self.calls, *self.holds, *self.permits]


class _Done(NamedTuple):
    """What the transaction gave."""

    earlier: dict[str, list[Earlier]]
    permits: list[Permit]  # for the first of the batch
    refused: str = ""  # the next one would pass this limit of the run
    wait: float = 0.0  # seconds, until the next may be made


class SharedAdmission:
    """See `scoring.endpoints.admission.Admission`."""

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
        current = type(row)._base_manager.get(pk=row.pk)
        ledger.check_still(current, endpoint)
        self._gate = rate_limits.gate(endpoint)
        self._since = current.started_at
        self._keys: list[_Pending] = []
        self._calls: list[_Pending] = []
        self._holds: list[_Pending] = []
        self._permits: list[_Pending] = []
        self._calling = 0  # calls that were let through and not kept yet
        self._not_before = 0.0  # of the loop's clock
        self._refused = ""
        self._thread: ThreadPoolExecutor | None = None
        self._work: asyncio.Task[None] | None = None
        self._woken = asyncio.Event()

    async def earlier(self, key: str) -> Sequence[Earlier]:
        calls: list[Earlier] = await self._submit(self._keys, key)
        return calls

    async def acquire(self, request: Request) -> Permit:
        if self._refused:
            raise BudgetReached(self._refused)
        permit: Permit = await self._submit(
            self._permits, admission.token_bound(request)
        )
        return permit

    async def record(self, permit: Permit, call: Call) -> None:
        await self._submit(self._calls, (permit, call))

    async def pause(self, seconds: float) -> None:
        await self._submit(self._holds, seconds)

    async def close(self) -> None:
        """Finish what is under way, and leave the thread and its connection."""
        if self._work:
            self._woken.set()  # those who waited for a permit may be gone
            await self._work
        if self._thread:
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(self._thread, connections.close_all)
            self._thread.shutdown()
        self._work = self._thread = None
        self._calling = 0

    async def _submit(self, queue: list[_Pending], payload: Any) -> Any:
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        queue.append(_Pending(payload, answer))
        if self._work is None or self._work.done():
            self._woken = asyncio.Event()  # of this loop
            self._not_before = 0.0
            self._work = asyncio.create_task(self._serve())
        self._woken.set()
        return await answer

    # One batch after the other --------------------------------------------------------

    async def _serve(self) -> None:
        """Until nothing is pending."""
        loop = asyncio.get_running_loop()
        while batch := self._next(loop.time()):
            if not batch.all():  # all wait for their turn
                await self._until(self._not_before - loop.time())
                continue
            self._thread = self._thread or ThreadPoolExecutor(1, "admission")
            try:
                done = await loop.run_in_executor(self._thread, self._do, batch)
            except Exception as error:
                self._fail([*batch.all(), *self._permits], error)
            else:
                self._answer(batch, done, loop.time())

    async def _until(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._woken.wait(), max(0.001, seconds))

    def _next(self, now: float) -> _Batch | None:
        self._woken.clear()
        self._permits = [
            request for request in self._permits if not request.answer.done()
        ]
        due = now >= self._not_before
        batch = _Batch(
            self._keys, self._calls, self._holds, self._permits[:] if due else []
        )
        self._keys, self._calls, self._holds = [], [], []
        return batch if batch.all() or self._permits else None

    def _do(self, batch: _Batch) -> _Done:
        """In the thread."""
        close_old_connections()
        earlier = self._earlier([request.payload for request in batch.keys])
        if not (batch.calls or batch.holds or batch.permits):
            return _Done(earlier, [])
        with transaction.atomic():
            # First, so that two workers never wait for each other.
            gate = rate_limits.lock(self._gate)
            self._save([request.payload for request in batch.calls])
            for request in batch.holds:
                rate_limits.pause(gate, seconds=request.payload, now=self._clock())
                gate.refresh_from_db()
            return self._grant(
                gate, [request.payload for request in batch.permits], earlier
            )

    def _earlier(self, keys: list[str]) -> dict[str, list[Earlier]]:
        if not keys:
            return {}
        by_key = call_log.earlier(self.row, keys, since=self._since)
        used = [call for calls in by_key.values() for call in calls if not call.mine]
        ledger.count_kept(self.row, len(used))
        return by_key

    def _save(self, ended: list[tuple[Permit, Call]]) -> None:
        if not ended:
            return
        call_log.save(self.row, [call for _, call in ended], now=self._clock())
        spent = [
            ledger.spent_by(call, permit.held, self.endpoint) for permit, call in ended
        ]
        ledger.settle(self.row, spent)
        for month in {permit.month for permit, _ in ended}:  # one, but for one second
            of_month = [
                expense
                for (permit, _), expense in zip(ended, spent, strict=True)
                if permit.month == month
            ]
            site_ceilings.settle(self.row.study_id, self.endpoint, month, of_month)
        took = [
            (permit.reservation, expense.tokens_in + expense.tokens_out)
            for (permit, _), expense in zip(ended, spent, strict=True)
            if expense.cost is not None
        ]
        if self.endpoint.tokens_per_minute:
            rate_limits.correct(self._gate, took)

    def _grant(
        self,
        gate: JudgeGate,
        bounds: list[admission.TokenBound],
        earlier: dict[str, Any],
    ) -> _Done:
        if not bounds:
            return _Done(earlier, [])
        tokens = [each.tokens for each in bounds]
        costs = [each.cost(self.endpoint) for each in bounds]
        room = rate_limits.room(self.endpoint, gate, tokens, self._clock)
        n, refused = self._hold(costs[: room.n])
        reservations = rate_limits.reserve(gate, room.second, tokens[:n])
        month = budgets.of_month(self._clock())
        permits = [
            Permit(*each, month) for each in zip(reservations, costs[:n], strict=True)
        ]
        return _Done(earlier, permits, refused, room.wait)

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
        for request in batch.keys:
            _give(request, done.earlier.get(request.payload, []))
        for request in (*batch.calls, *batch.holds):
            _give(request, None)
        for request, permit in zip(batch.permits, done.permits, strict=False):
            self._calling += not request.answer.done()
            _give(request, permit)
        self._calling -= len(batch.calls)
        if done.wait:
            self._not_before = now + done.wait
        if done.refused and self._calling:
            # Calls that end may cost less than was held for them.
            self._not_before = now + AGAIN_SECONDS
        elif done.refused:
            self._refused = done.refused
            self._fail(self._permits, BudgetReached(done.refused))

    def _fail(self, pending: list[_Pending], error: Exception) -> None:
        for request in pending:
            if not request.answer.done():
                request.answer.set_exception(error)


def _give(request: _Pending, answer: Any) -> None:
    if not request.answer.done():  # or its task was cancelled meanwhile
        request.answer.set_result(answer)
