from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from annotation import surveys
from annotation.access import get_study_for
from annotation.models import Study
from annotation.setup import kinds
from annotation.setup.checklist import State, checklist, points
from annotation.setup.fixed import fixed
from annotation.setup.forms import PageKindsForm
from annotation.setup.needs import needs
from annotation.studies import StudyError, choose_kinds
from annotation.watching import progress

OPENED = "open: workers can rate now"
ATTENTION = (State.MISSING, State.CHECK, State.NOT_YET)


@require_safe
def study_setup(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    sections = checklist(study=study)
    draft = study.state == Study.State.DRAFT
    context = {
        "study": study,
        "tab": "setup",
        "sections": sections,
        "stops": points(sections, State.STOPS),
        "missing": points(sections, *ATTENTION),
        "draft": draft,
        "elsewhere": draft and progress.coverage(study=study).imported,
        "opening": surveys.progress(study=study),
        "damageable": _damageable(study),
        "needs": needs(study=study, user=request.user, asked=request.GET),
    }
    return render(request, "annotation/setup/setup.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def study_kinds(request: HttpRequest, name: str) -> HttpResponse:
    """Which kinds of pages a study has, and in which order."""
    study = get_study_for(request.user, name)
    form = PageKindsForm(request.POST or None, instance=study)
    if form.is_bound and form.is_valid():
        now = timezone.now()
        try:
            choose_kinds(study=study, user=request.user, now=now, **form.chosen())
        except StudyError as error:
            messages.error(request, str(error))
        else:
            form.save_own()
            messages.success(request, "Kinds of pages saved.")
        return redirect("study_kinds", study.name)
    context = {
        "study": study,
        "tab": "setup",
        "draft": study.state == Study.State.DRAFT,
        "form": form,
        "kinds": kinds.described(study=study),
    }
    status = 400 if form.is_bound else 200
    return render(request, "annotation/setup/kinds.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def study_open(request: HttpRequest, name: str) -> HttpResponse:
    """Ask before a draft opens: most of it is fixed from then on."""
    study = get_study_for(request.user, name)
    if request.method == "POST":
        return _open(request, study)
    if study.state != Study.State.DRAFT:
        return redirect(study)
    sections = checklist(study=study)
    context = {
        "study": study,
        "tab": "setup",
        "stops": points(sections, State.STOPS),
        "warnings": [
            point
            for point in points(sections, *ATTENTION, State.OPTIONAL)
            if point.warning
        ],
        "fixed": fixed(study=study),
        "opening": surveys.progress(study=study),
    }
    return render(request, "annotation/setup/open.html", context)


def _open(request: HttpRequest, study: Study) -> HttpResponse:
    draft = study.state == Study.State.DRAFT
    try:
        asked = surveys.start_opening(study=study, user=request.user)
    except surveys.TransitionError as error:
        messages.error(request, str(error))
        return redirect("study_setup", study.name) if draft else redirect(study)
    if asked is None:
        messages.success(request, f"The study {study} is {OPENED}.")
    return redirect(study)


@require_POST
def study_damaged_texts(request: HttpRequest, name: str) -> HttpResponse:
    """Choose which pages hide a damaged text."""
    study = get_study_for(request.user, name)
    choice = request.POST.get("damaged_texts", "")
    drafts = Study.objects.filter(pk=study.pk, state=Study.State.DRAFT)
    known = choice in Study.DamagedTexts.values
    if known and drafts.update(damaged_texts=choice):
        label = Study.DamagedTexts(choice).label
        messages.success(request, f"Damaged texts: {label}.")
    else:
        messages.error(request, "You can choose this only before the study opens.")
    return redirect("study_setup", study.name)


def _damageable(study: Study) -> surveys.Damageable | None:
    """What pages allow a damaged text, where that is still to be decided."""
    covered = progress.coverage(study=study)
    if study.state != Study.State.DRAFT or not covered.texts or covered.imported:
        return None
    return surveys.damageable(study=study)
