"""Results as crfm-helm 0.5.x writes them."""

from __future__ import annotations

from tests.scoring.contrib.tool_results.results import numbers, packed, read


def stat(name: str, mean: float | None, count: int = 1, **more) -> dict:
    return {
        "name": {"name": name, "split": "test", **more},
        "count": count,
        "sum": mean or 0,
        "sum_squared": 0,
        "mean": mean,
    }


STATS = [
    {
        "instance_id": "id1",
        "train_trial_index": 0,
        "stats": [
            stat("faithfulness", 4.0),
            stat("num_prompt_tokens", 12),
            stat("finish_reason_stop", 1),
        ],
    },
    {
        "instance_id": "id2",
        "train_trial_index": 0,
        "stats": [stat("faithfulness", None, 0)],
    },
    {
        "instance_id": "id1",
        "perturbation": {"name": "misspelling", "robustness": True},
        "train_trial_index": 0,
        "stats": [stat("faithfulness", 2.0)],
    },
]
STATE = {
    "adapter_spec": {"model": "lab/tiny"},
    "request_states": [
        {
            "instance": {"id": "id1", "input": {"text": "Write."}, "references": []},
            "train_trial_index": 0,
            "request": {"prompt": "Write."},
            "result": {"success": True, "completions": [{"text": " Story 1."}]},
        }
    ],
}
SPEC = {
    "name": "stories:model=lab_tiny",
    "adapter_spec": {"model": "lab/tiny"},
    "metric_specs": [{"class_name": "helm.Metric", "args": {}}],
    "annotators": [
        {"class_name": "helm.annotation.Annotator", "args": {"model_name": "lab/judge"}}
    ],
}


def test_scores_are_means_and_counts_are_no_scores():
    found = read(STATS)
    assert numbers(found) == [
        ("instance id1", "faithfulness", 4.0, ""),
        ("instance id2", "faithfulness", None, "no value in the uploaded file"),
        ("instance id1, perturbed by misspelling", "faithfulness", 2.0, ""),
    ]
    assert found.scored[0].sample.keys == ("id1",)
    assert found.scored[2].sample.keys == ()  # other words than those of the key


def test_the_folder_of_a_run_tells_words_prompt_model_and_judge():
    found = read(
        packed(
            {
                "run/per_instance_stats.json": STATS,
                "run/scenario_state.json": STATE,
                "run/run_spec.json": SPEC,
                "run/stats.json": [stat("faithfulness", 3.0)],
            }
        )
    )
    first = found.scored[0]
    assert (first.sample.texts, first.sample.prompt) == ((" Story 1.",), "Write.")
    assert first.sample.system == "lab/tiny"
    assert first.signature == ("run:stories:model=lab_tiny|judge:Annotator lab/judge")
    assert found.totals == []  # they are the means of these scores


def test_predictions_tell_the_words_where_there_are_no_states():
    predictions = [
        {"instance_id": "id1", "train_trial_index": 0, "predicted_text": "Story 1."}
    ]
    found = read(
        packed(
            {
                "per_instance_stats.json": STATS[:1],
                "display_predictions.json": predictions,
                "instances.json": [{"id": "id1", "input": {"text": "Write."}}],
            }
        )
    )
    (one,) = found.scored
    assert (one.sample.texts, one.sample.prompt) == (("Story 1.",), "Write.")


def test_stats_alone_are_numbers_of_the_model():
    changed = stat("faithfulness", 1.0, perturbation={"name": "robustness"})
    found = read(
        packed(
            {"stats.json": [stat("faithfulness", 3.0), changed], "run_spec.json": SPEC}
        )
    )
    (one,) = found.totals
    assert (one.system, one.metric, one.output, one.value) == (
        *("lab/tiny", "faithfulness", "faithfulness_test", 3.0),
    )
