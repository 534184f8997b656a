"""The page of the plan: made while the study is a draft, then locked and shown."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from annotation.access import get_study_for
from annotation.models import Study
from scoring.models import Plan
from scoring.results import plan as planning
from scoring.results.forms import plan as plan_forms
from scoring.results.plan import PlanError


@require_http_methods(["GET", "HEAD", "POST"])
def plan(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    found = planning.find(study=study)
    data = request.POST if request.method == "POST" else None
    form = plan_forms.PlanForm(data, instance=found, study=study)
    rows = plan_forms.metric_rows(study, found, data)
    if data is None or not (form.is_valid() and rows.is_valid()):
        context = _context(study, found, form=form, rows=rows)
        status = 400 if data else 200
        return render(request, "scoring/results/plan.html", context, status=status)
    try:
        what = {**form.cleaned_data, "metrics": plan_forms.chosen(rows)}
        planning.save(study=study, **what)
    except PlanError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, "Plan saved. It takes effect when you lock it.")
    return redirect("plan", study.name)


@require_POST
def plan_lock(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    try:
        planning.lock(study=study, user=request.user, now=timezone.now())
    except PlanError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, "Plan locked.")
    return redirect("plan", study.name)


def _context(study: Study, plan: Plan | None, **forms: Any) -> dict[str, object]:
    current = study.current_policy()
    locked = plan is not None and plan.locked_at is not None
    return {
        "study": study,
        "tab": "setup",
        "plan": plan,
        "locked": locked,
        "too_late": "" if locked else planning.why_too_late(study=study),
        "policy": current,
        "policy_changed": locked and plan.policy_id != current.pk,
        "coefficient": plan and planning.COEFFICIENTS[plan.coefficient],
        "grouping": plan and planning.GROUPINGS[plan.grouping],
        "metrics": [planning.named(one) for one in plan.metrics] if plan else [],
        **forms,
    }
