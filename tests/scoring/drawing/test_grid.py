"""A table on a page: as many rows as a browser can show, and a word on the rest."""

from __future__ import annotations

import re

from django.template.loader import render_to_string

from annotation.models import Study
from scoring.drawing.tables import Table
from scoring.templatetags import results


def shown(n: int, foot: int = 0) -> tuple[list[str], str]:
    """The first cells of all rows, and what is said below."""
    rows = [[f"row {i}", i] for i in range(n)]
    table = Table(["a", "b"], rows, title="T", foot=foot)
    page = render_to_string("scoring/_grid.html", {"table": table, "study": Study()})
    said = re.findall(r'<p class="small soft">([^<]*)</p>', page)
    return re.findall(r"row \d+", page), " ".join(said)


def test_a_table_that_fits_is_shown_whole() -> None:
    cells, said = shown(results.MOST_ROWS)
    assert (len(cells), said) == (results.MOST_ROWS, "")


def test_of_a_longer_one_the_first_rows_are_shown_and_the_last_that_stay() -> None:
    n = results.MOST_ROWS + 1200
    cells, said = shown(n, foot=2)
    assert len(cells) == results.MOST_ROWS + 2
    assert cells[-3:] == [f"row {i}" for i in (results.MOST_ROWS - 1, n - 2, n - 1)]
    assert said == "The first 300 of 1,498 rows. Download the table to see all."
