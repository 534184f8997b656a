"""Tokenizers held against sentencepiece itself."""

import json
import shutil

import pytest

from scoring.metrics import MetricError
from scoring.metrics._engine import models, sentencepieces
from tests.support import shared

RIGHT = ["pegasus-tiny-sharp", "t5-tiny", "bart-tiny"]


def opened(folder):
    return models.backend(folder / "tokenizer.json")


@pytest.mark.parametrize("name", RIGHT)
def test_published_tokenizers_are_right(name):
    folder = shared.path(f"golden/models/{name}")
    assert sentencepieces.fault(folder, opened(folder)) is None


@pytest.mark.parametrize("name", models.bundled())
def test_bundled_tokenizers_are_right(name):
    folder = models.find(f"bundled:{name}")
    assert sentencepieces.fault(folder, opened(folder)) is None


@pytest.fixture
def t5(tmp_path):
    folder = tmp_path / "t5"
    folder.mkdir()
    for name in ("tokenizer.json", "spiece.model"):
        shutil.copyfile(shared.path(f"data/tokenizers/t5/{name}"), folder / name)
    config = shared.path("golden/models/t5-tiny/config.json")
    shutil.copyfile(config, folder / "config.json")
    return folder


def test_the_authors_own_file_decides_where_it_is_there(t5):
    assert sentencepieces.fault(t5, opened(t5)) is None


@pytest.mark.parametrize("alone", [False, True])
def test_a_space_before_the_gap_that_becomes_a_piece_is_a_fault(t5, alone):
    if alone:
        (t5 / "spiece.model").unlink()
    written = json.loads((t5 / "tokenizer.json").read_text())
    metaspace = written["pre_tokenizer"]
    metaspace = metaspace.get("pretokenizers", [metaspace])[-1]
    written["pre_tokenizer"] = metaspace
    (t5 / "tokenizer.json").write_text(json.dumps(written))
    assert "<extra_id_0>" in sentencepieces.fault(t5, opened(t5))


def test_ids_that_are_shifted_are_a_fault(t5):
    written = json.loads((t5 / "tokenizer.json").read_text())
    words = written["model"]["vocab"]
    words[100], words[101] = words[101], words[100]
    words[3:32000] = [words[31999], *words[3:31999]]
    (t5 / "tokenizer.json").write_text(json.dumps(written))
    assert "which is another token's" in sentencepieces.fault(t5, opened(t5))


def test_a_tokenizer_of_transformers_is_held_against_it_too(t5):
    assert models.tokenizer(t5)
    written = json.loads((t5 / "tokenizer.json").read_text())
    words = written["model"]["vocab"]
    words[3:32000] = [words[31999], *words[3:31999]]
    (t5 / "tokenizer.json").write_text(json.dumps(written))
    with pytest.raises(MetricError, match="scoring.metrics convert"):
        models.tokenizer(t5)


def test_other_families_and_folders_without_configuration_are_passed_over(t5):
    (t5 / "config.json").write_text('{"model_type": "llama"}')
    assert sentencepieces.fault(t5, opened(t5)) is None
    (t5 / "config.json").unlink()
    assert sentencepieces.fault(t5, opened(t5)) is None


def test_a_broken_model_of_sentencepiece_is_named(t5):
    (t5 / "spiece.model").write_bytes(b"\xff\xff nothing")
    with pytest.raises(MetricError, match=r"spiece.model is no model of sentencepiece"):
        sentencepieces.fault(t5, opened(t5))
