"""The pages of probing: what do the clusters behind divergences know of texts?"""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import (
    require_http_methods,
    require_safe,
)

from annotation.access import get_study_for, page_of
from annotation.models import Study
from evalapp.limits.once import at_most_once
from evalapp.work.views import cancel_view, progress_view, retry_view
from scoring.contrib.probing import protocols, showing, starting
from scoring.contrib.probing.forms import ProbesForm
from scoring.contrib.probing.worker import PROBES
from scoring.drawing.files import download_one
from scoring.drawing.sections import with_figures
from scoring.metrics import OptionError
from scoring.models import Probe
from scoring.scores.options import bundled, shown

PROBES_A_PAGE = 20


@require_safe
def probe_list(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    return _probe_list(request, study, ProbesForm(study))


@at_most_once
@require_http_methods(["GET", "HEAD", "POST"])
def probe_start(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    if request.method != "POST":
        return redirect("probing", study.name)
    form = ProbesForm(study, request.POST)
    if form.is_valid():
        try:
            started = starting.start_all(
                corpus=get_object_or_404(
                    study.corpora, name=form.cleaned_data["corpus"]
                ),
                protocols=form.cleaned_data["protocols"],
                options=form.options(),
                user=request.user,
            )
        except OptionError as error:
            form.refuse(str(error))
        else:
            if len(started) > 1:
                messages.success(request, f"{len(started)} probes started.")
            return redirect(started[0] if len(started) == 1 else "probing", study.name)
    return _probe_list(request, study, form, status=400)


@require_safe
def probe(request: HttpRequest, name: str, probe: int) -> HttpResponse:
    study = get_study_for(request.user, name)
    found = _probe(study, probe)
    context = {**_context(found), "sections": _sections(found)}
    return render(request, "scoring/contrib/probing/probe.html", context)


@require_safe
def probe_table(
    request: HttpRequest, name: str, probe: int, table: str, format: str
) -> HttpResponse:
    study = get_study_for(request.user, name)
    found = _probe(study, probe)
    if not found.result:
        raise Http404("the probe has no result")
    tables = showing.tables(found.protocol, found.result)
    # No rating is part of it, whether or not the study is simulated.
    file_name = f"probe-{found.pk}-{table}"
    return download_one(tables, table, study, file_name, format, of_people=True)


def _probe(study: Study, pk: int) -> Probe:
    found = Probe.objects.select_related("study", "corpus", "created_by")
    return get_object_or_404(found, study=study, pk=pk)


def _probe_list(
    request: HttpRequest, study: Study, form: ProbesForm, status: int = 200
) -> HttpResponse:
    rows = study.probes.select_related("study", "corpus").defer("result")
    page = page_of(request, rows, PROBES_A_PAGE)
    context = {
        "study": study,
        "tab": "metrics",
        "form": form,
        "any_corpus": study.corpora.exists(),
        "page": page,
        "rows": [(row, protocols.get(row.protocol).TITLE) for row in page],
    }
    return render(
        request, "scoring/contrib/probing/probing.html", context, status=status
    )


def _context(found: Probe) -> dict[str, object]:
    models = found.options["models"]
    return {
        "study": found.study,
        "tab": "metrics",
        "probe": found,
        # The fragment of a run's state shows this, too.
        "run": found,
        "title": protocols.get(found.protocol).TITLE,
        "question": protocols.get(found.protocol).QUESTION,
        "models": [shown(name) for name in models],
        "bundled": bundled(*({"model": name} for name in models)),
        "progress": PROBES.progress(found),
        # Names files that the page saves.
        "analysis": f"probe-{found.pk}",
    }


def _asked(request: HttpRequest, name: str, probe: int) -> Probe:
    return _probe(get_study_for(request.user, name), probe)


probe_progress = progress_view(_asked, "scoring/contrib/probing/_probe.html", _context)
probe_cancel = cancel_view(PROBES, _asked)
probe_retry = retry_view(PROBES, _asked)


def _sections(found: Probe) -> list[dict[str, object]]:
    if not found.result:
        return []
    return with_figures(showing.sections(found.protocol, found.result))
