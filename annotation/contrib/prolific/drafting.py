"""Put a study on Prolific: make a draft of what is known, then publish, pause, stop."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from annotation import events, platforms
from annotation.contrib.prolific import budget, prolific
from annotation.contrib.prolific.errors import RecruitingError
from annotation.contrib.prolific.prolific import AtProlific
from annotation.crowd.prolific_client import Client, Refused, Unknown
from annotation.models import Recruitment, Study

ASKING = timedelta(minutes=1)  # for which one attempt keeps others away
DEVICES = ("desktop", "tablet", "mobile")
COSTING = ("PUBLISH", "START")  # people come, and are paid
VERBS = {
    "PUBLISH": "published-at-prolific",
    "PAUSE": "paused-at-prolific",
    "START": "resumed-at-prolific",
    "STOP": "stopped-at-prolific",
}


class Wanted(NamedTuple):
    """What a researcher says of the draft."""

    description: str
    url: str  # with Prolific's placeholders
    places: int
    minutes: int
    reward: int  # in the smallest unit
    devices: Sequence[str]


def create(
    *,
    study: Study,
    wanted: Wanted,
    client: Client,
    now: datetime,
    user: User | None = None,
) -> Recruitment:
    """Make a draft there, or take over the one whose answer was lost.

    Raises:
        RecruitingError: The study is there already, or is not of Prolific.
        BudgetError: They may not spend.
        CallError: Prolific did not do it, or may have; then try again.
    """
    budget.check_permission(user)
    row = _begin(study, now)
    try:
        found = prolific.find_draft(client, internal_name(study))
        found = found or prolific.create_draft(client, facts(study, wanted))
    finally:
        Recruitment.objects.filter(pk=row.pk).update(asked_at=None)
    with transaction.atomic():
        note(row, found, now)
        events.log(
            study=study,
            verb="drafted-at-prolific",
            now=now,
            user=user,
            about=found.id,
            detail=f"{wanted.places} places, reward {prolific.in_units(wanted.reward)}",
        )
    return row


def transition(
    *,
    study: Study,
    action: str,
    client: Client,
    now: datetime,
    user: User | None = None,
) -> Recruitment:
    """Publish, pause, go on or stop; return what Prolific says afterwards.

    It may not have moved, where the request was lost on its way.

    Raises:
        RecruitingError: The study is not there, or workers could not come in.
        BudgetError: They may not spend, or it would pass a ceiling.
        CallError: Prolific did not do it, or may have.
    """
    row = known(study)
    held = 0
    if action in COSTING:
        budget.check_permission(user)
    if action == "PUBLISH":
        if study.state != Study.State.OPEN:
            raise RecruitingError(
                "The study is not open here, so nobody could rate. Open it first."
            )
        # Places and rewards may have been changed there.
        note(row, prolific.study(client, row.prolific_id), now)
        held = budget.hold_places(row=row, now=now)
    events.log(study=study, verb=VERBS[action], now=now, user=user, about="asked for")
    try:
        there = prolific.transition(client, row.prolific_id, action)
    except Refused:
        budget.release_places(row=row, amount=held)
        raise
    except Unknown:
        # Asking for the state is safe, and often says what the lost answer was.
        there = prolific.study(client, row.prolific_id)
    note(row, there, now)
    return row


def known(study: Study) -> Recruitment:
    """The study's row.

    Raises:
        RecruitingError: There is no draft yet.
    """
    row = Recruitment.objects.filter(study=study).exclude(prolific_id="").first()
    if row is None:
        raise RecruitingError("The study has no draft on Prolific yet.")
    return row


def internal_name(study: Study) -> str:
    """Researchers see it there. It finds a draft again whose answer was lost."""
    return f"{study.name} {study.public_id.hex[:12]}"


def facts(study: Study, wanted: Wanted) -> dict[str, Any]:
    """As Prolific takes a study."""
    return {
        "name": study.public_title,
        "internal_name": internal_name(study),
        "description": wanted.description,
        "external_study_url": wanted.url,
        "prolific_id_option": "url_parameters",
        "completion_codes": codes(study),
        "total_available_places": wanted.places,
        "estimated_completion_time": wanted.minutes,
        "reward": wanted.reward,
        "device_compatibility": list(wanted.devices),
        "peripheral_requirements": [],
        # Prolific then signs each link: see `crowd.signatures`.
        **({"is_external_study_url_secure": True} if _signs() else {}),
    }


def _signs() -> bool:
    return bool(settings.PROLIFIC_WORKSPACES)


def codes(study: Study) -> list[dict[str, Any]]:
    """Those that workers may read. All wait for a review, which is done here."""
    named = {
        study.screen_out_code: "OTHER",
        study.nothing_left_code: "OTHER",
        study.completion_code: "COMPLETED",  # the last counts where two are the same
    }
    return [
        {
            "code": code,
            "code_type": kind,
            "actions": [{"action": "MANUALLY_REVIEW"}],
        }
        for code, kind in reversed(named.items())
        if code
    ]


def note(row: Recruitment, found: AtProlific, now: datetime) -> None:
    """Keep what Prolific says of the study."""
    row.prolific_id, row.status, row.checked_at = found.id, found.status, now
    row.places, row.reward = found.places, found.reward
    row.currency, row.total_cost = found.currency, found.total_cost
    row.save(
        update_fields=[
            *("prolific_id", "status", "checked_at", "places", "reward"),
            *("currency", "total_cost"),
        ]
    )


def _begin(study: Study, now: datetime) -> Recruitment:
    """Let one attempt in. Of two at the same moment, the second is refused."""
    if study.platform != platforms.PROLIFIC:
        raise RecruitingError(
            f"Workers of this study come from {study.get_platform_display()}."
        )
    if study.simulated:
        raise RecruitingError("The workers of this study are simulated.")
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        row, _ = Recruitment.objects.get_or_create(study=study)
        if row.prolific_id:
            raise RecruitingError("The study is on Prolific already.")
        if row.asked_at and now - row.asked_at < ASKING:
            raise RecruitingError("Someone is creating the draft right now.")
        row.asked_at = now
        row.save(update_fields=["asked_at"])
    return row
