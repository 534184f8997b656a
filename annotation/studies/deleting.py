"""Delete a study: at first it can be restored, then everything of it is removed."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache, reduce
from graphlib import TopologicalSorter
from operator import or_
from typing import Any, NamedTuple, cast

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import CASCADE, PROTECT, ForeignKey, Model, Q, QuerySet

from annotation import events
from annotation.models import Study
from annotation.studies.archiving import refuse_while_busy
from annotation.studies.creating import StudyError
from evalapp.work import deferred_deletion

log = logging.getLogger(__name__)

GRACE = timedelta(days=30)
AT_ONCE = 500  # rows in one transaction: others write in between
MOST_ROWS = 10_000  # at a time: the pulse of a worker must not stand still

State = Study.State


class Loss(NamedTuple):
    """How much of one kind is lost with a study: 360, "texts"."""

    n: int
    what: str


def losses(*, study: Study) -> list[Loss]:
    """What is in the study of which a model says, by NAMED, how people call it."""
    found = []
    for kind in reversed(kinds()):  # texts before what people and metrics made of them
        if named := getattr(kind, "NAMED", None):
            n = rows_of(kind, study).count()
            found.append(Loss(n, named[n != 1]))
    return [loss for loss in found if loss.n]


def delete(*, study: Study, typed: str, user: User | None, now: datetime) -> None:
    """Close the study to everybody. It can be restored for 30 days.

    Raises:
        StudyError: `typed` is not its name, or a worker changes its pages.
    """
    if typed.strip() != study.name:
        raise StudyError(f"Type the name of the study, {study.name}, to delete it.")
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        if locked.deleted_at is not None:
            return
        refuse_while_busy(locked, "delete")
        locked.deleted_at, locked.deleted_by = now, user
        # Its links tell workers that it is closed, and nothing more can be rated.
        locked.state_before, locked.state = locked.state, State.CLOSED
        _save(locked)
        events.log(study=locked, verb="deleted", now=now, user=user)


def restore(*, study: Study, user: User | None, now: datetime) -> None:
    """Bring it back as it was. One that was open is paused: workers were sent away."""
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        if locked.deleted_at is None:
            return
        before = State(locked.state_before or State.CLOSED)
        locked.state = State.PAUSED if before == State.OPEN else before
        locked.state_before = ""
        locked.deleted_at = locked.deleted_by = None
        _save(locked)
        events.log(study=locked, verb="restored", now=now, user=user)


def _save(study: Study) -> None:
    fields = ("deleted_at", "deleted_by", "state", "state_before")
    study.save(update_fields=fields)


# Permanently
# -----------------------------------------------------------------------------


def purge(*, now: datetime) -> None:
    """Remove what belongs to studies that were deleted 30 days ago, some at a time.

    Not in one transaction, which would keep raters elsewhere waiting: nobody sees the
    study any more, and what one call leaves, the next one removes. Safe to do twice.
    """
    budget = MOST_ROWS
    for study in _to_remove(now):
        for some in _pieces(study):
            budget -= len(some)
            if budget < 0:
                return
        # Only now: the study holds all together.
        Study.objects.filter(pk=study.pk, deleted_at__lte=now - GRACE).delete()
        log.warning("the study %s, deleted on %s, is removed", study, study.deleted_at)


def _to_remove(now: datetime) -> list[Study]:
    """Those that were due a day ago, too: no wrong clock removes one at a look."""
    due = {
        f"{study.pk} {study.deleted_at}": study
        for study in Study.objects.filter(deleted_at__lte=now - GRACE).order_by("pk")
    }
    sure = deferred_deletion.confirmed("study", due, now=now)
    return [study for key, study in due.items() if key in sure]


def _pieces(study: Study) -> Iterator[list[int]]:
    """Remove the study's rows, what hangs on others first; yield which at a time."""
    for kind in kinds():
        rows = rows_of(kind, study).order_by("pk").values_list("pk", flat=True)
        while some := list(rows[:AT_ONCE]):
            kind._base_manager.filter(pk__in=some).delete()
            yield some


@cache
def kinds() -> list[type[Model]]:
    """The models whose rows belong to a study, in whichever app, in an order in which
    they can be deleted. One that is added later is found, too."""
    needs: dict[type[Model], set[type[Model]]] = {Study: set()}
    waiting: list[type[Model]] = [Study]
    while waiting:
        for relation in waiting.pop()._meta.related_objects:
            kind = relation.related_model
            if isinstance(kind, type) and kind not in needs and _hangs(relation.field):
                needs[kind] = set()
                waiting.append(kind)
    for kind in needs:
        for field in _links(kind):
            if field.related_model in needs and field.related_model is not kind:
                needs[field.related_model].add(kind)  # it goes after them
    ordered = TopologicalSorter(needs).static_order()
    return [kind for kind in ordered if kind is not Study]


def rows_of(kind: type[Model], study: Study) -> QuerySet[Model]:
    wanted = [Q(**{path: study}) for path in _paths(kind)]
    return kind._base_manager.filter(reduce(or_, wanted))


def _paths(kind: type[Model]) -> list[str]:
    """How a row leads to its study: by a link that is always there, or any of them."""
    found = []
    for field in _links(kind):
        if field.related_model is Study and _hangs(field):
            return [field.name]
        if _hangs(field) and field.related_model in kinds():
            found.append(field)
    sure = [field for field in found if not field.null][:1]
    return [
        f"{field.name}__{path}"
        for field in sure or found
        for path in _paths(cast(type[Model], field.related_model))
    ]


def _links(kind: type[Model]) -> list[ForeignKey[Any, Any]]:
    fields = kind._meta.concrete_fields
    return [field for field in fields if isinstance(field, ForeignKey)]


def _hangs(field: Any) -> bool:
    """Whether a row is nothing without what it points to."""
    return field.remote_field.on_delete in (CASCADE, PROTECT)
