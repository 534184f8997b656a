"""The log of a study: what was done, by whom and why."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import User

from annotation.models import Event, Study


def log(
    *,
    study: Study,
    verb: str,
    now: datetime,
    user: User | None = None,
    about: str = "",
    detail: str = "",
) -> Event:
    """Append a line.

    Args:
        study: Whose log it is.
        verb: What was done, a slug in the past tense: "excluded-worker".
        now: When.
        user: Who did it; None for the program itself, or a worker.
        about: To whom or what, by pseudonym or key: never a platform's id.
        detail: Why, or with what outcome, in a sentence.
    """
    return Event.objects.create(
        study=study,
        at=now,
        user=user,
        verb=verb,
        about=about[:200],
        detail=detail[:500],
    )
