"""Published folders made ready to load: numbers of the authors' released code."""

import html
import json
import re
import shlex
import shutil

import numpy as np
import pytest
from django.template.loader import render_to_string

from scoring.metrics import Example, MetricError, get
from scoring.metrics.__main__ import main
from scoring.metrics._engine import backbones, converting, models
from tests.scoring.metrics import published
from tests.support import shared

ASPECTS = {"coherence": "coh", "consistency": "cons", "attribute_relevance": "ar"}
TEXTS = 40


@pytest.fixture(scope="module")
def bin_only(tmp_path_factory):
    return published.pegasus(tmp_path_factory.mktemp("published") / "pegasus")


@pytest.fixture(scope="module")
def mistaken(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mistaken") / "pegasus"
    return published.saved_by_transformers(folder)


@pytest.fixture(scope="module")
def converted(bin_only, tmp_path_factory):
    """By the command that the page prints."""
    models_dir = tmp_path_factory.mktemp("models_dir")
    page = render_to_string("scoring/results/models.html", {"folder": models_dir})
    (command,) = re.findall(r"<pre[^>]*>(python[^<]* convert [^<]*)</pre>", page)
    words = shlex.split(html.unescape(command))
    assert words[:3] == ["python", "-m", "scoring.metrics"]
    assert words[4] == "google/pegasus-large"
    # There is no network: a folder stands for the name on the hub.
    assert main([words[3], str(bin_only), words[5]]) == 0
    return models_dir / "google" / "pegasus-large"


def golden(name):
    return json.loads(shared.path(f"golden/ctrleval/{name}.json").read_text())


def examples():
    lines = shared.path("data/ctrleval/data_senti.txt").read_text().splitlines()
    splits = golden("senti_sentences_punkt")
    rows = [line.split("\t")[:3] for line in lines[:TEXTS]]
    return [
        Example(text=text, prefix=prefix, label=label, sentences=tuple(split))
        for (label, prefix, text), split in zip(rows, splits, strict=False)
    ]


def assert_golden(folder):
    iwf = str(shared.path("data/ctrleval/iwf_full.txt"))
    scores = get("ctrleval")(model=str(folder), iwf=iwf).load("cpu")(examples())
    for key, name in ASPECTS.items():
        expected = golden(f"ctrleval_senti_{name}_sharp")["scores"][:TEXTS]
        np.testing.assert_allclose(scores.values[key], expected, atol=1e-5, rtol=0)


def test_the_printed_command_gives_the_authors_scores(converted):
    assert_golden(converted)


def test_a_converted_folder_can_be_read_by_others_and_holds_no_pickle(converted):
    assert all(path.stat().st_mode & 0o044 == 0o044 for path in converted.iterdir())
    assert not list(converted.glob("*.bin"))


def test_what_transformers_saved_is_refused_with_the_command_to_use(mistaken):
    with pytest.raises(
        MetricError, match=r"`python -m scoring.metrics convert .* OUT`"
    ):
        backbones.load(mistaken)
    with pytest.raises(MetricError, match="'a <mask_1> b' becomes"):
        get("ctrleval")(model=str(mistaken)).load("cpu")


def test_what_transformers_saved_is_mended(mistaken, tmp_path):
    converting.convert(str(mistaken), tmp_path / "right")
    assert_golden(tmp_path / "right")


def test_a_right_tokenizer_is_copied_as_it_is(tmp_path):
    source = shared.path("golden/models/pegasus-tiny-sharp")
    converting.convert(str(source), tmp_path / "copy")
    for name in ("tokenizer.json", "model.safetensors", "config.json"):
        assert (tmp_path / "copy" / name).read_bytes() == (source / name).read_bytes()


def test_weights_that_hold_code_are_not_opened(bin_only, tmp_path):
    import torch

    folder = shutil.copytree(bin_only, tmp_path / "bad")
    trap = tmp_path / "ran"
    torch.save({"shared.weight": Trap(str(trap))}, folder / "pytorch_model.bin")
    with pytest.raises(MetricError, match="cannot read the weights"):
        converting.convert(str(folder), tmp_path / "out")
    assert not trap.exists()
    assert not (tmp_path / "out").exists()


class Trap:
    """Makes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (self.path, "w")


def test_a_t5_of_sentencepiece_alone_gets_the_published_ids(tmp_path):
    folder = shutil.copytree(
        shared.path("golden/models/t5-tiny"),
        tmp_path / "t5",
        ignore=lambda *_: ["tokenizer.json"],
        copy_function=shutil.copyfile,
    )
    tokenizers = shared.path("data/tokenizers/t5")
    shutil.copyfile(tokenizers / "spiece.model", folder / "spiece.model")
    converting.convert(str(folder), tmp_path / "right")
    text = "It was <extra_id_0>, said  the 2 of them."
    expected = models.backend(tokenizers / "tokenizer.json").encode(text).ids
    assert backbones.load(tmp_path / "right").ids([text], end=True)[text] == tuple(
        expected
    )


def test_what_a_file_of_weights_lacks_is_not_made_up(bert_without_pooler, tmp_path):
    from safetensors.torch import load_file

    converting.convert(str(bert_without_pooler), tmp_path / "out")
    names = load_file(tmp_path / "out" / "model.safetensors")
    assert names and not any("pooler" in name for name in names)


@pytest.fixture
def bert_without_pooler(tmp_path):
    import torch
    from transformers import BertConfig, BertModel

    config = BertConfig(
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=8,
        vocab_size=30522,
    )
    config.save_pretrained(tmp_path / "bert")
    model = BertModel(config, add_pooling_layer=False)
    torch.save(model.state_dict(), tmp_path / "bert" / "pytorch_model.bin")
    tokenizer = shared.path("data/tokenizers/bert-uncased/tokenizer.json")
    shutil.copyfile(tokenizer, tmp_path / "bert" / "tokenizer.json")
    return tmp_path / "bert"


class TestErrors:
    def test_a_folder_with_something_in_it_is_not_overwritten(self, bin_only):
        with pytest.raises(MetricError, match="already exists"):
            converting.convert(str(bin_only), bin_only)

    def test_a_folder_without_weights_says_so(self, bin_only, tmp_path):
        folder = shutil.copytree(bin_only, tmp_path / "empty")
        (folder / "pytorch_model.bin").unlink()
        with pytest.raises(MetricError, match="no weights: neither"):
            converting.convert(str(folder), tmp_path / "out")

    def test_a_pegasus_without_a_tokenizer_says_so(self, bin_only, tmp_path):
        folder = shutil.copytree(bin_only, tmp_path / "empty")
        (folder / "spiece.model").unlink()
        with pytest.raises(MetricError, match=r"neither tokenizer.json nor spiece"):
            converting.convert(str(folder), tmp_path / "out")

    def test_the_command_says_it_in_one_line(self, tmp_path, capsys):
        assert main(["convert", str(tmp_path), str(tmp_path / "out")]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
