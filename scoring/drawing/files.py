"""Tables as files to download."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpResponse

from scoring.drawing import tables
from scoring.drawing.tables import Table

if TYPE_CHECKING:
    from annotation.models import Study


FORMATS = {
    "csv": (tables.as_csv, "text/csv; charset=utf-8"),
    "tex": (tables.as_latex, "application/x-tex; charset=utf-8"),
    "json": (tables.as_json, "application/json; charset=utf-8"),
}


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
