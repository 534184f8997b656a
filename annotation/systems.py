"""Which systems of a study are people: what pages call human or real text."""

from __future__ import annotations

import datetime
from collections.abc import Collection

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils import timezone

from annotation import events
from annotation.models import Study, System


def set_human(
    *,
    study: Study,
    names: Collection[str],
    user: AbstractBaseUser | None = None,
    now: datetime.datetime | None = None,
) -> None:
    """These systems are people, all others of the study are generators."""
    human = study.systems.filter(kind=System.Kind.HUMAN).values_list("name", flat=True)
    if set(human) == set(names):
        return
    with transaction.atomic():
        people = study.systems.filter(name__in=names)
        study.systems.exclude(name__in=names).update(kind=System.Kind.GENERATOR)
        people.update(kind=System.Kind.HUMAN)
        events.log(
            study=study,
            verb="set-human-systems",
            now=now or timezone.now(),
            user=user,
            detail=", ".join(sorted(names)) or "none",
        )
