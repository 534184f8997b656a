"""Change settings of a study: the one way, for the page and the API."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction

from annotation import events
from annotation.models import Study
from annotation.studies.creating import StudyError
from annotation.studies.setting_rules import as_stored, problems
from annotation.studies.settings import why_fixed
from annotation.studies.suiting import translate


class SettingsError(StudyError):
    """Nothing was changed. `reasons` are sentences by setting."""

    def __init__(self, reasons: Mapping[str, str]) -> None:
        self.reasons = dict(reasons)
        super().__init__(" ".join(self.reasons.values()))


def change_settings(
    *, study: Study, values: Mapping[str, object], user: User | None, now: datetime
) -> list[str]:
    """Give the study these settings. Return the names of those that are new.

    Raises:
        SettingsError: Its state has fixed one of them, or one will not do.
    """
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        language = locked.language
        changed = {
            name: value
            for name, value in as_stored(values).items()
            if value != getattr(locked, name)
        }
        for name, value in changed.items():
            setattr(locked, name, value)
        if reasons := _reasons(locked, changed):
            raise SettingsError(reasons)
        locked.save(update_fields=changed)
        if "language" in changed:  # last: it replaces standard words of the former one
            translate(study=locked, before=language)
        if changed and locked.state != Study.State.DRAFT:
            events.log(
                study=locked,
                verb="changed-settings",
                now=now,
                user=user,
                detail=", ".join(changed),
            )
    return [*changed]


def _reasons(study: Study, changed: Collection[str]) -> dict[str, str]:
    """Why the study cannot have these new settings."""
    fixed = {name: why_fixed(name, study.state) for name in changed}
    reasons = problems(study) | {name: why for name, why in fixed.items() if why}
    fields = {field.name for field in Study._meta.concrete_fields}
    try:
        study.full_clean(
            exclude=fields - {*changed},
            validate_unique=False,
            validate_constraints=False,  # in words among the problems
        )
    except ValidationError as error:
        messages = error.message_dict
        reasons |= {name: " ".join(messages[name]) for name in messages}
    return reasons
