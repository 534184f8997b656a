"""Kinds of background work: a class for each, in one register.

The task of Celery, pages, the API and the tests of leases ask for them here, so a new
kind is a model and one class that its app registers in `AppConfig.ready`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar, Generic, TypeVar

from django.db.models import Model, QuerySet
from django.utils import timezone

from evalapp.work import leases, retries
from evalapp.work.dispatch import wake_on_commit
from evalapp.work.models import Leased
from evalapp.work.progress import Progress, seconds_left, workers_of
from evalapp.work.retries import Clock, Errors, Report

Row = TypeVar("Row", bound=Leased)
Job = TypeVar("Job", bound=Model)

# Finds the study of that name for a user, or raises Http404. Set by the app that knows
# studies, of which this room knows nothing.
find_study: list[Callable[[Any, str], Any]] = []


class Refused(Exception):
    """This work cannot be tried again now. The message says why."""

    @classmethod
    def unless_stopped(cls, row: Leased) -> Refused:
        article = "an" if row.KIND[0] in "aeiou" else "a"
        return cls(
            f"only {article} {row.KIND} that failed or was cancelled can be retried"
        )


class Work(ABC, Generic[Row, Job]):
    """One kind of work: what a worker does of it, and what people see of it.

    A row is what a worker takes. A job is what people start, see, cancel and try again:
    mostly the same row; of a run, all its chunks.
    """

    name: str  # in addresses of the API
    model: type[Row]
    related: ClassVar[tuple[str, ...]] = ()  # read with a row that is taken
    # Errors that a user can cure, and whether others are tried again: see `retries`.
    final: ClassVar[Errors] = ()
    again: ClassVar[bool] = True
    # Fields of a job: how much of it is done, of how much, and since when.
    counted: ClassVar[tuple[str, str] | None] = None
    since: ClassVar[str | None] = None
    # What each try begins with, when somebody asks for it.
    reset: ClassVar[Mapping[str, object]] = {}
    refusals: ClassVar[Errors] = ()  # that `retry` raises, beside `Refused`

    # A worker's part -----------------------------------------------------------------

    def rows(self) -> QuerySet[Row]:
        """All rows of this kind, as a worker reads them."""
        return self.model._default_manager.select_related(*self.related)

    def columns(self, now: datetime) -> dict[str, Any]:
        """What each attempt begins with, such as the progress."""
        return {}

    def loaded(self) -> Collection[str]:
        """What this process has loaded: see `affinity`."""
        return ()

    def can_do(self, pk: int) -> bool:
        """Whether this process can, whatever other processes can."""
        return True

    def begin(self, row: Row, clock: Clock) -> None:
        """Note that a worker has taken it."""

    def report(self, row: Row, clock: Clock) -> Report:
        return Report(row, clock)

    @abstractmethod
    def run(self, row: Row, report: Any) -> None:
        """Do it, telling `report` how far it is, and finish its lease."""

    def end(self, row: Row, error: Exception | None, clock: Clock) -> None:
        """Clear up, however the attempt has ended."""

    def perform(self, *, pk: int, owner: str, clock: Clock = timezone.now) -> bool:
        """Take the row if it is free and do it. What goes wrong is written in it.

        Whether it was taken.
        """
        if not self.can_do(pk):
            return False
        now = clock()
        row = leases.take(self.rows(), pk=pk, owner=owner, now=now, **self.columns(now))
        if row is None:
            return False
        self.begin(row, clock)
        error = retries.attempt(
            row,
            lambda row: self.run(row, self.report(row, clock)),
            clock=clock,
            final=self.final,
            again=self.again,
        )
        self.end(row, error, clock)
        return True

    # For people ----------------------------------------------------------------------

    @abstractmethod
    def words(self, job: Any) -> str:
        """Such as "Scoring 360 texts with CTRLEval". Of a job as `jobs` gives it."""

    @abstractmethod
    def jobs(self, *, study: Any, user: Any) -> QuerySet[Job]:
        """Those of a study that this user may see."""

    def progress_of(
        self, jobs: Sequence[Any], *, now: datetime | None = None
    ) -> dict[int, Progress]:
        """How far each is, by its key. One query, however many there are."""
        now = now or timezone.now()
        workers = workers_of({job.queue for job in jobs}, now=now)
        return {job.pk: self._progress(job, workers[job.queue], now) for job in jobs}

    def progress(self, job: Job, *, now: datetime | None = None) -> Progress:
        return self.progress_of([job], now=now)[job.pk]

    def _progress(self, job: Any, workers: int, now: datetime) -> Progress:
        done, total = self._counted(job)
        left = None
        if self.since and not job.ended:
            since = getattr(job, self.since)
            left = seconds_left(since=since, done=done, total=total, now=now)
        return Progress(
            state=job.state,
            queue=job.queue,
            workers=workers,
            done=done,
            total=total,
            stage=getattr(job, "stage", ""),
            seconds_left=left,
            error=job.error,
        )

    def _counted(self, job: Any) -> tuple[int, int]:
        if self.counted is None:
            return 0, 0
        done, total = self.counted
        return getattr(job, done), getattr(job, total)

    def cancel(self, job: Job) -> None:
        """Its worker notices at its next sign of progress. Of an ended one: nothing."""
        leases.cancel(self._same(job), now=timezone.now())
        job.refresh_from_db()

    def retry(self, job: Job, *, user: Any = None) -> None:
        """Queue one again that failed or was cancelled, on behalf of `user`.

        Raises:
            Refused, or one of `refusals`: It cannot be now. The message says why.
        """
        self._queue_again(job, **self.reset)

    def why_no_retry(self, job: Job) -> str:
        """Why a program must not try it again: it spends money, or writes to people."""
        return ""

    def _queue_again(self, job: Any, **columns: Any) -> None:
        if not leases.retry(self._same(job), **columns):
            raise Refused.unless_stopped(job)
        wake_on_commit(self.model, [job.pk])
        job.refresh_from_db()

    def _same(self, job: Job) -> QuerySet[Any]:
        return self.model._default_manager.filter(pk=job.pk)


_register: dict[str, Work[Any, Any]] = {}


def register(*works: Work[Any, Any]) -> None:
    _register.update({work.name: work for work in works})


def registered() -> list[Work[Any, Any]]:
    """All kinds of work that there are."""
    return list(_register.values())


def find(name: str) -> Work[Any, Any] | None:
    return _register.get(name)


def of_model(model: type[Leased]) -> Iterator[Work[Any, Any]]:
    """Those whose rows are in this table."""
    return (work for work in registered() if work.model is model)
