"""Logs of evaluation tools as texts of a new study: what the tools themselves wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.annotation.imports.people.test_people import checked, unused

WRITTEN = Path(__file__).parents[3] / "scoring/contrib/tool_results/written"


def log_of(*samples: dict[str, Any]) -> bytes:
    """As inspect_ai writes it in JSON."""
    head = {"model": "openai/gpt-4o", "task": "lakes"}
    return json.dumps({"version": 2, "eval": head, "samples": samples}).encode()


def sample(**other: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": "Como."}
    output = {"model": "gpt-4o", "choices": [{"message": message}], "time": 1.5}
    scores = {"match": {"value": "C", "answer": "Como", "explanation": "It is so."}}
    begin = {"id": "s1", "epoch": 1, "input": "Name a lake.", "target": "Como"}
    return {**begin, "messages": [message], "output": output, "scores": scores, **other}


def test_a_packed_log_of_inspect_ai_has_each_completion_with_its_scores():
    sheet = checked((WRITTEN / "inspect_ai/stories.eval").read_bytes())
    assert sheet.preset == "inspect_ai"
    assert len(sheet.rows) == 5
    assert {row.system for row in sheet.rows} == {"mockllm/model"}
    assert sum("match" in row.scores for row in sheet.rows) == 4
    assert sheet.questions == []


def test_grades_are_numbers_and_no_answer_is_no_score():
    grades = dict(zip("abcd", "CPIN", strict=True))
    scores = {name: {"value": value} for name, value in grades.items()}
    (row,) = checked(log_of(sample(scores=scores))).rows
    assert row.scores == {"a": 1.0, "b": 0.5, "c": 0.0}


def test_a_score_of_several_values_has_a_name_for_each():
    (row,) = checked(log_of(sample(scores={"f": {"value": {"x": 1, "y": 0.25}}}))).rows
    assert row.scores == {"f x": 1.0, "f y": 0.25}


def test_what_the_log_keeps_apart_is_put_back():
    log = log_of(
        sample(input="attachment://ab", attachments={"ab": "Name a large lake."})
    )
    (row,) = checked(log).rows
    assert (row.text, row.source or row.prompt) == ("Como.", "Name a large lake.")


def test_a_second_epoch_is_another_text():
    rows = checked(log_of(sample(), sample(epoch=2))).rows
    assert [row.key for row in rows] == ["s1", "s1 (epoch 2)"]


def test_the_rest_of_a_log_is_in_the_account():
    sheet = checked(log_of(sample(metadata={"level": "hard"})))
    assert {"metadata.level", "output.time", "messages", "eval"} <= set(unused(sheet))


def test_samples_of_lm_eval_are_texts_whose_filters_give_scores_of_their_own():
    (path,) = (WRITTEN / "lm_eval").glob("samples_tales_generate*")
    sheet = checked(path.read_bytes())
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert sheet.preset == "lm_eval"
    assert [row.text for row in sheet.rows] == [ln["resps"][0][0] for ln in lines[:3]]
    assert {metric for row in sheet.rows for metric in row.scores} == {
        "exact_match (strict)",
        "exact_match (words)",
    }
    assert len(lines) == 6  # two filters of three answers


def test_likelihoods_are_no_texts():
    (path,) = (WRITTEN / "lm_eval").glob("samples_tales_choose*")
    sheet = checked(path.read_bytes())
    assert sheet.rows == []
    assert sheet.problems.of_the_file
