"""Files that the real tools wrote: `written/README.md` says which, and with what."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from annotation.imports import UploadError
from tests.scoring.contrib.tool_results.results import numbers, packed, read

WRITTEN = Path(__file__).parents[1] / "written"


def content(name: str) -> bytes:
    return (WRITTEN / name).read_bytes()


@pytest.mark.parametrize("name", ["stories.eval", "in_parts.eval"])
def test_logs_of_inspect_ai_that_are_packed_with_zstandard_are_read(name):
    found = read(content(f"inspect_ai/{name}"), name)
    values = {(one.sample.keys[-1], one.output): one for one in found.scored}
    assert len(found.scored) == len(values) == 35
    assert {k: v.value for k, v in values.items() if k[0] in ("s1", "s2")} == {
        ("s1", "match"): 0.0,
        ("s1", "match1"): 0.0,
        ("s1", "model_graded_qa"): 1.0,
        ("s1", "model_graded_fact"): 1.0,
        ("s1", "fluency"): 1.0,
        ("s1", "topic"): 1.0,
        ("s1", "words"): 14.0,
        ("s2", "match"): 0.0,
        ("s2", "match1"): 0.0,
        ("s2", "model_graded_qa"): 0.5,
        ("s2", "model_graded_fact"): None,
        ("s2", "fluency"): 2.0,
        ("s2", "topic"): None,
        ("s2", "words"): None,
    }
    assert values["s1", "words"].sample.texts == (
        "The fox found a coat in the snow and gave it to the owl.",
    )
    assert values["s1", "words"].sample.prompt == "Write story s1."
    assert values["s3", "model_graded_qa"].reason.startswith(
        "the tool gives NaN: “Grade not found in model output"
    )


@pytest.mark.parametrize("name", ["stories.eval", "in_parts.eval"])
def test_samples_that_ended_in_an_error_or_are_invalid_have_no_score(name):
    found = read(content(f"inspect_ai/{name}"), name).scored
    without = {
        (one.sample.at, one.value, one.reason)
        for one in found
        if one.sample.keys[-1] in ("s4", "s5")
    }
    assert without == {
        (
            "sample s4",
            None,
            "the sample ended in an error: “ValueError('no story came')”",
        ),
        ("sample s5", None, "the sample is marked as invalid: “wrong prompt”"),
    }


def test_a_judge_is_only_in_the_signature_of_scorers_that_may_ask_one():
    found = read(content("inspect_ai/stories.eval")).scored
    judges = {one.metric: one.signature.split("|task")[0] for one in found}
    assert judges == {
        "match": "scorer:match",
        "match1": "scorer:match1",
        "model_graded_qa": "scorer:model_graded_qa|judge:mockllm/judge",
        "model_graded_fact": "scorer:model_graded_fact|judge:mockllm/a, mockllm/b",
        "rubric": "scorer:rubric|judge:mockllm/judge",
        "words": "scorer:words|judge:mockllm/judge",
    }


def test_damage_inside_zstandard_is_told():
    whole = bytearray(content("inspect_ai/stories.eval"))
    at = whole.find(b"samples/s1_epoch_1.json") + 200
    whole[at : at + 40] = bytes(40)
    with pytest.raises(UploadError, match=r'"samples/s1_epoch_1\.json" is damaged'):
        read(bytes(whole))


def test_a_member_that_is_longer_than_the_directory_says_is_refused():
    whole = bytearray(content("inspect_ai/stories.eval"))
    at = whole.rfind(b"header.json") - 46  # of the directory's entry
    assert whole[at : at + 4] == zipfile.stringCentralDir
    whole[at + 24 : at + 28] = (100).to_bytes(4, "little")
    with pytest.raises(UploadError, match=r'"header\.json" is damaged'):
        read(bytes(whole))


@pytest.mark.parametrize("name", ["test_run.json", "evaluate.json"])
def test_results_of_deepeval_are_read(name):
    found = read(content(f"deepeval/{name}"), name)
    assert numbers(found) == [
        ("test case 1 (s1)", "vividness_geval", 0.7, ""),
        ("test case 1 (s1)", "exact_match", 0.0, ""),
        (
            "test case 2 (s2)",
            "vividness_geval",
            None,
            "DeepEval reports an error: “RuntimeError: the judge is off”",
        ),
        ("test case 2 (s2)", "exact_match", 0.0, ""),
    ]
    geval, exact = found.scored[:2]
    assert (geval.metric, geval.signature, exact.signature) == (
        *("Vividness_GEval", "judge:our-judge", ""),
    )
    assert geval.sample.texts == ("The fox found a coat in the snow.",)
    assert found.scored[2].sample.keys == ("two", "s2")


def test_a_conversation_of_deepeval_has_its_last_answer_as_text():
    (found,) = read(content("deepeval/conversation.json")).scored
    assert (found.sample.texts, found.value) == (("The owl slept.",), 0.7)


def of_lm_eval(task: str):
    (file,) = (WRITTEN / "lm_eval").glob(f"samples_tales_{task}_*.jsonl")
    return read(file.read_bytes(), file.name)


def test_generations_of_lm_eval_have_a_score_for_each_filter():
    found = of_lm_eval("generate")
    first, bleu, *_ = found.scored
    assert len(found.scored) == 12
    assert {one.signature for one in found.scored} == {
        "task:tales_generate|filter:strict",
        "task:tales_generate|filter:words",
    }
    assert (first.output, first.value, first.sample) == (
        "exact_match",
        0.0,
        (
            *("line 1, doc_id 0", ("q1", "0"), ("lol",)),
            *("Question: Who found the coat?\nAnswer:", ""),
        ),
    )
    assert (bleu.value, bleu.reason) == (None, "the tool gives several numbers at once")


def test_a_log_likelihood_of_lm_eval_is_no_text():
    found = of_lm_eval("choose").scored
    assert [one.value for one in found] == [0.0, 1.0, 0.0]
    assert {one.sample.texts for one in found} == {()}
    assert found[0].sample.prompt == "Question: Who found the coat?\nAnswer:"


def test_the_text_of_a_perplexity_of_lm_eval_is_what_was_read():
    first = of_lm_eval("perplexity").scored[0].sample
    assert (first.texts, first.prompt) == (("Who found the coat? the fox",), "")


def test_results_of_lm_eval_leave_out_how_many_samples_there_were():
    (file,) = (WRITTEN / "lm_eval").glob("results_*.json")
    found = read(file.read_bytes(), file.name).totals
    assert [(one.output, one.metric, one.lower_is_better) for one in found] == [
        ("tales_generate", "exact_match", False),
        ("tales_generate", "bleu", False),
        ("tales_generate", "exact_match", False),
        ("tales_generate", "bleu", False),
        ("tales_choose", "acc", False),
        ("tales_perplexity", "word_perplexity", True),
        ("tales_perplexity", "byte_perplexity", True),
        ("tales", "acc", False),
    ]
    assert found[5].signature == "task:tales_perplexity|task_version:0|lm_eval:0.4.13"


def of_every_eval_ever(task: str):
    names = [f"{task}.json", f"{task}_samples.jsonl"]
    return read(packed({name: content(f"every_eval_ever/{name}") for name in names}))


def test_samples_of_every_eval_ever_are_read_with_their_log():
    found = of_every_eval_ever("tales_generate")
    first = found.scored[0]
    assert (len(found.scored), len(found.totals)) == (6, 4)
    assert (first.metric, first.value, first.lower_is_better, first.signature) == (
        *("exact-match", 0.0, False),
        "evaluation:tales_generate/strict|library:lm_eval 0.4.13|schema:0.3.0",
    )
    assert (first.sample.texts, first.sample.system) == (("lol",), "lab/tiny")


def test_a_0_that_the_converter_of_every_eval_ever_made_up_is_missing():
    found = of_every_eval_ever("tales_perplexity").scored
    assert {(one.value, one.reason) for one in found} == {
        (None, "the metric has no numbers for single samples")
    }


def test_a_run_of_helm_is_read_with_its_words():
    found = read(content("helm/simple_mcqa.zip"))
    first = found.scored[0]
    assert first.sample == (
        *("instance id60", ("id60",), ("Answer:",)),
        *("Is 70 even or odd?", "simple/model1"),
    )
    assert (first.output, first.value, first.signature) == (
        *("exact_match", 0.0),
        "run:simple_mcqa:model=simple_model1",
    )
    assert {one.output for one in found.scored} == {
        f"{kind}{k}"
        for kind in (
            *("exact_match", "quasi_exact_match"),
            *("prefix_exact_match", "quasi_prefix_exact_match"),
        )
        for k in ("", "_5")
    }
    assert len(found.scored) == 3 * 8
