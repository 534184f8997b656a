"""The statistic pages: options from the address, the newest result, its tables."""

from __future__ import annotations

import dataclasses
import json
from contextlib import suppress
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import select_template
from django.utils import timezone
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_POST, require_safe

from annotation.access import get_study_for, reads
from annotation.models import Study
from evalapp.work.kinds import Refused
from scoring import analyses
from scoring.analyses import pages
from scoring.drawing.charts import drawn
from scoring.drawing.files import FORMATS, download
from scoring.drawing.tables import Table
from scoring.models import Analysis, MetricRun
from scoring.results import analysing, floors, offering, overview, planned
from scoring.results.forms.analyses import AnalysisForm
from scoring.results.plan import day


@require_safe
@gzip_page
def analysis(request: HttpRequest, name: str, analysis: str) -> HttpResponse:
    study, form = _asked(request, name, analysis)
    if analysis == overview.NAME and "as_of" not in request.GET:
        return redirect(_page_of(request, analysis))
    row = _row(study, analysis, form)
    if "as_of" in request.GET:  # the page looks whether there is something newer
        return _state(request, study, analysis, row)
    found = _held_against_plan(study, analysis, form)
    if row is not None and row.result is not None:
        row.result = _told(study, analysis, form, row.result)
    context = {
        **_about(request, study, analysis, form),
        "row": row,
        "result": row and row.result,
        "sections": _sections(analysis, row, found),
        "plan_status": found,
        "as_of": as_of(row),
        **waiting(row),
    }
    names = [
        f"scoring/results/analyses/{analysis}.html",
        "scoring/results/analysis.html",
    ]
    return HttpResponse(select_template(names).render(context, request))


@require_safe
def analysis_table(
    request: HttpRequest, name: str, analysis: str, table: str, format: str
) -> HttpResponse:
    study, form = _asked(request, name, analysis)
    if format not in FORMATS:
        raise Http404(f"no format {format!r}; there are: {', '.join(FORMATS)}")
    row = _row(study, analysis, form)
    if row is None or row.result is None:
        text = "This table is being computed: open its page and try again in a moment."
        return HttpResponse(text, status=409, content_type="text/plain; charset=utf-8")
    found = pages.tables(analysis, _told(study, analysis, form, row.result))
    if table not in found:
        raise Http404(f"no table {table!r}")
    status = planned.status(study=study, analysis=analysis, options=form.options())
    # LaTeX is pasted into a paper as it is: there the caption says it.
    column = format != "tex"
    marked = planned.for_file(found[table], table, status, column=column)
    if "scores" in analyses.get(analysis).NEEDS:
        marked = of_a_moment(marked, study=study, row=row)
    of_people = not pages.may_be_simulated(analysis)
    return download(marked, study, f"{analysis}-{table}", format, of_people=of_people)


@reads
@require_POST
def analysis_retry(request: HttpRequest, name: str, analysis: str) -> HttpResponse:
    study, form = _asked(request, name, analysis)
    row = _row(study, analysis, form)
    if row is not None:
        with suppress(Refused):
            analysing.ANALYSES.retry(row, user=request.user)
    return redirect(_page_of(request, analysis))


def _page_of(request: HttpRequest, analysis: str) -> str:
    """Where an analysis is read, with the options of the request."""
    page = request.path.removesuffix("retry/")
    if analysis == overview.NAME:  # Results is its page
        page = page.removesuffix(f"{analysis}/")
    return f"{page}?{request.GET.urlencode()}".rstrip("?")


def _asked(
    request: HttpRequest, name: str, analysis: str
) -> tuple[Study, AnalysisForm]:
    study = get_study_for(request.user, name)
    if analysis not in analyses.names():
        raise Http404(f"no analysis {analysis!r}")
    given = {key: request.GET.getlist(key) for key in request.GET}
    return study, AnalysisForm(study, analysis, request.GET if given else {})


def _row(study: Study, analysis: str, form: AnalysisForm) -> Analysis | None:
    """None where the options are wrong, or where there is nothing to analyse."""
    if not analysing.anything(study=study) or not form.is_valid():
        return None
    now = timezone.now()
    return analysing.find(study=study, name=analysis, options=form.options(), now=now)


def _told(
    study: Study, analysis: str, form: AnalysisForm, result: dict[str, Any]
) -> dict[str, Any]:
    """With what the answer says of correlations: no number stands alone."""
    add = {"correlations": floors.beside, "comparison": floors.under_two}.get(analysis)
    if add is None:
        return result
    now = timezone.now()
    return add(study=study, options=form.options(), result=result, now=now)


def _about(
    request: HttpRequest, study: Study, analysis: str, form: AnalysisForm
) -> dict[str, object]:
    query = request.GET.copy()
    query.pop("as_of", None)
    return {
        "study": study,
        "tab": "results",
        "analysis": analysis,
        "title": analyses.get(analysis).TITLE,
        "lead": pages.get(analysis).LEAD,
        "form": form,
        "missing": offering.missing(analysis, offering.facts(study=study)),
        "simulated": study.simulated and pages.may_be_simulated(analysis),
        "query": query.urlencode(),
    }


def _held_against_plan(
    study: Study, analysis: str, form: AnalysisForm
) -> planned.Status | None:
    if not form.is_valid():
        return None
    return planned.status(study=study, analysis=analysis, options=form.options())


def _sections(
    analysis: str, row: Analysis | None, found: planned.Status | None
) -> list[dict[str, object]]:
    if row is None or row.result is None or found is None:
        return []
    return [
        {
            "section": dataclasses.replace(
                section,
                tables={
                    key: planned.on_screen(table, key, found)
                    for key, table in section.tables.items()
                },
            ),
            "figure": json.loads(chart.to_json()) if chart else None,
        }
        for section in pages.get(analysis).sections(row.result)
        for chart in [drawn(section.chart)]
    ]


def waiting(row: Analysis | None) -> dict[str, object]:
    """What a page says while a result is made."""
    progress = analysing.ANALYSES.progress(row) if row else None
    return {
        "pending": progress is not None and not progress.ended,
        "no_worker": progress is not None and progress.no_worker,
        "fresh": row is not None and analysing.fresh(row),
    }


def _state(
    request: HttpRequest, study: Study, analysis: str, row: Analysis | None
) -> HttpResponse:
    """The line that says how old the numbers are; a newer result renews the page."""
    now = as_of(row)
    if now != request.GET["as_of"]:
        return HttpResponse(headers={"HX-Refresh": "true"})
    query = request.GET.copy()
    query.pop("as_of", None)
    quiet = bool(query.pop("quiet", None))
    context = {
        **{"study": study, "analysis": analysis, "row": row, "as_of": now},
        **{"query": query.urlencode(), "quiet": quiet, **waiting(row)},
    }
    return render(request, "scoring/results/_analysis_state.html", context)


def of_a_moment(table: Table, *, study: Study, row: Analysis | None) -> Table:
    """Say in a file when its numbers were right, where there will be others soon.

    A table that is pasted into a paper while a metric scores half of the texts looks
    like any other.
    """
    runs = study.runs.filter(on=MetricRun.On.TEXTS).exclude(state__in=MetricRun.ENDED)
    going = sorted(set(runs.values_list("metric", flat=True)))
    if row is None or row.computed_at is None or (analysing.fresh(row) and not going):
        return table
    what = f"while texts were being scored by {', '.join(going)}"
    what = what if going else "before the newest ratings or scores"
    at = f"{day(row.computed_at)}, {row.computed_at:%H:%M} UTC"
    return dataclasses.replace(table, caption=f"{table.caption} As of {at}, {what}.")


def as_of(row: Analysis | None) -> str:
    """Names what a page shows: the time of the result, and whether it failed."""
    if row is None:
        return ""
    failed = "failed" if row.state == Analysis.State.FAILED else ""
    return f"{row.computed_at.timestamp() if row.computed_at else 0}{failed}"
