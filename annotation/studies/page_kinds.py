"""What the pages of a study ask for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from annotation import events
from annotation.models import PageKind, Practice, Study
from annotation.studies.creating import StudyError
from annotation.studies.suiting import suit


def choose(
    *,
    study: Study,
    kinds: Sequence[str],
    offered: Sequence[str],
    pairs_per_text: int | None,
    pair_ties: bool,
    pair_strength: bool,
    user: User | None,
    now: datetime,
) -> None:
    """Let a draft ask on pages of these kinds, in this order.

    Args:
        study: A draft.
        kinds: Of pages, each once.
        offered: Kinds that can be drawn.
        pairs_per_text: As in the model, like what follows.
        pair_ties: See there.
        pair_strength: See there.
        user: Who chose.
        now: When.

    Raises:
        StudyError: It is no draft, or these kinds cannot be asked.
    """
    if reason := why_not(study=study, kinds=kinds, offered=offered):
        raise StudyError(reason)
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        if locked.state != Study.State.DRAFT:
            raise StudyError("You can choose this only before the study opens.")
        locked.page_kinds = list(kinds)
        locked.pairs_per_text = pairs_per_text
        locked.pair_ties, locked.pair_strength = pair_ties, pair_strength
        fields = ["page_kinds", "pairs_per_text", "pair_ties", "pair_strength"]
        locked.save(update_fields=fields)
        suit(study=locked)
        events.log(
            study=locked,
            verb="chose-page-kinds",
            now=now,
            user=user,
            detail=", ".join(kinds),
        )


def why_not(*, study: Study, kinds: Sequence[str], offered: Sequence[str]) -> str:
    """Why a study cannot have pages of these kinds; empty where it can."""
    if reason := wrong(kinds=kinds, offered=offered):
        return reason
    if reason := study.why_no_part(kinds):
        return reason
    if PageKind.RATINGS not in kinds and Practice.objects.filter(study=study).exists():
        return (
            "The practice page asks for ratings. Remove it first, or keep pages of"
            " ratings."
        )
    return ""


def wrong(*, kinds: Sequence[str], offered: Sequence[str]) -> str:
    """Why no study can have pages of these kinds; empty where one can."""
    known = ", ".join(offered)
    if not kinds:
        return f"Expected at least one kind of page, of {known}."
    if unknown := [kind for kind in kinds if kind not in offered]:
        return f"Expected kinds of pages from {known}, got {', '.join(unknown)}."
    if len(set(kinds)) < len(kinds):
        return "Each kind of page can be used once."
    return ""
