"""The answer at the top of Results, and in short on Overview."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotation.access import get_study_for
from annotation.models import Study
from scoring import analyses
from scoring.analyses.answer import page as showing
from scoring.analyses.answer import page_paper
from scoring.analyses.answer.result import OfAspect, Result
from scoring.drawing.charts import drawn
from scoring.models import MetricRun
from scoring.results import answer, planned
from scoring.results.views.analyses import as_of, waiting
from scoring.scores.options import bundled
from scoring.stats.answer.sentences import lower


@require_safe
def card(request: HttpRequest, name: str) -> HttpResponse:
    """The sentences alone; asked for again and again while a worker is at them."""
    study = get_study_for(request.user, name)
    found = _found(study, {})
    on_results = "as_of" in request.GET
    if on_results and request.GET["as_of"] != found["as_of"]:
        return HttpResponse(headers={"HX-Refresh": "true"})
    fragment = "_answer_state.html" if on_results else "_answer_short.html"
    done = study.runs.filter(state=MetricRun.State.DONE)
    small = bundled(*done.values_list("options", flat=True))
    context = {"study": study, "answer": found, "bundled": small}
    return render(request, f"scoring/results/{fragment}", context)


def context(*, study: Study, which: Mapping[str, object]) -> dict[str, object]:
    """What the top of Results shows, charts included."""
    found = _found(study, which)
    result = found["result"]
    cards = []
    if result is not None:
        said = _planned(study)
        cards = [_card(result, one, said) for one in result["aspects"]]
    return {**found, "cards": cards}


def _found(study: Study, which: Mapping[str, object]) -> dict[str, Any]:
    lacks = answer.missing(study=study)
    row = None if lacks else answer.find(study=study, now=timezone.now(), **which)
    return {
        "missing": lacks,
        "row": row,
        "result": answer.of(row),
        "as_planned": answer.as_planned(study=study),
        # For its tables: this answer, and no other.
        "query": answer.query(study=study, **which),
        "as_of": as_of(row),
        **waiting(row),
    }


def _planned(study: Study) -> str:
    """Whether it was planned, within a sentence."""
    options = analyses.options(answer.NAME, {})
    found = planned.status(study=study, analysis=answer.NAME, options=options)
    return lower(found.words.rstrip("."))


def _card(result: Result, one: OfAspect, said: str) -> dict[str, object]:
    section = showing.card(result, one)
    chart = drawn(section.chart)
    return {
        "aspect": one,
        "section": section,
        "figure": json.loads(chart.to_json()) if chart else None,
        "how": showing.how(result, one),
        "paper": page_paper.sentence(result, one, planned=said),
    }
