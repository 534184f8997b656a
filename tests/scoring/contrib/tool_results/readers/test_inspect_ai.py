"""Logs as inspect_ai 0.3.100 and later write them."""

from __future__ import annotations

import math

import pytest

from tests.scoring.contrib.tool_results.results import numbers, packed, read

HEAD = {
    "version": 2,
    "status": "success",
    "eval": {
        "run_id": "r",
        "created": "2026-01-01T00:00:00+00:00",
        "task": "stories",
        "task_version": 0,
        "model": "openai/gpt-4o-mini",
        "packages": {"inspect_ai": "0.3.113"},
        "scorers": [
            {"name": "model_graded_qa", "options": {"model": "openai/gpt-4o"}},
            {"name": "rubric", "options": {}},
        ],
    },
    "plan": {"name": "plan", "steps": []},
    "results": {"total_samples": 4, "completed_samples": 3, "scores": []},
    "stats": {},
}


def sample(number: int, scores: dict | None, **more) -> dict:
    return {
        "id": number,
        "epoch": 1,
        "input": [{"role": "user", "content": [{"type": "text", "text": "Write."}]}],
        "target": "",
        "messages": [],
        "output": {
            "model": "gpt-4o-mini",
            "choices": [
                {
                    "message": {"role": "assistant", "content": f"Story {number}."},
                    "stop_reason": "stop",
                }
            ],
            "completion": f"Story {number}.",
        },
        "scores": scores,
        **more,
    }


SAMPLES = [
    sample(
        1,
        {
            "model_graded_qa": {"value": "C", "explanation": "Good."},
            "rubric": {"value": {"fluency": 4, "topic": None}},
        },
    ),
    sample(
        2,
        {
            "model_graded_qa": {"value": math.nan, "explanation": "The judge is off."},
            "rubric": {"value": {"fluency": "5", "topic": 2.5}},
        },
    ),
    sample(3, {"model_graded_qa": {"value": "N"}}),
    sample(4, None, error={"message": "Rate limit", "traceback": "…"}),
]
JSON = {**HEAD, "samples": SAMPLES}
EVAL = {
    "header.json": HEAD,
    "_journal/start.json": {"version": 2, "eval": HEAD["eval"], "plan": {}},
    "summaries.json": [],
    **{f"samples/{one['id']}_epoch_1.json": one for one in SAMPLES},
}
OLDER = {
    "start.json": {"version": 2, "eval": HEAD["eval"], "plan": {}},
    "results.json": {"status": "success", "results": HEAD["results"]},
    **{f"samples/{one['id']}_epoch_1.json": one for one in SAMPLES},
}


@pytest.mark.parametrize("log", [JSON, packed(EVAL), packed(OLDER)])
def test_scores_are_read_from_each_kind_of_log(log):
    found = read(log)
    assert numbers(found)[:6] == [
        ("sample 1", "model_graded_qa", 1.0, ""),
        ("sample 1", "fluency", 4.0, ""),
        ("sample 1", "topic", None, "no value in the uploaded file"),
        (
            "sample 2",
            "model_graded_qa",
            None,
            "the tool gives NaN: “The judge is off.”",
        ),
        ("sample 2", "fluency", 5.0, ""),
        ("sample 2", "topic", 2.5, ""),
    ]
    first = found.scored[0].sample
    assert (first.keys, first.texts, first.prompt, first.system) == (
        ("1_epoch_1", "1"),
        ("Story 1.",),
        "Write.",
        "gpt-4o-mini",
    )


def test_no_answer_and_errors_are_missing_and_never_0():
    found = [one for one in numbers(read(JSON)) if one[0] in ("sample 3", "sample 4")]
    assert [one[2] for one in found] == [None] * 6
    assert found[0][3] == "no answer (N)"
    assert {one[3] for one in found[3:]} == {
        "the sample ended in an error: “Rate limit”"
    }


def test_the_judge_and_the_versions_are_the_signature():
    signatures = {one.metric: one.signature for one in read(JSON).scored}
    assert signatures == {
        "model_graded_qa": "scorer:model_graded_qa|judge:openai/gpt-4o|task:stories"
        "|inspect_ai:0.3.113",
        "rubric": "scorer:rubric|task:stories|inspect_ai:0.3.113",
    }


@pytest.mark.parametrize(
    ("roles", "judge"),
    [({"grader": {"model": "lab/judge"}}, "lab/judge"), (None, "openai/gpt-4o-mini")],
)
def test_a_judge_without_a_model_of_its_own_is_that_of_the_role_or_the_task(
    roles, judge
):
    about = {**HEAD["eval"], "scorers": [{"name": "model_graded_qa"}]}
    log = {**HEAD, "eval": {**about, "model_roles": roles}, "samples": SAMPLES[:1]}
    assert f"|judge:{judge}|" in read(log).scored[0].signature


def test_words_that_the_log_keeps_apart_are_put_back():
    one = sample(1, {"rubric": {"value": 3}}, attachments={"abc": "A long story."})
    one["output"] = {"completion": "attachment://abc", "choices": []}
    found = read({**HEAD, "samples": [one]})
    assert found.scored[0].sample.texts == ("A long story.",)


def test_epochs_are_samples_of_their_own():
    two = sample(1, {"rubric": {"value": 3}}) | {"epoch": 2}
    found = read({**HEAD, "samples": [sample(1, {"rubric": {"value": 2}}), two]})
    assert [one.sample.at for one in found.scored] == ["sample 1", "sample 1, epoch 2"]
    assert found.scored[1].sample.keys == ("1_epoch_2", "1")
