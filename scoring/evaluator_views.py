"""A study's own evaluators: prompts and words for labels that are not in the paper."""

from __future__ import annotations

from typing import NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from annotation.models import Generation, Study
from annotation.views import get_study_for
from scoring import evaluator_tables, explaining
from scoring.evaluator_forms import (
    EvaluatorsForm,
    EvaluatorsUpload,
    sentence,
    with_tabs,
    written,
)
from scoring.metrics._ctrleval_tables import TABLES, TableError, table_from_files
from scoring.models import EvaluatorTable


class Coverage(NamedTuple):
    """A label of the study, and which evaluators have words for it."""

    label: str
    n_texts: int
    tables: list[str]


@require_safe
def evaluators(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    return _list(request, study, EvaluatorsUpload())


@require_POST
def upload(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    files = request.FILES  # reading these is what may mark the request
    refused = getattr(request, "upload_refused", False)
    form, problems = EvaluatorsUpload(request.POST, files, upload_refused=refused), []
    if form.is_valid():
        try:
            made = _save_files(study, form.cleaned_data)
        except TableError as error:
            problems = [sentence(problem) for problem in error.problems]
        else:
            messages.success(request, f"The evaluators are in: {', '.join(made)}.")
            return redirect("evaluators", study.name)
    return _list(request, study, form, problems, status=400)


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    if request.method == "POST":
        return _save(request, study, EvaluatorsForm(request.POST))
    start = TABLES.get(request.GET.get("from", ""))
    form = EvaluatorsForm(initial=written("", start) if start else None)
    return _edit(request, study, form)


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, name: str, evaluators: int) -> HttpResponse:
    study = get_study_for(request.user, name)
    table = _table(study, evaluators)
    if request.method == "POST":
        return _save(request, study, EvaluatorsForm(request.POST), table)
    found = evaluator_tables.as_table(table)
    return _edit(
        request, study, EvaluatorsForm(initial=written(table.name, found)), table
    )


@require_POST
def delete(request: HttpRequest, name: str, evaluators: int) -> HttpResponse:
    study = get_study_for(request.user, name)
    table = _table(study, evaluators)
    table.delete()
    messages.success(request, f"The evaluators {table.name} are deleted.")
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


def _list(
    request: HttpRequest,
    study: Study,
    form: EvaluatorsUpload,
    problems: list[str] | None = None,
    status: int = 200,
) -> HttpResponse:
    tables = list(study.evaluator_tables.all())
    context = {
        "study": study,
        "tab": "metrics",
        "tables": [(table, len(table.prompts) * len(table.words)) for table in tables],
        "coverage": _coverage(study, tables),
        "form": form,
        "problems": problems or [],
        "paper": list(TABLES),
    }
    return render(request, "scoring/evaluators.html", context, status=status)


def _edit(
    request: HttpRequest,
    study: Study,
    form: EvaluatorsForm,
    table: EvaluatorTable | None = None,
    status: int = 200,
) -> HttpResponse:
    text = _text(study, table, request.GET.get("key", "")) if table else None
    context = {
        "study": study,
        "tab": "metrics",
        "form": form,
        "table": table,
        "text": text,
        "asked": explaining.preview(table=table, generation=text) if text else [],
        "paper": list(TABLES),
    }
    return render(request, "scoring/evaluators_edit.html", context, status=status)


def _save(
    request: HttpRequest,
    study: Study,
    form: EvaluatorsForm,
    table: EvaluatorTable | None = None,
) -> HttpResponse:
    if form.is_valid():
        name, pk = form.cleaned_data["name"], table.pk if table else None
        try:
            pk = evaluator_tables.save(study=study, name=name, table=form.table, pk=pk)
        except TableError as error:
            form.add_error("name", [sentence(problem) for problem in error.problems])
        else:
            messages.success(request, f"The evaluators {name} are saved.")
            return redirect("evaluators_edit", study.name, pk)
    return _edit(request, study, form, table, status=400)


def _save_files(study: Study, given: dict[str, str]) -> list[str]:
    if given["json_file"]:
        return evaluator_tables.save_all(study=study, text=given["json_file"])
    verbalizers = with_tabs(given["verbalizers_file"])
    table = table_from_files(given["prompts_file"], verbalizers)
    evaluator_tables.save(study=study, name=given["name"], table=table)
    return [given["name"]]


def _table(study: Study, pk: int) -> EvaluatorTable:
    return get_object_or_404(EvaluatorTable, study=study, pk=pk)


def _text(study: Study, table: EvaluatorTable, key: str) -> Generation | None:
    """A text to show: that with the key, else the first that has one of the labels."""
    texts = study.generations.select_related("prompt__label")
    fitting = texts.filter(prompt__label__name__in=table.labels)
    return fitting.filter(key=key).first() or fitting.first()


def _coverage(study: Study, tables: list[EvaluatorTable]) -> list[Coverage]:
    """The study's own come first, as they do in a run."""
    known = [(table.name, table.labels) for table in tables]
    known += [
        (f"{name}, as in the paper", table.labels) for name, table in TABLES.items()
    ]
    return [
        Coverage(
            label.name,
            study.generations.filter(prompt__label=label).count(),
            [name for name, labels in known if label.name in labels],
        )
        for label in study.labels.all()
    ]
