"""Copy, archive and delete a study, and bring a deleted one back."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from annotation import studies
from annotation.access import get_study_for, manages, page_of, reads
from annotation.models import Study
from annotation.studies.deleting import GRACE
from annotation.views.forms.sharing import CopyForm, DeleteForm


@require_safe
def study_manage(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    context = {"study": study, "tab": "setup", "days": GRACE.days}
    return render(request, "annotation/views/manage.html", context)


@reads
@require_http_methods(["GET", "HEAD", "POST"])
def study_copy(request: HttpRequest, name: str) -> HttpResponse:
    """Anyone who may read a study may start their own with its settings."""
    study = get_study_for(request.user, name)
    form = CopyForm(request.POST or None, initial={"name": f"{study.name[:45]}-2"})
    if request.method == "POST" and form.is_valid():
        try:
            made = studies.copy(
                source=study,
                name=form.cleaned_data["name"],
                with_texts=form.cleaned_data["texts"],
                user=request.user,
                now=timezone.now(),
            )
        except studies.StudyError as error:
            form.add_error("name", str(error))
        else:
            messages.success(request, f"This is your copy of {study}. It is a draft.")
            return redirect(made)
    context = {"study": study, "tab": "setup", "form": form}
    status = 400 if form.errors else 200
    return render(request, "annotation/views/copy.html", context, status=status)


@manages
@require_POST
def study_archive(request: HttpRequest, name: str) -> HttpResponse:
    return _do(request, name, studies.archive, "is archived")


@manages
@require_POST
def study_unarchive(request: HttpRequest, name: str) -> HttpResponse:
    return _do(request, name, studies.unarchive, "is back among your studies")


def _do(
    request: HttpRequest, name: str, verb: Callable[..., None], done: str
) -> HttpResponse:
    study = get_study_for(request.user, name)
    try:
        verb(study=study, user=request.user, now=timezone.now())
    except studies.StudyError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"The study {study} {done}.")
    return redirect("study_manage", study.name)


@manages
@require_http_methods(["GET", "HEAD", "POST"])
def study_delete(request: HttpRequest, name: str) -> HttpResponse:
    """Name what is lost, and ask for the name of the study."""
    study = get_study_for(request.user, name)
    form = DeleteForm(request.POST or None, study=study)
    if request.method == "POST" and form.is_valid():
        try:
            studies.delete(
                study=study, user=request.user, now=timezone.now(), **form.cleaned_data
            )
        except studies.StudyError as error:
            form.add_error("typed", str(error))
        else:
            days = f"You can restore it for {GRACE.days} days."
            messages.success(request, f"The study {study} is deleted. {days}")
            return redirect("deleted_studies")
    context = {
        **{"study": study, "tab": "setup", "form": form, "days": GRACE.days},
        "losses": studies.losses(study=study),
    }
    status = 400 if form.errors else 200
    return render(request, "annotation/views/delete.html", context, status=status)


@require_safe
def deleted_studies(request: HttpRequest) -> HttpResponse:
    rows = Study.objects.deleted_of(request.user).select_related("deleted_by")
    page = page_of(request, rows.order_by("-deleted_at"))
    for study in page.object_list:
        study.ends_at = study.deleted_at + GRACE
    context = {"page": page, "days": GRACE.days}
    return render(request, "annotation/views/deleted.html", context)


@require_POST
def deleted_restore(request: HttpRequest, pk: int) -> HttpResponse:
    study = get_object_or_404(Study.objects.deleted_of(request.user), pk=pk)
    studies.restore(study=study, user=request.user, now=timezone.now())
    messages.success(request, f"The study {study} is restored.")
    return redirect(study)
