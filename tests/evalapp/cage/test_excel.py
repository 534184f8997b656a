"""Cells of a workbook, as many as there are and no more."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evalapp.cage.readers import Refused, _sheets, excel
from tests.annotation.imports import given
from tests.evalapp.cage import bombs
from tests.evalapp.cage.reading import LIMITS, rows, sent


def refused(content: bytes, **options) -> str:
    with pytest.raises(Refused) as error:
        rows(content, **options)
    return str(error.value)


def test_cells_stand_where_they_stood():
    content = given.excel(["id", None, "text"], [], [1, None, "A."], [None, 2.5, True])
    assert rows(content) == [["id", None, "text"], [1, None, "A."], [None, 2.5, "true"]]


def test_empty_cells_far_to_the_right_cost_and_count_nothing(monkeypatch):
    seen = []
    real = excel._values
    monkeypatch.setattr(
        excel,
        "_values",
        lambda cells, most: seen.append(len(cells)) or real(cells, most),
    )
    assert rows(bombs.wide_sheet(50)) == [[1]] * 50
    assert seen == [2] * 50  # not 16,384


def test_a_value_beyond_the_last_column_is_not_lost_in_silence():
    content = given.excel(["text"], ["A.", *[None] * 1500, "far away"])
    assert "more than 1,000 columns" in refused(content)


def test_cells_are_counted_as_well_as_rows():
    content = given.excel(*[["a"] * 50] * 5)
    assert len(rows(content, limits=replace(LIMITS, rows=26))) == 5
    assert "more than 20 rows" in refused(content, limits=replace(LIMITS, rows=20))


def test_a_list_of_millions_of_texts_is_refused_before_it_is_read(monkeypatch):
    monkeypatch.setattr(excel, "MOST_STRINGS", 1000)
    monkeypatch.setattr(excel, "BLOCK", 7)  # an end of a block within a word
    assert rows(bombs.many_strings(1000))
    monkeypatch.setattr(excel, "_book", pytest.fail)
    assert "more than 1,000 different texts" in refused(bombs.many_strings(1001))


CELLS = '<row r="{0}"><c r="A{0}"><v>1</v></c><c r="C{0}"><v>{0}</v></c></row>'


def merged(regions: str, n: int = 3) -> bytes:
    return bombs.merged_sheet("".join(map(CELLS.format, range(1, n + 1))), regions)


def test_merged_cells_have_the_value_of_their_first():
    content = merged('<mergeCell ref="A1:B2"/><mergeCell  ref = "C2:C9"/>')
    assert rows(content) == [[1, 1, 1], [1, 1, 2], [1, None, 3]]


def test_a_region_makes_no_rows_and_no_columns_beyond_the_limit():
    assert len(rows(merged('<mergeCell ref="A1:A1048576"/>'))) == 3
    assert [len(row) for row in rows(merged('<mergeCell ref="A1:XFD1"/>'))] == [
        *(1000, 3, 3),
    ]


def test_regions_without_end_are_refused(monkeypatch):
    monkeypatch.setattr(_sheets, "MOST_REGIONS", 100)
    monkeypatch.setattr(_sheets, "MOST_WIDTH", 5000)
    monkeypatch.setattr(_sheets, "BLOCK", 7)  # an end of a block within a tag
    assert rows(merged('<mergeCell ref="E1:F2"/>' * 100))
    for regions in ('<mergeCell ref="E1:F2"/>' * 101, '<mergeCell ref="A1:ZZ9"/>' * 9):
        assert "too many merged cells" in refused(merged(regions))


def test_a_long_text_in_a_tall_region_is_counted():
    content = given.excel(["text", "x"], ["A lake. " * 1000, 1], *[[None, 1]] * 3000)
    tall = bombs.with_regions(content, '<mergeCell ref="A2:A9000"/>')
    assert "far larger than it is now" in refused(tall)


def test_formulas_without_a_value_are_counted():
    content = given.excel(["text", "mean"], ["A.", "=1+1"], ["B.", "=1+2"])
    [note] = [one["note"] for one in sent(content) if "note" in one]
    assert note.startswith("2 formulas have no computed value")


def test_of_several_sheets_the_fullest_is_read():
    content = given.excel(["text"], ["A."], sheets=("Empty", "Data"))
    found = sent(content)
    assert found[1]["sheet"] == "Data"
    assert found[-1]["note"] == 'The sheet "Data" was read, which holds the most.'
