"""The one page that takes whatever is added to a study: texts, scores, votes."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from annotation import assistant, imports
from annotation.access import get_study_for, page_of
from annotation.assistant.choices import KINDS, OF
from annotation.assistant.past import came_of, past_of
from annotation.imports import intakes, undoing
from annotation.models import Study, Upload
from annotation.views import uploads
from annotation.views.bound import bound
from annotation.views.forms.adding import BroughtForm, KindForm, kinds
from annotation.views.forms.studies import FileForm
from evalapp.limits.uploads import takes_files

A_PAGE = 10  # files, the newest first
NO_TEXTS_NOW = {
    Study.State.OPEN: "This file has texts, and the study is open. Pause the study to"
    " add texts, for example those of one more system.",
    Study.State.CLOSED: "This file has texts, and the study is closed. Make a new study"
    " of them: you can add texts to a draft, or while a study is paused.",
}


@takes_files
@require_http_methods(["GET", "HEAD", "POST"])
def study_import(request: HttpRequest, name: str) -> HttpResponse:
    """Choose a file that is added to a study."""
    study = get_study_for(request.user, name)
    form = bound(FileForm, request)
    if form.is_valid() and (upload := _begun(request, form, study)):
        return redirect(upload)
    rows = study.imports.select_related("study", "created_by")
    page = page_of(request, rows, A_PAGE)
    context = {
        "study": study,
        "tab": "texts",
        "form": form,
        "presets": imports.PRESETS,
        "intakes": intakes.INTAKES.values(),
        "page": page,
        "past": [past_of(record) for record in page],
    }
    status = 400 if request.method == "POST" else 200
    return render(request, "annotation/views/import.html", context, status=status)


def _begun(request: HttpRequest, form: FileForm, study: Study) -> Upload | None:
    """The kept file; None: the form says why not."""
    file = form.cleaned_data["file"]
    try:
        upload = assistant.keep(
            user=request.user, file=file.file, file_name=file.name, study=study
        )
    except assistant.Refused as error:
        form.add_error("file", str(error))
        return None
    try:
        why = NO_TEXTS_NOW.get(study.state, "")
        if assistant.recognise(upload, takes_texts=not why) == [intakes.TEXTS]:
            if why:
                form.add_error("file", why)
                assistant.discard(upload)
                return None
            uploads.look_at(upload)
    except assistant.Busy as error:
        assistant.discard(upload)
        form.add_error("file", str(error))
        return None
    return upload


@require_POST
def import_undo(request: HttpRequest, name: str, pk: int) -> HttpResponse:
    """Take back what a file has added."""
    study = get_study_for(request.user, name)
    record = get_object_or_404(study.imports, pk=pk)
    came = came_of(record)
    try:
        done = undoing.undo(record=record, user=request.user, most=undoing.WAITED_FOR)
    except undoing.NotUndone as error:
        messages.error(request, str(error))
    else:
        rest = f"{came} removed" if done else "a worker removes the rest"
        messages.success(request, f"{record.file_name} is undone: {rest}.")
    return redirect("study_import", study.name)


@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """A file that waits, as what it is."""
    found = uploads.found_for(request, public_id)
    if found.choices.get(KINDS):
        return _ask_kind(request, found)
    if found.choices.get(OF):
        return _check(request, found)
    return uploads.page_of_texts(request, found)


def _ask_kind(request: HttpRequest, upload: Upload) -> HttpResponse:
    """What the file is, where it may be several things."""
    titles = dict(kinds())
    context = {
        "study": upload.study,
        "tab": "texts",
        "upload": upload,
        "kinds": [(key, titles[key]) for key in upload.choices[KINDS] if key in titles],
    }
    return render(request, "annotation/views/which_kind.html", context)


@require_POST
def upload_kind(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Read the file as what its researcher says that it is."""
    upload = uploads.found_for(request, public_id)
    form = KindForm(request.POST)
    if upload.study is None:
        raise Http404
    if not form.is_valid():
        messages.error(request, "Choose what the file is.")
        return redirect(upload)
    kind = form.cleaned_data["kind"]
    why = NO_TEXTS_NOW.get(upload.study.state)
    if kind == intakes.TEXTS and why:
        messages.error(request, why)
        return redirect(upload)
    assistant.choose_kind(upload, kind)
    if kind == intakes.TEXTS:
        try:
            uploads.look_at(upload)
        except assistant.Busy as error:
            messages.error(request, str(error))
    return redirect(upload)


def _check(request: HttpRequest, upload: Upload) -> HttpResponse:
    """What a file with scores or votes would bring, and the button that stores it."""
    form, problems = None, []
    try:
        brought = assistant.read(upload)
        form = BroughtForm(
            request.POST if request.method == "POST" else None, brought=brought
        )
        if request.method == "POST" and form.is_valid():
            return _stored(request, upload, form.answers())
    except imports.UploadError as error:
        problems = error.lines
    except assistant.Busy as error:
        problems = [str(error)]
    except FileNotFoundError:
        problems = ["The file was deleted after a day: choose it again."]
    context = {
        "study": upload.study,
        "tab": "texts",
        "upload": upload,
        "brought": brought if form else None,
        "form": form,
        "problems": problems,
        "kind": KindForm.of(upload),
    }
    status = 400 if request.method == "POST" else 200
    return render(request, "annotation/views/added.html", context, status=status)


def _stored(
    request: HttpRequest, upload: Upload, answers: intakes.Answers
) -> HttpResponse:
    added = assistant.store(upload, answers)
    messages.success(request, added.sentence)
    return redirect(added.url_name, upload.study.name, *added.args)


def to_import(request: HttpRequest, name: str, **kwargs: object) -> HttpResponse:
    """Where addresses led under which scores and votes were uploaded."""
    return redirect("study_import", get_study_for(request.user, name).name)
