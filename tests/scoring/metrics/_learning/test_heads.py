"""Checkpoints are read as they were made, ours and published ones."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from scoring.metrics import MetricError
from scoring.metrics._engine import models
from scoring.metrics._learning import heads, hygiene
from scoring.metrics._learning.heads import Judge, Tokens
from tests.scoring.metrics.tiny_encoder import tiny_encoder

TEXTS = [
    "the ferry left",
    "a man stood at the harbour and said that it was all good",
    "gulls!",
    "the old house on the island was white in the sun and they came from the film",
]


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return tiny_encoder(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def checkpoint(base, tmp_path_factory):
    return made(base, tmp_path_factory.mktemp("made"))


def made(base, folder, *, outputs=2, **facts):
    torch.manual_seed(1)
    reader = heads.begun(str(base), pooling="mean", outputs=outputs, device="cpu")
    tokens = Tokens(base, 40, reader.encoder)
    heads.save(reader, tokens, folder, {"outputs": outputs, **facts})
    return folder


def foreign(base, folder, labels=("bad", "good")):
    """A published classifier, with random weights."""
    from transformers import (
        AutoConfig,
        AutoModelForSequenceClassification,
        AutoTokenizer,
    )

    config = AutoConfig.from_pretrained(base)
    config.id2label = dict(enumerate(labels))
    config.label2id = {name: k for k, name in enumerate(labels)}
    torch.manual_seed(2)
    model = AutoModelForSequenceClassification.from_config(config)
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(base).save_pretrained(folder)
    return folder


class TestAJudge:
    def test_does_not_depend_on_order_or_batches(self, checkpoint, monkeypatch):
        judge = Judge(checkpoint, device="cpu")
        whole = judge(TEXTS)
        monkeypatch.setitem(heads.BUDGET, "cpu", 1)
        alone = judge(TEXTS[::-1])[::-1]
        assert whole.shape == (4, 2) and whole.dtype == np.float64
        np.testing.assert_allclose(alone, whole, atol=1e-5)

    def test_tells_of_all_texts(self, checkpoint):
        told = []
        Judge(checkpoint, device="cpu")(TEXTS, told.append)
        assert sum(told) == len(TEXTS)

    def test_of_no_texts_gives_nothing(self, checkpoint):
        assert Judge(checkpoint, device="cpu")([]).shape == (0, 2)

    def test_gives_what_the_network_gave_before_it_was_saved(self, base, tmp_path):
        torch.manual_seed(1)
        reader = heads.begun(str(base), pooling="cls", outputs=3, device="cpu").eval()
        tokens = Tokens(base, 40, reader.encoder)
        heads.save(reader, tokens, tmp_path, {"outputs": 3})
        pairs = [("the man", "a ferry"), ("a ferry", "the man")]
        with torch.no_grad():
            before = reader(*tokens.padded(tokens(pairs), "cpu")).numpy()
        after = Judge(tmp_path, device="cpu")(pairs)
        np.testing.assert_allclose(after, before, atol=1e-5)
        assert np.abs(after[0] - after[1]).max() > 1e-3

    def test_in_bfloat16_gives_nearly_the_same(self, checkpoint):
        if not _has_bfloat16():
            pytest.skip("this processor has no instructions for bfloat16")
        fine = Judge(checkpoint, device="cpu")(TEXTS)
        coarse = Judge(checkpoint, device="cpu", dtype="bfloat16")(TEXTS)
        assert 0 < np.abs(coarse - fine).max() < 0.2

    def test_says_that_it_cuts_texts_but_not_how_many(self, checkpoint):
        judge = Judge(checkpoint, device="cpu")
        long = "sun " * 39
        assert judge.notes([*TEXTS, "sun " * 38]) == judge.notes([]) == ()
        assert judge.notes([long]) == judge.notes([*TEXTS, long, (long, "the")])
        assert "longer than" in judge.notes([long])[0]
        np.testing.assert_array_equal(judge([long]), judge([f"{long} and a man"]))

    def test_knows_what_it_was_trained_on(self, base, tmp_path):
        folder = made(base, tmp_path)
        learned = " ".join(f"word{k}" for k in range(300))
        np.save(folder / hygiene.SEEN, hygiene.seen([learned, "The sun!"]))
        judge = Judge(folder, device="cpu")
        assert judge.knows(learned) and judge.knows(f"It said: {learned}")
        assert judge.knows("the  sun") and not judge.knows("the sun came")
        assert not judge.knows("")

    def test_without_such_a_list_knows_nothing(self, checkpoint):
        assert not Judge(checkpoint, device="cpu").knows(TEXTS[0])

    @pytest.mark.parametrize("broken", ["gone", "half", "another"])
    def test_names_a_head_that_will_not_do(self, base, tmp_path, broken):
        folder = made(base, tmp_path)
        path = folder / heads.WEIGHTS
        if broken == "gone":
            path.unlink()
        elif broken == "half":
            path.write_bytes(path.read_bytes()[:100])
        else:
            facts = json.loads((folder / heads.FACTS).read_text())
            (folder / heads.FACTS).write_text(json.dumps({**facts, "outputs": 5}))
        with pytest.raises(MetricError, match=r"lacks its head.*download"):
            Judge(folder, device="cpu")

    @pytest.mark.parametrize(
        "said", ["no json", "[]", '{"pooling": "mean"}', '{"max_tokens": "many"}']
    )
    def test_names_what_is_not_said_of_a_head(self, base, tmp_path, said):
        folder = made(base, tmp_path)
        (folder / heads.FACTS).write_text(said)
        with pytest.raises(MetricError, match=r"head\.json does not say .*max_tokens"):
            Judge(folder, device="cpu")

    def test_never_opens_a_pickle(self, base, tmp_path):
        folder = made(base, tmp_path)
        (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
        (folder / heads.WEIGHTS).unlink()
        with pytest.raises(MetricError, match="never opened here"):
            Judge(folder, device="cpu")

    def test_reads_no_pickled_list_of_what_was_seen(self, base, tmp_path):
        folder = made(base, tmp_path)
        np.save(folder / hygiene.SEEN, np.array([{}], object), allow_pickle=True)
        with pytest.raises(ValueError, match="allow_pickle"):
            Judge(folder, device="cpu")


class TestAPairOfTexts:
    def read(self, base, pairs):
        torch.manual_seed(1)
        reader = heads.begun(str(base), pooling="pair", outputs=1, device="cpu")
        tokens = Tokens(base, 40, reader.encoder)
        ids, mask = tokens.padded(tokens(pairs), "cpu")
        with torch.no_grad():
            states = reader.eval().states(ids, mask)
            return states, ids, reader.pooled(states, mask, ids), reader(ids, mask)

    def test_is_pooled_as_two_means_and_how_they_differ(self, base):
        pairs = [("the ferry", "a man stood"), ("gulls!", "the sun and the house")]
        states, ids, pooled, z = self.read(base, pairs)
        assert z.shape == (2, 1)
        # [CLS] the ferry [SEP] a man stood [SEP]
        a, b = states[0, :4].mean(0), states[0, 4:8].mean(0)
        expected = torch.cat([a, b, (a - b).abs(), a * b])
        assert torch.allclose(pooled[0], expected, atol=1e-6)

    def test_does_not_depend_on_what_stands_beside_it(self, base):
        pairs = [("the ferry", "a man"), ("gulls " * 9, "the sun and the house")]
        assert torch.allclose(
            self.read(base, pairs)[2][0], self.read(base, pairs[:1])[2][0], atol=1e-5
        )


class TestAPublishedClassifier:
    def test_gives_what_transformers_gives(self, base, tmp_path):
        from transformers import AutoModelForSequenceClassification, AutoTokenizer

        folder = foreign(base, tmp_path)
        texts = ["the sun was good", ("a ferry left", "the man was terrible")]
        found = Judge(folder, device="cpu")(texts)
        model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
        tokenizer = AutoTokenizer.from_pretrained(folder)
        for row, text in zip(found, texts, strict=True):
            given = (text,) if isinstance(text, str) else text
            # The tokenizer tells BERT of which text each token is.
            ids = tokenizer(*given, return_tensors="pt", return_token_type_ids=True)
            with torch.no_grad():
                expected = model(**ids).logits[0].numpy()
            np.testing.assert_allclose(row, expected, atol=1e-5)

    def test_names_its_classes(self, base, tmp_path):
        judge = Judge(foreign(base, tmp_path), device="cpu")
        assert judge.facts["labels"] == ["bad", "good"]
        assert judge.facts["outputs"] == 2 and not judge.knows(TEXTS[0])

    def test_with_one_label_predicts_a_number(self, base, tmp_path):
        judge = Judge(foreign(base, tmp_path, ["quality"]), device="cpu")
        assert judge(TEXTS).shape == (4, 1)

    def test_is_no_encoder_without_a_head(self, base):
        with pytest.raises(MetricError, match="is no trained metric: expected"):
            Judge(base, device="cpu")


class TestTokens:
    def test_are_those_of_the_tokenizer(self, base):
        tokenizer = models.tokenizer(base)
        texts = [*TEXTS, ("the man", "a ferry"), ("gulls", "")]
        expected = [
            tokenizer(*((one,) if isinstance(one, str) else one))["input_ids"]
            for one in texts[:-1]
        ]
        rows = Tokens(base, 100)(texts)
        assert rows[:-1] == expected
        assert Tokens(base, 100).lengths(texts) == [len(row) for row in rows]

    def test_of_a_roberta_stand_between_two_marks(self, base, tmp_path):
        from tokenizers import processors

        tokenizer = models.tokenizer(base)
        end = (tokenizer.sep_token, tokenizer.sep_token_id)
        start = (tokenizer.cls_token, tokenizer.cls_token_id)
        tokenizer.backend_tokenizer.post_processor = processors.RobertaProcessing(
            end, start
        )
        tokenizer.save_pretrained(tmp_path)
        pair = ("the man", "a ferry")
        [row] = Tokens(tmp_path, 100)([pair])
        assert row == models.tokenizer(tmp_path)(*pair)["input_ids"]
        assert row.count(tokenizer.sep_token_id) == 3

    def test_keep_the_mark_of_the_end_when_cut(self, base):
        [row] = Tokens(base, 8)(["sun " * 20])
        sun = models.tokenizer(base)("sun")["input_ids"][1]
        assert row == [2, *[sun] * 6, 3]

    @pytest.mark.parametrize(
        ("first", "second", "expected"),
        [(20, 2, (5, 2)), (2, 20, (2, 5)), (20, 20, (3, 4)), (3, 4, (3, 4))],
    )
    def test_of_a_pair_are_cut_where_there_is_most(self, base, first, second, expected):
        [row] = Tokens(base, 10)([("sun " * first, "man " * second)])
        sun, man = models.tokenizer(base)("sun man")["input_ids"][1:3]
        assert (row.count(sun), row.count(man)) == expected
        assert len(row) == 10 and row.count(3) == 2

    def test_are_no_more_than_the_model_has_room_for(self, base):
        encoder = models.encoder(base, device="cpu", dtype="float32")
        assert Tokens(base, 4096, encoder).max_tokens == 128
        assert Tokens(base, 16, encoder).max_tokens == 16

    def test_of_which_text_they_are_is_told_to_models_that_ask(self, base):
        config = models.config(base)
        ids = torch.tensor([[2, 9, 3, 9, 9, 3], [2, 9, 9, 3, 0, 0]])
        found = heads.sides(config, ids, 3)["token_type_ids"].tolist()
        assert found == [[0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 1, 1]]
        config.type_vocab_size = 1
        assert heads.sides(config, ids, 3) == heads.sides(config, ids, None) == {}


def _has_bfloat16() -> bool:
    from scoring.metrics._learning.fitting import _has_bfloat16

    return _has_bfloat16("cpu")
