"""Answers of several people in one cell, and lists of objects in one record."""

from __future__ import annotations

import json
from typing import Any

import pytest

from annotation import imports
from tests.annotation.imports import given
from tests.annotation.imports.people.test_asking import codes
from tests.annotation.imports.people.test_people import checked, read_of, unused
from tests.annotation.imports.people.test_wide import prompt, ratings, text

# Lists of numbers ---------------------------------------------------------------------


def values(sheet: imports.Sheet) -> list[list[int]]:
    return [[r.value for r in row.ratings] for row in sheet]


@pytest.mark.parametrize(
    "cell",
    [
        [4, None, 5],
        [4.0, 5.0],
        ["4", "NA", "5"],
        "[4, null, 5]",
        "[4.0, nan, 5.0]",
        "['4', '5']",
        "4;NA;5",
        "4.0; 5.0",
    ],
)
def test_a_list_may_have_gaps_and_fractions(cell):
    lines = [{"text": text("x", n), "coherence": cell} for n in range(4)]
    sheet = checked(given.jsonl(*lines))
    assert (values(sheet), sheet.questions, unused(sheet)) == ([[4, 5]] * 4, [], {})


def test_lists_of_half_points_are_asked_about():
    cells = ["[1.5, 2]", "[3, 4.5]", "[1, 5]", "[2.5, 3.5]"]
    rows = [(text("x", n), cell) for n, cell in enumerate(cells)]
    sheet = checked(given.table(("text", "coherence"), rows))
    assert codes(sheet) == [("steps", "coherence")]
    assert values(sheet) == [[2, 3], [5, 8], [1, 9], [4, 6]]


def test_a_list_says_where_99_is_no_answer():
    cells = ["[1, 2]", "[3, 99]", "[1, 5]", "[2, 4]", "[4, 5]"]
    rows = [(text("x", n), cell) for n, cell in enumerate(cells)]
    sheet = checked(given.table(("text", "coherence"), rows))
    assert codes(sheet) == [("far", "coherence")]
    assert values(sheet) == [[1, 2], [3], [1, 5], [2, 4], [4, 5]]


def test_one_answer_alone_may_stand_among_lists():
    rows = [(text("x", 0), "4;5"), (text("x", 1), "3"), (text("x", 2), "")]
    sheet = checked(given.table(("text", "coherence"), rows))
    assert values(sheet) == [[4, 5], [3], []]


def test_lists_of_lengths_and_probabilities_are_no_ratings():
    lines = [
        {"text": text("x", n), "quality": [1200, n], "score": [0.123 + n, 0.7]}
        for n in range(30)
    ]
    sheet = checked(given.jsonl(*lines))
    assert (sheet.counts.ratings, unused(sheet)) == (0, {"quality": 30, "score": 30})


# Lists of objects ---------------------------------------------------------------------

LISTS = "lists_of_objects"


def systems_of(sheet: imports.Sheet) -> set[tuple[str, str, str, str]]:
    return {(row.text, row.system, row.source, row.key) for row in sheet}


def responses(n: int, texts: str = "responses", field: str = "text") -> dict[str, Any]:
    return {
        "id": f"q{n}",
        "prompt": prompt(n),
        texts: [
            {"model": s, field: text(s, n), "scores": {"coherence": k + n % 3}}
            for k, s in enumerate(("gpt4", "llama"), start=1)
        ],
    }


@pytest.mark.parametrize(
    ("texts", "field"), [("responses", "text"), ("outputs", "output"), ("x", "words")]
)
def test_texts_in_a_list_are_of_the_systems_that_they_name(texts, field):
    sheet = checked(given.jsonl(*(responses(n, texts, field) for n in range(5))))
    assert (sheet.preset, sheet.questions, unused(sheet)) == (LISTS, [], {})
    assert systems_of(sheet) == {
        (text(s, n), s, prompt(n), f"q{n}-{s}")
        for s in ("gpt4", "llama")
        for n in range(5)
    }
    assert ratings(sheet) == {
        *((text("gpt4", n), "gpt4", "coherence", "", 1 + n % 3) for n in range(5)),
        *((text("llama", n), "llama", "coherence", "", 2 + n % 3) for n in range(5)),
    }


def annotated(n: int, **more: Any) -> dict[str, Any]:
    people = [
        {"id": 10 * n + k, "annotator": who, "coherence": 1 + (n + k) % 5}
        for k, who in enumerate(("ann", "ben"))
    ]
    return {"id": n, "text": text("x", n), "annotations": people, **more}


ANNOTATED = {
    (text("x", n), who, 1 + (n + k) % 5)
    for k, who in enumerate(("ann", "ben"))
    for n in range(5)
}


def test_annotations_in_a_list_are_of_their_annotators():
    sheet = checked(given.jsonl(*map(annotated, range(5))))
    assert (read_of(sheet), sheet.questions) == (ANNOTATED, [])
    assert unused(sheet) == {"annotations.id": 10}
    assert [row.key for row in sheet] == ["0", "1", "2", "3", "4"]


def test_a_list_may_be_written_into_a_cell_of_a_table():
    lines = map(annotated, range(5))
    rows = [(one["text"], json.dumps(one["annotations"])) for one in lines]
    sheet = checked(given.table(("text", "annotations"), rows))
    assert read_of(sheet) == ANNOTATED


def test_a_text_without_annotations_is_a_text():
    lines = [*map(annotated, range(5)), {"id": 9, "text": "Nobody.", "annotations": []}]
    sheet = checked(given.jsonl(*lines))
    assert (sheet.counts.texts, read_of(sheet)) == (6, ANNOTATED)


def test_annotations_may_name_what_they_rate():
    people = [
        {"annotator": "ann", "aspect": "coherence", "score": 4},
        {"annotator": "ann", "aspect": "fluency", "score": 2},
        {"annotator": "ben", "aspect": "fluency", "score": 1},
    ]
    sheet = checked(given.jsonl({"text": text("x", 1), "annotations": people}))
    assert {(r.aspect, r.rater, r.value) for row in sheet for r in row.ratings} == {
        *(("coherence", "ann", 4), ("fluency", "ann", 2), ("fluency", "ben", 1))
    }


def test_annotations_may_stand_in_texts_of_systems():
    people = [{"annotator": who, "ratings": {"fluency": 3}} for who in ("ann", "ben")]
    lines = [
        {
            "prompt": prompt(n),
            "outputs": [
                {"system": s, "output": text(s, n), "annotations": people} for s in "ab"
            ],
        }
        for n in range(3)
    ]
    sheet = checked(given.jsonl(*lines))
    assert ratings(sheet) == {
        (text(s, n), s, "fluency", who, 3)
        for s in "ab"
        for n in range(3)
        for who in ("ann", "ben")
    }


def test_the_text_that_others_are_about_is_their_source():
    lines = [{"text": text("source", n), **responses(n)} for n in range(4)]
    for line in lines:
        del line["prompt"]
    sheet = checked(given.jsonl(*lines))
    assert {(row.text, row.source) for row in sheet} == {
        (text(s, n), text("source", n)) for s in ("gpt4", "llama") for n in range(4)
    }


def test_documents_beside_an_answer_are_no_texts_of_systems():
    documents = [{"title": "A title of some words", "text": "A found document here."}]
    lines = [
        {"question": prompt(n), "answer": text("x", n), "documents": documents}
        for n in range(4)
    ]
    sheet = checked(given.jsonl(*lines))
    assert (sheet.counts.texts, unused(sheet)) == (4, {"documents": 4})


# Lists side by side -------------------------------------------------------------------


def test_systems_may_be_named_in_a_list_beside_their_texts():
    lines = [
        {
            "prompt": prompt(n),
            "responses": [text(s, n) for s in ("m1", "m2")],
            "models": ["m1", "m2"],
        }
        for n in range(4)
    ]
    sheet = checked(given.jsonl(*lines))
    assert sheet.questions == []
    assert {(row.text, row.system, row.source) for row in sheet} == {
        (text(s, n), s, prompt(n)) for s in ("m1", "m2") for n in range(4)
    }


def test_a_list_of_texts_alone_is_asked_about():
    lines = [
        {"prompt": prompt(n), "completions": [text("x", n), text("y", n)]}
        for n in range(4)
    ]
    content = given.jsonl(*lines)
    sheet = checked(content)
    assert codes(sheet) == [("shape", "parallel_lists")]
    assert {(row.text, row.sample) for row in sheet} == {
        (text(k, n), sample) for k, sample in (("x", 1), ("y", 2)) for n in range(4)
    }
    assert checked(content, preset="").counts.texts == 4


def test_raters_may_stand_in_a_list_beside_their_ratings():
    lines = [
        {
            "text": text("x", n),
            "annotators": ["ann", "ben", "cem"],
            "coherence": [1 + n, None, 5],
            "fluency": [2, 3, 4],
        }
        for n in range(3)
    ]
    sheet = checked(given.jsonl(*lines))
    assert (sheet.questions, sheet.counts.texts) == ([], 3)
    assert {
        (row.text, r.rater, r.aspect, r.value) for row in sheet for r in row.ratings
    } == {
        *((text("x", n), "ann", "coherence", 1 + n) for n in range(3)),
        *((text("x", n), "cem", "coherence", 5) for n in range(3)),
        *(
            (text("x", n), who, "fluency", k)
            for k, who in enumerate(("ann", "ben", "cem"), start=2)
            for n in range(3)
        ),
    }


def test_aspects_in_a_list_may_have_several_ratings():
    rated = [
        {"aspect": "coherence", "scores": [3, 4]},
        {"aspect": "fluency", "scores": [1, 2]},
    ]
    sheet = checked(given.jsonl({"text": text("x", 1), "ratings": rated}))
    assert [(r.aspect, r.value) for row in sheet for r in row.ratings] == [
        *(("coherence", 3), ("coherence", 4)),
        *(("fluency", 1), ("fluency", 2)),
    ]


def test_a_rating_inside_its_aspect_is_nobodys_name():
    answer = {"coherence": {"rating": 4, "rationale": "It reads well."}}
    lines = [{"text": text("x", n), "annotations": answer} for n in range(3)]
    sheet = checked(given.jsonl(*lines))
    assert sheet.questions == []
    assert [(r.aspect, r.rater, r.value) for row in sheet for r in row.ratings] == [
        ("coherence", "", 4)
    ] * 3
    assert unused(sheet) == {"annotations.coherence.rationale": 3}


def test_a_rating_alone_in_an_object_is_of_what_the_column_says():
    rows = [
        (text("x", n), json.dumps([{"rating": (n + k) % 5 + 1}]), who)
        for n in range(4)
        for k, who in enumerate(("ann", "ben"))
    ]
    sheet = checked(given.table(("text", "coherence", "annotator"), rows))
    assert set(sheet.counts.aspects) == {"coherence"}
    assert read_of(sheet) == {
        (text("x", n), who, (n + k) % 5 + 1)
        for n in range(4)
        for k, who in enumerate(("ann", "ben"))
    }
