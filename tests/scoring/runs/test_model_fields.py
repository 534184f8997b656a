from __future__ import annotations

import json

import pytest

from scoring.runs.forms import OptionsForm
from scoring.scores import models_here
from scoring.scores.models_here import ModelHere

BIG = ModelHere("pegasus", "folder", frozenset({"infill"}), 2_000_000_000)
SMALL = ModelHere("bundled:infill-small", "bundled", frozenset({"infill"}), 17_000_000)
CAUSAL = ModelHere("gpt", "folder", frozenset({"causal"}), 500_000_000)


def form(*known, data=None, **initial):
    return OptionsForm("ctrleval", data, known=known, initial=initial)


def sent(**fields):
    chosen = {
        "weighting": "nisf",
        "pattern": "ctrleval",
        "form": "pretraining",
        "average": "mean",
        "baseline": "none",
        "dtype": "float32",
    }
    return {f"ctrleval-{k}": v for k, v in (chosen | fields).items()}


def test_a_model_is_a_list_of_those_here_that_will_do(settings):
    html = str(form(SMALL, CAUSAL, BIG)["model"])
    assert "pegasus (2.0 GB)" in html
    assert "infill-small (17 MB)" in html
    assert "gpt" not in html


def test_a_model_that_somebody_put_here_goes_before_a_bundled_one():
    assert form(SMALL, BIG).fields["model"].initial == "pegasus"
    assert form(SMALL).fields["model"].initial == "bundled:infill-small"


def test_without_any_it_says_so():
    assert "none is on this server" in str(form(CAUSAL)["model"])


@pytest.mark.parametrize(("hub", "there"), [("on", True), ("list", True), ("", False)])
def test_any_other_name_may_be_typed_where_models_may_be_downloaded(
    settings, hub, there
):
    settings.HUB, settings.HUB_MODELS = hub, ["a/b@v1"]
    fields = form(SMALL).fields
    assert ("model_other" in fields) is there
    if there:
        assert "google/pegasus-large" in fields["model_other"].help_text


def test_a_name_that_was_typed_replaces_the_one_from_the_list():
    data = sent(model="bundled:infill-small", model_other=" google/pegasus-xsum ")
    bound = form(SMALL, data=data)
    assert bound.is_valid(), bound.errors
    assert bound.options()["model"] == "google/pegasus-xsum"


def test_an_address_may_name_one_that_is_not_in_the_list():
    fields = form(SMALL, model="google/pegasus-xsum").fields
    assert fields["model_other"].initial == "google/pegasus-xsum"


class TestHere:
    @pytest.fixture
    def folder(self, settings, tmp_path):
        settings.MODELS_DIR = tmp_path

        def made(name, config, weights=True, **files):
            (tmp_path / name).mkdir(parents=True)
            (tmp_path / name / "config.json").write_text(json.dumps(config))
            if weights:
                (tmp_path / name / "model.safetensors").write_bytes(b"0" * 10)
            for file, text in files.items():
                (tmp_path / name / file.replace("__", ".")).write_text(text)

        return made

    @pytest.mark.parametrize(
        ("config", "kinds"),
        [
            ({"is_encoder_decoder": True}, {"infill"}),
            ({"architectures": ["GPT2LMHeadModel"]}, {"causal"}),
            ({"architectures": ["BertModel"]}, {"encoder"}),
            ({"architectures": ["BertForSequenceClassification"]}, None),
        ],
    )
    def test_a_folder_tells_what_it_can_be_used_for(self, db, folder, config, kinds):
        folder("one", config)
        (found,) = models_here._in_folder()
        assert found.kinds == (kinds or {"trained", "encoder"})

    def test_one_with_a_chat_template_follows_instructions(self, folder):
        folder(
            "chat", {"architectures": ["LlamaForCausalLM"]}, chat_template__jinja="x"
        )
        assert "instruct" in models_here._in_folder()[0].kinds

    def test_one_without_weights_or_in_no_form_is_none(self, folder):
        folder("bare", {"is_encoder_decoder": True}, weights=False)
        folder("org/inner", {"is_encoder_decoder": True})
        assert [one.value for one in models_here._in_folder()] == ["org/inner"]


def test_a_file_is_one_of_those_in_the_models_folder(settings, tmp_path):
    settings.MODELS_DIR = tmp_path
    assert "There is none in the folder" in form().fields["iwf"].help_text
    (tmp_path / "org" / "big").mkdir(parents=True)
    for name in ("news.txt", "org/big/iwf.txt", "org/big/config.json", "notes.bin"):
        (tmp_path / name).touch()
    offered = [value for value, _ in form().fields["iwf"].choices]
    assert offered == ["", "news.txt", "org/big/iwf.txt"]


def test_a_file_that_an_address_names_stays_chosen():
    assert form(iwf="mine.txt").fields["iwf"].initial == "mine.txt"


def test_a_help_neither_repeats_its_label_nor_names_commands():
    fields = form().fields
    assert "python" not in "".join(str(field.help_text) for field in fields.values())
    assert not fields["pattern"].help_text.startswith("What the model is asked")
    assert fields["dtype"].help_text.startswith("The model's numbers; bfloat16")


def test_options_of_models_behind_addresses_are_not_offered():
    """Runs of the site cannot ask them."""
    shown = OptionsForm("llm_judge", None, known=[CAUSAL], initial={})
    assert {"model", "aspects", "prompt"} <= set(shown.fields)
    assert not {"mode", "samples"} & set(shown.fields)
