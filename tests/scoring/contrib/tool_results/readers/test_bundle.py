"""Files that nobody's tool wrote, or that are made to harm."""

from __future__ import annotations

import io
import zipfile

import pytest

from annotation.imports import Limits, UploadError
from scoring.contrib.tool_results import readers
from scoring.contrib.tool_results.readers import _found
from tests.scoring.contrib.tool_results.readers.test_every_eval_ever import LOG, row
from tests.scoring.contrib.tool_results.readers.test_inspect_ai import EVAL, HEAD
from tests.scoring.contrib.tool_results.results import lines, packed, read


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "is not valid JSON"),
        ('{"a": 1}', 'It has the fields "a".'),
        ("[]", "It is JSON, but not an object with fields."),
        ("[" * 100_000, "is not valid JSON"),
        ('{"a": ' + "9" * 5000 + "}", "is not valid JSON"),
        (b'{"a": "\xff"}', "is not UTF-8"),
        (packed({"a.txt": "x"}), "The zip file has no JSON file."),
        (packed({"a.json": {"b": 1}}), 'The zip file has "a.json".'),
        (b"PK\x03\x04 and no more", "This zip file cannot be read."),
    ],
)
def test_what_no_tool_wrote_is_told_in_a_sentence(content, said):
    with pytest.raises(UploadError) as error:
        read(content)
    assert said in error.value.lines[0]
    assert len(error.value.lines) == 1


def test_a_bomb_is_refused_before_it_is_unpacked():
    bomb = packed({**EVAL, "samples/9_epoch_1.json": b" " * 20_000_000})
    with pytest.raises(UploadError, match="far larger than it is now"):
        read(bomb)


def test_a_document_is_never_read_beyond_its_limit():
    large = packed({**EVAL, "header.json": b" " * (17 << 20)}, compression=0)
    with pytest.raises(UploadError, match="larger than 16 MB, the limit for JSON"):
        read(large)


def test_a_damaged_member_is_told():
    whole = bytearray(packed({"header.json": b"{" + b"abcdefgh" * 900}))
    whole[40:60] = b"\x00" * 20
    with pytest.raises(UploadError, match='"header.json" is damaged'):
        read(bytes(whole))


@pytest.mark.parametrize(
    "packing", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_damage_at_any_byte_is_told_however_the_file_is_packed(packing):
    whole = packed({"a.json": b"{}" + b" " * 40}, compression=packing)
    for at in range(4, len(whole)):
        for byte in (0, 0xFF):
            damaged = bytearray(whole)
            damaged[at] = byte
            with pytest.raises(UploadError) as error:  # whole, it is no log either
                read(bytes(damaged))
            assert len(error.value.lines) == 1


def test_a_way_of_packing_that_is_unknown_is_told():
    whole = bytearray(packed(EVAL))
    for start in (whole.find(b"PK\x03\x04") + 8, whole.find(b"PK\x01\x02") + 10):
        whole[start : start + 2] = (98).to_bytes(2, "little")  # PPMd
    with pytest.raises(UploadError, match="convert the log to JSON"):
        read(bytes(whole))


def test_outputs_are_refused_as_soon_as_they_are_too_many():
    """Each sample gets all outputs: a few bytes could say millions of scores."""
    samples = [{"id": n, "scores": {f"s{n}": {"value": 1}}} for n in range(1500)]
    with pytest.raises(UploadError, match="more than 100 kinds of scores"):
        read({**HEAD, "samples": samples})


def test_no_tool_gives_more_scores_than_an_upload_may_have(monkeypatch):
    monkeypatch.setattr(_found, "MOST_SCORES", 3)
    case = {"metricsData": [{"name": f"m{n}", "score": 1} for n in range(4)]}
    sample = {"doc_id": 1, "doc": {}, "arguments": [], "resps": [], "exact": 1}
    stats = [{"name": {"name": f"s{n}"}, "mean": 1} for n in range(4)]
    results = [{"evaluation_name": f"e{n}"} for n in range(4)]
    for content in (
        {**HEAD, "samples": [{"id": n, "scores": {"s": 1}} for n in range(4)]},
        {"testCases": [case]},
        lines(*[sample] * 4),
        lines(*[row(n, 1) for n in range(4)]),
        {**LOG, "evaluation_results": results},
        [{"instance_id": "a", "stats": stats}],
    ):
        with pytest.raises(UploadError, match="more than 3 scores, the limit"):
            read(content)


def test_too_many_files_and_lines_are_refused():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as pack:
        for n in range(20_001):
            pack.writestr(f"{n}.json", "1")
    with pytest.raises(UploadError, match="has 20,001 files"):
        read(file.getvalue())
    row = {"doc_id": 0, "doc": {}, "arguments": [], "resps": []}
    with pytest.raises(UploadError, match="has more than 2 lines"):
        read(lines(row, row, row), limits=Limits(rows=2))


def test_tables_are_left_to_others():
    assert not readers.is_meant(io.BytesIO(b"key,output,value,direction\n"))
    assert readers.is_meant(io.BytesIO(b'\xef\xbb\xbf \n{"a": 1}'))
