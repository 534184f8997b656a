"""The engine against a plain computation, pair by pair, without any batching."""

import numpy as np
import pytest

from scoring.metrics._engine import likelihood, models, output_layer
from scoring.metrics._engine.likelihood import Pair, Text

PAIRS = [
    Pair((5, 6, 7, 1), (8, 9, 10, 1)),
    Pair((5, 6, 7, 1), (8, 9, 11)),
    Pair((5, 6, 7, 1), (12,)),
    Pair((5, 6, 7, 1), (13,)),
    Pair((9, 2, 1), (12,)),
    Pair((9, 2, 1), (12, 13, 14, 15, 16), 1, 3),
    Pair(tuple(range(4, 34)), tuple(range(30, 4, -1))),
    Pair((5, 6, 7, 1), (12,)),
]
TEXTS = [Text((0, 5, 6, 7)), Text((0, 9)), Text(tuple(range(20))), Text((4, 8, 9), 2)]


@pytest.fixture(scope="module")
def seq2seq(pegasus):
    return models.seq2seq(pegasus, device="cpu", dtype="float32")


@pytest.fixture(scope="module")
def causal(gpt2):
    return models.causal(gpt2, device="cpu", dtype="float32")


def plain_pair(model, pair):
    return np.mean(plain_tokens(model, pair))


def plain_tokens(model, pair):
    import torch

    inputs = torch.tensor([[model.config.decoder_start_token_id, *pair.target[:-1]]])
    with torch.inference_mode():
        logits = model(
            input_ids=torch.tensor([pair.source]), decoder_input_ids=inputs
        ).logits
    logs = logits.double().log_softmax(-1)[0]
    each = [logs[k, token].item() for k, token in enumerate(pair.target)]
    return each[pair.first : pair.last]


def plain_text(model, text):
    import torch

    with torch.inference_mode():
        logits = model(input_ids=torch.tensor([text.ids])).logits
    logs = logits.double().log_softmax(-1)[0]
    each = [logs[k - 1, text.ids[k]].item() for k in range(text.first, len(text.ids))]
    return np.mean(each)


class Counted:
    """Counts the rows that go through a part of a model."""

    def __init__(self, part):
        self.part, self.rows, self.tokens = part, 0, 0

    def __call__(self, input_ids, **others):
        self.rows += input_ids.shape[0]
        self.tokens += input_ids.numel()
        return self.part(input_ids=input_ids, **others)


class TestSeq2Seq:
    def test_it_equals_the_plain_computation(self, seq2seq):
        found = likelihood.seq2seq(seq2seq).mean_logprobs(PAIRS)
        expected = [plain_pair(seq2seq, pair) for pair in PAIRS]
        np.testing.assert_allclose(found, expected, atol=1e-5, rtol=0)
        assert found.dtype == np.float64

    @pytest.mark.parametrize("budget", [1, 64, 100_000])
    def test_tokens_come_in_their_order(self, seq2seq, budget):
        found = likelihood.seq2seq(seq2seq, budget).logprobs(PAIRS)
        for values, pair in zip(found, PAIRS, strict=True):
            expected = plain_tokens(seq2seq, pair)
            np.testing.assert_allclose(values, expected, atol=1e-5, rtol=0)

    @pytest.mark.parametrize("budget", [1, 64, 100_000])
    def test_batches_and_order_make_no_difference(self, seq2seq, budget):
        expected = likelihood.seq2seq(seq2seq).mean_logprobs(PAIRS)
        order = np.random.default_rng(0).permutation(len(PAIRS))
        engine = likelihood.seq2seq(seq2seq, budget)
        found = engine.mean_logprobs([PAIRS[k] for k in order])
        np.testing.assert_allclose(found, expected[order], atol=1e-5, rtol=0)

    def test_small_blocks_of_the_vocabulary_make_no_difference(
        self, seq2seq, monkeypatch
    ):
        expected = likelihood.seq2seq(seq2seq).mean_logprobs(PAIRS)
        monkeypatch.setattr(output_layer, "CPU_COLUMNS", 7)
        monkeypatch.setattr(output_layer, "CPU_ROWS", 3)
        found = likelihood.seq2seq(seq2seq).mean_logprobs(PAIRS)
        np.testing.assert_allclose(found, expected, atol=1e-5, rtol=0)

    def test_each_source_is_encoded_once_and_words_share_a_decoder_step(
        self, seq2seq, monkeypatch
    ):
        engine = likelihood.seq2seq(seq2seq, budget=4)
        encoder = Counted(seq2seq.get_encoder())
        decoder = Counted(seq2seq.get_decoder())
        monkeypatch.setattr(seq2seq, "get_encoder", lambda: encoder)
        monkeypatch.setattr(seq2seq, "get_decoder", lambda: decoder)
        engine.mean_logprobs([Pair((9, 2, 1), (k,)) for k in range(4, 12)] * 2)
        assert (encoder.rows, decoder.rows, decoder.tokens) == (1, 1, 1)

    def test_a_pair_that_cannot_be_scored_is_nan_with_a_reason(self, seq2seq):
        engine = likelihood.seq2seq(seq2seq)
        pairs = [Pair((5,), ()), Pair((5,) * 41, (6,)), Pair((5,), (6,) * 41)]
        assert np.isnan(engine.mean_logprobs(pairs)).all()
        assert [engine.reason(pair) for pair in pairs] == [
            "there is no token to score",
            "the input has 41 tokens, the model takes 40",
            "the text to predict has 41 tokens, the model takes 40",
        ]
        assert engine.reason(Pair((5,) * 40, (6,) * 40)) is None

    def test_running_out_of_memory_changes_no_number(self, seq2seq, monkeypatch):
        expected = likelihood.seq2seq(seq2seq).mean_logprobs(PAIRS)
        encoder = seq2seq.get_encoder()

        def scarce(input_ids, **others):
            if input_ids.numel() > 40:
                raise RuntimeError("CUDA out of memory.")
            return encoder(input_ids=input_ids, **others)

        monkeypatch.setattr(seq2seq, "get_encoder", lambda: scarce)
        found = likelihood.seq2seq(seq2seq).mean_logprobs(PAIRS)
        np.testing.assert_allclose(found, expected, atol=1e-5, rtol=0)

    def test_the_work_done_adds_up_to_the_work_announced(self, seq2seq):
        engine, done = likelihood.seq2seq(seq2seq, budget=8), []
        engine.mean_logprobs(PAIRS, done.append)
        assert len(done) > 1 and sum(done) == engine.work(PAIRS)

    def test_whoever_watches_may_stop_it(self, seq2seq):
        def stop(work):
            raise InterruptedError

        with pytest.raises(InterruptedError):
            likelihood.seq2seq(seq2seq).mean_logprobs(PAIRS, stop)

    def test_nothing_to_score_is_no_error(self, seq2seq):
        assert len(likelihood.seq2seq(seq2seq).mean_logprobs([])) == 0

    def test_a_bias_of_the_output_layer_counts(self, pegasus):
        import torch

        model = models.seq2seq(pegasus, device="cpu", dtype="float32")
        model.final_logits_bias.copy_(torch.linspace(-2, 2, model.config.vocab_size))
        found = likelihood.seq2seq(model).mean_logprobs(PAIRS)
        expected = [plain_pair(model, pair) for pair in PAIRS]
        np.testing.assert_allclose(found, expected, atol=1e-5, rtol=0)


class TestCausal:
    def test_it_equals_the_plain_computation(self, causal):
        found = likelihood.causal(causal).mean_logprobs(TEXTS)
        expected = [plain_text(causal, text) for text in TEXTS]
        np.testing.assert_allclose(found, expected, atol=1e-5, rtol=0)

    @pytest.mark.parametrize("budget", [1, 64])
    def test_batches_and_order_make_no_difference(self, causal, budget):
        expected = likelihood.causal(causal).mean_logprobs(TEXTS)
        found = likelihood.causal(causal, budget).mean_logprobs(TEXTS[::-1])
        np.testing.assert_allclose(found[::-1], expected, atol=1e-5, rtol=0)

    @pytest.mark.parametrize("budget", [1, 64])
    def test_next_tokens_of_one_text_share_a_pass(self, causal, budget, monkeypatch):
        texts = [Text((0, 5, 6, k), first) for k in range(4, 12) for first in (1, 3)]
        expected = [plain_text(causal, text) for text in texts]
        engine = likelihood.causal(causal, budget)
        model = Counted(causal.base_model)
        monkeypatch.setattr(type(causal), "base_model", model)
        found = engine.mean_logprobs(texts)
        assert (model.rows, model.tokens) == (1, 3)
        np.testing.assert_allclose(found, expected, atol=1e-5, rtol=0)

    def test_the_work_done_adds_up_to_the_work_announced(self, causal):
        texts = [*TEXTS, Text((0, 5, 6, 8)), Text((5,) * 26)]
        engine, done = likelihood.causal(causal, budget=8), []
        engine.mean_logprobs(texts, done.append)
        assert len(done) > 1 and sum(done) == engine.work(texts)

    def test_a_model_that_scales_its_logits_is_asked_itself(self, causal, monkeypatch):
        forward = type(causal).forward

        def scaled(self, *args, **others):
            output = forward(self, *args, **others)
            output.logits = output.logits / 3
            return output

        monkeypatch.setattr(type(causal), "forward", scaled)
        engine = likelihood.causal(causal)
        assert engine.head is None
        expected = [plain_text(causal, text) for text in TEXTS]
        found = engine.mean_logprobs(TEXTS)
        np.testing.assert_allclose(found, expected, atol=1e-5, rtol=0)

    def test_a_text_that_cannot_be_scored_is_nan_with_a_reason(self, causal):
        engine = likelihood.causal(causal)
        texts = [Text((0,)), Text((5,) * 26)]
        assert np.isnan(engine.mean_logprobs(texts)).all()
        assert [engine.reason(text) for text in texts] == [
            "there is no token to score",
            "the text has 25 tokens, the model takes 24",
        ]


@pytest.mark.gpu
def test_an_accelerator_gives_the_same_numbers(pegasus):
    import torch

    if not torch.cuda.is_available():
        pytest.skip("no accelerator")
    found = {
        device: likelihood.seq2seq(
            models.seq2seq(pegasus, device=device, dtype="float32")
        ).mean_logprobs(PAIRS)
        for device in ("cpu", "cuda")
    }
    np.testing.assert_allclose(found["cuda"], found["cpu"], atol=1e-4, rtol=0)
