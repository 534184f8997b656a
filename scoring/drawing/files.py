"""Tables as files to download."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django.http import Http404, HttpResponse, StreamingHttpResponse

from annotation.spreadsheets import harmless
from scoring.drawing import tables
from scoring.drawing.tables import Table

if TYPE_CHECKING:
    from annotation.models import Study


A_PIECE = 200  # rows
FORMATS = {
    "csv": (tables.as_csv, "text/csv; charset=utf-8"),
    "tex": (tables.as_latex, "application/x-tex; charset=utf-8"),
    "json": (tables.as_json, "application/json; charset=utf-8"),
}


def download_one(
    found: Mapping[str, Table],
    slug: str,
    study: Study,
    name: str,
    format: str,
    *,
    of_people: bool = False,
) -> HttpResponse:
    """The table of a page that an address names, as `download` gives it.

    Raises:
        Http404: There is no such table, or no such format.
    """
    if format not in FORMATS:
        raise Http404(f"no format {format!r}; there are: {', '.join(FORMATS)}")
    if slug not in found:
        raise Http404(f"no table {slug!r}")
    return download(found[slug], study, name, format, of_people=of_people)


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


def stream(
    header: Sequence[Any],
    rows: Iterable[Sequence[Any]],
    name: str,
    *,
    simulated: bool = False,
) -> StreamingHttpResponse:
    """Rows as a CSV file that is sent while it is made: a study has many texts.

    `simulated` says in each row that its ratings are not from people, as tables do.
    """
    if simulated:
        header, rows = [*header, "ratings"], ([*row, "simulated"] for row in rows)
    return StreamingHttpResponse(
        _lines(header, rows),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}.csv"'},
    )


def _lines(header: Sequence[Any], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """In pieces of some lines each: every piece has a cost of its own."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(header)
    for number, row in enumerate(rows, start=1):
        writer.writerow(map(harmless, row))
        if number % A_PIECE == 0:
            yield out.getvalue()
            out.seek(0)
            out.truncate()
    yield out.getvalue()
