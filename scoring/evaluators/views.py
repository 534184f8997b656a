"""A study's own evaluators: prompts and words for labels that are not in the paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.contrib import messages
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from annotation.access import get_study_for
from annotation.models import Study
from evalapp.limits.uploads import takes_files
from scoring.drawing.words import sentence
from scoring.evaluators import tables as evaluator_tables
from scoring.evaluators.forms import (
    EvaluatorsForm,
    FilesForm,
    JsonForm,
    PatternsForm,
    written,
)
from scoring.evaluators.previews import preview, text_for
from scoring.metrics import ctrleval_tables
from scoring.models import EvaluatorTable


class Coverage(NamedTuple):
    """A label of the study, and which evaluators have words for it."""

    label: str
    n_texts: int
    tables: list[str]


@require_safe
def evaluators(request: HttpRequest, name: str) -> HttpResponse:
    return _list(request, get_study_for(request.user, name))


@takes_files
@require_POST
def upload_files(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    form, problems = _sent(FilesForm, request), []
    if form.is_valid():
        given = form.cleaned_data
        try:
            table = ctrleval_tables.table_from_files(
                given["prompts"], given["verbalizers"]
            )
            pk = evaluator_tables.save(study=study, name=given["name"], table=table)
        except ctrleval_tables.TableError as error:
            problems = error.problems
        else:
            messages.success(request, f"The evaluators {given['name']} were added.")
            return redirect("evaluators_edit", study.name, pk)
    return _list(request, study, files=form, problems=problems)


@takes_files
@require_POST
def upload_json(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    form, problems = _sent(JsonForm, request), []
    if form.is_valid():
        try:
            made = evaluator_tables.save_all(
                study=study, text=form.cleaned_data["json"]
            )
        except ctrleval_tables.TableError as error:
            problems = error.problems
        else:
            messages.success(request, f"Evaluators added: {', '.join(made)}.")
            return redirect("evaluators", study.name)
    return _list(request, study, json=form, problems=problems)


@require_POST
def from_labels(request: HttpRequest, name: str) -> HttpResponse:
    """The paper's prompts with the words that the study's labels came with."""
    study, prompts = get_study_for(request.user, name), request.POST.get("prompts", "")
    if prompts not in ctrleval_tables.TABLES:
        raise Http404
    try:
        made, pk = evaluator_tables.add_with_labels_words(study=study, prompts=prompts)
    except ctrleval_tables.TableError as error:
        return _list(request, study, problems=error.problems, status=400)
    messages.success(request, f"The evaluators {made} were added.")
    return redirect("evaluators_edit", study.name, pk)


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    if request.method == "POST":
        return _save(request, study, EvaluatorsForm(request.POST))
    start = ctrleval_tables.TABLES.get(request.GET.get("from", ""))
    form = EvaluatorsForm(initial=written("", start) if start else None)
    return _edit(request, study, form)


@require_http_methods(["GET", "HEAD", "POST"])
def new_patterns(request: HttpRequest, name: str) -> HttpResponse:
    """Evaluators with two free sides, for controls that are no labels."""
    study = get_study_for(request.user, name)
    if request.method == "POST":
        return _save(request, study, PatternsForm(request.POST))
    return _edit(request, study, PatternsForm())


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, name: str, evaluators: int) -> HttpResponse:
    study = get_study_for(request.user, name)
    table = _table(study, evaluators)
    form = PatternsForm if table.patterns else EvaluatorsForm
    if request.method == "POST":
        return _save(request, study, form(request.POST), table)
    found = evaluator_tables.as_table(table)
    return _edit(request, study, form(initial=written(table.name, found)), table)


@require_POST
def delete(request: HttpRequest, name: str, evaluators: int) -> HttpResponse:
    study = get_study_for(request.user, name)
    table = _table(study, evaluators)
    table.delete()
    messages.success(request, f"The evaluators {table.name} were deleted.")
    return redirect("evaluators", study.name)


@require_safe
def download(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    file_name = f"{study.name}-evaluators.json"
    return HttpResponse(
        evaluator_tables.tables_json(study) or "{}",
        content_type="application/json",
        headers={"Content-Disposition": f'attachment; filename="{file_name}"'},
    )


def _sent(form: type[FilesForm | JsonForm], request: HttpRequest) -> Any:
    files = request.FILES  # reading these is what may mark the request
    refused = getattr(request, "upload_refused", False)
    return form(request.POST, files, upload_refused=refused)


def _list(
    request: HttpRequest,
    study: Study,
    files: FilesForm | None = None,
    json: JsonForm | None = None,
    problems: Sequence[str] = (),
    status: int = 200,
) -> HttpResponse:
    tables = list(study.evaluator_tables.all())
    context = {
        "study": study,
        "tab": "metrics",
        "tables": tables,
        "coverage": _coverage(study, tables),
        "files": files or FilesForm(),
        "json": json or JsonForm(),
        "problems": [sentence(problem) for problem in problems],
        "paper": list(ctrleval_tables.TABLES),
        "built_in": ctrleval_tables.TABLES.items(),
        "offered": evaluator_tables.offered(study),
    }
    status = 400 if files or json else status
    return render(request, "scoring/evaluators/evaluators.html", context, status=status)


def _edit(
    request: HttpRequest,
    study: Study,
    form: EvaluatorsForm | PatternsForm,
    table: EvaluatorTable | None = None,
    status: int = 200,
) -> HttpResponse:
    text = text_for(table, study, request.GET.get("key", "")) if table else None
    context = {
        "study": study,
        "tab": "metrics",
        "form": form,
        "table": table,
        "text": text,
        "asked": preview(table=table, generation=text) if text else [],
        "paper": list(ctrleval_tables.TABLES),
        "two_sides": isinstance(form, PatternsForm),
        "meanings": ctrleval_tables.MEANINGS.items(),
    }
    return render(
        request, "scoring/evaluators/evaluators_edit.html", context, status=status
    )


def _save(
    request: HttpRequest,
    study: Study,
    form: EvaluatorsForm | PatternsForm,
    table: EvaluatorTable | None = None,
) -> HttpResponse:
    if form.is_valid():
        name, pk = form.cleaned_data["name"], table.pk if table else None
        try:
            pk = evaluator_tables.save(study=study, name=name, table=form.table, pk=pk)
        except ctrleval_tables.TableError as error:
            form.add_error("name", [sentence(problem) for problem in error.problems])
        else:
            messages.success(request, f"The evaluators {name} were saved.")
            return redirect("evaluators_edit", study.name, pk)
    return _edit(request, study, form, table, status=400)


def _table(study: Study, pk: int) -> EvaluatorTable:
    return get_object_or_404(EvaluatorTable, study=study, pk=pk)


def _coverage(study: Study, tables: list[EvaluatorTable]) -> list[Coverage]:
    """The study's own come first, as they do in a run."""
    own = [(table.name, evaluator_tables.as_table(table)) for table in tables]
    paper = ctrleval_tables.TABLES.items()
    built_in = [(f"{name}, as in the paper", table) for name, table in paper]
    known = [
        (name, table)
        for name, table in [*own, *built_in]
        if isinstance(table, ctrleval_tables.Table)
    ]
    return [
        Coverage(
            label.name,
            label.n_texts,
            [name for name, table in known if table.covers(label.name)],
        )
        for label in study.labels.annotate(n_texts=Count("prompt__generations"))
    ]
