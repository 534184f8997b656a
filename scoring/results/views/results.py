from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    StreamingHttpResponse,
)
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from annotation import human_scores
from annotation.access import get_study_for
from annotation.models import Study
from scoring import analyses
from scoring.analyses.overview import page_tables
from scoring.analyses.overview.result import Correlation, Result
from scoring.analyses.shared.grouping import COMPARING, Grouped
from scoring.drawing.files import FORMATS, download, stream
from scoring.drawing.tables import Table
from scoring.models import Analysis, MetricRun
from scoring.option_fields import option_fields
from scoring.results import charts, floors, overview, planned, points, tables
from scoring.results.floors import Floors, Trivial
from scoring.results.points import Scatter
from scoring.results.views import answer
from scoring.results.views.analyses import as_of, of_a_moment, waiting
from scoring.runs import outcomes
from scoring.scores.options import bundled

ROWS_A_PAGE = 100
TABLES = ("agreement", "correlations", "systems")
Which = dict[str, bool | str]  # options of "overview"


@require_safe
@gzip_page
def results(request: HttpRequest, name: str) -> HttpResponse:
    study, which = get_study_for(request.user, name), _which(request)
    row = _row(study, which)
    found = overview.of(row)
    context = {
        "study": study,
        "tab": "results",
        "row": row,
        "any_texts": study.generations.exists(),
        "n_excluded": study.generations.exclude(excluded_at=None).count(),
        "notes": outcomes.notes(study=study),
        "found": found,
        "analysis": "correlations",
        "as_of": as_of(row),
        "n_informed": human_scores.n_informed(study=study),
        "query": urlencode({key: _in_query(one) for key, one in which.items() if one}),
        "answer": answer.context(study=study, which=which),
        **waiting(row),
        **(_numbers(study, found, which) if found else {}),
        **which,
    }
    return render(request, "scoring/results/results.html", context)


def _in_query(value: bool | str) -> str:
    return "1" if value is True else str(value)


def _row(study: Study, which: Which) -> Analysis | None:
    """None where there is nothing to analyse."""
    if not study.generations.exists():
        return None
    return overview.find(study=study, now=timezone.now(), **which)


def _numbers(study: Study, found: Result, which: Which) -> dict[str, object]:
    floor = floors.find(study=study, now=timezone.now(), **which)
    rows = overview.marked(floors.told(found["correlations"], floor))
    signatures = _signatures(study, rows)
    return {
        "by_aspect": _by_aspect(rows, floors.reached(floor, found["grouping"])),
        "floor": floor,
        "scored": any(row["signature_id"] for row in rows),
        "signatures": signatures,
        "bundled": _bundled(found["run"] for found in signatures),
        "systems": overview.systems(study=study, result=found),
        "plan_status": planned.status(
            study=study,
            analysis="correlations",
            options=analyses.options("correlations", which),
        ),
    }


@require_safe
def results_table(
    request: HttpRequest, name: str, table: str, format: str
) -> HttpResponse:
    study = get_study_for(request.user, name)
    if format not in FORMATS:
        raise Http404(f"no format {format!r}; there are: {', '.join(FORMATS)}")
    which = _which(request)
    row = _row(study, which)
    found = overview.of(row)
    if table not in TABLES:
        raise Http404(f"no table {table!r}")
    if found is None:
        text = "This table is being computed: open its page and try again in a moment."
        return HttpResponse(text, status=409, content_type="text/plain; charset=utf-8")
    floor = None
    if table == "correlations":
        floor = floors.find(study=study, now=timezone.now(), **which)
    made = _table(study, table, format, found, floor)
    if table == "correlations" and format == "tex":  # it is pasted as it is
        chosen = analyses.options("correlations", which)
        status = planned.status(study=study, analysis="correlations", options=chosen)
        made = planned.for_file(made, "correlations", status, column=False)
    if table != "agreement":
        made = of_a_moment(made, study=study, row=row)
    return download(made, study, table, format)


@require_safe
def scatter(
    request: HttpRequest, name: str, signature: int, aspect: str, output: str
) -> HttpResponse:
    study = get_study_for(request.user, name)
    shown = _scatter(study, signature, output, aspect, whole=False)
    line = request.GET.get("line") == "1"
    question = study.aspects.filter(key=aspect).first()
    scale = question.scale if question else range(shown.highest + 1)
    figure = charts.scatter(shown, scale=scale, line=line)
    run = _runs(study).get(signature)
    pages = Paginator(tables.scatter(shown).rows, ROWS_A_PAGE)
    context = {
        "study": study,
        "tab": "results",
        "points": shown,
        "figure": json.loads(figure.to_json()),
        "line": line,
        "run": run,
        "bundled": _bundled([run]),
        "notes": outcomes.notes(study=study, signature=signature),
        "page": pages.get_page(request.GET.get("page")),
    }
    return render(request, "scoring/results/scatter.html", context)


@require_safe
def scatter_csv(
    request: HttpRequest, name: str, signature: int, aspect: str, output: str
) -> StreamingHttpResponse:
    study = get_study_for(request.user, name)
    shown = _scatter(study, signature, output, aspect)
    header, rows = tables.scatter_header(shown), tables.scatter_rows(shown)
    return stream(header, rows, f"{study.name}-texts", simulated=study.simulated)


def _by_aspect(
    rows: list[Correlation], reached: Mapping[str, list[Trivial]]
) -> list[dict]:
    """The rows of each human aspect: those meant for it first, the baselines last.

    Below them what simple guesses reach.
    """

    def place(row: Correlation) -> tuple:
        ends = row["baseline"], not row["matching"], not row["oriented"]
        return row["position"], *ends

    rows = sorted(rows, key=place)
    titles = {row["human_aspect"]: row["title"] for row in rows}
    return [
        {
            "title": title,
            "rows": [row for row in rows if row["human_aspect"] == key],
            "trivial": reached.get(key, []),
        }
        for key, title in titles.items()
    ]


def _signatures(study: Study, rows: list[Correlation]) -> list[dict]:
    """What determines the scores, each with the run that made them."""
    made = _runs(study)
    found = {(row["metric"], row["signature"]): row["signature_id"] for row in rows}
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
    return bundled(*(run.options for run in made if run))


def _which(request: HttpRequest) -> Which:
    """What counts all the same, of what is left out; and which texts are compared."""
    names = ("with_excluded", "with_informed")
    found: Which = {name: request.GET.get(name) == "1" for name in names}
    for option in option_fields(Grouped):
        value = request.GET.get(option.name)
        if option.name not in COMPARING or not value:
            continue
        if value not in option.choices:
            known = ", ".join(option.choices)
            raise Http404(f"no {option.name} {value!r}; there are: {known}")
        found[option.name] = value
    return found


def _table(
    study: Study, name: str, format: str, found: Result, floor: Floors | None
) -> Table:
    if name == "agreement":
        return page_tables.agreement(found["agreement"])
    if name == "systems":
        return tables.systems(overview.systems(study=study, result=found))
    rows = overview.marked(floors.told(found["correlations"], floor))
    wide = format == "tex"
    table_of = page_tables.correlations_wide if wide else page_tables.correlations
    return table_of(rows, found["grouping_why"])


def _scatter(
    study: Study, signature: int, output: str, aspect: str, whole: bool = True
) -> Scatter:
    found = overview.of(_row(study, {}))
    row = points.row(
        study=study, result=found, signature=signature, output=output, aspect=aspect
    )
    if row is None:
        raise Http404("no such scores in this study")
    return points.scatter(study=study, row=row, whole=whole)
