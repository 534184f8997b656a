"""What each kind of file becomes, and what is refused in which words."""

from __future__ import annotations

import io
import zipfile

import pytest

from annotation import imports
from annotation.imports import files
from tests.annotation.imports import given

ROWS = [("id", "output"), (1, "One."), (2, "Two.")]
OBJECTS = [{"id": 1, "output": "One."}, {"id": 2, "output": "Two."}]


def opened(content: bytes, sheet: str = "") -> files.Table:
    source = imports.Source(io.BytesIO(content), imports.limits(), imports.Problems())
    return files.opened(source, sheet=sheet)


def refused(content: bytes, sheet: str = "") -> str:
    problems = imports.Problems()
    source = imports.Source(io.BytesIO(content), imports.limits(), problems)
    with pytest.raises(imports.Unreadable):
        list(files.opened(source, sheet=sheet).records)
    return problems.causes()[0].example


def texts(table: files.Table) -> list[object]:
    return [record.cells["output"] for record in table.records]


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("csv", given.table(ROWS[0], ROWS[1:])),
        ("csv", given.table(ROWS[0], ROWS[1:], ";")),
        ("csv", given.table(ROWS[0], ROWS[1:], "\t")),
        ("csv", b"\xef\xbb\xbf" + given.table(ROWS[0], ROWS[1:])),
        ("jsonl", given.jsonl(*OBJECTS)),
        ("json", b'[{"id": 1, "output": "One."}, {"id": 2, "output": "Two."}]'),
        ("json", b'{"about": [1], "data": [{"output": "One."}, {"output": "Two."}]}'),
        ("json", b'{"a": {"output": "One."}, "b": {"output": "Two."}}'),
        ("json", b'{"id": {"0": 1, "1": 2}, "output": {"0": "One.", "1": "Two."}}'),
        ("json", b'{\n "a": {"output": "One."},\n "b": {"output": "Two."}\n}'),
        ("xlsx", given.excel(*ROWS)),
        ("parquet", given.parquet(id=[1, 2], output=["One.", "Two."])),
        ("zip", given.packed(a__csv=given.table(ROWS[0], ROWS[1:]))),
        ("zip", given.packed(a__xlsx=given.excel(*ROWS))),
        (
            "zip",
            given.packed(
                a__jsonl=b'{"output": "One."}', b__jsonl=b'{"output": "Two."}'
            ),
        ),
    ],
)
def test_every_kind_is_recognised_by_its_content(kind, content):
    table = opened(content)
    assert table.kind == kind
    assert texts(table) == ["One.", "Two."]


def test_objects_in_objects_become_columns():
    table = opened(given.jsonl({"data": {"output": "One."}, "n": [1, 2]}))
    assert table.columns == ["data.output", "n"]


def test_columns_without_a_name_and_twins_can_be_told_apart():
    assert opened(b",text,text\n1,a,b\n").columns == ["column 1", "text", "text (2)"]


def test_a_tab_file_may_have_quotes_in_its_texts_or_around_them():
    assert texts(opened(b'id\toutput\n1\t"Go," he said.\n')) == ['"Go," he said.']
    assert texts(opened(b'id\toutput\n1\t"One\nline"\n2\tx\n')) == ["One\nline", "x"]


def test_formulas_are_read_as_their_values():
    """Only what was saved as the value of a formula is read, never the formula."""
    content = given.excel(("id", "output"), (1, "=1+1"), (2, "Two."))
    assert texts(opened(content)) == [None, "Two."]


def test_a_sheet_can_be_chosen():
    content = given.excel(*ROWS, sheets=("Notes", "Data"))
    table = opened(content, sheet="Data")
    assert (table.sheets, texts(table)) == (["Notes", "Data"], ["One.", "Two."])
    assert '"Notes", "Data"' in refused(content, sheet="Other")


def test_files_of_a_zip_say_where_they_lie():
    content = given.packed(
        ann___a__jsonl=b'{"output": "One."}', ben___a__jsonl=b'{"output": "Two."}'
    )
    rows = [record.cells for record in opened(content).records]
    assert [row["folder"] for row in rows] == ["ann", "ben"]


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 504


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (OLE, "old Excel file (xls)"),
        (OLE + "EncryptedPackage".encode("utf-16-le"), "protected by a password"),
        (given.excel(*ROWS)[:2000], "damaged"),
        (b"PAR1 nothing of the kind PAR1", "Parquet file cannot be read"),
        (b"\x1f\x8b\x08", "damaged or cut off"),
        (b"\x89PNG\r\n\x1a\n\0", "This kind of file cannot be read here"),
        (b"", "empty"),
        (b"[1, 2", "not valid JSON"),
        (b"12345678" * 4 + b"\n" + b"x" * 10, ""),
        (given.packed(a__zip=given.packed(b__csv=b"a")), "another zip file in it"),
        (given.packed(a__png=b"a"), "no table in it"),
    ],
)
def test_what_cannot_be_read_is_said_in_a_sentence(content, said):
    if said:
        assert said in refused(content)
    else:
        assert not opened(content).headed


def test_a_protected_workbook_is_told_wherever_it_says_so(monkeypatch):
    monkeypatch.setattr(files.excel, "BLOCK", 100)
    mark = "EncryptedPackage".encode("utf-16-le")
    for at in range(90, 102):
        assert "protected by a password" in refused(OLE[:8] + b"a" * at + mark)
    assert "old Excel file (xls)" in refused(OLE[:8] + b"a" * 250 + mark[:-1])


class TestBombs:
    def zipped(self, content: bytes, n: int = 1) -> bytes:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as pack:
            for number in range(n):
                pack.writestr(f"{number}.csv", content)
        return out.getvalue()

    def test_what_unpacks_to_more_than_is_taken(self, settings):
        settings.UPLOAD_MAX_BYTES = 1024 * 1024
        noise = "".join(f"{n * 7919 % 10007}," for n in range(300_000)).encode()
        assert "larger than 1 MB" in refused(self.zipped(noise))

    def test_what_is_packed_too_tightly(self):
        assert "far larger than it is now" in refused(self.zipped(b"a" * 8_000_000))

    def test_too_many_files(self):
        assert "201 files. The most it may have is 200" in refused(
            self.zipped(b"a\n", 201)
        )

    def test_a_directory_that_lies_about_sizes(self, settings):
        content = self.zipped(bytes(range(256)) * 3000)
        lie = content.replace((768_000).to_bytes(4, "little"), b"\x10\0\0\0")
        assert lie != content
        settings.UPLOAD_MAX_BYTES = 100_000
        assert refused(lie)

    def test_a_workbook_with_entities(self):
        book = io.BytesIO(given.excel(*ROWS))
        out = io.BytesIO()
        with zipfile.ZipFile(book) as old, zipfile.ZipFile(out, "w") as new:
            for name in old.namelist():
                content = old.read(name)
                if name == "xl/worksheets/sheet1.xml":
                    head = b'<?xml version="1.0"?><!DOCTYPE s [<!ENTITY a "aaaa">]>'
                    content = head + content[content.index(b"<worksheet") :]
                new.writestr(name, content)
        assert "damaged" in refused(out.getvalue())

    def test_too_many_columns(self):
        assert "1,001 columns" in refused(b",".join([b"a"] * 1001) + b"\n1\n")
        assert "columns" in refused(given.excel(["a"] * 1001, ["b"] * 1001))


def test_of_large_records_fewer_stay_in_memory(settings, monkeypatch):
    monkeypatch.setattr(files._table, "ROOM", 5_000)
    monkeypatch.setattr("annotation.imports._profile.ROOM", 5_000)
    content = given.table(["text"], [["A lake. " * 100]] * 50)
    source = imports.Source(io.BytesIO(content), imports.limits(), imports.Problems())
    found = imports.opened(source)
    assert len(found.first) == 7
    assert len(list(found.records)) == 50
