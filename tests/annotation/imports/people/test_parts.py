"""Lists, files and sheets of one kind are called after what their records share."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from openpyxl import Workbook

from annotation import imports
from tests.annotation.imports import given
from tests.annotation.imports.people.test_people import checked, read_of, unused
from tests.annotation.imports.people.test_wide import prompt, ratings, text

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
    sheet = checked(json.dumps(value).encode())
    [question] = sheet.questions
    assert question.sentence == (
        'The same prompts stand in several parts of the file: "alpha", "beta". Is each'
        " of them called after its system?"
    )
    assert by_system(sheet) == right(names)


def test_raters_of_different_texts_are_no_systems():
    value = {f"annotator {k}": records(f"x{k}") for k in (1, 2)}
    sheet = checked(json.dumps(value).encode())
    assert [one.code for one in sheet.questions] == ["parts"]
    assert sheet.counts.systems == set()
    assert {r.rater for row in sheet for r in row.ratings} == set(value)


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


def book(**sheets: Sequence[Sequence[Any]]) -> bytes:
    made, out = Workbook(), io.BytesIO()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    made.save(out)
    return out.getvalue()


def rows_of(some: Sequence[dict[str, Any]], *names: str) -> list[list[Any]]:
    return [list(names), *([one[name] for name in names] for one in some)]


COLUMNS = ("prompt", "text", "coherence")


def zipped(prefix: str = "") -> bytes:
    return given.packed(
        **{
            f"{prefix}{name}__csv": given.table(COLUMNS, rows_of(some, *COLUMNS)[1:])
            for name, some in of_raters()
        }
    )


def sheets_of_raters() -> bytes:
    notes = [["About the study"], ["Three people."]]
    sheets = {name: rows_of(some, *COLUMNS) for name, some in of_raters()}
    return book(Notes=notes, **sheets)


@pytest.mark.parametrize(
    "content",
    [zipped, lambda: zipped("ratings_"), lambda: zipped("lab___"), sheets_of_raters],
)
def test_files_and_sheets_with_the_same_texts_are_of_raters(content):
    sheet = checked(content())
    assert [one.code for one in sheet.questions] == ["parts"]
    assert (read_of(sheet), sheet.counts.texts) == (RATED, 6)
    assert unused(sheet) == {}


def test_folders_are_raters_where_each_has_the_same_file():
    files = {
        f"{name}___ratings__csv": given.table(COLUMNS, rows_of(some, *COLUMNS)[1:])
        for name, some in of_raters()
    }
    assert read_of(checked(given.packed(**files))) == RATED


def test_one_sheet_may_be_chosen():
    sheet = checked(sheets_of_raters(), sheet="ben")
    assert read_of(sheet) == {(t, "", v) for t, who, v in RATED if who == "ben"}


def test_a_copy_of_a_sheet_is_asked_about():
    rows = rows_of(records("x"), *COLUMNS)
    assert [q.code for q in checked(book(Data=rows, Copy=rows)).questions] == ["parts"]


def test_files_of_named_raters_are_not_asked_about():
    rows = [[text("x", n), who, n % 5 + 1] for n in range(4) for who in ("ann", "ben")]
    header = ("text", "rater", "fluency")
    files = {
        "one__csv": given.table(header, rows[::2]),
        "two__csv": given.table(header, rows[1::2]),
    }
    sheet = checked(given.packed(**files))
    assert (sheet.questions, {who for _, who, _ in read_of(sheet)}) == (
        [],
        {"ann", "ben"},
    )


def test_files_with_other_texts_are_neither_raters_nor_systems():
    files = {
        f"{name}__csv": given.table(
            ("text", "fluency"), [(text(name, n), n % 5 + 1) for n in range(4)]
        )
        for name in ("spring", "summer")
    }
    sheet = checked(given.packed(**files))
    assert (sheet.questions, sheet.counts.texts) == ([], 8)
    assert sheet.counts.systems == set()


# Aspects ------------------------------------------------------------------------------

ASPECTS = {"coherence": 1, "fluency": 2}
OF_ASPECTS = {
    (text("x", n), aspect, "ann", (n + k) % 5 + 1)
    for aspect, k in ASPECTS.items()
    for n in range(6)
}


def of_aspects(value: str) -> dict[str, list[list[Any]]]:
    return {
        aspect: [
            ["text", "rater", value or aspect],
            *([text("x", n), "ann", (n + k) % 5 + 1] for n in range(6)),
        ]
        for aspect, k in ASPECTS.items()
    }


def as_lists(tables: dict[str, list[list[Any]]]) -> bytes:
    lists = {
        name: [dict(zip(head, row, strict=True)) for row in rows]
        for name, (head, *rows) in tables.items()
    }
    return json.dumps(lists).encode()


def as_files(tables: dict[str, list[list[Any]]]) -> bytes:
    return given.packed(
        **{
            f"{name}__csv": given.table(rows[0], rows[1:])
            for name, rows in tables.items()
        }
    )


@pytest.mark.parametrize("value", ["rating", "score", ""])
@pytest.mark.parametrize("pack", [as_lists, as_files, lambda tables: book(**tables)])
def test_parts_may_be_of_aspects(pack, value):
    sheet = checked(pack(of_aspects(value)))
    found = {
        (row.text, r.aspect, r.rater, r.value) for row in sheet for r in row.ratings
    }
    assert (found, sheet.questions, sheet.counts.texts) == (OF_ASPECTS, [], 6)


# Systems, deeper ----------------------------------------------------------------------


def test_each_system_may_have_its_list_inside():
    inner = {s: {"outputs": records(s), "seed": 1} for s in SYSTEMS}
    sheet = checked(json.dumps({"model_outputs": inner}).encode())
    assert by_system(sheet) == right()


def test_a_list_of_systems_names_them():
    systems = [{"name": s, "outputs": records(s)} for s in SYSTEMS]
    sheet = checked(json.dumps({"systems": systems}).encode())
    assert by_system(sheet) == right()


def test_ratings_by_system_and_rater_stand_at_their_text():
    lines = [
        {
            "outputs": {s: text(s, n) for s in SYSTEMS},
            "ratings": {
                "gpt4": {"coherence": {"ann": 1 + n % 5, "ben": 2}},
                "llama": {"coherence": {"ann": 3, "ben": 4}},
            },
        }
        for n in range(5)
    ]
    sheet = checked(given.jsonl(*lines))
    assert sheet.questions == []
    assert ratings(sheet) == {
        *((text("gpt4", n), "gpt4", "coherence", "ann", 1 + n % 5) for n in range(5)),
        *((text("gpt4", n), "gpt4", "coherence", "ben", 2) for n in range(5)),
        *((text("llama", n), "llama", "coherence", "ann", 3) for n in range(5)),
        *((text("llama", n), "llama", "coherence", "ben", 4) for n in range(5)),
    }


# Sheets that differ a little ----------------------------------------------------------


def test_sheets_may_differ_in_order_and_by_a_column():
    first = [[text("x", n), 1 + n % 5, "Fine."] for n in range(5)]
    second = [[1 + (n + 1) % 5, text("x", n)] for n in range(5)]
    sheet = checked(
        book(
            ann=[["text", "fluency", "comment"], *first],
            ben=[["fluency", "text"], *second],
        )
    )
    assert read_of(sheet) == {
        *((text("x", n), "ann", 1 + n % 5) for n in range(5)),
        *((text("x", n), "ben", 1 + (n + 1) % 5) for n in range(5)),
    }


def test_a_summary_is_not_read_with_the_texts():
    rows = [[text("x", n), "m", 1 + n % 5] for n in range(5)]
    sheet = checked(
        book(
            Data=[["text", "system", "coherence"], *rows],
            Summary=[["system", "coherence"], ["m", 3]],
        )
    )
    assert (sheet.counts.texts, sheet.problems.lines()) == (5, [])
    assert sheet.notes == ['The sheet "Data" was read, which holds the most.']


def test_sheets_of_ratings_by_id_are_of_raters():
    tables = {
        who: [["id", "coherence"], *([f"q{n}", 1 + (n + k) % 5] for n in range(5))]
        for k, who in enumerate(("ann", "ben"))
    }
    sheet = checked(book(**tables))
    assert [one.code for one in sheet.questions] == ["parts"]
    assert {(row.key, r.rater, r.value) for row in sheet for r in row.ratings} == {
        (f"q{n}", who, 1 + (n + k) % 5)
        for n in range(5)
        for k, who in enumerate(("ann", "ben"))
    }


def test_a_column_called_part_is_the_file_s_own():
    rows = [(prompt(n), text(k, n), k, 3) for n in range(4) for k in ("x", "y")]
    sheet = checked(given.table(("prompt", "text", "part", "fluency"), rows))
    assert (sheet.questions, sheet.counts.systems) == ([], set())
    assert unused(sheet) == {"part": 8}
