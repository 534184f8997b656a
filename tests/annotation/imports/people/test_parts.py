"""Lists, files and sheets of one kind are called after what their records share."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from annotation import imports
from tests.annotation.imports.people.test_people import checked, read_of, unused
from tests.annotation.imports.people.test_wide import prompt, text

SYSTEMS = ("gpt4", "llama")


def records(letter: str, first: int = 1) -> list[dict[str, Any]]:
    return [
        {"prompt": prompt(n), "text": text(letter, n), "coherence": (n + first) % 5 + 1}
        for n in range(6)
    ]


def by_system(sheet: imports.Sheet) -> set[tuple[str, str]]:
    return {(row.text, row.system) for row in sheet}


def right(systems: tuple[str, ...] = SYSTEMS) -> set[tuple[str, str]]:
    return {(text(system, n), system) for system in systems for n in range(6)}


# Systems ------------------------------------------------------------------------------


@pytest.mark.parametrize("inside", [False, True])
def test_lists_under_the_names_of_systems_are_theirs(inside):
    value: dict[str, Any] = {system: records(system) for system in SYSTEMS}
    value = {"version": 2, "results": value} if inside else value
    sheet = checked(json.dumps(value).encode())
    assert by_system(sheet) == right()
    assert (sheet.questions, sheet.counts.ratings) == ([], 12)
    assert [entry.role for entry in sheet.account if entry.column == "part"] == [
        "system"
    ]


def test_objects_by_system_and_item_are_texts_of_the_system():
    value = {s: {f"i{n}": {"text": text(s, n)} for n in range(6)} for s in SYSTEMS}
    assert by_system(checked(json.dumps(value).encode())) == right()


def test_other_answers_to_the_same_prompts_are_of_other_systems():
    names = ("alpha", "beta")
    value = {name: records(name) for name in names}
    assert by_system(checked(json.dumps(value).encode())) == right(names)


def test_parts_of_a_data_set_are_no_systems():
    value = {name: [{"text": text(name, 1)}] * 1 for name in ("train", "test")}
    sheet = checked(json.dumps(value).encode())
    assert (sheet.counts.systems, sheet.counts.texts) == (set(), 2)
    assert unused(sheet) == {"part": 2}


def test_a_system_that_the_records_name_counts():
    value = {
        name: [{"model": "m", "text": text(name, n)} for n in range(4)]
        for name in ("gpt4", "llama")
    }
    assert checked(json.dumps(value).encode()).counts.systems == {"m"}


def test_the_note_names_all_lists():
    value = {name: records(name) for name in SYSTEMS}
    [note] = checked(json.dumps(value).encode()).notes
    assert note == 'The records are those under "gpt4", "llama".'


# Raters -------------------------------------------------------------------------------


def of_raters() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for first, name in enumerate(("ann", "ben", "cem")):
        yield name, records("x", first)


RATED = {
    (text("x", n), name, (n + first) % 5 + 1)
    for first, name in enumerate(("ann", "ben", "cem"))
    for n in range(6)
}


def test_lists_with_the_same_texts_are_of_raters_and_asked_about():
    content = json.dumps(dict(of_raters())).encode()
    sheet = checked(content)
    [question] = sheet.questions
    assert question.sentence == (
        'The same texts are rated in several parts of the file: "ann", "ben", "cem".'
        " Is each of them called after its rater?"
    )
    assert read_of(sheet) == RATED
    assert sheet.counts.texts == 6
    assert checked(content, yes=True).questions == []
    nobody = checked(content, map={"part": imports.IGNORE}, guess=True)
    assert nobody.questions == []
    assert {r.rater for row in nobody for r in row.ratings} == {""}
