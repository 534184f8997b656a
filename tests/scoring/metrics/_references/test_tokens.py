import json
import shutil
from types import SimpleNamespace

import numpy as np
import pytest

from scoring.metrics import Example, MetricError, get
from scoring.metrics._engine import models
from scoring.metrics._engine.batches import Meter
from scoring.metrics._references import token_pairs, tokens
from scoring.metrics._references.token_pairs import TokenScorer

FERRY = Example("the ferry left", references=("the ferry left harbour", "so good"))
SEVEN = Example("nobody said a word at seven", references=("seven", "nobody"))


def load(folder, **options):
    return get("bertscore")(model=str(folder), **options).load("cpu")


def embed(encoder, text):
    rows = list(encoder.rows([text]).values())
    return encoder.embed(rows, Meter(None))[:-1].detach().numpy()


class TestLayers:
    def test_a_norm_stays_behind_the_last_one_that_is_kept(self, gpt2):
        model = models.encoder(gpt2, device="cpu", dtype="float32")
        ids = models.tokenizer(gpt2)(FERRY.text, return_tensors="pt")
        states = model(**ids, output_hidden_states=True).hidden_states[1]
        expected = model.ln_f(states)[0].detach().numpy()
        expected /= np.linalg.norm(expected, axis=1, keepdims=True)
        found = embed(load(gpt2, layer=1).encoder, FERRY.text)
        np.testing.assert_allclose(found, expected, atol=1e-6)

    def test_they_are_counted_from_both_ends(self, gpt2):
        signatures = [load(gpt2, layer=k).signature for k in (0, -1, 2, 1, -2)]
        assert [one.split("|layer:")[1][0] for one in signatures] == list("22211")

    def test_one_that_is_not_there_is_refused(self, gpt2):
        for layer in (3, -3):
            with pytest.raises(MetricError, match=f"={layer}: the model has 2 layers"):
                load(gpt2, layer=layer)

    def test_that_of_the_authors_is_the_default(self, tmp_path, gpt2):
        folder = roberta(gpt2, tmp_path / "roberta", layers=12)
        assert "|layer:10|" in load(folder).signature


def roberta(gpt2, folder, layers):
    """A model that counts positions from 2, with room for 10 tokens."""
    from transformers import RobertaConfig, RobertaModel

    shutil.copytree(gpt2, folder)
    config = RobertaConfig(
        vocab_size=50,
        hidden_size=8,
        num_hidden_layers=layers,
        num_attention_heads=2,
        intermediate_size=8,
        max_position_embeddings=12,
    )
    RobertaModel(config).save_pretrained(folder)
    return folder


def test_long_texts_are_cut_to_the_room_there_is_with_a_note(gpt2, tmp_path):
    scorer = load(roberta(gpt2, tmp_path / "roberta", layers=1))
    fits = [Example("left " * 10, references=("the left",))]
    longer = [Example("left " * 10 + "so so", references=("the left",))]
    assert (scorer(fits).notes, scorer(longer).notes) == ((), (token_pairs.CUT,))
    np.testing.assert_equal(scorer(longer).values, scorer(fits).values)


def test_a_first_word_is_the_same_as_a_later_one_where_spaces_count(gpt2, tmp_path):
    folder = shutil.copytree(gpt2, tmp_path / "gpt2")
    file = folder / "tokenizer.json"
    written = json.loads(file.read_text())
    written["pre_tokenizer"] = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": True,
    }
    written["model"]["vocab"]["Ġword"] = written["model"]["vocab"].pop("harbour")
    file.write_text(json.dumps(written))
    first, second = load(folder).encoder.rows(["word word"])["word word"].ids
    assert first == second


def test_equal_tokens_in_any_batch_and_slab_give_the_same(gpt2, monkeypatch):
    scorer = load(gpt2)
    expected = scorer([FERRY, SEVEN]).values
    monkeypatch.setattr(token_pairs, "HELD", 1)
    monkeypatch.setattr(token_pairs, "BUDGET", 1)
    monkeypatch.setattr(tokens, "BUDGET", 1)
    for key, values in scorer([SEVEN, FERRY]).values.items():
        assert values[::-1] == pytest.approx(expected[key], abs=1e-6, nan_ok=True)


def test_padding_is_told_from_tokens(gpt2):
    def count(text, reference):
        sides = text, reference
        return np.stack([side.real.sum(1).numpy() for side in sides], axis=1)

    keys = "text", "reference"
    scorer = TokenScorer(
        "", load(gpt2).encoder, count, keys, "max", dict.fromkeys(keys)
    )
    values = scorer([FERRY, SEVEN]).values
    assert [values[key].tolist() for key in keys] == [[3, 6], [4, 1]]


def test_a_tokenizer_that_does_not_tell_what_it_cuts_is_refused(gpt2, monkeypatch):
    slow = SimpleNamespace(is_fast=False)
    monkeypatch.setattr(models, "tokenizer", lambda folder: slow)
    with pytest.raises(MetricError, match="has no tokenizer.json"):
        load(gpt2)


def test_pairs_are_cut_into_slabs_by_tokens(monkeypatch):
    monkeypatch.setattr(token_pairs, "HELD", 10)
    slabs = token_pairs._slabs([4, 6, 1, 99, 2, 3])
    assert [(one.start, one.stop) for one in slabs] == [(0, 2), (2, 3), (3, 4), (4, 6)]


def test_it_gives_signs_of_life_between_batches(gpt2, monkeypatch):
    monkeypatch.setattr("scoring.metrics._engine.batches.SECONDS_BETWEEN_CALLS", 0)
    told = []
    load(gpt2)([FERRY, SEVEN], told.append)
    assert sum(told) == 2 and told.count(0) > 1


class TestIdf:
    def idf(self, gpt2, file, text):
        encoder, _ = tokens.load(
            str(gpt2), layer=0, idf=str(file), device="cpu", dtype="float32"
        )
        return encoder.weights(list(encoder.rows([text]).values())).tolist()

    def test_tokens_weigh_by_the_texts_that_have_them(self, gpt2, tmp_path):
        file = tmp_path / "texts.txt"
        file.write_text("the ferry\n\n  \nthe the deck\nthe ferry\n")
        weights = self.idf(gpt2, file, "the ferry deck so")
        expected = [0, np.log(4 / 3), np.log(4 / 2), np.log(4), 0]  # and padding
        assert weights == pytest.approx(expected, abs=1e-6)

    @pytest.mark.parametrize(
        ("content", "problem"),
        [(None, "cannot read"), (b" \n\n", "no text in"), (b"\xff", "not UTF-8")],
    )
    def test_a_file_without_texts_is_refused(self, gpt2, tmp_path, content, problem):
        file = tmp_path / "texts.txt"
        if content is not None:
            file.write_bytes(content)
        with pytest.raises(MetricError, match=f"idf: .*{problem}"):
            load(gpt2, idf=str(file))

    def test_the_signature_has_its_content(self, gpt2, tmp_path):
        signatures = set()
        for name, content in (("a", "the"), ("b", "the"), ("c", "so")):
            (tmp_path / name).write_text(content)
            signatures.add(load(gpt2, idf=str(tmp_path / name)).signature)
        assert len(signatures) == 2 and not any("tmp" in one for one in signatures)
        assert "|idf:none|" in load(gpt2).signature
