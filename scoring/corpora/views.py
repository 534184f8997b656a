from __future__ import annotations

from collections.abc import Sequence

from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from annotation.access import get_study_for, page_of
from annotation.imports import UploadError
from annotation.models import Study
from evalapp.limits.uploads import takes_files
from scoring.corpora import files as corpus_files
from scoring.corpora import keeping
from scoring.corpora.forms import CorpusForm, FromSystemForm
from scoring.corpora.keeping import CorpusError
from scoring.models import Corpus

TEXTS_PER_PAGE = 20
RUNS_SHOWN = 20


@takes_files
@require_http_methods(["GET", "HEAD", "POST"])
def corpus_list(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    form = _sent(request)
    if not form.is_valid():
        return _list(request, study, form=form)
    file = form.cleaned_data["file"]
    try:
        made = keeping.add(
            study=study,
            name=form.cleaned_data["name"],
            file=file.file,
            file_name=file.name,
            user=request.user,
        )
    except UploadError as error:
        return _list(request, study, form=form, problems=error.lines)
    return _made(request, made)


@require_POST
def corpus_from_system(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    form = FromSystemForm(request.POST, study=study)
    if form.is_valid():
        try:
            made = keeping.from_system(
                study=study, user=request.user, **form.cleaned_data
            )
            return _made(request, made)
        except CorpusError as error:
            form.add_error("name", str(error))
    return _list(request, study, from_system=form)


@require_safe
def corpus(request: HttpRequest, name: str, corpus: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    found = get_object_or_404(study.corpora.select_related("created_by"), name=corpus)
    context = {
        "study": study,
        "tab": "metrics",
        "corpus": found,
        "words": keeping.about_words(found),
        "characters": found.n_characters / found.n_texts,
        "values": keeping.frequent_values(found),
        "most_values": keeping.FREQUENT,
        "page": page_of(request, found.texts.all(), TEXTS_PER_PAGE),
        "runs": found.runs.all()[:RUNS_SHOWN],
        "trainings": found.checkpoints.select_related("study")[:RUNS_SHOWN],
        "n_probes": found.probes.count(),
    }
    return render(request, "scoring/corpora/corpus.html", context)


@require_POST
def corpus_delete(request: HttpRequest, name: str, corpus: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    found = get_object_or_404(study.corpora, name=corpus)
    try:
        keeping.remove(corpus=found, user=request.user)
    except CorpusError as error:
        messages.error(request, str(error))
        return redirect(found)
    messages.success(request, f"Corpus {found.name} deleted.")
    return redirect("corpora", study.name)


def _sent(request: HttpRequest) -> CorpusForm:
    if request.method != "POST":
        return CorpusForm()
    files = request.FILES  # reading these is what may mark the request
    refused = getattr(request, "upload_refused", False)
    return CorpusForm(request.POST, files, upload_refused=refused)


def _made(request: HttpRequest, made: Corpus) -> HttpResponse:
    said = keeping.described(made)
    messages.success(request, f"Corpus {made.name} created: {said}.")
    return redirect(made)


def _list(
    request: HttpRequest,
    study: Study,
    *,
    form: CorpusForm | None = None,
    from_system: FromSystemForm | None = None,
    problems: Sequence[str] = (),
) -> HttpResponse:
    context = {
        "study": study,
        "tab": "metrics",
        "corpora": study.corpora.annotate(n_runs=Count("runs")),
        "form": form or CorpusForm(),
        "from_system": from_system or FromSystemForm(study=study),
        "any_system": study.systems.exists(),
        "help": corpus_files.HELP,
        "problems": problems,
    }
    status = 400 if request.method == "POST" else 200  # else it would redirect
    return render(request, "scoring/corpora/corpora.html", context, status=status)
