"""From a dropped file to a study, on one page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import (
    require_POST,
    require_safe,
)

from annotation import assistant, imports
from annotation.access import Level, why_not_now
from annotation.assistant import recipes
from annotation.assistant.choices import LOOK
from annotation.assistant.reporting import account_of, counted
from annotation.imports.recipes import as_text
from annotation.models import Study, Upload
from annotation.views.forms.adding import KindForm
from annotation.views.forms.recipes import RecipeForm
from annotation.views.forms.uploads import ColumnsForm, MadeForm, suggested_name

KEPT = ("name", "title", "language", "ratings_per_text", "scale")


def begin(request: HttpRequest, file: Any) -> Upload:
    """Keep a file that becomes a study, and check it as far as it explains itself.

    Raises:
        assistant.Refused: If it cannot be kept.
        assistant.Busy: If another file of this account is being read.
    """
    upload = assistant.keep(user=request.user, file=file.file, file_name=file.name)
    upload.choices["name"] = suggested_name(upload)
    try:
        look_at(upload)
    except assistant.Busy:
        assistant.discard(upload)
        raise
    return upload


def look_at(upload: Upload) -> None:
    """Find out what a file of texts is, with what was chosen so far.

    Raises:
        assistant.Busy: If another file of this account is being read.
    """
    if assistant.look(upload).problems:
        upload.save(update_fields=["choices"])
    else:
        assistant.choose(upload=upload, choices=upload.choices)


def page_of_texts(request: HttpRequest, upload: Upload) -> HttpResponse:
    """What the columns of a file with texts are, and the button that imports it."""
    if upload.made:
        return redirect(upload.made)
    try:
        return (_take if request.method == "POST" else _page)(request, upload)
    except assistant.Busy as error:
        return _busy(request, upload, str(error))
    except FileNotFoundError:
        # A choice is sent as soon as it is made, so it may still be under way when the
        # button below it is pressed. The import that follows deletes the file.
        made = found_for(request, upload.public_id).made
        if made is None:
            raise
        return _to(request, made)


def _busy(request: HttpRequest, upload: Upload, said: str) -> HttpResponse:
    if request.htmx:  # it shows no answer of another status
        messages.error(request, said)
        return HttpResponse(headers={"HX-Refresh": "true"})
    columns = ColumnsForm(look=assistant.Look(problems=[said]))
    return _page(request, upload, columns=columns, status=429)


@require_safe
def upload_state(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """What the page asks for while a worker reads the file."""
    upload = found_for(request, public_id)
    if upload.made:
        _tell(request, upload.made)
        return HttpResponse(headers={"HX-Redirect": upload.made.get_absolute_url()})
    importing = assistant.under_way(upload=upload)
    if importing is None or importing.ended:
        return HttpResponse(headers={"HX-Refresh": "true"})
    return render(request, "annotation/views/_outcome.html", _context(upload))


@require_POST
def upload_cancel(request: HttpRequest, public_id: UUID) -> HttpResponse:
    upload = found_for(request, public_id)
    if importing := assistant.under_way(upload=upload):
        assistant.IMPORTS.cancel(importing)
    return redirect(upload)


@require_POST
def upload_discard(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Forget the file and choose another."""
    upload = found_for(request, public_id)
    study = upload.study
    assistant.discard(upload)
    return redirect("study_import", study.name) if study else redirect("study_new")


def found_for(request: HttpRequest, public_id: UUID) -> Upload:
    """Nobody but who sent it sees it, staff neither: it may be anything.

    Raises:
        PermissionDenied: If who sent it may not change its study any more.
    """
    rows = Upload.objects.select_related("study", "made")
    mine = rows.filter(public_id=public_id, user=request.user).first()
    if mine is None:
        raise Http404
    if mine.study and (reason := why_not_now(mine.user, mine.study, Level.EDIT)):
        raise PermissionDenied(reason)
    return mine


def _take(request: HttpRequest, upload: Upload) -> HttpResponse:
    look = assistant.look(upload)
    if look.waits:  # nothing can be chosen yet
        assistant.choose(upload=upload, choices=upload.choices)
        return redirect(upload)
    encoding = upload.choices.get("encoding")
    columns = ColumnsForm(
        request.POST, look=look, encoding=encoding, report=upload.report
    )
    made = None if upload.study else MadeForm(request.POST)
    press = request.POST.get("do", "check")
    if not columns.is_valid() or (made and press != "check" and not made.is_valid()):
        return _page(request, upload, columns=columns, made=made, status=400)
    choices = {**columns.choices(), **_kept(request, made)}
    again = "map" not in choices  # another sheet, preset or encoding: guess again
    if press == "leave-out":
        choices["leave_out"] = True
    choices["yes"] = press != "check" and not again  # the page shows what is proposed
    if _changed(upload, look, choices):
        assistant.choose(upload=upload, choices=choices)
    if request.htmx:
        if again:
            return HttpResponse(headers={"HX-Refresh": "true"})
        context = _context(upload)
        if upload.report:  # else a worker is at it
            context["recipe_now"] = _recipe(upload, assistant.look(upload))
        return render(request, "annotation/views/_outcome.html", context)
    if press in ("import", "leave-out") and _is_ready(upload):
        return _finish(request, upload, columns, made)
    return redirect(upload)


def _to(request: HttpRequest, study: Study) -> HttpResponse:
    if request.htmx:
        return HttpResponse(headers={"HX-Redirect": study.get_absolute_url()})
    return redirect(study)


def _kept(request: HttpRequest, made: MadeForm | None) -> dict[str, Any]:
    """What is asked about a new study; as it was written, where it is not right yet."""
    if made is None:
        return {}
    if made.is_valid():
        return {name: made.cleaned_data[name] for name in KEPT}
    return {name: value for name, value in made.cleaned_data.items() if name in KEPT}


def _changed(upload: Upload, look: assistant.Look, choices: dict[str, Any]) -> bool:
    """Whether the file must be read once more; else only words have changed."""
    words = ("name", "title", "language", "ratings_per_text", "leave_out", "yes", LOOK)
    before, after = (
        {k: v for k, v in one.items() if k not in words and v not in (None, "")}
        for one in (upload.choices, choices)
    )
    before.setdefault("map", look.mapping())  # as it was guessed
    before.setdefault("values", (upload.report or {}).get("values", {}))
    after.setdefault("values", {})
    before["preset"], after["preset"] = look.preset, choices.get("preset", "")
    for name in ("sheet", "encoding"):
        if seen := getattr(look, name):
            before[name] = seen
    if upload.report is not None and before == after:
        look_again = {LOOK: upload.choices[LOOK]} if LOOK in upload.choices else {}
        upload.choices = {**choices, **look_again}
        upload.save(update_fields=["choices"])
        return False
    return True


def _is_ready(upload: Upload) -> bool:
    report = upload.report
    if report is None or report["of_the_file"] or not _rows(report):
        return False
    if report["open"] and not upload.choices.get("yes"):
        return False
    return not report["left_out"] or bool(upload.choices.get("leave_out"))


def _rows(report: Mapping[str, Any]) -> int:
    """Texts that come in, or that are here and are rated."""
    return int(report["texts"] or report["by_id"])


def _finish(
    request: HttpRequest, upload: Upload, columns: ColumnsForm, made: MadeForm | None
) -> HttpResponse:
    try:
        study = assistant.finish(upload=upload)
    except imports.UploadError as error:
        lines = error.lines
        return _page(
            request, upload, columns=columns, made=made, refused=lines, status=400
        )
    if study is None:
        return redirect(upload)
    _tell(request, study)
    return redirect(study)


def _tell(request: HttpRequest, study: Study) -> None:
    record = study.imports.first()
    if record is not None:
        texts = study.generations.filter(imported=record).count()
        many = "" if texts == 1 else "s"
        told = f"{texts:,} text{many} imported into {study.name}."
        if not texts:
            told = f"Ratings and scores of {record.n_rows:,} texts added."
        messages.success(request, told)


def _page(
    request: HttpRequest,
    upload: Upload,
    *,
    columns: ColumnsForm | None = None,
    made: MadeForm | None = None,
    refused: list[str] | None = None,
    status: int = 200,
) -> HttpResponse:
    look = columns.look if columns else assistant.look(upload)
    if made is None and not upload.study:
        made = MadeForm(initial=upload.choices)
    initial = {"cut": upload.choices.get("cut")}
    encoding = upload.choices.get("encoding")
    context = {
        **_context(upload),
        "recipe": _recipe(upload, look) if look.columns else "",
        "recipe_form": RecipeForm(auto_id="id_recipe_%s"),
        "proposed": recipes.proposed_for(upload) if look.columns else (),
        "look": look,
        "columns": columns
        or ColumnsForm(
            look=look, encoding=encoding, report=upload.report, initial=initial
        ),
        "made": made,
        "refused": refused or [],
        "kind": KindForm.of(upload) if upload.study else None,
        "tab": "texts",
    }
    return render(request, "annotation/views/upload.html", context, status=status)


def _recipe(upload: Upload, look: assistant.Look) -> str:
    """What is chosen now, as text: it is what would be saved."""
    return as_text(recipes.shown_of(upload, look))


def _context(upload: Upload) -> dict[str, Any]:
    report, importing = upload.report, assistant.under_way(upload=upload)
    return {
        "upload": upload,
        "study": upload.study,
        "report": report,
        "facts": counted(report) if report and _rows(report) else [],
        "importing": importing,
        "under_way": importing and assistant.IMPORTS.progress(importing),
        "stores": importing and assistant.IMPORTS.stores(importing),
        "unit": (report or {}).get("unit", "line"),
        "account": account_of((report or {}).get("account", ())),
    }
