"""Rows of a Parquet file: weighed before they become objects."""

from __future__ import annotations

import datetime
import io
from dataclasses import replace

import pyarrow as pa
import pytest

from evalapp.cage.readers import Refused, parquet
from tests.annotation.imports import given
from tests.evalapp.cage import bombs
from tests.evalapp.cage.reading import LIMITS, rows


def refused(content: bytes, **options) -> str:
    with pytest.raises(Refused) as error:
        rows(content, **options)
    return str(error.value)


def test_values_of_every_kind_come_as_json_can_say_them():
    columns = {
        "text": ["A.", None],
        "n": [1, None],
        "x": [0.1, float("inf")],
        "is": [True, False],
        "many": [["a", None], []],
        "turns": [[{"role": "user", "content": "Hi"}], None],
        "day": [datetime.date(2026, 1, 2), None],
        "raw": [b"\xff", b"b"],
    }
    assert rows(given.parquet(**columns)) == [
        ["A.", 1, 0.1, True, ["a", None], [{"role": "user", "content": "Hi"}]]
        + ["2026-01-02", "\ufffd"],
        [None, None, float("inf"), False, [], None, None, "b"],
    ]


def test_categories_and_maps_come_as_their_values():
    groups = pa.array(["a", None, "b", "a"]).dictionary_encode()
    numbers = pa.array([5, 6, 5, None]).dictionary_encode()
    maps = pa.array([[("k", "v")], [], None, []], pa.map_(pa.string(), pa.string()))
    found = rows(given.parquet(group=groups, n=numbers, map=maps))
    assert [row[:2] for row in found] == [["a", 5], [None, 6], ["b", 5], ["a", None]]
    assert found[0][2] == ["('k', 'v')"]


def test_all_rows_come_however_many_are_decoded_at_once(monkeypatch):
    monkeypatch.setattr(parquet, "ROOM", 500)
    texts = [f"Text {n}. " * 9 for n in range(1000)]
    assert rows(given.parquet(text=texts)) == [[text] for text in texts]


@pytest.mark.parametrize(
    "content",
    [
        bombs.one_text(4_000_000, 2000),
        bombs.one_text(1_300_000, 1),
        bombs.long_list(200_000),
        bombs.long_list_of_texts(100_000, 2000),
        bombs.list_of_nothing(200_000),
    ],
    ids=["one text in all rows", "a long text", "a long list", "texts", "nothings"],
)
def test_a_row_that_is_large_once_unpacked_is_refused_before_it_is(
    content, monkeypatch
):
    assert len(content) < 10_000
    seen, real = [0], parquet._objects
    monkeypatch.setattr(
        parquet, "_objects", lambda c: seen.append(parquet.weight_of(c)) or real(c)
    )
    assert "Row 1 is longer than 1,280,000 bytes" in refused(content)
    assert max(seen) <= parquet.ROOM


def test_many_rows_of_one_text_are_refused_together():
    assert "far larger than it is now" in refused(bombs.one_text(1_000_000, 50))
    assert len(rows(bombs.one_text(1_000, 5_000))) == 5_000


def test_the_number_of_rows_and_columns_is_looked_at_first(monkeypatch):
    monkeypatch.setattr(parquet, "rows", pytest.fail)
    content = given.parquet(text=["A."] * 6)
    assert "6 rows: split it" in refused(content, limits=replace(LIMITS, rows=5))
    wide = given.parquet(x=[{f"k{n}": 1 for n in range(2001)}])
    assert "2,001 columns" in refused(wide)


def test_a_weight_is_that_of_what_is_said_in_each_row():
    column = pa.array(["aaaa", "aaaa", None]).dictionary_encode()
    assert parquet.weight_of(column) == 3 * 8 + 8
    lists = pa.array([[["a"], []], [["bb"]]])
    assert parquet.weight_of(lists) >= 8 * (2 + 3 + 2) + 3
    assert parquet.weight_of(lists[1:]) < parquet.weight_of(lists)


def test_a_date_that_python_cannot_have_is_told():
    days = pa.array([10**8], pa.int32()).cast(pa.date32())
    assert "cannot be read" in refused(given.parquet(text=["A."], day=days))


def test_a_file_that_only_begins_like_one_is_told():
    for content in (b"PAR1 nothing of the kind PAR1", b"PAR1"):
        assert refused(content) == parquet.CORRUPT
    whole = given.parquet(text=[f"{n}" for n in range(100)])
    file = io.BytesIO(whole[:60] + bytes(20) + whole[80:])
    assert refused(file.getvalue()) == parquet.CORRUPT
