"""Answers that tools write into cells, dialogues of several raters, and segments."""

from __future__ import annotations

import json
from typing import Any

import pytest

from annotation import imports
from tests.annotation.imports import given
from tests.annotation.imports.people.test_asking import codes
from tests.annotation.imports.people.test_people import checked, read_of, unused
from tests.annotation.imports.people.test_wide import text

RIGHT = {
    (text("x", n), who, aspect, (n + k) % 5 + 1)
    for n in range(4)
    for k, who in enumerate(("ann", "ben"))
    for aspect in ("coherence", "fluency")
}


def rated(sheet: imports.Sheet) -> set[tuple[str, str, str, int]]:
    return {
        (row.text, r.rater, r.aspect, r.value) for row in sheet for r in row.ratings
    }


def answers(n: int, k: int) -> dict[str, int]:
    return dict.fromkeys(("coherence", "fluency"), (n + k) % 5 + 1)


# Cells of objects ---------------------------------------------------------------------


@pytest.mark.parametrize("column", ["response", "answers", "ratings"])
def test_answers_in_a_cell_are_ratings(column):
    rows = [
        (text("x", n), who, json.dumps(answers(n, k)))
        for n in range(4)
        for k, who in enumerate(("ann", "ben"))
    ]
    sheet = checked(given.table(("text", "rater", column), rows))
    assert (rated(sheet), sheet.questions, unused(sheet)) == (RIGHT, [], {})


# jsPsych ------------------------------------------------------------------------------

TRIALS = ("rt", "trial_type", "stimulus", "response", "participant", "trial_index")


def trial(n: int, k: int, who: str, **more: Any) -> tuple[Any, ...]:
    cells = {
        "rt": 900,
        "trial_type": "survey-likert",
        "stimulus": f"<p>{text('x', n)}</p>",
        "response": json.dumps(answers(n, k)),
        "participant": who,
        "trial_index": 2 * n,
    }
    return tuple((cells | more)[name] for name in TRIALS)


def test_trials_of_jspsych_are_ratings_of_what_they_showed():
    rows = [trial(n, k, w) for k, w in enumerate(("ann", "ben")) for n in range(4)]
    rows.append(
        trial(
            0,
            0,
            "ann",
            trial_type="html-keyboard-response",
            response="f",
            stimulus="Hi",
        )
    )
    sheet = checked(given.table(TRIALS, rows))
    assert (sheet.preset, sheet.questions) == ("jspsych", [])
    assert rated(sheet) == RIGHT
    assert unused(sheet)["response"] == 1


def test_questions_of_jspsych_may_be_numbered():
    rows = [trial(n, 0, "ann", response=json.dumps({"Q0": n})) for n in range(4)]
    sheet = checked(given.table(TRIALS, rows))
    assert [[(r.aspect, r.value) for r in row.ratings] for row in sheet] == [
        [("q0", n)] for n in range(4)
    ]


def test_a_slider_is_an_answer_and_a_free_text_is_none():
    slider = {"trial_type": "html-slider-response", "response": "73"}
    words = {
        "trial_type": "survey-text",
        "response": '{"why": "I liked it very much."}',
    }
    rows = [trial(0, 0, "ann", **slider), trial(1, 0, "ann", **words)]
    sheet = checked(given.table(TRIALS, rows))
    assert [[r.value for r in row.ratings] for row in sheet] == [[73], []]
    assert unused(sheet)["why"] == 1


# Label Studio -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cell", ['[{{"rating":{}}}]', '{{"rating":{}}}', '[{{"number": {}}}]', "{}"]
)
def test_label_studio_writes_a_rating_into_an_object(cell):
    header = ("annotator", "annotation_id", "lead_time", "text", "coherence", "id")
    rows = [
        (who, 10 * n + who, 3.5, text("x", n), cell.format((n + who) % 5 + 1), n)
        for n in range(4)
        for who in (1, 2)
    ]
    sheet = checked(given.table(header, rows))
    assert read_of(sheet) == {
        (text("x", n), str(who), (n + who) % 5 + 1) for n in range(4) for who in (1, 2)
    }


# Dialogues of several raters ----------------------------------------------------------


def chat(n: int, **more: Any) -> list[dict[str, Any]]:
    asked = {"role": "user", "content": f"What is lake {n}?"}
    return [asked, {"role": "assistant", "content": text("x", n), **more}]


def wholes(sheet: imports.Sheet) -> list[set[tuple[str, int]]]:
    return [{(r.rater, r.value) for r in row.ratings} for row in sheet if row.messages]


@pytest.mark.parametrize("with_id", [True, False])
def test_a_dialogue_may_be_rated_by_several(with_id):
    lines = [
        {"annotator": who, "messages": chat(n), "coherence": n + k}
        | ({"id": f"d{n}"} if with_id else {})
        for k, who in enumerate(("ann", "ben"), start=1)
        for n in range(3)
    ]
    sheet = checked(given.jsonl(*lines))
    assert not sheet.problems
    assert wholes(sheet) == [{("ann", n + 1), ("ben", n + 2)} for n in range(3)]
    assert (sheet.counts.dialogues, sheet.counts.turns) == (3, 3)


def test_files_of_dialogues_are_of_raters():
    files = {
        f"{who}__jsonl": given.jsonl(
            *({"messages": chat(n), "coherence": n + k} for n in range(3))
        )
        for k, who in enumerate(("ann", "ben"), start=1)
    }
    sheet = checked(given.packed(**files))
    assert codes(sheet) == [("parts", "part")]
    assert not sheet.problems
    assert wholes(sheet) == [{("ann", n + 1), ("ben", n + 2)} for n in range(3)]


def test_turns_are_rated_by_who_rates_the_dialogue():
    lines = [
        {"annotator": who, "messages": chat(n, ratings={"fluency": n + k})}
        for k, who in enumerate(("ann", "ben"), start=1)
        for n in range(3)
    ]
    sheet = checked(given.jsonl(*lines))
    turns = [row for row in sheet if row.turn is not None]
    assert [{(r.rater, r.value) for r in row.ratings} for row in turns] == [
        {("ann", n + 1), ("ben", n + 2)} for n in range(3)
    ]


def test_a_rater_rates_a_dialogue_once():
    line = {"annotator": "ann", "messages": chat(1), "coherence": 3}
    [problem] = checked(given.jsonl(line, line)).problems.lines()
    assert "rated again by the same rater" in problem


def test_raters_rate_the_same_turns():
    first, second = chat(1, ratings={"fluency": 3}), chat(1)
    second += [{"role": "user", "content": "And then?"}]
    one = {"id": "d", "annotator": "ann", "messages": first + second[2:]}
    other = {"id": "d", "annotator": "ben", "messages": [dict(m) for m in second]}
    other["messages"][0]["ratings"] = {"fluency": 2}
    problems = checked(given.jsonl(one, other)).problems.lines()
    assert any("mark the same turns for all raters" in line for line in problems)


# Segments -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "segment"),
    [("doc", "seg"), ("doc_id", "segment_id"), ("docid", "sid")],
)
def test_the_same_words_in_another_place_are_another_text(document, segment):
    thanks = "Thank you very much."
    header = (document, segment, "system", "rater", "text", "coherence")
    rows = [
        (doc, seg, system, who, thanks, k)
        for doc in ("d1", "d2")
        for seg in (1, 2)
        for system in ("m1", "m2")
        for k, who in enumerate(("ann", "ben"), start=1)
    ]
    sheet = checked(given.table(header, rows))
    assert (sheet.problems.lines(), sheet.questions) == ([], [])
    assert {row.key for row in sheet} == {
        f"{doc}-{seg}-{system}"
        for doc in ("d1", "d2")
        for seg in (1, 2)
        for system in ("m1", "m2")
    }
    assert all(
        {(r.rater, r.value) for r in row.ratings} == {("ann", 1), ("ben", 2)}
        for row in sheet
    )


def test_a_document_may_be_the_source_itself():
    rows = [(f"A long article about lake {n}.", n, text("x", n)) for n in range(4)]
    sheet = checked(given.table(("document", "segment", "text"), rows))
    assert (sheet.preset, sheet.counts.prompts) == ("", 4)
