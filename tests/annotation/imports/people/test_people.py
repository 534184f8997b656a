"""Files as other programs write them: each rating on its text, each cell accounted for.

What is right is read here out of the files themselves, by csv and json alone.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from annotation import imports
from tests.annotation.imports import given

HERE = Path(__file__).parent
TABLES = sorted(
    path.name
    for path in HERE.iterdir()
    if path.suffix in (".csv", ".tsv", ".txt", ".json", ".jsonl", ".xlsx", ".parquet")
)
Said = set[tuple[str, str, int]]  # text, rater, rating


def path(start: str) -> Path:
    [found] = HERE.glob(f"{start}-*")
    return found


def checked(content: bytes, **options: Any) -> imports.Sheet:
    options = {"scale": imports.AUTO, **options}
    return imports.check(format="columns", file=io.BytesIO(content), options=options)


def sheet_of(start: str, **options: Any) -> imports.Sheet:
    return checked(path(start).read_bytes(), **options)


def rows_of(start: str) -> list[dict[str, Any]]:
    found = path(start)
    if found.suffix == ".csv":
        return list(csv.DictReader(found.open(encoding="utf-8")))
    if found.suffix == ".json":
        return json.loads(found.read_text())
    return [json.loads(line) for line in found.read_text().splitlines()]


def read_of(sheet: imports.Sheet) -> Said:
    return {(row.text, r.rater, r.value) for row in sheet.rows for r in row.ratings}


def unused(sheet: imports.Sheet) -> dict[str, int]:
    return {entry.column: entry.not_used for entry in sheet.account if entry.not_used}


def reasons(sheet: imports.Sheet) -> dict[str, str]:
    return {e.column: e.unused[0].reason for e in sheet.account if e.unused}


@pytest.mark.parametrize(("start", "n", "raters"), [("01", 600, 3), ("01b", 500, 5)])
def test_every_annotator_counts_whenever_they_begin(start, n, raters):
    right = {
        (
            task["data"]["text"],
            f"annotator {one['completed_by']}",
            one["result"][0]["value"]["rating"],
        )
        for task in rows_of(start)
        for one in task["annotations"]
    }
    sheet = sheet_of(start)
    assert sheet.counts.ratings == len(right) == n
    assert read_of(sheet) == right
    assert len({rater for _, rater, _ in read_of(sheet)}) == raters
    [ids] = [entry for entry in sheet.account if entry.role == "key"]
    assert ids.not_used == 0


def test_a_field_that_begins_in_the_middle_counts():
    begin = "rating:coherence:"
    right = {
        (row["text"], name.removeprefix(begin), value)
        for row in rows_of("29")
        for name, value in row.items()
        if name.startswith(begin)
    }
    sheet = sheet_of("29")
    assert sheet.counts.ratings == len(right) == 450
    assert read_of(sheet) == right
    assert unused(sheet) == {}


def test_ratings_that_begin_late_count():
    rated = [row for row in rows_of("48") if row["coherence"]]
    right = {(row["text"], "", int(row["coherence"])) for row in rated}
    sheet = sheet_of("48")
    assert (sheet.counts.ratings, sheet.counts.texts) == (len(rated), 330)
    assert len(rated) == 100
    assert read_of(sheet) == right
    assert unused(sheet) == {}


def test_ids_that_raters_rows_repeat_stay():
    right = {row["text"]: row["id"] for row in rows_of("53a")}
    sheet = sheet_of("53a")
    assert {row.text: row.key for row in sheet.rows} == right
    assert sheet.counts.ratings == len(rows_of("53a")) == 48
    assert sheet.counts.nameless == 0


def test_ids_at_different_texts_are_none_and_that_is_said():
    texts: dict[str, set[str]] = {}
    for row in rows_of("15"):
        texts.setdefault(row["id"], set()).add(row["text"])
    assert max(map(len, texts.values())) > 1
    sheet = sheet_of("15")
    assert sheet.rows[0].key == "t-0001"
    assert reasons(sheet) == {"id": "ids_differ"}
    assert unused(sheet) == {"id": len(rows_of("15"))}
    [entry] = [entry for entry in sheet.account if entry.column == "id"]
    assert "as on line 2 and line 4" in str(entry)


def test_choices_in_words_are_asked_about():
    n = Counter(
        one["result"][0]["value"]["choices"][0]
        for task in rows_of("03")
        for one in task["annotations"]
    )
    [question] = sheet_of("03").questions
    assert (question.code, question.about) == ("words", "fluency")
    assert question.counts == dict(n)


def test_choices_in_words_go_on_as_words_of_who_chose_them():
    n = Counter(
        f"rating:fluency:annotator {one['completed_by']}"
        for task in rows_of("03")
        for one in task["annotations"]
    )
    filled = {e.column: e.filled for e in sheet_of("03").account}
    assert {c: k for c, k in filled.items() if "fluency" in c} == dict(n)


def test_an_answer_that_is_false_is_none():
    right = {
        (
            row["displayed_text"],
            next(
                int(k)
                for k, v in row["label_annotations"]["coherence"].items()
                if str(v).lower() == "true"
            ),
        )
        for row in rows_of("12c")
    }
    sheet = sheet_of("12c")
    assert {(t, value) for t, _, value in read_of(sheet)} == right


def test_ids_of_a_zip_file_of_annotators_stay():
    sheet = sheet_of("12d")
    names: set[str] = set()
    with zipfile.ZipFile(path("12d")) as pack:
        for name in pack.namelist():
            if name.endswith(".jsonl"):
                lines = pack.read(name).decode().splitlines()
                names |= {json.loads(line)["id"] for line in lines}
    assert {row.key for row in sheet.rows} == names
    assert sheet.counts.ratings == 45


@pytest.mark.parametrize(("start", "column"), [("04", "fluency"), ("49", "coherence")])
def test_a_missing_rating_is_none_and_is_said(start, column):
    right = [row[column] for row in rows_of(start)]
    sheet = sheet_of(start)
    assert not sheet.problems
    assert unused(sheet) == {column: right.count("NA")}
    assert reasons(sheet) == {column: "missing"}
    read = [r.value for row in sheet.rows for r in row.ratings if r.aspect == column]
    assert read == [int(one) for one in right if one != "NA"]


def test_cells_right_of_a_header_are_said():
    content = given.excel(["text"], ["One.", "a", 4], ["Two.", "b", 5])
    sheet = checked(content, map={"text": "text"})
    assert unused(sheet) == {"column 2": 2, "column 3": 2}


@pytest.mark.parametrize("name", TABLES)
def test_filled_cells_are_used_or_not_used(name):
    """Of each file that can be read at all, whatever becomes of it."""
    sheet = checked((HERE / name).read_bytes(), leave_out=True)
    for entry in sheet.account:
        assert entry.filled == entry.used + sum(one.n for one in entry.unused), entry
        assert entry.role or not entry.used


@pytest.mark.parametrize("name", [n for n in TABLES if n.endswith(".csv")])
def test_each_filled_cell_of_a_table_is_in_the_account(name):
    """Counted by the csv module, where no record is refused before it is one."""
    sheet = checked((HERE / name).read_bytes(), leave_out=True)
    causes = [cause.example for cause in sheet.problems.causes()]
    if sheet.problems.of_the_file or any("cells, but" in one for one in causes):
        pytest.skip("is refused before its rows are records")
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        sniffed = ";" if name.startswith("06") else ","
        try:
            _, *lines = csv.reader(file, delimiter=sniffed, strict=True)
        except (UnicodeDecodeError, csv.Error, ValueError):
            pytest.skip("cannot be read as it is")
    if name.startswith("08"):
        del lines[:2]  # questions and identifiers of Qualtrics, which a note names
    n = sum(bool(cell.strip()) for line in lines for cell in line)
    assert sum(entry.filled for entry in sheet.account) == n


# Of the kinds that these files stand for ----------------------------------------------


def test_rows_that_are_left_out_are_not_used():
    content = b"text,rating:c\nOne.,4\nTwo.,x\nThree.,5\n"
    sheet = checked(content, leave_out=True)
    assert unused(sheet) == {"text": 1, "rating:c": 1}
    assert set(reasons(sheet).values()) == {"left_out"}


def test_a_score_that_only_a_later_row_has_is_taken():
    content = b"text,rater,rating:c,score:q\nOne.,a,4,\nOne.,b,5,0.5\n"
    sheet = checked(content)
    assert [row.scores for row in sheet] == [{"q": 0.5}]
    assert unused(sheet) == {}


def test_another_score_of_the_same_text_is_not_used():
    content = b"text,rater,rating:c,score:q\nOne.,a,4,0.25\nOne.,b,5,0.5\n"
    sheet = checked(content)
    assert [row.scores for row in sheet] == [{"q": 0.25}]
    assert reasons(sheet) == {"score:q": "other_value"}


def test_the_last_of_two_answers_of_one_annotator_counts():
    tasks = [
        {
            "data": {"text": "One."},
            "annotations": [
                {
                    "completed_by": 1,
                    "result": [{"from_name": "q", "value": {"rating": value}}],
                }
                for value in (2, 5)
            ],
        }
    ]
    sheet = checked(json.dumps(tasks).encode())
    assert read_of(sheet) == {("One.", "annotator 1", 5)}
    assert unused(sheet) == {"earlier: rating:q:annotator 1": 1}


def test_a_skipped_annotation_is_said():
    one = {"completed_by": 1, "was_cancelled": True}
    one["result"] = [{"from_name": "quality", "value": {"rating": 3}}]
    tasks = [{"data": {"text": "One."}, "annotations": [one]}]
    sheet = checked(json.dumps(tasks).encode())
    assert sheet.counts.ratings == 0
    assert unused(sheet) == {"skipped: quality (annotator 1)": 1}


def test_a_ready_mapping_says_what_it_has_no_use_for():
    sheet = checked(given.hanna())
    assert unused(sheet)["Name"] == 12
    assert sheet.preset == "hanna"


@pytest.mark.parametrize(
    ("content", "format", "ratings"),
    [
        (
            b"prefix,label,system,text,rating:c\n,,a,One.,4\n,,b,Two.,x\n",
            *("csv", "rating:c"),
        ),
        (
            b'{"prefix": "", "label": null, "system": "a", "text": "One.",'
            b' "ratings": {"c": [4]}}\n{"prefix": "", "label": null, "system": "b",'
            b' "text": "Two.", "ratings": {"c": ["x"]}}\n',
            *("jsonl", "ratings"),
        ),
    ],
)
def test_strict_formats_have_an_account_too(content, format, ratings):
    sheet = imports.check(format=format, file=io.BytesIO(content))
    assert {e.column: (e.filled, e.used) for e in sheet.account} == {
        name: (2, 1) for name in ("system", "text", ratings)
    }


def test_a_field_of_a_story_that_openmeva_has_not_is_said():
    story = {
        "prompt": "It",
        "gold_response": "rained.",
        "gen": {"a": {"text": "shone.", "score": [3, 4], "seed": 7}},
        "note": "x",
    }
    file = io.BytesIO(json.dumps({"1": story}).encode())
    assert unused(imports.check(format="openmeva", file=file)) == {"note": 1, "seed": 1}


@pytest.mark.parametrize("place", [1, 150, 201, 350])
def test_a_column_counts_wherever_it_begins(place):
    lines = []
    for n in range(1, 401):
        row: dict[str, Any] = {"id": n, "text": f"Text number {n}.", "fluency": 3}
        if n >= place:
            row["coherence"] = n % 5 + 1
        lines.append(json.dumps(row))
    sheet = checked("\n".join(lines).encode())
    of = Counter(r.aspect for row in sheet.rows for r in row.ratings)
    assert of == {"fluency": 400, "coherence": 401 - place}


@pytest.mark.parametrize("start", ["30b", "53b", "32", "33"])
def test_what_belongs_to_a_study_is_sent_there(start):
    sheet = sheet_of(start)
    [cause] = sheet.problems.causes()
    assert "“Add data”" in cause.example
    assert sheet.counts.texts == 0
