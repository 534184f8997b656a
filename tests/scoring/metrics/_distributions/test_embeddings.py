"""Vectors of texts from tiny models of every kind, and where they are kept."""

import json
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from scoring.metrics import MetricError
from scoring.metrics._distributions import embeddings, vectors
from tests.scoring.metrics.conftest import WORDS, _tokenizer

TEXTS = ["the ferry left", "nobody said a word on deck", "so", "good bad , great !"]
SIZES = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "initializer_range": 0.4,
}


@pytest.fixture(autouse=True)
def forget_the_folder():
    vectors.keep_in(None)
    yield
    vectors.keep_in(None)


def made(folder, kind, config, special):
    """Folder of a model with random weights and a tokenizer of some words."""
    import torch

    torch.manual_seed(0)
    _tokenizer(folder, special, end=True)
    kind(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    """As it is after guessing words: without a pooler."""
    from transformers import BertConfig, BertForMaskedLM

    config = BertConfig(vocab_size=40 + len(WORDS), max_position_embeddings=24, **SIZES)
    special = ["<pad>", "</s>", "<mask>", "<unk>"]
    folder = tmp_path_factory.mktemp("bert")
    return made(folder, BertForMaskedLM, config, special)


@pytest.fixture(scope="module")
def roberta(tmp_path_factory):
    """Its padding is token 1, and positions are counted from 2."""
    from transformers import RobertaConfig, RobertaForMaskedLM

    config = RobertaConfig(
        vocab_size=40 + len(WORDS), max_position_embeddings=10, pad_token_id=1, **SIZES
    )
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    folder = tmp_path_factory.mktemp("roberta")
    return made(folder, RobertaForMaskedLM, config, special)


@pytest.fixture(scope="module")
def bundled():
    return embeddings.load("bundled:encoder-small")


def plain(folder, text, *, n=None):
    """States of the last layer for a text alone, without batch or padding."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    ids = AutoTokenizer.from_pretrained(folder)(text)["input_ids"][:n]
    model = AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
    with torch.inference_mode():
        return model(input_ids=torch.tensor([ids])).last_hidden_state[0].numpy()


POOLED = {"mean": lambda s: s.mean(0), "cls": lambda s: s[0], "last": lambda s: s[-1]}


@pytest.mark.parametrize(
    ("name", "pooling"),
    [
        *((name, pooling) for name in ("bert", "roberta") for pooling in POOLED),
        *(("gpt2", pooling) for pooling in ("mean", "last")),
    ],
)
def test_a_vector_is_that_of_the_text_alone(name, pooling, request):
    folder = request.getfixturevalue(name)
    found = embeddings.load(str(folder), pooling=pooling)(TEXTS)
    for text, vector in zip(TEXTS, found, strict=True):
        expected = POOLED[pooling](plain(folder, text))
        assert vector == pytest.approx(expected, abs=1e-5)


def test_models_are_pooled_by_what_they_were_made_for(bert, gpt2):
    assert embeddings.load(str(bert)).pooling == "mean"
    assert embeddings.load(str(gpt2)).pooling == "last"


def test_each_model_can_be_pooled_as_in_the_paper(bert, gpt2):
    assert embeddings.load(str(bert), pooling="paper").pooling == "cls"
    assert embeddings.load(str(gpt2), pooling="paper").pooling == "last"


def test_the_first_token_of_what_continues_texts_is_refused(gpt2):
    with pytest.raises(
        MetricError, match="its first token says nothing about the text"
    ):
        embeddings.load(str(gpt2), pooling="cls")


def test_vectors_vary_as_texts_do():
    same = np.ones((2, 4), np.float32)
    with pytest.raises(MetricError, match="the same vector, although the texts differ"):
        embeddings.check_vary(["a", "b"], same * [1.0, 1.0, 1.0, 1 + 1e-7])
    embeddings.check_vary(["a", "a"], same)
    embeddings.check_vary(["a", "b"], same * [[1], [1.01]])
    embeddings.check_vary([], same[:0])


def test_models_are_pooled_alike_whatever_their_last_task(gpt2, tmp_path):
    folder = tmp_path / "gpt2"
    folder.mkdir()
    for file in gpt2.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    config = json.loads((folder / "config.json").read_text())
    del config["architectures"]
    (folder / "config.json").write_text(json.dumps(config))
    assert embeddings.load(str(folder)).pooling == "last"


def test_a_long_text_is_cut_to_what_the_model_has_room_for(roberta, gpt2):
    encoder = embeddings.load(str(roberta))
    assert encoder.max_tokens == 8  # 10 positions, two of which are never used
    assert np.isfinite(encoder(["left " * 50])).all()
    shorter = embeddings.load(str(gpt2), max_tokens=3)
    expected = plain(gpt2, "the ferry left harbour", n=3)[-1]
    assert shorter(["the ferry left harbour"])[0] == pytest.approx(expected, abs=1e-5)


def test_neither_order_nor_company_changes_a_vector(bundled):
    texts = [*TEXTS, "a long one, " * 40, "", "The ferry left."]
    together = bundled(texts)
    backwards = bundled(texts[::-1])[::-1]
    alone = np.concatenate([bundled([text]) for text in texts])
    assert together == pytest.approx(backwards, abs=1e-5)
    assert together == pytest.approx(alone, abs=1e-5)
    assert together.dtype == np.float32  # though its weights are kept in float16


def test_an_empty_text_is_its_special_tokens_or_zero(bundled, gpt2):
    assert np.abs(bundled([""])).sum() > 0
    assert not embeddings.load(str(gpt2))([""]).any()
    assert bundled([]).shape == (0, bundled.width)


def test_more_room_is_asked_for_than_special_tokens_take(bert):
    with pytest.raises(MetricError, match="expected more than 1, the number of"):
        embeddings.load(str(bert), max_tokens=1)


def test_a_model_that_lacks_more_than_its_pooler_is_refused(bert, tmp_path):
    from safetensors.numpy import load_file, save_file

    for file in bert.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    weights = load_file(tmp_path / "model.safetensors")
    weights.pop("bert.encoder.layer.0.output.dense.weight")
    save_file(weights, tmp_path / "model.safetensors", {"format": "pt"})
    with pytest.raises(MetricError, match="lacks weights"):
        embeddings.load(str(tmp_path))


def test_a_model_of_pictures_is_refused(tmp_path):
    from transformers import ViTConfig

    ViTConfig().save_pretrained(tmp_path)
    with pytest.raises(MetricError, match="is not an encoder or a causal"):
        embeddings.load(str(tmp_path))


def test_vectors_that_are_not_finite_are_refused(bert, monkeypatch):
    import torch

    encoder = embeddings.load(str(bert))
    infinite = torch.full((16,), torch.inf)
    monkeypatch.setattr(encoder, "_pooled", lambda rows: infinite.expand(len(rows), 16))
    with pytest.raises(MetricError, match="not finite"):
        encoder(TEXTS)


def test_progress_adds_up_to_the_texts(bundled):
    told = []
    bundled([*TEXTS, TEXTS[0]], told.append)
    assert sum(told) == 5


# Kept vectors -------------------------------------------------------------------------


@pytest.fixture
def counted(bundled, monkeypatch):
    """The encoder, and how many texts its model was given."""
    given = []
    pooled = bundled._pooled
    monkeypatch.setattr(
        bundled, "_pooled", lambda rows: given.extend(rows) or pooled(rows)
    )
    return bundled, given


def test_texts_are_embedded_once(counted, tmp_path):
    encoder, given = counted
    vectors.keep_in(tmp_path)
    first = encoder(TEXTS)
    again = encoder([*TEXTS[::-1], "new"])
    assert len(given) == len(TEXTS) + 1
    assert np.array_equal(again[:-1], first[::-1])


def test_nothing_is_kept_where_nobody_said_where(counted):
    encoder, given = counted
    encoder(TEXTS), encoder(TEXTS)
    assert len(given) == 2 * len(TEXTS)


def test_half_the_work_is_kept_where_a_run_is_stopped(counted, tmp_path, monkeypatch):
    encoder, given = counted
    vectors.keep_in(tmp_path)
    monkeypatch.setattr(embeddings, "SLAB", 2)
    monkeypatch.setattr("scoring.metrics._engine.batches.SECONDS_BETWEEN_CALLS", 0)

    def stop_later(n):
        if len(given) > 2:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        encoder(TEXTS, stop_later)
    encoder(TEXTS)
    assert len(given) == len(TEXTS) + 2  # those of the second slab twice


def test_ways_of_embedding_do_not_share_vectors(bert, tmp_path):
    vectors.keep_in(tmp_path)
    mean = embeddings.load(str(bert), pooling="mean")(TEXTS)
    cls = embeddings.load(str(bert), pooling="cls")(TEXTS)
    short = embeddings.load(str(bert), pooling="cls", max_tokens=2)(TEXTS)
    assert not np.allclose(mean, cls) and not np.allclose(cls, short)


@pytest.mark.parametrize("wrong", [b"", b"\x93NUMPY", b"nonsense" * 100, None])
def test_a_damaged_file_is_embedded_again(wrong, counted, tmp_path):
    encoder, _ = counted
    vectors.keep_in(tmp_path)
    first = encoder(TEXTS)
    (file,) = tmp_path.glob("*/*.npy")
    file.write_bytes(file.read_bytes()[:-5] if wrong is None else wrong)
    assert encoder(TEXTS) == pytest.approx(first)
    assert encoder(TEXTS) == pytest.approx(first)


def test_a_folder_that_cannot_be_written_ends_no_run(bundled, tmp_path):
    file = tmp_path / "file"
    file.touch()
    vectors.keep_in(file)
    assert bundled(TEXTS).shape == (len(TEXTS), bundled.width)


def test_a_full_disk_ends_no_run_and_leaves_no_part(bundled, tmp_path, monkeypatch):
    vectors.keep_in(tmp_path)

    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(vectors.np, "save", full)
    assert bundled(TEXTS).shape == (len(TEXTS), bundled.width)
    assert not list(tmp_path.glob("*/*"))


def test_what_was_not_used_for_longest_goes_first(tmp_path, monkeypatch):
    vectors.keep_in(tmp_path)
    kept, vector = vectors.Kept("model"), np.ones((1, 100), np.float32)
    for text in "abc":
        kept.write([text], vector)
    for age, file in enumerate(tmp_path.glob("*/*.npy")):
        os.utime(file, (age, age))
    assert len(kept.read("a")) == 1  # used now
    monkeypatch.setattr(vectors, "LIMIT", 1500)
    kept.write(["d"], vector)
    assert sorted(kept.read("abcd")) == ["a", "d"]


def test_workers_may_keep_read_and_delete_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(vectors, "LIMIT", 3000)
    vectors.keep_in(tmp_path)

    def work(worker):
        kept = vectors.Kept("model")
        for n in range(20):
            texts = [f"{worker % 2} {n}", "shared"]
            kept.write(texts, np.array([[n], [-1]], np.float32))
            found = kept.read(texts)
            assert {text: found[text][0] for text in found}.items() <= {
                texts[0]: n,
                "shared": -1,
            }.items()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert sum(file.stat().st_size for file in tmp_path.glob("*/*")) <= 3000
