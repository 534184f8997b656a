"""What the pages of a study ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from annotation import events, page_kinds
from annotation.models import Practice, Study
from annotation.studies.creating import StudyError
from annotation.studies.suiting import suit


def choose(
    *,
    study: Study,
    kinds: Sequence[str],
    options: Mapping[str, object],
    user: User | None,
    now: datetime,
) -> None:
    """Let a draft ask on pages of these kinds, in this order.

    Args:
        study: A draft.
        kinds: Of pages, each once.
        options: Fields of the study that pages of a kind follow, by name.
        user: Who chose.
        now: When.

    Raises:
        StudyError: It is no draft, or these kinds cannot be asked.
    """
    if reason := why_not(study=study, kinds=kinds):
        raise StudyError(reason)
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        if locked.state != Study.State.DRAFT:
            raise StudyError("You can choose this only before the study opens.")
        locked.page_kinds = list(kinds)
        for name, value in options.items():
            setattr(locked, name, value)
        locked.save(update_fields=["page_kinds", *options])
        suit(study=locked)
        events.log(
            study=locked,
            verb="chose-page-kinds",
            now=now,
            user=user,
            detail=", ".join(kinds),
        )


def why_not(*, study: Study, kinds: Sequence[str]) -> str:
    """Why a study cannot have pages of these kinds; empty where it can."""
    if reason := wrong(kinds=kinds):
        return reason
    if reason := study.why_no_part(kinds):
        return reason
    if Practice.objects.filter(study=study).exists() and not (
        page_kinds.practice_of(kinds)
    ):
        return (
            "The practice page asks for what these pages do not ask. Remove it"
            " first, or keep the pages that it is for."
        )
    return ""


def wrong(*, kinds: Sequence[str]) -> str:
    """Why no study can have pages of these kinds; empty where one can."""
    known = ", ".join(page_kinds.names())
    if not kinds:
        return f"Expected at least one kind of page, of {known}."
    if unknown := [kind for kind in kinds if kind not in page_kinds.names()]:
        return f"Expected kinds of pages from {known}, got {', '.join(unknown)}."
    if len(set(kinds)) < len(kinds):
        return "Each kind of page can be used once."
    return ""
