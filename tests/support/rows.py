"""A row of any kind of work: what its table requires, and no more."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import models

from annotation.models import Policy, Study
from evalapp.work.kinds import Work
from evalapp.work.models import Leased

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
# What is not empty where something asks for its meaning.
VALUES: dict[str, dict[str, Any]] = {
    "analyses": {"name": "agreement"},
    "summaries": {"name": "filled"},
    "probes": {"protocol": "surface"},
}


def row_of(work: Work[Any, Any], study: Study) -> Leased:
    """A queued row of the study. The first related row of a kind says whose part it is:
    of a run, say, and not of a training, where both are in one table."""
    whose = work.related[0].partition("__")[0]
    row = _made(work.model, study, whose, **VALUES.get(work.name, {}))
    assert work.rows().filter(pk=row.pk).exists()
    return row


def job_of(work: Work[Any, Any], study: Study) -> Any:
    """What the owner of the study sees of the one row in it."""
    seen = Study.objects.visible_to(study.owner).get(pk=study.pk)
    return work.jobs(study=seen, user=study.owner).get()


def ended_job(work: Work[Any, Any], study: Study, state: str) -> Any:
    """The same, once all of it has ended so."""
    for model in (type(job_of(work, study)), work.model):
        model._default_manager.update(state=state, error="no")
    return job_of(work, study)


def _made(model: type[models.Model], study: Study, *wanted: str, **values: Any) -> Any:
    for field in model._meta.fields:
        is_open = field.null or field.has_default() or field.primary_key
        is_needed = field.name in wanted or not is_open
        value = _value(field, study) if is_needed else None
        if value is not None:
            values.setdefault(field.name, value)
    return model._default_manager.create(**values)


def _value(field: models.Field[Any, Any], study: Study) -> Any:
    if isinstance(field, models.ForeignKey):
        target = field.related_model
        if target in (Study, Policy):
            return study if target is Study else study.current_policy()
        wanted = ("study", "upload")  # an upload of a study, where both can be
        return study.owner if target is User else _made(target, study, *wanted)
    if isinstance(field, models.DateTimeField):
        return NOON
    if isinstance(field, models.SlugField):
        return "x"
    return 0 if isinstance(field, models.IntegerField) else None
