"""Cells of a workbook, as many as there are and no more."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evalapp.cage.readers import Refused, excel
from tests.annotation.imports import given
from tests.evalapp.cage import bombs
from tests.evalapp.cage.reading import LIMITS, rows


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
