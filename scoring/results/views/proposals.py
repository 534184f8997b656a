"""The page on which marks of a metric are proposed to people, and what came of them."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotation.access import get_study_for
from annotation.models import Study
from annotation.page_kinds.proposals import ProposedError
from scoring.analyses.shared.page_words import n_of
from scoring.results import proposed_marks


@require_http_methods(["GET", "HEAD", "POST"])
def proposals(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    if request.method == "POST":
        try:
            _change(request, study)
        except ProposedError as error:
            messages.error(request, str(error))
        return redirect("proposals", study.name)
    context = {
        "study": study,
        "tab": "metrics",
        "draft": study.state == Study.State.DRAFT,
        "asks": proposed_marks.of(study) is not None,
        "offers": proposed_marks.offers(study),
        "outcome": proposed_marks.outcome(study),
    }
    return render(request, "scoring/results/proposals.html", context)


def _change(request: HttpRequest, study: Study) -> None:
    metric = request.POST.get("metric", "")
    if not metric:
        proposed_marks.withdraw(study=study)
        messages.success(request, "Nothing is proposed any more.")
        return
    proposed = proposed_marks.propose(study=study, metric=metric)
    marks, texts = n_of(proposed.marks, "mark"), n_of(proposed.texts, "text")
    messages.success(request, f"Proposed: {marks} in {texts}.")
    for reason, n in proposed.left_out.items():
        messages.warning(request, f"Left out: {n_of(n, 'mark')} that {reason}.")
