from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.forms import BaseForm, BaseFormSet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.request import split_domain_port
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from annotation import kept, platforms, surveys
from annotation.access import get_study_for, page_of
from annotation.models import (
    Annotation,
    Generation,
    Import,
    ImportedMean,
    Opening,
    Place,
    Seat,
    Study,
)
from annotation.setup.checklist import CHECKED, note_once
from annotation.setup.pay import pay
from annotation.studies import StudyError, change_settings
from annotation.views.forms.setup import AspectFormSet, SettingsForm
from annotation.watching import progress, summary
from evalapp.work.views import cancel_view, progress_view


@require_safe
def studies(request: HttpRequest) -> HttpResponse:
    """Those at work, the newest first; with ?archived=1 those that are put away."""
    archived = "archived" in request.GET
    mine = Study.objects.visible_to(request.user)
    rows = _with_counts(mine.filter(archived_at__isnull=not archived))
    if request.user.is_staff:  # who are told the owners
        rows = rows.prefetch_related("members__user")
    context = {
        "page": page_of(request, rows.order_by("-created_at", "-pk")),
        "archived": archived,
        "n_archived": mine.exclude(archived_at=None).count(),
        "stored_into": Study.objects.stored_into_of(request.user),
        "n_deleted": Study.objects.deleted_of(request.user).count(),
    }
    return render(request, "annotation/views/studies.html", context)


def _with_counts(rows: QuerySet[Study]) -> QuerySet[Study]:
    """Add the number of texts, of valid pages and of those wanted. Still one query."""
    texts = Generation.objects.filter(study=OuterRef("pk")).order_by()
    pages = Seat.objects.filter(survey__study=OuterRef("pk")).order_by()
    places = Place.objects.filter(study=OuterRef("pk")).order_by()
    wanted = places.filter(number__lte=OuterRef("ratings_per_text"))
    # By file: in a study that is rated here, millions of ratings have none.
    rated = Annotation.objects.filter(imported=OuterRef("pk"))
    means = ImportedMean.objects.filter(imported=OuterRef("pk"))
    files = Import.objects.filter(study=OuterRef("pk"))
    return rows.annotate(
        n_texts=_count(texts.values("study")),
        n_pages=_count(pages.filter(state=Seat.State.VALID).values("survey__study")),
        n_wanted=_count(wanted.values("study")),
        imported=Exists(files.filter(Exists(rated) | Exists(means))),
    )


def _count(rows: QuerySet) -> Coalesce:
    return Coalesce(Subquery(rows.annotate(n=Count("pk")).values("n")), 0)


# Names by which a computer calls itself: a link to them leads nobody else here.
LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})


@require_safe
def study(request: HttpRequest, name: str) -> HttpResponse:
    found = get_study_for(request.user, name)
    covered = progress.coverage(study=found)
    figures = kept.read(study=found, name="figures")
    context = {
        **_progress(found, covered),
        "tab": "overview",
        "step": summary.next_step(study=found, covered=covered),
        "figures": figures,
        "table": figures.value and figures.value.table,
        "agreement": figures.value.alphas(found) if figures.value else [],
        "only_means": figures.value and figures.value.only_means,
        "worker_url": _link_for_workers(request, found),
        "only_here": split_domain_port(request.get_host())[0] in LOOPBACK,
        "policy": found.current_policy(),
        "opening": surveys.progress(study=found),
        "damageable": _damageable(found, covered),
    }
    return render(request, "annotation/views/study.html", context)


def _damageable(study: Study, covered: progress.Coverage) -> surveys.Damageable | None:
    """What pages allow a damaged text, where that is still to be decided."""
    if study.state != Study.State.DRAFT or not covered.texts or covered.imported:
        return None
    return surveys.damageable(study=study)


def _link_for_workers(request: HttpRequest, study: Study) -> str:
    """As it is pasted into the platform, which puts each worker's id into it."""
    platform = platforms.of(study)
    url = request.build_absolute_uri(study.get_worker_url())
    return url + (platform.link_end if platform else "")


@require_safe
def study_progress(request: HttpRequest, name: str) -> HttpResponse:
    """The part of the overview that an open study refreshes."""
    found = get_study_for(request.user, name)
    context = _progress(found, progress.coverage(study=found))
    return render(request, "annotation/views/_progress.html", context)


def _progress(study: Study, covered: progress.Coverage) -> dict:
    now = timezone.now()
    return {
        "study": study,
        "coverage": covered,
        "seats": summary.seats(study=study),
        "discards": summary.discards(study=study),
        "pace_pages": summary.PACE_PAGES,
        "hours_left": summary.hours_left(study=study, left=covered.left, now=now),
    }


Forms = dict[str, BaseForm | BaseFormSet]


@require_http_methods(["GET", "HEAD", "POST"])
def study_settings(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    data = request.POST if request.method == "POST" else None
    forms = settings_forms(study, data)
    if data is None or not all([form.is_valid() for form in forms.values()]):
        return settings_page(request, study, forms, status=400 if data else 200)
    try:
        _save(study, forms, request.user)
    except StudyError as error:
        messages.error(request, f"Not saved: {error}")
    else:
        note_once(study=study, verb=CHECKED, user=request.user, now=timezone.now())
        messages.success(request, "Settings saved.")
    return redirect("study_settings", study.name)


def settings_forms(study: Study, data: QueryDict | None) -> Forms:
    """Those of the settings page. Of a study that is no draft, most of it is fixed."""
    forms: Forms = {"form": SettingsForm(data, instance=study)}
    if study.state == Study.State.DRAFT:
        forms["aspects"] = AspectFormSet(data, study=study)
    return forms


def settings_page(
    request: HttpRequest, study: Study, forms: Forms, status: int = 200, **more: Any
) -> HttpResponse:
    state = Study.State
    context = {
        "study": study,
        "tab": "setup",
        "draft": study.state == state.DRAFT,
        "coming": study.state in (state.OPEN, state.PAUSED),
        "aspects": AspectFormSet(study=study),
        "pay": pay(study=study),
        **forms,
        **more,
    }
    return render(
        request, "annotation/views/study_settings.html", context, status=status
    )


def _save(study: Study, forms: Forms, user: User) -> None:
    """Save all of them.

    Raises:
        StudyError: The study has changed in the meantime.
    """
    with transaction.atomic():
        same = Study.objects.select_for_update().filter(state=study.state)
        if not same.filter(pk=study.pk).first():
            raise StudyError("the study’s state has just changed.")
        if aspects := forms.get("aspects"):
            aspects.save()  # first: another language replaces their words
        now, changes = timezone.now(), forms["form"].changes()
        change_settings(study=study, values=changes, user=user, now=now)


def _opening(request: HttpRequest, name: str) -> Opening | None:
    study = get_study_for(request.user, name)
    return Opening.objects.select_related("study").filter(study=study).first()


def _opening_context(opening: Opening) -> dict[str, Any]:
    return {"study": opening.study, "opening": surveys.OPENINGS.progress(opening)}


study_opening = progress_view(
    _opening, "annotation/views/_opening.html", _opening_context
)
study_opening_cancel = cancel_view(surveys.OPENINGS, _opening)


@require_POST
def study_pause(request: HttpRequest, name: str) -> HttpResponse:
    return _change(request, name, surveys.pause, "paused: nobody can start a page")


@require_POST
def study_close(request: HttpRequest, name: str) -> HttpResponse:
    return _change(request, name, surveys.close, "closed")


def _change(request: HttpRequest, name: str, verb: Callable, done: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    try:
        verb(study=study, user=request.user)
    except surveys.TransitionError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"The study {study} is {done}.")
    return redirect(study)
