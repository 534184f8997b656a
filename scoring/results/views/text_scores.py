"""What every metric gave one text, for the page with all its ratings."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.access import get_study_for
from scoring.results import two_texts


@require_safe
def text_scores(request: HttpRequest, name: str) -> HttpResponse:
    """A part of a page, or a page of its own where nothing asks for the part."""
    study = get_study_for(request.user, name)
    texts = study.generations.select_related("prompt__label", "system")
    key = request.GET.get("key", "").strip()
    text = texts.filter(key=key).first() if key else None
    if key and text is None:
        raise Http404("The study has no text with this key.")
    rows = []
    if text is not None:
        # A text beside itself: the same numbers and ranks as in a comparison.
        rows = two_texts.measured(study=study, a=text, b=text, people=())
    context = {"study": study, "tab": "results", "text": text, "rows": rows}
    part = "HX-Request" in request.headers
    template = "_text_scores.html" if part else "text_scores.html"
    return render(request, f"scoring/results/{template}", context)
