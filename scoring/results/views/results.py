from __future__ import annotations

import json
from collections.abc import Iterable

import numpy as np
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation import human_scores
from annotation.models import Study
from annotation.views import get_study_for
from scoring import charts, folders, meta_evaluation, outcomes, planned, tables
from scoring.meta_evaluation import CorrelationRow, Scatter
from scoring.models import MetricRun
from scoring.stats import analyses
from scoring.tables import Table

ROWS_A_PAGE = 100
FORMATS = {
    "csv": (tables.as_csv, "text/csv; charset=utf-8"),
    "tex": (tables.as_latex, "application/x-tex; charset=utf-8"),
    "json": (tables.as_json, "application/json; charset=utf-8"),
}


@require_safe
def results(request: HttpRequest, name: str) -> HttpResponse:
    study, which = get_study_for(request.user, name), _which(request)
    agreement = meta_evaluation.agreement(study=study, **which)
    rows = meta_evaluation.correlations(study=study, **which)
    signatures = _signatures(study, rows)
    context = {
        "study": study,
        "tab": "results",
        "agreement": agreement,
        "rated": any(row.n_ratings for row in agreement) or _has_ratings(study),
        "only_means": bool(agreement)
        and all(row.reason == meta_evaluation.ONLY_MEANS for row in agreement),
        "by_aspect": _by_aspect(rows),
        "scored": any(row.signature_id for row in rows),
        "signatures": signatures,
        "bundled": _bundled(found["run"] for found in signatures),
        "notes": outcomes.notes(study=study),
        "any_texts": study.generations.exists(),
        "systems": meta_evaluation.systems(study=study, **which),
        "n_excluded": study.generations.exclude(excluded_at=None).count(),
        "plan_status": planned.status(
            study=study,
            analysis="correlations",
            options=analyses.options("correlations", which),
        ),
        "analysis": "correlations",
        **which,
    }
    return render(request, "scoring/results.html", context)


@require_safe
def results_table(
    request: HttpRequest, name: str, table: str, format: str
) -> HttpResponse:
    study = get_study_for(request.user, name)
    if format not in FORMATS:
        raise Http404(f"no format {format!r}; there are: {', '.join(FORMATS)}")
    found = _table(study, table, format, _which(request))
    return download(found, study, table, format)


@require_safe
def scatter(
    request: HttpRequest, name: str, signature: int, aspect: str, output: str
) -> HttpResponse:
    study = get_study_for(request.user, name)
    points = _scatter(study, signature, output, aspect)
    line = request.GET.get("line") == "1"
    figure = charts.scatter(points, scale=study.scale, line=line)
    run = _runs(study).get(signature)
    pages = Paginator(tables.scatter(points).rows, ROWS_A_PAGE)
    context = {
        "study": study,
        "tab": "results",
        "points": points,
        "figure": json.loads(figure.to_json()),
        "line": line,
        "run": run,
        "bundled": _bundled([run]),
        "notes": outcomes.notes(study=study, signature=signature),
        "page": pages.get_page(request.GET.get("page")),
    }
    return render(request, "scoring/scatter.html", context)


@require_safe
def scatter_csv(
    request: HttpRequest, name: str, signature: int, aspect: str, output: str
) -> HttpResponse:
    study = get_study_for(request.user, name)
    points = _scatter(study, signature, output, aspect)
    return download(tables.scatter(points), study, "texts", "csv")


def _has_ratings(study: Study) -> bool:
    """Also where alpha has nothing to compare: one rating a text, or means alone."""
    return not np.isnan(human_scores.means(study=study).values).all()


def _by_aspect(rows: list[CorrelationRow]) -> list[dict]:
    """The rows of each human aspect: those meant for it first, the baselines last."""

    def place(row: CorrelationRow) -> tuple:
        return row.position, row.baseline, not row.matching, not row.oriented

    rows = sorted(rows, key=place)
    titles = {row.human_aspect: row.title for row in rows}
    return [
        {"title": title, "rows": [row for row in rows if row.human_aspect == key]}
        for key, title in titles.items()
    ]


def _signatures(study: Study, rows: list[CorrelationRow]) -> list[dict]:
    """What determines the scores, each with the run that made them."""
    made = _runs(study)
    found = {(row.metric, row.signature): row.signature_id for row in rows}
    return [
        {"metric": metric, "text": text, "pk": pk, "run": made.get(pk)}
        for (metric, text), pk in sorted(found.items())
    ]


def _runs(study: Study) -> dict[int, MetricRun]:
    """The newest run of the study by signature. One query."""
    runs = study.runs.filter(signature__isnull=False, on=MetricRun.On.TEXTS)
    runs = runs.order_by("pk")
    return {run.signature_id: run for run in runs.select_related("study")}


def _bundled(made: Iterable[MetricRun | None]) -> list[str]:
    """The small models that came with the app behind what these runs scored."""
    return folders.bundled(*(run.options for run in made if run))


def _which(request: HttpRequest) -> dict[str, bool]:
    """Whether texts that were excluded count all the same."""
    return {"with_excluded": request.GET.get("with_excluded") == "1"}


def _table(study: Study, name: str, format: str, which: dict[str, bool]) -> Table:
    if name == "agreement":
        return tables.agreement(meta_evaluation.agreement(study=study, **which))
    if name == "correlations":
        rows = meta_evaluation.correlations(study=study, **which)
        wide = format == "tex"
        return tables.correlations_wide(rows) if wide else tables.correlations(rows)
    if name == "systems":
        return tables.systems(meta_evaluation.systems(study=study, **which))
    raise Http404(f"no table {name!r}")


def _scatter(study: Study, signature: int, output: str, aspect: str) -> Scatter:
    points = meta_evaluation.scatter(
        study=study, signature_id=signature, output=output, aspect=aspect
    )
    if points is None:
        raise Http404("no such scores in this study")
    return points


def download(
    table: Table, study: Study, name: str, format: str, *, of_people: bool = False
) -> HttpResponse:
    """A table as a file that says itself where its ratings are simulated.

    `of_people`: its numbers are of people all the same, as votes from a file are.
    """
    write, content_type = FORMATS[format]
    if study.simulated and not of_people:
        # LaTeX is pasted as it is: there the caption says it.
        table = tables.simulated(table, column=format != "tex")
    file_name = f"{study.name}-{name}.{format}"
    return HttpResponse(
        write(table),
        content_type=content_type,
        headers={"Content-Disposition": f'attachment; filename="{file_name}"'},
    )
