"""The pages of the stress lab and of anchors."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from annotation.access import get_study_for
from annotation.models import Study
from evalapp.limits.once import at_most_once
from scoring.contrib.judge_lab.forms import AnchorsForm, StressForm
from scoring.drawing.charts import drawn
from scoring.drawing.words import sentence
from scoring.judging import (
    anchor_sections,
    anchor_sets,
    anchors,
    drift_wording,
    stress,
    trials,
    usage_report,
)
from scoring.judging.forms.limits import LimitForm
from scoring.judging.ledger import LimitError
from scoring.judging.text_sample import words_of
from scoring.judging.trial_pages import judge_of
from scoring.judging.trials import TrialError
from scoring.metrics import MetricError, OptionError
from scoring.models import AnchorSet, JudgeTrial

REFUSED = (LimitError, MetricError, OptionError, TrialError)
LABS = 20  # on the page, the newest


@require_safe
def stress_page(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    return _stress(request, study, StressForm(study))


@at_most_once
@require_http_methods(["GET", "HEAD", "POST"])
def stress_agree(request: HttpRequest, name: str) -> HttpResponse:
    """What would be sent, and who agrees to it. The address carries the choices."""
    study = get_study_for(request.user, name)
    if not request.GET:
        return redirect("judge_stress", name)
    form = StressForm(study, request.GET)
    if not form.is_valid():
        return _stress(request, study, form, status=400)
    try:
        options, chosen = form.options(), form.setup()
        setup = stress.validate_setup(study, chosen)
        limit_form = LimitForm(stress.estimate(study, options, setup), _sent(request))
        if limit_form.is_valid():
            kind, limit = JudgeTrial.Kind.STRESS, limit_form.limit()
            choices = {"options": options, "setup": chosen, "user": request.user}
            return redirect(
                trials.start(study=study, kind=kind, limit=limit, **choices)
            )
    except REFUSED as error:
        form.add_error(None, sentence(error))
        return _stress(request, study, form, status=400)
    return _agree(request, study, limit_form, words_of(options), "stress")


@require_safe
def anchors_page(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    return _anchors(request, study, AnchorsForm(study))


@at_most_once
@require_http_methods(["GET", "HEAD", "POST"])
def anchors_agree(request: HttpRequest, name: str) -> HttpResponse:
    """As for the stress lab; what is agreed to holds for each asking."""
    study = get_study_for(request.user, name)
    if not request.GET:
        return redirect("judge_anchors", name)
    form = AnchorsForm(study, request.GET)
    if not form.is_valid():
        return _anchors(request, study, form, status=400)
    try:
        options, chosen = form.options(), form.cleaned_data
        texts = anchors.draw_anchors(study, chosen["question"], chosen["texts"])
        limit_form = LimitForm(anchors.estimate(options, texts), _sent(request))
        if limit_form.is_valid():
            choices = {"looks": chosen["looks"], "limit": limit_form.limit()}
            anchor_sets.freeze(
                study=study, options=options, texts=texts, user=request.user, **choices
            )
            return redirect("judge_anchors", study.name)
    except REFUSED as error:
        form.add_error(None, sentence(error))
        return _anchors(request, study, form, status=400)
    more = {
        "looks": chosen["looks"],
        "rated": sum(text["human"] is not None for text in texts),
    }
    return _agree(request, study, limit_form, words_of(options), "anchors", **more)


@at_most_once
@require_POST
def anchors_ask(request: HttpRequest, name: str, anchors: int) -> HttpResponse:
    study = get_study_for(request.user, name)
    held = get_object_or_404(AnchorSet, study=study, pk=anchors)
    try:
        anchor_sets.ask(anchors=held, user=request.user)
    except REFUSED as error:
        messages.error(request, sentence(error))
    return redirect("judge_anchors", study.name)


@require_POST
def anchors_end(request: HttpRequest, name: str, anchors: int) -> HttpResponse:
    study = get_study_for(request.user, name)
    anchor_sets.end(anchors=get_object_or_404(AnchorSet, study=study, pk=anchors))
    return redirect("judge_anchors", study.name)


def _sent(request: HttpRequest) -> Any:
    return request.POST if request.method == "POST" else None


def _agree(
    request: HttpRequest,
    study: Study,
    form: LimitForm,
    question: str,
    kind: str,
    **more: Any,
) -> HttpResponse:
    context = {"estimate": form.estimate, "limit_form": form, "question": question}
    return render(
        request,
        f"scoring/contrib/judge_lab/{kind}_agree.html",
        {"study": study, "tab": "metrics", **context, **more},
        status=400 if form.is_bound else 200,
    )


def _stress(
    request: HttpRequest, study: Study, form: StressForm, status: int = 200
) -> HttpResponse:
    rows = study.judge_trials.filter(kind=JudgeTrial.Kind.STRESS)
    rows = rows.select_related("study").defer("result")[:LABS]
    context = {
        "study": study,
        "tab": "metrics",
        "form": form,
        "rows": [(row, judge_of(row.options), words_of(row.options)) for row in rows],
    }
    return render(
        request, "scoring/contrib/judge_lab/stress.html", context, status=status
    )


def _anchors(
    request: HttpRequest, study: Study, form: AnchorsForm, status: int = 200
) -> HttpResponse:
    context = {
        "study": study,
        "tab": "metrics",
        "form": form,
        "sets": [_set_context(held) for held in study.anchor_sets.all()],
        # Names files that the page saves.
        "analysis": "anchors",
    }
    return render(
        request, "scoring/contrib/judge_lab/anchors.html", context, status=status
    )


def _set_context(held: AnchorSet) -> dict[str, Any]:
    """A set with what is known of it."""
    rounds = anchors.history(held)
    rows = anchors.askings(held)
    section = anchor_sections.section(held, rounds)
    figure = drawn(section.chart)
    used = max(0, len(rounds) - 1)
    return {
        "held": held,
        "judge": judge_of(held.options),
        "question": words_of(held.options),
        "rated": sum(each["human"] is not None for each in held.texts),
        "mark": drift_wording.mark(
            [(each.trial.finished_at, each.look) for each in rounds]
        ),
        "used": used,
        "left": held.looks - used,
        "section": section,
        "figure": json.loads(figure.to_json()) if figure else None,
        "trial": rounds[-1].trial if rounds else None,
        "last": rows[-1] if rows else None,
        # To ask again would spend the same and stop at the same place.
        "stopped": bool(rows) and usage_report.reached(rows[-1]),
    }
