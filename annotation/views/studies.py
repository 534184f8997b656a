from __future__ import annotations

from collections.abc import Callable, Iterable

from django.contrib import messages
from django.db import transaction
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.forms import BaseModelForm, BaseModelFormSet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation import summary, surveys
from annotation.forms import AspectFormSet, PolicyForm, SettingsForm
from annotation.models import Generation, Seat, Study
from annotation.views.access import get_study_for, page_of


@require_GET
def studies(request: HttpRequest) -> HttpResponse:
    rows = _with_counts(Study.objects.visible_to(request.user).select_related("owner"))
    return render(request, "annotation/studies.html", {"page": page_of(request, rows)})


def _with_counts(rows: QuerySet[Study]) -> QuerySet[Study]:
    """Add the number of texts and of valid pages. Still one query."""
    texts = Generation.objects.filter(study=OuterRef("pk")).order_by()
    pages = Seat.objects.filter(survey__study=OuterRef("pk")).order_by()
    return rows.annotate(
        n_texts=_count(texts.values("study")),
        n_pages=_count(pages.filter(state=Seat.State.VALID).values("survey__study")),
    )


def _count(rows: QuerySet) -> Coalesce:
    return Coalesce(Subquery(rows.annotate(n=Count("pk")).values("n")), 0)


@require_GET
def study(request: HttpRequest, name: str) -> HttpResponse:
    found = get_study_for(request.user, name)
    covered = summary.coverage(study=found)
    agreement = summary.agreement(study=found)
    context = {
        **_progress(found, covered),
        "tab": "overview",
        "step": summary.next_step(study=found, covered=covered),
        "table": summary.table_1(study=found),
        "agreement": agreement,
        "only_means": summary.only_means(study=found, agreement=agreement),
        "worker_url": request.build_absolute_uri(found.get_worker_url()),
        "policy": found.current_policy(),
    }
    return render(request, "annotation/study.html", context)


@require_GET
def study_progress(request: HttpRequest, name: str) -> HttpResponse:
    """The part of the overview that an open study refreshes."""
    found = get_study_for(request.user, name)
    context = _progress(found, summary.coverage(study=found))
    return render(request, "annotation/_progress.html", context)


def _progress(study: Study, covered: summary.Coverage) -> dict:
    now = timezone.now()
    return {
        "study": study,
        "coverage": covered,
        "seats": summary.seats(study=study),
        "discards": summary.discards(study=study),
        "hours_left": summary.hours_left(study=study, left=covered.left, now=now),
    }


@require_http_methods(["GET", "POST"])
def study_settings(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    draft = study.state == Study.State.DRAFT
    data = request.POST if request.method == "POST" and draft else None
    forms = {
        "form": SettingsForm(data, instance=study),
        "policy": PolicyForm(data, instance=study.current_policy(), study=study),
        "aspects": AspectFormSet(data, queryset=study.aspects.all(), prefix="aspects"),
    }
    if data is not None and all(form.is_valid() for form in forms.values()):
        if _save(study, forms.values()):
            messages.success(request, "The settings are saved.")
        else:
            messages.error(request, "The study was opened just now: nothing is saved.")
        return redirect("study_settings", study.name)
    context = {"study": study, "tab": "overview", "draft": draft, **forms}
    return render(request, "annotation/study_settings.html", context)


def _save(study: Study, forms: Iterable[BaseModelForm | BaseModelFormSet]) -> bool:
    """Save all of them, unless the study has been opened in the meantime."""
    with transaction.atomic():
        drafts = Study.objects.select_for_update().filter(state=Study.State.DRAFT)
        if not drafts.filter(pk=study.pk).first():
            return False
        for form in forms:
            form.save()
    return True


@require_POST
def study_open(request: HttpRequest, name: str) -> HttpResponse:
    return _change(request, name, surveys.open_study, "open: workers can rate now")


@require_POST
def study_pause(request: HttpRequest, name: str) -> HttpResponse:
    return _change(request, name, surveys.pause, "paused: nobody can start a page")


@require_POST
def study_close(request: HttpRequest, name: str) -> HttpResponse:
    return _change(request, name, surveys.close, "closed")


def _change(request: HttpRequest, name: str, verb: Callable, done: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    try:
        verb(study=study)
    except surveys.TransitionError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"The study {study} is {done}.")
    return redirect(study)
