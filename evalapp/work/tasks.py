"""The door: a wake-up call is safe to get twice, late, or for a row that has ended."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from evalapp.work import affinity, heartbeats, kinds, leases
from evalapp.work.models import Leased, Loading


def perform(model: type[Leased], pk: int) -> None:
    """Do the row of the message; of what has to load something, perhaps another one."""
    works = list(kinds.of_model(model))
    if issubclass(model, Loading):
        loaded = {name for work in works for name in work.loaded()}
        pk = affinity.chosen(model, pk=pk, held=loaded, now=timezone.now())
    # Of kinds that share a table, only that of the row takes it.
    any(work.perform(pk=pk, owner=heartbeats.me()) for work in works)


def _add_task(model: type[Leased]) -> None:
    def task(pk: int) -> None:
        perform(model, pk)

    shared_task(task, name=model.TASK)


for model in leases.kinds():
    _add_task(model)
