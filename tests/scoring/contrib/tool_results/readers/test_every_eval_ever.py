"""Results in Every Eval Ever's schemas 0.2.2."""

from __future__ import annotations

from tests.scoring.contrib.tool_results.results import lines, numbers, packed, read

LOG = {
    "schema_version": "0.2.2",
    "evaluation_id": "stories/lab_tiny/1",
    "retrieved_timestamp": "1",
    "source_metadata": {
        "source_type": "evaluation_run",
        "source_organization_name": "lab",
        "evaluator_relationship": "third_party",
    },
    "eval_library": {"name": "inspect_ai", "version": "0.3.1"},
    "model_info": {"name": "tiny", "id": "lab/tiny"},
    "evaluation_results": [
        {
            "evaluation_result_id": "r1",
            "evaluation_name": "stories.rudeness",
            "source_data": {"dataset_name": "stories", "source_type": "other"},
            "metric_config": {
                "metric_id": "stories.rudeness",
                "lower_is_better": True,
                "score_type": "levels",
                "level_names": ["no", "yes"],
                "has_unknown_level": True,
                "llm_scoring": {
                    "judges": [{"model_info": {"name": "Judge", "id": "lab/judge"}}],
                    "input_prompt": "Rate.",
                },
            },
            "score_details": {
                "score": 0.3,
                "uncertainty": {"confidence_interval": {"lower": 0.1, "upper": 0.5}},
            },
        }
    ],
}


def row(number: int, score: float, **more) -> dict:
    return {
        "schema_version": "0.2.2",
        "evaluation_id": LOG["evaluation_id"],
        "model_id": "lab/tiny",
        "evaluation_name": "stories.rudeness",
        "evaluation_result_id": "r1",
        "sample_id": f"s{number}",
        "interaction_type": "single_turn",
        "input": {"raw": "Write.", "reference": []},
        "output": {"raw": [f"Story {number}."]},
        "answer_attribution": [],
        "evaluation": {"score": score, "is_correct": False},
        **more,
    }


ROWS = lines(row(1, 1), row(2, -1), row(3, 0, error="timeout"))
SIGNATURE = (
    "evaluation:stories.rudeness|judge:lab/judge|library:inspect_ai 0.3.1|schema:0.2.2"
)


def test_samples_with_their_log_have_direction_judge_and_unknown_levels():
    found = read(packed({"a/x.json": LOG, "a/x_samples.jsonl": ROWS}))
    assert numbers(found) == [
        ("line 1, sample s1", "stories.rudeness", 1.0, ""),
        ("line 2, sample s2", "stories.rudeness", None, "the level is unknown (-1)"),
        (
            "line 3, sample s3",
            "stories.rudeness",
            None,
            "the sample has an error: “timeout”",
        ),
    ]
    first = found.scored[0]
    assert (first.signature, first.lower_is_better) == (SIGNATURE, True)
    assert first.sample.texts == ("Story 1.",)


def test_samples_alone_are_read_too():
    found = read(ROWS)
    assert [one.value for one in found.scored] == [1.0, -1.0, None]
    assert found.scored[0].signature == "evaluation:stories.rudeness"
    assert found.scored[0].lower_is_better is None


def test_a_single_sample_is_no_aggregate():
    (one,) = read(row(1, 1)).scored
    assert one.sample.keys == ("s1",)


def test_an_aggregate_is_a_number_of_the_model_with_its_interval():
    (one,) = read(LOG).totals
    assert (one.system, one.metric, one.value, one.interval) == (
        *("tiny", "stories.rudeness", 0.3, (0.1, 0.5)),
    )
    assert (one.signature, one.lower_is_better) == (SIGNATURE, True)


def test_of_a_conversation_the_last_answer_is_the_text():
    talk = row(1, 1, output=None, interaction_type="multi_turn") | {
        "messages": [
            {"turn_idx": 0, "role": "user", "content": "Hi."},
            {"turn_idx": 1, "role": "assistant", "content": "Hello."},
            {"turn_idx": 2, "role": "user", "content": "Bye."},
            {"turn_idx": 3, "role": "assistant", "content": "Goodbye."},
        ]
    }
    (one,) = read(lines(talk)).scored
    assert one.sample.texts == ("Goodbye.",)
