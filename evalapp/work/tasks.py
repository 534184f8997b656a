"""The door: a wake-up call is safe to get twice, late, or for a row that has ended."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from evalapp.work import affinity, heartbeats, kinds, leases
from evalapp.work.models import Leased, Loading

SWITCHED_OFF = "The app that does this is switched off on this site: see CONTRIB."


def perform(model: type[Leased], pk: int) -> None:
    """Do the row of the message; of what has to load something, perhaps another one."""
    works = list(kinds.of_model(model))
    if not works:
        return _end(model, pk)
    if issubclass(model, Loading):
        loaded = {name for work in works for name in work.loaded()}
        pk = affinity.chosen(model, pk=pk, held=loaded, now=timezone.now())
    # Of kinds that share a table, only that of the row takes it.
    any(work.perform(pk=pk, owner=heartbeats.me()) for work in works)


def _end(model: type[Leased], pk: int) -> None:
    """It began before the app whose work it is was switched off: nobody waits for it.

    System shows it among what has failed; with the app it can be tried again.
    """
    now = timezone.now()
    rows = model._default_manager.all()
    if row := leases.take(rows, pk=pk, owner=heartbeats.me(), now=now):
        leases.fail(row, error=SWITCHED_OFF, now=now)


def _add_task(model: type[Leased]) -> None:
    def task(pk: int) -> None:
        perform(model, pk)

    shared_task(task, name=model.TASK)


for model in leases.kinds():
    _add_task(model)
