"""What every row of work has. The tables belong to the apps whose work it is."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import ClassVar

from django.db import models


class Leased(models.Model):
    """A piece of work that one worker at a time may do, for as long as its lease runs.

    Give a kind of work an index on `state` and `lease_until`: the reaper looks for what
    is unfinished, every few seconds.
    """

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    UNFINISHED: ClassVar = (State.QUEUED, State.RUNNING)
    ENDED: ClassVar = (State.DONE, State.FAILED, State.CANCELLED)

    # The name of the task that does such a row, given its id.
    TASK: ClassVar[str]
    # What a row is called in messages, and what helps where it kills its workers.
    KIND: ClassVar[str]
    REMEDY: ClassVar[str] = ""

    state = models.CharField(max_length=9, choices=State, default=State.QUEUED)
    attempt = models.PositiveSmallIntegerField(default=0)
    owner = models.CharField(max_length=100, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)

    class Meta:
        abstract = True

    @classmethod
    def tasks(cls, ids: Collection[int]) -> Mapping[int, str]:
        """Of those of these rows that another task than TASK does."""
        return {}

    @property
    def ended(self) -> bool:
        return self.state in self.ENDED


class WorkerBeat(models.Model):
    """A sign of life of a worker process, wherever it runs.

    Celery's own way of asking needs a broker with remote control, and a solo worker
    answers nothing while it works.
    """

    owner = models.CharField(max_length=100, unique=True)
    seen_at = models.DateTimeField()

    class Meta:
        app_label = "scoring"  # where its table has always been
        ordering = ["id"]

    def __str__(self) -> str:
        return self.owner
