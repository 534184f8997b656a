from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import partial

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation import platforms
from annotation.access import get_study_for, sees_people
from annotation.models import Recruitment, Study
from annotation.watching import payments
from annotation.watching.payments import Bonus, Due
from evalapp.limits import forms as storable_forms


class RewardForm(storable_forms.Form):
    """Lives in the address, and so goes along with the downloads."""

    reward = forms.DecimalField(
        label="Reward that the platform pays each approved person",
        min_value=Decimal(0),
        max_digits=8,
        decimal_places=2,
        help_text="As set on the platform. The rest is paid as a bonus.",
    )


def _lists(study: Study, reward: Decimal) -> dict[str, Sequence[Due | Bonus]]:
    found = payments.dues(study=study)
    platform = platforms.of(study)
    paid = study.pay_per_page
    if platform and platform.grants_credit:
        paid = None  # nobody gets money there
    return {
        "approve": payments.approved(found),
        "reject": payments.rejected(found),
        "bonus": payments.bonuses(found, per_page=paid, reward=reward),
    }


def _reward(study: Study, form: RewardForm) -> Decimal:
    """As asked for; without that, as at Prolific, else the pay of one page."""
    if form.is_bound and form.is_valid():
        return form.cleaned_data["reward"]
    return _usual_reward(study)


def _usual_reward(study: Study) -> Decimal:
    there = Recruitment.objects.filter(study=study, reward__isnull=False).first()
    if there is not None and there.reward is not None:
        return Decimal(there.reward) / 100
    return study.pay_per_page or Decimal(0)


@sees_people
@require_safe
@never_cache
def study_payments(request: HttpRequest, name: str) -> HttpResponse:
    """How many people are on each list. Their ids are only in the files."""
    study = get_study_for(request.user, name)
    initial = {"reward": _usual_reward(study)}
    form = RewardForm(request.GET or None, initial=initial)
    reward = _reward(study, form)
    found = _lists(study, reward)
    context = {
        "study": study,
        "platform": platforms.of(study),
        "tab": "workers",
        "form": form,
        "reward": reward,
        "lists": found,
        "total": sum(row.amount for row in found["bonus"] if isinstance(row, Bonus)),
        # Asked where nothing else shows them: recruiting is switched off.
        "unsettled": partial(payments.unsettled, study=study),
        "n_forgotten": payments.n_forgotten(study=study),
    }
    return render(request, "annotation/watching/payments.html", context)


@sees_people
@require_safe
@never_cache
def payment_list(request: HttpRequest, name: str, which: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    found = _lists(study, _reward(study, RewardForm(request.GET or None)))
    if which not in found:
        raise Http404
    file_name = f"{study.name}-{which}.csv"
    return HttpResponse(
        payments.as_lines(found[which]),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{file_name}"'},
    )
