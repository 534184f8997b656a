"""Files of tools in which people rate, in other clothes than those at hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.annotation.imports import given
from tests.annotation.imports.people.test_people import checked, read_of, unused
from tests.annotation.imports.people.test_recipes import (
    because,
    filled_by_column,
    said_about,
    texts_of,
)


@pytest.mark.parametrize(
    ("options", "rating"),
    [
        ({"scale_4": "4"}, 4),
        ({"4": "true"}, 4),
        ({"scale_0": "0"}, 0),
        ({"1": 0, "2": 0, "3": 1}, 3),
        ({"1": "", "2": None, "3": True}, 3),
        ({"slider": "37"}, 37),
        ({"1": False, "2": False}, None),
        ({"2": True, "4": True}, None),
        ({"remark": "It was good, but the end is missing from it."}, None),
    ],
)
def test_one_answer_of_a_question_is_a_rating(options, rating):
    one = {"id": "a", "displayed_text": "One text."}
    one["label_annotations"] = {"quality": options}
    sheet = checked(json.dumps(one).encode(), scale="0-100")
    assert sheet.preset == "potato"
    values = [r.value for row in sheet.rows for r in row.ratings]
    assert values == ([] if rating is None else [rating])
    n = sum(value not in ("", None) for value in options.values())
    mine = [e for e in sheet.account if "quality" in e.column]
    assert sum(entry.filled for entry in mine) == n


STATES = {
    "alice": {"r1": [("mood", "2")], "r2": [("mood", "4"), ("mood", "5")]},
    "bob": {"r1": [("mood", "3")], "r9": [("mood", "1")]},
}


def state(user: str) -> bytes:
    labels = {
        name: [[{"schema": s, "name": n}, "true"] for s, n in some]
        for name, some in STATES[user].items()
    }
    about = {"user_id": user, "instance_id_ordering": ["r1", "r2"], "max": 6}
    return json.dumps(
        {**about, "instance_id_to_label_to_value": labels}, indent=1
    ).encode()


def test_answers_of_potato_2_go_to_the_texts_with_their_ids():
    texts = given.jsonl(
        {"id": "r1", "text": "One it was."}, {"id": "r2", "text": "Two."}
    )
    pack = given.packed(
        annotation_output___alice___user_state__json=state("alice"),
        annotation_output___bob___user_state__json=state("bob"),
        data___reviews__json=texts,
    )
    sheet = checked(pack)
    assert sheet.preset == "potato_joined"
    assert read_of(sheet) == {("One it was.", "alice", 2), ("One it was.", "bob", 3)}
    assert because(sheet)["rating:mood:bob"] == {"no text in the file has this ID": 1}
    assert {row.key for row in sheet.rows} == {"r1", "r2"}


def test_answers_of_potato_2_alone_never_become_a_text():
    sheet = checked(state("alice"))
    assert sheet.counts.texts == 0
    [sentence] = sheet.problems.lines()
    assert "without texts" in sentence


def task(**value: Any) -> dict[str, Any]:
    result = [{"from_name": "q", "value": value}]
    return {"completed_by": {"email": "a@x.org"}, "result": result}


@pytest.mark.parametrize(
    ("value", "filled"),
    [
        ({"choices": ["Good"]}, {"rating:q:a@x.org"}),
        ({"choices": ["Good", "Bad"]}, {"q (a@x.org)"}),
        ({"choices": ["3", "4"]}, {"q (a@x.org)"}),
        ({"text": ["I do not like the end of it."]}, {"q (a@x.org)"}),
        ({"start": 0, "end": 3, "labels": ["Error"]}, {"q (a@x.org)"}),
    ],
)
def test_of_label_studio_single_choices_go_on(value, filled):
    tasks = [{"data": {"text": "One text."}, "annotations": [task(**value)]}]
    sheet = checked(json.dumps(tasks).encode())
    assert {c for c in filled_by_column(sheet) if "q" in c} == filled


def test_predictions_of_label_studio_are_scores():
    predicted = {"model_version": "gpt 4", "result": task(rating=4)["result"]}
    one = {"data": {"text": "One."}, "annotations": [task(rating=2)]}
    sheet = checked(json.dumps([{**one, "predictions": [predicted]}]).encode())
    assert read_of(sheet) == {("One.", "a@x.org", 2)}
    assert [row.scores for row in sheet.rows] == [{"q_gpt_4": 4.0}]


@pytest.mark.parametrize("nested", [True, False])
def test_argilla_with_several_questions(nested):
    answers = {
        "fluency": [("u1", 2, "submitted"), ("u2", 5, "draft")],
        "tone": [("u1", "polite", "submitted")],
        "why": [("u1", "Because it says twice what it has to say.", "submitted")],
    }
    record: dict[str, Any] = {"id": "r"}
    if nested:
        keys = ("user_id", "value", "status")
        record["fields"] = {"response": "One text it is."}
        record["responses"] = {
            q: [dict(zip(keys, one, strict=True)) for one in some]
            for q, some in answers.items()
        }
        record["suggestions"] = {"fluency": {"value": 4, "score": 0.9, "agent": "g"}}
    else:
        record["response"] = "One text it is."
        for q, some in answers.items():
            users, values, states = zip(*some, strict=True)
            record[f"{q}.responses"] = values
            record[f"{q}.responses.users"] = users
            record[f"{q}.responses.status"] = states
        record |= {"fluency.suggestion": 4, "fluency.suggestion.agent": "g"}
    sheet = checked(json.dumps([record]).encode())
    filled = filled_by_column(sheet)
    assert {"rating:fluency:u1", "rating:tone:u1"} <= set(filled)
    assert not {"rating:fluency:u2", "rating:why:u1"} & set(filled)
    assert {c for c in filled if c.startswith("score:")} == {
        "score:fluency_suggestion" + ("" if nested else "_g")
    }
    assert {"fluency (u2)", "why (u1)"} <= set(unused(sheet))


def test_radio_buttons_of_mechanical_turk():
    header = ("WorkerId", "Input.text", "Input.system", *BUTTONS, "Answer.remark")
    rows = [
        ("w1", "One text.", "a", *("false", "true", "false"), "I liked it"),
        ("w2", "One text.", "a", *("true", "false", "false"), ""),
        ("w3", "One text.", "a", *("true", "true", "false"), ""),
    ]
    sheet = checked(given.table(header, rows))
    assert read_of(sheet) == {("One text.", "w1", 2), ("One text.", "w2", 1)}
    assert unused(sheet)["Answer.remark"] == 1


BUTTONS = [f"Answer.quality.{n}" for n in (1, 2, 3)]


def test_task_answers_of_mechanical_turk_stand_in_one_cell():
    answers = [{"quality": {"1": False, "2": True}, "tone": {"4": True}}]
    row = ("w1", "One text.", json.dumps(answers))
    header = ("WorkerId", "Input.output", "Answer.taskAnswers")
    sheet = checked(given.table(header, [row]))
    of = {(r.aspect, r.value) for one in sheet.rows for r in one.ratings}
    assert ("quality", 2) in of


def test_previews_and_unfinished_responses_of_qualtrics_do_not_count():
    header = ("StartDate", "Status", "Finished", "ResponseId", "stimulus", "fluency")
    rows = [
        ("Start Date", "Response Type", "Finished", "Response ID", "text", "How?"),
        *[("", "", "", json.dumps({"ImportId": "_recordId"}), "", "")],
        ("2025-01-01", "IP Address", "True", "R_1", "One text it is.", 4),
        ("2025-01-01", "Survey Preview", "True", "R_2", "One text it is.", 1),
        ("2025-01-01", "IP Address", "False", "R_3", "One text it is.", 1),
    ]
    sheet = checked(given.table(header, rows))
    assert read_of(sheet) == {("One text it is.", "R_1", 4)}
    assert because(sheet)["fluency"] == {
        "the response is a preview, a test or spam": 1,
        "the response is not finished": 1,
    }


@pytest.mark.parametrize("text_first", [True, False])
def test_a_form_with_a_column_for_each_text(text_first):
    texts = ["The lake froze over in the night.", "He walked home without a word."]
    asked = ["Fluency", "Coherence"]
    heads = [f"{t} [{q}]" if text_first else f"{q} [{t}]" for t in texts for q in asked]
    header = ("Timestamp", "Email Address", *heads)
    rows = [("1/1/2025 10:00:00", "a@x.org", 1, 2, 3, 4), ("", "b@x.org", 5, "", 4, 3)]
    sheet = checked(given.table(header, rows))
    assert sheet.preset == "google_forms"
    assert texts_of(sheet) == set(texts)
    assert said_about(sheet, "fluency") == {
        (texts[0], "a@x.org", 1),
        (texts[1], "a@x.org", 3),
        (texts[0], "b@x.org", 5),
        (texts[1], "b@x.org", 4),
    }
    assert sheet.counts.ratings == 7


@pytest.mark.parametrize(
    ("choices", "filled"),
    [(["4"], "rating:fluency"), (["Good"], "rating:fluency"), (["3", "4"], "fluency")],
)
@pytest.mark.parametrize("as_table", [True, False])
def test_of_json_min_and_csv_several_choices_are_no_rating(choices, filled, as_table):
    given_one = {"choices": choices}
    row = {"id": 1, "text": "One text.", "fluency": given_one, "annotator": 2}
    row |= {"annotation_id": 5, "lead_time": 1.5}
    if as_table:
        row["fluency"] = json.dumps(given_one)
        content = given.table(list(row), [list(row.values())])
    else:
        content = json.dumps([row]).encode()
    sheet = checked(content)
    assert sheet.preset == "label_studio_min"
    assert {c for c in filled_by_column(sheet) if "fluency" in c} == {filled}


def test_potato_2_s_export_goes_to_the_texts_with_its_ids():
    labels = {"instance_id": "r1", "user_id": "ann", "labels": {"mood": {"4": "true"}}}
    texts = {"id": "r1", "text": "One it was."}
    pack = given.packed(
        annotations__jsonl=given.jsonl(labels), a__jsonl=given.jsonl(texts)
    )
    assert read_of(checked(pack)) == {("One it was.", "ann", 4)}
    assert "without texts" in checked(given.jsonl(labels)).problems.lines()[0]


def test_qualtrics_with_a_column_for_each_text():
    texts = ["The lake froze over in the night.", "He walked home without a word."]
    question = "Please rate the fluency of each of these texts:"
    header = ("StartDate", "Status", "Progress", "ResponseId", "Q1_1", "Q1_2")
    rows = [
        (
            *("Start", "Type", "Progress", "Response ID"),
            *(f"{question} - {t}" for t in texts),
        ),
        *[("", "", "", json.dumps({"ImportId": "_recordId"}), "", "")],
        ("2025-01-01", "IP Address", "100", "R_1", 4, 2),
        ("2025-01-01", "IP Address", "40", "R_2", 1, ""),
    ]
    sheet = checked(given.table(header, rows))
    assert said_about(sheet, "fluency") == {(texts[0], "R_1", 4), (texts[1], "R_1", 2)}
    assert sheet.counts.ratings == 2


def test_several_texts_in_one_task_of_mechanical_turk():
    parts = ("text", "model")
    shown = [f"Input.{part}_{n}" for n in (1, 2) for part in parts]
    header = ("WorkerId", *shown, "Answer.quality_1", "Answer.quality_2")
    rows = [
        ("w1", "One.", "a", "Two.", "b", 4, 2),
        ("w2", "One.", "a", "Two.", "b", 5, 1),
    ]
    sheet = checked(given.table(header, rows))
    assert read_of(sheet) == {
        *(("One.", "w1", 4), ("Two.", "w1", 2), ("One.", "w2", 5), ("Two.", "w2", 1)),
    }
    assert sheet.counts.systems == {"a", "b"}


def test_doccano_without_comments_and_with_users():
    plain = checked(given.jsonl({"id": 1, "text": "One.", "label": ["4"]}))
    assert read_of(plain) == {("One.", "", 4)}
    old = [{"label": 4, "user": 1}, {"label": 2, "user": 2}]
    sheet = checked(given.jsonl({"id": 1, "text": "One.", "annotations": old}))
    assert read_of(sheet) == {("One.", "annotator 1", 4), ("One.", "annotator 2", 2)}
    marks = {"id": 1, "text": "One.", "label": [[0, 2, "NUM"]]}
    assert because(checked(given.jsonl(marks)))["label"] == {
        "it marks a part of the text": 1
    }
