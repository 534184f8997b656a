"""Ask about more pairs, while nobody can start a page."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from annotation.access import get_study_for
from annotation.kinds.pairs import more_pairs
from annotation.kinds.pairs.forms import MorePairsForm
from annotation.surveys import DrawError
from annotation.votes import uncertainty
from evalapp.limits.once import at_most_once


@at_most_once
@require_POST
def study_more_pairs(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    form = MorePairsForm(request.POST)
    if not form.is_valid():
        for errors in form.errors.values():
            messages.error(request, " ".join(errors))
        return redirect("study_surveys", study.name)
    where = None
    if form.cleaned_data["by"] == MorePairsForm.UNCERTAIN:
        where = uncertainty.between_systems(study=study)
    try:
        new_pages = more_pairs.draw_more_pairs(
            study=study, n=form.cleaned_data["n"], variances=where
        )
    except DrawError as error:
        messages.error(request, str(error))
    else:
        n = len(new_pages)
        pages = "1 page was" if n == 1 else f"{n:,} pages were"
        messages.success(
            request, f"{pages} added. Workers get them when the study is open."
        )
    return redirect("study_surveys", study.name)
