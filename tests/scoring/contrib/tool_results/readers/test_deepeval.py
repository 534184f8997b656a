"""Test runs as DeepEval 3.x writes them."""

from __future__ import annotations

import pytest

from tests.scoring.contrib.tool_results.results import numbers, read


def metric(name: str, score: float | None, **more) -> dict:
    return {
        "name": name,
        "threshold": 0.5,
        "success": score is not None and score >= 0.5,
        "score": score,
        "reason": "Because.",
        "strictMode": False,
        "evaluationModel": "gpt-4.1",
        **more,
    }


RUN = {
    "testFile": "test_stories.py",
    "testCases": [
        {
            "name": "test_case_0",
            "input": "Write.",
            "actualOutput": "Story 0.",
            "success": True,
            "metricsData": [
                metric("Coherence [GEval]", 0.8),
                metric("Bias", 0.1, success=True),
            ],
            "additionalMetadata": {"key": "0-a-1"},
        },
        {
            "name": "test_case_1",
            "input": "Write.",
            "actualOutput": "Story 1.",
            "success": False,
            "metricsData": [
                metric("Coherence [GEval]", None, error="Timed out"),
                metric("Bias", 0.0, success=False, error="Invalid JSON"),
            ],
        },
    ],
    "conversationalTestCases": [],
    "metricsScores": [],
}


@pytest.mark.parametrize("run", [RUN, {"testRunData": RUN, "testRunLink": ""}])
def test_each_metric_of_each_case_is_a_score(run):
    found = read(run)
    assert numbers(found) == [
        ("test case 1 (test_case_0)", "coherence_geval", 0.8, ""),
        ("test case 1 (test_case_0)", "bias", 0.1, ""),
        (
            "test case 2 (test_case_1)",
            "coherence_geval",
            None,
            "DeepEval reports an error: “Timed out”",
        ),
        (
            "test case 2 (test_case_1)",
            "bias",
            None,
            "DeepEval reports an error: “Invalid JSON”",
        ),
    ]
    first = found.scored[0]
    assert first.signature == "judge:gpt-4.1"
    assert first.sample.keys == ("0-a-1", "test_case_0")
    assert first.sample.texts == ("Story 0.",)


def test_thresholds_show_which_way_is_better():
    lower = {one.metric: one.lower_is_better for one in read(RUN).scored}
    assert lower == {"Coherence_GEval": False, "Bias": True}


def test_verdicts_that_disagree_show_nothing():
    case = RUN["testCases"][0]
    both = [metric("X", 0.9, success=True), metric("X", 0.9, success=False)]
    found = read({"testCases": [{**case, "metricsData": both}]})
    assert {one.lower_is_better for one in found.scored} == {None}


def test_names_in_snake_case_and_conversations_are_read():
    case = {
        "name": "talk",
        "metrics_data": [metric("Role", 1.0)],
        "turns": [
            {"role": "user", "content": "Hi.", "order": 0},
            {"role": "assistant", "content": "Hello.", "order": 1},
        ],
    }
    (one,) = read({"test_results": [case]}).scored
    assert one.sample.texts == ("Hello.",)
