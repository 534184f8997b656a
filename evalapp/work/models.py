"""What every row of work has. The tables belong to the apps whose work it is."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import models

from evalapp.work import queues


def waits_on(queue: str) -> models.CharField[str, str]:
    """The field `queue` of a kind whose rows usually wait there."""
    return models.CharField(max_length=16, default=queue)


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
    # Of a queued row: when it may be tried again, where it must not be at once.
    lease_until = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)
    # When it first had to wait for the storage. Where that has been away for too long,
    # the row fails: see retries.py.
    away_since = models.DateTimeField(null=True, blank=True)
    # What the row needs decides where it waits: a kind that needs more than the site
    # itself says so with `waits_on`.
    queue = models.CharField(max_length=16, default=queues.DEFAULT)

    class Meta:
        abstract = True

    def in_words(self) -> str:
        """For operators, who know the names of studies and no numbers of rows."""
        return str(self)

    def get_absolute_url(self) -> str:
        """The page that shows it; empty where none does."""
        return ""

    def retry_address(self) -> str:
        """What queues it again when it is posted to; empty where its page asks more."""
        return ""

    def on_behalf(self) -> tuple[Any, Any] | None:
        """Who began it, and in which study, if their role there is asked again before
        each attempt: it spends money, speaks in the site's name or changes texts.

        None: it harms nobody, whoever has left the study by now.
        """
        return None

    @property
    def ended(self) -> bool:
        return self.state in self.ENDED


class Loading(Leased):
    """Work that begins with loading something: `affinity.py` gives it to who has it."""

    # What it needs loaded; empty: nothing that takes long.
    loads = models.CharField(max_length=32, blank=True, default="")
    # Since when others have been taken in its stead.
    passed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True


class Claim(models.Model):
    """What one worker alone does at present: see locks.py."""

    name = models.CharField(max_length=200, unique=True)
    owner = models.CharField(max_length=100)
    lease_until = models.DateTimeField()

    class Meta:
        app_label = "scoring"  # beside the other table of the queue
        ordering = ["id"]

    def __str__(self) -> str:
        return self.name


class ChoreRound(models.Model):
    """When a worker last did all chores, of which some delete what was promised to be
    deleted. One row."""

    at = models.DateTimeField()

    class Meta:
        app_label = "scoring"  # beside the other tables of the queue
        ordering = ["id"]

    def __str__(self) -> str:
        return str(self.at)


class FirstLook(models.Model):
    """When a worker first saw that something is to go: see deferred_deletion.py."""

    kind = models.CharField(max_length=20)
    key = models.CharField(max_length=255)  # as long as the name of a file
    at = models.DateTimeField()

    class Meta:
        app_label = "annotation"  # whose studies, people and files it is mostly about
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["kind", "key"], name="one_first_look")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


class WrongClock(models.Model):
    """A worker whose clock disagrees with the database's: see clocks.py."""

    owner = models.CharField(max_length=100, unique=True)
    seconds = models.FloatField()  # by how much it is ahead; negative: behind
    noted_at = models.DateTimeField()  # by the database's clock

    class Meta:
        app_label = "annotation"  # beside the notes of first looks
        ordering = ["id"]

    def __str__(self) -> str:
        return self.owner


class WorkerBeat(models.Model):
    """A sign of life of a worker process, wherever it runs.

    Celery's own way of asking needs a broker with remote control, and a solo worker
    answers nothing while it works.
    """

    owner = models.CharField(max_length=100, unique=True)
    seen_at = models.DateTimeField()
    # Names of the queues whose messages it takes; empty: all of them.
    queues = models.JSONField(default=list)
    # Of the GPUs that it computes on: see `heartbeats.Gpu`. If none, why.
    gpus = models.JSONField(default=list)
    no_gpu = models.CharField(max_length=100, blank=True, default="")

    class Meta:
        app_label = "scoring"  # where its table has always been
        ordering = ["id"]

    def __str__(self) -> str:
        return self.owner
