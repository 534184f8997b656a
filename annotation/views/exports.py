from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation import exports, page_kinds
from annotation.access import get_study_for

TYPES = {"csv": "text/csv", "jsonl": "application/x-ndjson"}


@require_safe
def study_export(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    tables = [table for kind in page_kinds.of(study) for table in kind.tables.tables]
    context = {"study": study, "tab": "export", "tables": tables}
    return render(request, "annotation/views/export.html", context)


@require_safe
def study_download(
    request: HttpRequest, name: str, kind: str, format: str
) -> StreamingHttpResponse:
    study = get_study_for(request.user, name)
    tables = exports.tables()
    if kind not in tables or format not in exports.WRITERS:
        raise Http404
    rows = tables[kind](study=study)
    file_name = f"{study.name}-{kind}.{format}"
    return StreamingHttpResponse(
        exports.WRITERS[format](rows),
        content_type=f"{TYPES[format]}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{file_name}"'},
    )
