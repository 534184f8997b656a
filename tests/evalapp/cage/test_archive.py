"""What comes out of a zip file, and how little a hostile one costs."""

from __future__ import annotations

import gzip
import io
import zipfile
from dataclasses import replace

import pytest

from evalapp.cage.packs import Budget
from evalapp.cage.readers import Refused, tables
from tests.annotation.imports import given
from tests.evalapp.cage import bombs
from tests.evalapp.cage.reading import LIMITS, sent


def refused(content: bytes, **options) -> str:
    with pytest.raises(Refused) as error:
        sent(content, **options)
    return str(error.value)


def test_files_come_one_after_the_other_texts_as_they_are():
    content = given.packed(a___a__csv=b"text\nA.", b___b__csv=b"text\nB.")
    assert sent(content) == [
        {"pack": "zip", "files": 2},
        {"file": "a/a.csv", "kind": "text"},
        b"text\nA.",
        {"file": "b/b.csv", "kind": "text"},
        b"text\nB.",
    ]


def test_a_workbook_in_a_zip_file_is_read_where_the_zip_file_is():
    found = sent(given.packed(a__xlsx=given.excel(["text"], ["A."])))
    assert found[1]["kind"] == "xlsx"
    assert found[2]["rows"] == [[1, ["text"]], [2, ["A."]]]


def test_a_zip_file_in_it_is_refused_whatever_it_is_called():
    inner = given.packed(b__csv=b"text\nA.")
    for name in ("a__zip", "a__csv", "a__parquet", "a__xlsx"):
        assert "another zip file in it" in refused(given.packed(**{name: inner}))


def test_two_hundred_zip_files_in_one_are_refused_at_the_first():
    assert "another zip file in it" in refused(bombs.nested(200, 200))


@pytest.mark.parametrize("short", [{"files": 1}, {"bytes": 1}])
def test_all_levels_have_one_budget(monkeypatch, short):
    book = given.excel(["text"], ["A."])
    parts = zipfile.ZipFile(io.BytesIO(book)).infolist()
    n_bytes = len(book) + sum(part.file_size for part in parts)
    for one, works in (({}, True), (short, False)):
        left = Budget(2 * n_bytes - one.get("bytes", 0))
        left.files = 2 * (1 + len(parts)) - one.get("files", 0)
        monkeypatch.setattr(tables, "Budget", lambda most, left=left: left)
        content = given.packed(a__xlsx=book, b__xlsx=book)
        assert sent(content) if works else "too much together" in refused(content)


def test_what_comes_out_is_counted_whatever_the_directory_says():
    content = bombs.packed([("a.csv", bytes(range(256)) * 3000)])
    lie = content.replace((768_000).to_bytes(4, "little"), b"\x10\0\0\0")
    assert lie != content
    assert refused(lie, limits=replace(LIMITS, bytes=100_000))


@pytest.mark.parametrize(
    "packing", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_a_damaged_zip_file_is_told_however_it_is_packed(packing):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", packing) as pack:
        pack.writestr("a.csv", "text\n" + "A lake. " * 9)
    start = out.getvalue().index(b"a.csv") + len("a.csv")
    end = out.getvalue().index(b"PK\x01\x02")
    if packing == zipfile.ZIP_LZMA:  # its head and end hold what nobody needs here
        start, end = start + 9, end - 8
    for at in range(start, end):
        damaged = bytearray(out.getvalue())
        damaged[at] ^= 0xFF
        assert "is damaged: pack it again." in refused(bytes(damaged))


def test_of_several_files_the_beginning_is_shown_alone():
    long = b"text\n" + b"A lake.\n" * 20_000
    content = given.packed(a__csv=long, b__xlsx=given.excel(*[["A."]] * 50), c__md=b"x")
    found = sent(content, heads=True)
    assert found[0] == {"pack": "zip", "files": 2, "heads": True, "others": ["c.md"]}
    told = [one for one in found if isinstance(one, dict)]
    assert [one["member"] for one in told if "member" in one] == [0, 1]
    assert [len(one) for one in found if isinstance(one, bytes)] == [1 << 16]
    assert [len(one["rows"]) for one in told if "rows" in one] == [20]


def test_some_of_its_files_can_be_asked_for():
    content = given.packed(a__csv=b"A.", b__csv=b"B.", c__csv=b"C.")
    found = sent(content, only=[0, 2])
    assert [one for one in found if isinstance(one, bytes)] == [b"A.", b"C."]


@pytest.mark.parametrize("end", [b"", b"x"])
def test_what_gzip_holds_is_counted(end):
    content = gzip.compress(b"text\n" + bytes(range(32, 127)) * 2000 + end)
    assert b"".join(one for one in sent(content) if isinstance(one, bytes))
    said = refused(content, limits=replace(LIMITS, bytes=100_000))
    assert "larger than the limit" in said


def test_a_file_that_gzip_made_tiny_is_refused():
    content = gzip.compress(bytes(30_000_000))
    assert "far larger than it is now" in refused(content)


@pytest.mark.parametrize(
    "inner", [given.packed(a__csv=b"A."), gzip.compress(b"A.")], ids=["zip", "gzip"]
)
def test_gzip_holds_no_other_packed_file(inner):
    assert "another packed file" in refused(gzip.compress(inner))
