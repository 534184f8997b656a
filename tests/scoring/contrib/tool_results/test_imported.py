"""Results of other tools find their texts, or say which have none."""

from __future__ import annotations

import io

import pytest
from django.core.management import CommandError, call_command

from annotation.imports import UploadError
from annotation.models import Generation
from scoring.contrib.tool_results import imported
from scoring.contrib.tool_results.matching import Texts
from scoring.contrib.tool_results.readers import Sample
from scoring.models import MetricRun, Score, Signature, SystemScore
from tests.scoring.contrib.tool_results.readers.test_deepeval import metric
from tests.scoring.contrib.tool_results.readers.test_every_eval_ever import LOG, row
from tests.scoring.contrib.tool_results.readers.test_helm import stat
from tests.scoring.contrib.tool_results.results import lines, packed
from tests.scoring.runs.test_joined_by_id import NAMELESS, aged, made

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study):
    return make_study(prompts=2, systems=("a", "b"))


def text_of(study, key: str) -> Generation:
    return study.generations.get(key=key)


def case(name: str, output: str, *metrics: dict) -> dict:
    return {"name": name, "actualOutput": output, "metricsData": list(metrics)}


def add(study, content: object, **given) -> list[MetricRun]:
    import json

    if isinstance(content, str):
        content = content.encode()
    if not isinstance(content, bytes):
        content = json.dumps(content).encode()
    file = io.BytesIO(content)
    return imported.add(study=study, file=file, file_name="run.json", **given)


def refused(study, content: object) -> list[str]:
    with pytest.raises(UploadError) as error:
        add(study, content)
    kinds = (Score, MetricRun, Signature, SystemScore)
    assert not any(kind.objects.exists() for kind in kinds)
    return error.value.lines


def test_each_metric_becomes_a_run_with_its_judge_in_the_signature(study, alice):
    first, second = text_of(study, "0-a-1"), text_of(study, "0-b-1")
    content = {
        "testCases": [
            case("0-a-1", first.text, metric("Fluency", 0.5), metric("Bias", 0.1)),
            case("x", f"  {second.text}\n", metric("Fluency", None, error="Off.")),
        ]
    }
    fluency, bias = add(study, content, user=alice)
    assert (fluency.metric, fluency.state) == ("deepeval:Fluency", "done")
    assert fluency.signature.text.startswith(
        "uploaded|deepeval:Fluency|judge:gpt-4.1|file:sha256:"
    )
    assert fluency.created_by == alice and bias.metric == "deepeval:Bias"
    scores = Score.objects.filter(signature=fluency.signature)
    assert list(scores.order_by("generation").values_list("value", "reason")) == [
        (0.5, ""),
        (None, "DeepEval reports an error: “Off.”"),
    ]


def test_an_aspect_of_the_same_name_is_what_is_measured(study):
    text = text_of(study, "0-a-1")
    (run,) = add(
        study, {"testCases": [case("0-a-1", text.text, metric("Coherence", 1))]}
    )
    (output,) = run.signature.outputs
    assert (output["key"], output["measures"]) == ("coherence", "coherence")


def test_all_that_does_not_match_is_said_at_once(study):
    text = text_of(study, "0-a-1").text
    content = {
        "testCases": [
            case("0-a-1", "Other words.", metric("X", 1)),
            case("nobody", "Unknown words.", metric("X", 1)),
            case("0-a-1", text, metric("X", 1)),
            case("again", text, metric("X", 0)),
        ]
    }
    assert refused(study, content) == [
        'test case 1 (0-a-1): the text "0-a-1" of the study has other words',
        'test case 2 (nobody): no text of the study has the words "Unknown words."',
        "test case 4 (again): x of the text 0-a-1 is also in test case 3 (0-a-1)",
    ]


def test_a_score_that_a_text_has_twice_is_told(study):
    text = text_of(study, "0-a-1").text
    twice = case("0-a-1", text, metric("Fluency", 1), metric("Fluency", 0))
    assert refused(study, {"testCases": [twice]}) == [
        "test case 1 (0-a-1): fluency of the text 0-a-1 is there twice: rename one of"
        " the scores that are called fluency"
    ]


def test_a_name_that_no_page_can_show_is_told_without_it(study):
    nobody = case("\ud800odd", "Unknown words.", metric("X", 1))
    (said,) = refused(study, {"testCases": [nobody]})
    assert said.startswith("test case 1 (odd): no text of the study")


def test_a_number_that_a_system_has_twice_is_told(study):
    both = [stat("bleu", 1, split="on-topic"), stat("bleu", 2, split="on_topic")]
    said = 'bleu_on_topic of "model" appears twice'
    assert refused(study, both) == [said]


@pytest.mark.parametrize("name", ["a\0b", "\ud800", ""])
def test_a_system_with_a_name_that_cannot_be_kept_is_refused(study, name):
    config = {"model_info": {"name": name or " "}}
    (said,) = refused(study, {**LOG, **config})
    assert "of a system" in said
    assert study.systems.count() == 2


def test_scores_and_numbers_of_systems_come_together(study):
    text = text_of(study, "1-b-1").text
    rows = lines(row(1, 0.5, output={"raw": [text]}))
    of_texts, of_systems = add(
        study, packed({"x.json": LOG, "x_samples.jsonl": rows}), user=None
    )
    assert of_texts.metric == of_systems.metric == "every_eval_ever:stories.rudeness"
    assert of_texts.signature.outputs[0]["higher_is_better"] is False
    assert "judge:lab/judge" in of_systems.signature.text
    number = SystemScore.objects.get()
    assert (number.system.name, number.value) == ("tiny", 0.3)
    assert study.systems.count() == 3


def test_a_file_comes_in_once(study):
    content = {"testCases": [case("0-a-1", "", metric("X", 1))]}
    add(study, content)
    with pytest.raises(UploadError, match="already has these scores"):
        add(study, content)
    assert MetricRun.objects.count() == 1


def test_an_upload_beyond_the_limit_is_refused(study, settings):
    settings.UPLOAD_MAX_BYTES = 100
    assert "is larger than" in refused(study, '{"testCases": []}' + " " * 100)[0]


def test_the_command_takes_it(study, tmp_path, capsys):
    file = tmp_path / "x_samples.jsonl"
    file.write_text(lines(row(1, 0.5, output={"raw": [text_of(study, "0-a-1").text]})))
    call_command("import_study", study.name, file, format="results")
    assert "uploaded|every_eval_ever:stories.rudeness|" in capsys.readouterr().out
    file.write_text('{"a": 1}')
    with pytest.raises(CommandError, match='It has the fields "a"'):
        call_command("import_study", study.name, file, format="results")


class TestMatching:
    def test_a_key_that_may_be_invented_does_not_match(self):
        study = aged(made(NAMELESS))
        assert "EvalApp may have given it" in self.find(study, keys=("1",))

    def find(self, study, **given):
        texts = Texts(study)
        found = texts.find(Sample("here", **given))
        return texts.key(found.text) if found.text else found.problem

    def test_words_match_with_and_without_the_prefix(self, study):
        text = text_of(study, "0-a-1")
        rest = text.text.removeprefix(text.prompt.prefix)
        assert rest != text.text
        assert self.find(study, texts=(rest,)) == "0-a-1"
        assert self.find(study, texts=(text.text,)) == "0-a-1"
        assert self.find(study, texts=("nothing", text.text)) == "0-a-1"

    def test_a_key_alone_matches(self, study):
        assert self.find(study, keys=("x", "1-b-1")) == "1-b-1"
        assert self.find(study, keys=("x",)) == 'no text of the study has the key "x"'
        assert self.find(study) == "it has neither a name nor words"

    def test_a_key_with_the_prompt_of_another_text_does_not(self, study):
        asked = text_of(study, "0-a-1").prompt.prefix
        assert self.find(study, keys=("0-a-1",), prompt=f"Go on: {asked}") == "0-a-1"
        assert self.find(study, keys=("0-a-1",), prompt="Something else.") == (
            'the text "0-a-1" of the study has another prompt'
        )

    def test_the_same_words_are_told_apart_by_their_system(self, study):
        study.generations.filter(prompt__position=0).update(text="The same.")
        assert self.find(study, texts=("The same.",)) == (
            '2 texts of the study fit: "0-a-1", "0-b-1"'
        )
        assert self.find(study, texts=("The same.",), system="lab/B") == "0-b-1"

    def test_and_by_their_prompt(self, study):
        first, second = study.prompts.all()
        study.generations.filter(system__name="a").update(text="The same.")
        type(second).objects.filter(pk=second.pk).update(prefix="Another start")
        found = self.find(study, texts=("The same.",), prompt="Q: Another start. A:")
        assert found == "1-a-1"
        assert first.prefix != "Another start"

    def test_a_prompt_matches_where_there_are_no_words(self, study):
        prompt = study.prompts.get(position=0)
        type(prompt).objects.filter(pk=prompt.pk).update(prefix="Only here")
        assert self.find(study, prompt="Only  here", system="a") == "0-a-1"
        assert "2 texts of the study fit" in self.find(study, prompt="Only here")
