"""Results as lm_eval 0.4.9 writes them."""

from __future__ import annotations

import pytest

from tests.scoring.contrib.tool_results.results import lines, numbers, packed, read

NAME = "samples_stories_2026-01-02T10-11-12.123456.jsonl"
RESULTS = {
    "results": {
        "stories": {
            "alias": "stories",
            "exact_match,strict": 0.25,
            "exact_match_stderr,strict": 0.1,
            "ter,none": "N/A",
        }
    },
    "configs": {"stories": {"task": "stories"}},
    "versions": {"stories": 3.0},
    "n-shot": {"stories": 0},
    "higher_is_better": {"stories": {"exact_match": True, "ter": False}},
    "config": {"model": "hf", "model_args": "pretrained=org/tiny"},
    "lm_eval_version": "0.4.9",
    "model_name": "org/tiny",
}


def row(number: int, **more) -> dict:
    return {
        "doc_id": number,
        "doc": {"id": f"s{number}", "question": "Write."},
        "target": "x",
        "arguments": {"gen_args_0": {"arg_0": "Q: Write.\nA:", "arg_1": {"until": []}}},
        "resps": [[f" Story {number}. Q:"]],
        "filtered_resps": [f"Story {number}."],
        "filter": "strict",
        "metrics": ["exact_match", "ter"],
        "doc_hash": "a",
        "prompt_hash": "b",
        "target_hash": "c",
        "exact_match": 1.0,
        "ter": 0.5,
        **more,
    }


def test_each_line_has_a_score_for_each_metric():
    found = read(lines(row(0), row(1, exact_match=[1, 2], ter=None)), NAME)
    assert numbers(found) == [
        ("line 1, doc_id 0", "exact_match", 1.0, ""),
        ("line 1, doc_id 0", "ter", 0.5, ""),
        (
            "line 2, doc_id 1",
            "exact_match",
            None,
            "the tool gives several numbers at once",
        ),
        ("line 2, doc_id 1", "ter", None, "no value in the uploaded file"),
    ]
    first = found.scored[0]
    assert first.sample.keys == ("s0", "0")
    assert first.sample.texts == (" Story 0. Q:", "Story 0.")
    assert first.sample.prompt == "Q: Write.\nA:"
    assert (first.signature, first.lower_is_better) == (
        "task:stories|filter:strict",
        None,
    )


def test_nan_which_python_writes_is_missing():
    found = read(lines(row(0, exact_match=float("nan"))), NAME)
    assert numbers(found)[0][2:] == (None, "the tool gives NaN")


def test_a_zip_file_brings_versions_directions_and_the_model():
    folder = "org__tiny"
    found = read(
        packed(
            {
                f"{folder}/{NAME}": lines(row(0)),
                f"{folder}/results_2026-01-02T10-11-12.123456.json": RESULTS,
            }
        )
    )
    match, ter = found.scored
    assert match.signature == (
        "task:stories|filter:strict|task_version:3.0|lm_eval:0.4.9"
    )
    assert (match.lower_is_better, ter.lower_is_better) == (False, True)
    assert match.sample.system == "org/tiny"
    assert len(found.totals) == 2


def test_results_are_numbers_of_the_model():
    found = read(RESULTS)
    assert found.scored == []
    match, ter = found.totals
    assert (match.system, match.metric, match.output, match.value) == (
        *("org/tiny", "exact_match", "stories", 0.25),
    )
    assert (ter.value, ter.reason) == (None, "the value is not a number: “N/A”")
    assert ter.lower_is_better is True


@pytest.mark.parametrize("arguments", [[["Q: Write.", {}]], ["Q: Write."]])
def test_older_lines_that_list_no_metrics_are_read(arguments):
    old = row(0, arguments=arguments)
    del old["metrics"], old["ter"]
    (found,) = read(lines(old), NAME).scored
    assert (found.output, found.sample.prompt) == ("exact_match", "Q: Write.")
