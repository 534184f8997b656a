"""Files that are not UTF-8: recognised, said, and never wrong in silence."""

from __future__ import annotations

import hashlib
import io

import pytest

from annotation import imports
from annotation.imports._encodings import Encoding, recognised
from tests.annotation.imports import given

CAFE = "id,output\n1,Un café au lait.\n2,Une naïveté.\n"
TEXTS = ["Un café au lait.", "Une naïveté."]


def read(content: bytes, **options: str) -> imports.Sheet:
    file = io.BytesIO(content)
    return imports.check(format="columns", file=file, options=options)


def texts(sheet: imports.Sheet) -> list[str]:
    return [row.text for row in sheet]


@pytest.mark.parametrize(
    ("content", "name", "sure"),
    [
        (CAFE.encode(), "utf-8", True),
        (CAFE.encode("utf-8-sig"), "utf-8", True),
        (CAFE.encode("utf-16"), "utf-16", True),
        ("\ufeff".encode("utf-16-be") + CAFE.encode("utf-16-be"), "utf-16", True),
        (CAFE.encode("cp1252"), "cp1252", False),
        (CAFE.encode("latin-1"), "cp1252", False),
        (b"id,output\n1," + "Größe “groß“.".encode("cp1252"), "cp1252", False),
        (b"x" * (3 << 20) + b"\xe9", "cp1252", False),
        (b"plain", "utf-8", True),
        ("A lone \N{REPLACEMENT CHARACTER}.".encode(), "utf-8", True),
        # UTF-8 with one broken place: another encoding would spoil all the rest.
        (CAFE.encode() + b"3,\xe9\n", "utf-8", False),
        (b"\x81\x8d", "utf-8", False),
    ],
)
def test_it_is_recognised(content, name, sure):
    file = io.BytesIO(content)
    found = recognised(file)
    assert (found.name, found.sure, file.tell()) == (name, sure, 0)


def test_words_in_which_it_shows_are_told_once_each():
    content = ("café café naïve déjà vu, crème brûlée, Größe, ça ").encode("cp1252")
    assert recognised(io.BytesIO(content)).words == (
        *("café", "naïve", "déjà", "crème", "brûlée"),
    )


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252"])
@pytest.mark.parametrize(
    "content",
    [
        CAFE,
        CAFE.replace(",", "\t"),
        '{"output": "Un café au lait."}\n{"output": "Une naïveté."}\n',
        '[{"output": "Un café au lait."}, {"output": "Une naïveté."}]',
    ],
)
def test_any_kind_of_text_is_read(content, encoding):
    sheet = read(content.encode(encoding))
    assert texts(sheet) == TEXTS
    assert sheet.encoding.name == encoding
    assert sheet.sha256 == hashlib.sha256(content.encode(encoding)).hexdigest()


def test_files_in_a_zip_are_said_too():
    sheet = read(given.packed(a__csv=CAFE.encode("cp1252")))
    assert (texts(sheet), sheet.encoding.name) == (TEXTS, "cp1252")


def test_one_can_be_chosen():
    assert texts(read("output\nПривет.\n".encode("cp1251"), encoding="cp1251")) == [
        "Привет."
    ]
    assert texts(
        read("output\n日本。\n".encode("shift_jis"), encoding="shift_jis")
    ) == ["日本。"]


def test_the_wrong_one_is_refused():
    sheet = read(CAFE.encode("cp1252"), encoding="utf-16")
    assert sheet.problems.of_the_file
    assert "is not UTF-16: choose another encoding" in sheet.problems.lines()[0]


def test_broken_places_of_utf_8_are_told_line_by_line():
    sheet = read(CAFE.encode() + b"3,\xe9t\xe9\n")
    assert sheet.encoding == Encoding(sure=False)
    assert sheet.problems.bad_lines == {4}


def test_an_unknown_one_is_refused():
    with pytest.raises(imports.UploadError, match="encoding is one of utf-8"):
        read(CAFE.encode(), encoding="rot13")
