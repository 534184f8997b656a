"""The page "Recruit" of a study on Prolific. Each button is one POST, and says what
became of it; only editors and owners may press them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation import platforms
from annotation.access import get_study_for, sees_people
from annotation.contrib.prolific import (
    approving,
    drafting,
    matching,
    paying,
    prolific,
)
from annotation.contrib.prolific.errors import RecruitingError
from annotation.contrib.prolific.forms import DraftForm, RejectForm
from annotation.crowd import prolific_client
from annotation.crowd.prolific_client import CallError, Client, Unknown
from annotation.models import BonusBatch, Recruitment, Study, Submission
from evalapp.spending import confirming
from evalapp.spending.confirming import NotConfirmed

# State at Prolific -> what can be done with the study there.
MOVES = {
    "UNPUBLISHED": ["publish"],
    "ACTIVE": ["pause", "stop"],
    "PAUSED": ["start", "stop"],
}
SHOWN = 1000  # submissions; buttons are about all of them


@sees_people
@never_cache
@require_safe
def study_recruit(request: HttpRequest, name: str) -> HttpResponse:
    return _page(request, get_study_for(request.user, name))


@never_cache
@require_POST
def recruit_draft(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    form = DraftForm(request.POST, study=study)
    if not form.is_valid():
        return _page(request, study, form, status=400)
    platform = platforms.of(study)
    link = request.build_absolute_uri(study.get_worker_url())
    wanted = form.wanted(link + (platform.link_end if platform else ""))
    try:
        drafting.create(
            study=study,
            wanted=wanted,
            client=prolific_client.site(),
            now=timezone.now(),
            user=request.user,
        )
    except (RecruitingError, CallError) as error:
        form.add_error(None, str(error))
        return _page(request, study, form, status=400)
    messages.success(request, "The draft is on Prolific. It costs nothing so far.")
    return redirect("study_recruit", name)


@require_POST
def recruit_move(request: HttpRequest, name: str, action: str) -> HttpResponse:
    if action not in map(str.lower, prolific.ACTIONS):
        raise Http404

    def move(study: Study, client: Client) -> str:
        if action == "publish":
            confirming.confirm(request)
        row = drafting.transition(
            study=study,
            action=action.upper(),
            client=client,
            now=timezone.now(),
            user=request.user,
        )
        return f"Prolific says that the study is {row.status.lower()} now."

    return _do(request, name, move)


@require_POST
def recruit_refresh(request: HttpRequest, name: str) -> HttpResponse:
    def refresh(study: Study, client: Client) -> str:
        matching.refresh(study=study, client=client, now=timezone.now())
        return "This is up to date with Prolific."

    return _do(request, name, refresh)


@require_POST
def recruit_approve(request: HttpRequest, name: str) -> HttpResponse:
    def approve(study: Study, client: Client) -> str:
        n = approving.approve(
            study=study, client=client, now=timezone.now(), user=request.user
        )
        if not n:
            return "Nobody is waiting for approval."
        return f"Prolific is approving {n} submission{'s' * (n != 1)}."

    return _do(request, name, approve)


@require_POST
def recruit_reject(request: HttpRequest, name: str, pk: int) -> HttpResponse:
    def reject(study: Study, client: Client) -> str:
        form = RejectForm(request.POST)
        if not form.is_valid():
            said = [one for found in form.errors.values() for one in found]
            raise RecruitingError(" ".join(said))
        approving.reject(
            study=study,
            submission=get_object_or_404(Submission, pk=pk, recruitment__study=study),
            client=client,
            now=timezone.now(),
            user=request.user,
            **form.cleaned_data,
        )
        return "The submission is rejected."

    return _do(request, name, reject)


@require_POST
def recruit_bonuses(request: HttpRequest, name: str) -> HttpResponse:
    def set_up(study: Study, client: Client) -> str:
        paying.set_up(study=study, client=client, now=timezone.now(), user=request.user)
        return "The bonuses are set up. Nothing is paid yet: read what they cost."

    return _do(request, name, set_up)


@require_POST
def recruit_pay(request: HttpRequest, name: str) -> HttpResponse:
    def pay(study: Study, client: Client) -> str:
        batch = _batch(request, study)
        confirming.confirm(request)
        paying.pay(
            batch=batch,
            total=request.POST.get("total", ""),
            client=client,
            now=timezone.now(),
            user=request.user,
        )
        return "Prolific is paying the bonuses, in the next minutes."

    return _do(request, name, pay)


@require_POST
def recruit_check(request: HttpRequest, name: str) -> HttpResponse:
    def check(study: Study, client: Client) -> str:
        batch = _batch(request, study)
        found = paying.check(batch=batch, client=client, now=timezone.now())
        if found.is_paid:
            return "Prolific shows all these bonuses: they are paid."
        return (
            f"Prolific shows the bonus of {found.seen} of {found.people} people. It can"
            " take some minutes."
        )

    return _do(request, name, check)


@require_POST
def recruit_drop(request: HttpRequest, name: str) -> HttpResponse:
    def drop(study: Study, _: Client) -> str:
        batch = _batch(request, study)
        paying.drop(batch=batch, now=timezone.now(), user=request.user)
        return "These bonuses are not paid."

    return _do(request, name, drop)


def _do(
    request: HttpRequest, name: str, work: Callable[[Study, Client], str]
) -> HttpResponse:
    """Do it, and say on the page what became of it."""
    study = get_study_for(request.user, name)
    try:
        messages.success(request, work(study, prolific_client.site()))
    except Unknown as error:
        messages.warning(request, str(error))
    except (RecruitingError, CallError, NotConfirmed) as error:
        messages.error(request, str(error))
    return redirect("study_recruit", name)


def _batch(request: HttpRequest, study: Study) -> BonusBatch:
    pk = request.POST.get("batch", "")
    rows = BonusBatch.objects.filter(recruitment__study=study)
    known = rows.select_related("recruitment__study")
    if not (pk.isascii() and pk.isdecimal() and len(pk) < 19):
        raise Http404
    return get_object_or_404(known, pk=int(pk))


def _page(
    request: HttpRequest, study: Study, form: DraftForm | None = None, status: int = 200
) -> HttpResponse:
    row = Recruitment.objects.filter(study=study).exclude(prolific_id="").first()
    context: dict[str, Any] = {
        "study": study,
        "tab": "workers",
        "is_there": study.platform == platforms.PROLIFIC,
        "has_token": bool(settings.PROLIFIC_TOKEN),
        "row": row,
        "has_password": confirming.has_password(request.user),
    }
    if row is None:
        context["form"] = form or DraftForm(study=study)
    else:
        context |= _there(study, row)
    return render(
        request, "annotation/contrib/prolific/recruit.html", context, status=status
    )


def _there(study: Study, row: Recruitment) -> dict[str, Any]:
    now = timezone.now()
    batch = row.batches.filter(state__in=BonusBatch.OPEN).first()
    people = matching.table(study=study, row=row)
    owed = sum(one.due or 0 for one in people)
    units = prolific.in_units
    return {
        "moves": MOVES.get(row.status, []),
        "people": [
            (one, units(one.due) if one.due else None) for one in people[:SHOWN]
        ],
        "n_hidden": max(0, len(people) - SHOWN),
        "counts": sorted(row.counts.items()),
        "n_due": len(approving.due(study=study, now=now)),
        "owed": units(owed) if owed else None,
        "most": prolific.MOST_AT_ONCE,
        "reward": units(row.reward) if row.reward is not None else None,
        "total_cost": units(row.total_cost) if row.total_cost is not None else None,
        "spent": {
            kind: units(amount) if amount is not None else None
            for kind, amount in row.cost.items()
        },
        "batch": batch,
        "agreed": paying.agreed(batch) if batch else "",
        "is_unknown": batch
        and (batch.state == BonusBatch.State.UNKNOWN or paying.is_stale(batch, now)),
        "may_say_unpaid": batch and paying.may_say_unpaid(batch, now),
        "past": row.batches.exclude(state__in=BonusBatch.OPEN)[:20],
        "reject_form": RejectForm() if any(one.is_rejectable for one in people) else 0,
    }
