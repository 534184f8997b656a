"""The beginning of a large JSON document, which says what it is."""

from __future__ import annotations

import io
import json

import pytest

from annotation.imports import files, intakes

RECORDS = [{"text": "a lake, ] with", "parts": [1, {"c": 2}]} for _ in range(50)]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.4, 0.999, 1.0])
def test_the_first_records_of_a_list_are_a_list(indent, share):
    content = json.dumps(RECORDS, indent=indent).encode()
    first = json.loads(files.first_records(content[: int(share * len(content))]))
    assert first == RECORDS[: len(first)]
    assert len(first) >= int(share * len(RECORDS)) - 2


@pytest.mark.parametrize("content", [b'{"a": [1]}', b"[[[[[[", b"[", b"", b"[1 2"])
def test_of_anything_else_there_are_none(content):
    assert json.loads(files.first_records(content)) in ([], [1])


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b'[{"text": 1}]', True),
        (b'{\n "samples": [', True),
        (b'{"text": "a"}\n{"text": "b"}\n', False),
        (b"text,quality\n", False),
        (b"PK\x03\x04", False),
    ],
)
def test_a_document_is_one_value(head, expected):
    assert files.is_document(head) is expected


def test_a_large_document_is_recognised_by_its_first_records(monkeypatch):
    monkeypatch.setattr(files, "SMALL_DOCUMENT", 600)
    rows = [
        {"instruction": f"Name {n}.", "output_1": "Como.", "output_2": "Garda."}
        | {"generator_1": "a", "generator_2": "b", "preference": 1.0}
        for n in range(200)
    ]
    profile = intakes.profile_of(io.BytesIO(json.dumps(rows).encode()), "a.json")
    assert profile.preset == "alpaca_eval"
