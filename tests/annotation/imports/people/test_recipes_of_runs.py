"""Files of tools that run and compare models, in other clothes than those at hand."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from annotation import imports
from annotation.imports.files import Record
from annotation.imports.presets import PRESETS
from tests.annotation.imports import given
from tests.annotation.imports.people.test_people import checked, read_of, unused
from tests.annotation.imports.people.test_recipes import (
    because,
    filled_by_column,
    texts_of,
)


def talk(answer: str) -> list[dict[str, str]]:
    return [
        {"role": "user", "content": "Who wrote it?"},
        {"role": "assistant", "content": answer},
    ]


def test_both_texts_of_a_pair_come_in_once():
    row = {"question_id": 81, "model_a": "x", "model_b": "y", "turn": 1}
    row |= {"conversation_a": talk("Ann."), "conversation_b": talk("Ben.")}
    rows = [
        {**row, "winner": "model_b", "judge": "e1"},
        {**row, "winner": "tie (bothbad)", "judge": "e2"},
    ]
    sheet = checked(json.dumps(rows).encode())
    assert {(r.system, r.source, r.text) for r in sheet.rows} == {
        ("x", "Who wrote it?", "Ann."),
        ("y", "Who wrote it?", "Ben."),
    }
    assert unused(sheet)["winner"] == 2
    ready = PRESETS["mt_bench"]
    assert ready.votes is not None and "votes" in ready.note
    found = list(ready.votes(Record(n, one) for n, one in enumerate(rows)))
    assert [(one["outcome"], one["worker"]) for one in found] == [
        ("second", "e1"),
        ("tie", "e2"),
    ]


@pytest.mark.parametrize(
    ("preference", "outcome"),
    [(1, "first"), (2.0, "second"), (1.5, "tie"), (1.99, "second"), (None, "")],
)
def test_alpaca_eval_has_two_texts_and_a_preference(preference, outcome):
    row = {"instruction": "Name a lake.", "output_1": "Como.", "output_2": "Garda."}
    row |= {"generator_1": "davinci", "generator_2": "ours"}
    row |= {"preference": preference, "annotator": "gpt4"}
    sheet = checked(json.dumps([row]).encode())
    assert sheet.preset == "alpaca_eval"
    assert {(r.system, r.source, r.text) for r in sheet.rows} == {
        ("davinci", "Name a lake.", "Como."),
        ("ours", "Name a lake.", "Garda."),
    }
    assert sheet.counts.ratings == 0
    ready = PRESETS["alpaca_eval"].votes
    assert ready is not None
    assert [one["outcome"] for one in ready(iter([Record(1, row)]))] == (
        [outcome] if outcome else []
    )


def test_doccano_calls_its_files_after_the_annotators():
    def file(*labels: list[str]) -> bytes:
        rows = enumerate(labels, start=1)
        return given.jsonl(
            *(
                {"id": n, "text": f"Text {n}.", "label": label, "Comments": []}
                for n, label in rows
            )
        )

    pack = given.packed(
        ann__jsonl=file(["4"], ["5"], []), ben__jsonl=file(["2"], ["1", "3"], ["3"])
    )
    sheet = checked(pack)
    assert sheet.preset == "doccano"
    assert read_of(sheet) == {
        ("Text 1.", "ann", 4),
        ("Text 2.", "ann", 5),
        ("Text 1.", "ben", 2),
        ("Text 3.", "ben", 3),
    }
    assert unused(sheet)["label"] == 1


def test_langfuse_tells_people_from_evaluators():
    scores = [
        {"name": "tone", "value": 4, "source": "ANNOTATION", "authorUserId": "u1"},
        {"name": "judge", "value": 0.25, "source": "EVAL"},
        {"name": "mood", "stringValue": "glad", "source": "ANNOTATION"},
    ]
    trace = {
        **{"id": "t1", "timestamp": "2025-01-01", "scores": scores},
        "input": {"messages": [{"role": "user", "content": "Hi, who is it?"}]},
        "output": {"role": "assistant", "content": "It is me, of course."},
        "observations": [{"type": "GENERATION", "model": "gpt-4o"}],
    }
    sheet = checked(json.dumps([trace]).encode())
    assert sheet.preset == "langfuse"
    filled = filled_by_column(sheet)
    assert {"rating:tone:u1", "score:judge", "rating:mood:annotator"} <= set(filled)
    del scores[2]
    [row] = checked(json.dumps([trace]).encode()).rows
    assert (row.text, row.source) == ("It is me, of course.", "Hi, who is it?")
    assert (row.system, row.scores, row.key) == ("gpt-4o", {"judge": 0.25}, "t1")


def test_feedback_of_langsmith_is_scores():
    header = ("inputs.question", "outputs.output", "reference.answer", "feedback.right")
    rows = [
        ("Where is it?", "It is in the lake.", "In the lake", "True", "id1"),
        ("Who was it?", "I do not know that.", "Ann", "False", "id2"),
    ]
    sheet = checked(given.table((*header, "example_id"), rows))
    assert sheet.preset == "langsmith"
    assert [(r.source, r.text, r.references, r.scores) for r in sheet.rows] == [
        ("Where is it?", "It is in the lake.", ["In the lake"], {"right": 1.0}),
        ("Who was it?", "I do not know that.", ["Ann"], {"right": 0.0}),
    ]
    assert sheet.counts.ratings == 0


RESULT = {
    "provider": {"id": "openai:gpt-4o", "label": ""},
    "prompt": {"raw": "Name a lake.", "label": "p"},
    "vars": {"what": "lake"},
    "response": {"output": "Como is a lake."},
    "success": True,
    "score": 0.5,
    "namedScores": {"brief": 0.75},
}
THUMB = {"pass": False, "score": 0, "assertion": {"type": "human"}}


@pytest.mark.parametrize("lines", [True, False])
def test_promptfoo_tells_people_from_assertions(lines):
    rated = {"gradingResult": {"componentResults": [THUMB]}}
    other = {**RESULT, **rated, "response": {"output": "Garda is one."}}
    whole = {"evalId": "e", "results": {"version": 3, "results": [RESULT, other]}}
    content = given.jsonl(RESULT, other) if lines else json.dumps(whole).encode()
    sheet = checked(content)
    assert sheet.preset == "promptfoo"
    one, two = sheet.rows
    assert (one.text, one.system, one.source) == (
        *("Como is a lake.", "openai:gpt-4o", "Name a lake."),
    )
    assert one.scores == {"brief": 0.75, "promptfoo_score": 0.5}
    assert [tuple(r) for r in two.ratings] == [("human", "", 0)]
    assert two.scores == {"brief": 0.75}


def test_helm_s_states_are_texts_of_one_model():
    instance = {
        "id": "id5",
        "input": {"text": "Where is it?"},
        "references": [{"output": {"text": "In the lake"}, "tags": ["correct"]}],
    }
    result = {"success": True, "completions": [{"text": " In a lake."}]}
    request = {"model": "openai/gpt2", "prompt": "Where is it?"}
    state = {"instance": instance, "result": result, "train_trial_index": 0}
    state["request"] = request
    spec = {"method": "generation", "model": "openai/gpt2"}
    whole = {"adapter_spec": spec, "request_states": [state]}
    sheet = checked(json.dumps(whole).encode())
    assert sheet.preset == "helm"
    [row] = sheet.rows
    assert (row.key, row.text, row.system) == ("id5", " In a lake.", "openai/gpt2")
    assert (row.source, row.references) == ("Where is it?", ["In the lake"])


def test_helm_s_predictions_have_scores():
    one = {"instance_id": "id5", "train_trial_index": 0, "predicted_text": "A lake."}
    one["stats"] = {"exact_match": 1.0, "f1_score": 0.5}
    [row] = checked(json.dumps([one]).encode()).rows
    assert (row.key, row.text) == ("id5", "A lake.")
    assert row.scores == {"exact_match": 1.0, "f1_score": 0.5}


def test_lists_side_by_side_may_name_their_systems():
    row = {
        "doc_id": "d1",
        "document": "A long text about a lake that froze over.",
        "system_names": ["a", "b"],
        "outputs": ["The lake froze over.", "There was a lake."],
        "fluency": [4, 2],
        "gold_refs": ["A lake froze."],
    }
    other = {**row, "doc_id": "d2", "document": "Another text.", "fluency": [1, 5]}
    sheet = checked(given.jsonl(row, other))
    assert sheet.preset == "parallel_lists"
    assert {(r.key, r.system, r.ratings[0].value) for r in sheet.rows} == {
        *(("d1-1", "a", 4), ("d1-2", "b", 2), ("d2-1", "a", 1), ("d2-2", "b", 5)),
    }


SEGMENTS = (
    "system doc globalSegId rater source target category severity".split(),
    [
        ("s", "talk.1", 1, "r1", "Danke.", "Thanks.", "No-error", "no-error"),
        ("s", "talk.2", 9, "r1", "Danke.", "Thanks.", "Accuracy", "Major"),
        ("s", "talk.2", 9, "r2", "Danke.", "Thanks.", "Style", "Minor"),
    ],
)


def test_a_segment_is_not_its_words():
    sheet = checked(given.table(*SEGMENTS, "\t"))
    assert not sheet.problems
    assert {row.key: row.means[0].mean for row in sheet.rows} == {
        "talk.1-1-s": 0.0,
        "talk.2-9-s": 3.0,
    }


def test_direct_assessments_repeat_their_segments():
    rows = [("Danke.", "Thanks.", "Thank you.", 80), ("Danke.", "Thanks.", "Ta.", 70)]
    sheet = checked(given.table(("src", "mt", "ref", "raw"), rows))
    assert not sheet.problems
    assert sorted(row.means[0].mean for row in sheet.rows) == [70, 80]


def test_judge_bench_leaves_out_empty_outputs_and_keeps_words():
    def one(n: int, response: str, answer: str) -> dict[str, Any]:
        scores = {"individual_human_scores": [answer], "majority_human": answer}
        instance = {"query": "Is it bad?", "response": response}
        return {"id": n, "instance": instance, "annotations": {"risk": scores}}

    whole = {"dataset": "d", "instances": [one(1, "No.", "Low"), one(2, "", "High")]}
    sheet = checked(json.dumps(whole).encode())
    assert sheet.preset == "judge_bench"
    assert because(sheet)["prompt"] == {"the model's output is empty": 1} | {
        words: n
        for words, n in because(sheet)["prompt"].items()
        if words != "the model's output is empty"
    }
    assert filled_by_column(sheet)["rating:risk"] == 2


@pytest.mark.parametrize("format", ["columns", "jsonl"])
def test_calls_of_tools_say_nothing(format):
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "Is it cold?"}]},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}]},
        {"role": "tool", "content": "-3", "tool_call_id": "c1", "name": "weather"},
        {"role": "assistant", "content": "Yes.", "refusal": None, "timestamp": 12},
    ]
    content = given.jsonl({"key": "d", "system": "m", "messages": messages})
    file = io.BytesIO(content)
    sheet = imports.check(format=format, file=file, options={"scale": imports.AUTO})
    assert not sheet.problems
    whole, turn = sheet.rows
    assert [t.text for t in whole.messages] == ["Is it cold?", "-3", "Yes."]
    assert turn.text == "Yes."
    assert {c: n for c, n in unused(sheet).items() if c.startswith("messages:")} == {
        "messages: tool_calls": 1,
        "messages: tool_call_id": 1,
        "messages: name": 1,
        "messages: timestamp": 1,
    }


def test_a_refusal_is_what_the_model_said():
    said = {"role": "assistant", "content": None, "refusal": "I cannot help."}
    talk = [{"role": "user", "content": "Help me!"}, said]
    sheet = checked(given.jsonl({"id": "d", "messages": talk}))
    assert "I cannot help." in texts_of(sheet)


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_every_recipe_leaves_other_files_alone(name):
    """No ready mapping takes a plain table of texts and ratings for its own."""
    header = ("id", "text", "system", "rater", "coherence")
    rows = [(n, f"Text number {n}.", "a", "r", n % 5 + 1) for n in range(5)]
    assert checked(given.table(header, rows)).preset != name


@pytest.mark.parametrize(
    ("header", "row", "outcome"),
    [
        (
            ("prompt", "response_a", "response_b", "model_a", "model_b", "winner"),
            ("Name a lake.", "Como.", "Garda.", "x", "y", "model_a"),
            "first",
        ),
        (
            ("instruction", "output 1", "output 2", "system 1", "system 2", "choice"),
            ("Name a lake.", "Como.", "Garda.", "x", "y", "y"),
            "second",
        ),
    ],
)
def test_a_table_of_pairs_has_both_texts(header, row, outcome):
    sheet = checked(given.table(header, [row]))
    assert sheet.preset == "pairs"
    assert {(r.system, r.source, r.text) for r in sheet.rows} == {
        ("x", "Name a lake.", "Como."),
        ("y", "Name a lake.", "Garda."),
    }
    assert unused(sheet) == {header[-1]: 1}
    ready = PRESETS["pairs"].votes
    assert ready is not None
    cells = dict(zip(header, row, strict=True))
    assert [one["outcome"] for one in ready(iter([Record(1, cells)]))] == [outcome]


def test_a_run_without_output_does_not_refuse_the_file():
    failed = {**RESULT, "response": {"error": "timeout"}}
    sheet = checked(given.jsonl(RESULT, failed))
    assert not sheet.problems
    assert [row.text for row in sheet.rows] == ["Como is a lake.", ""]
    header = ("inputs.question", "outputs.output", "feedback.right", "example_id")
    rows = [("Where is it?", "In the lake.", 1, "a"), ("Who?", "", 0, "b")]
    sheet = checked(given.table(header, rows))
    assert not sheet.problems
    assert because(sheet)["prompt"] == {"there is no output beside it": 1}
