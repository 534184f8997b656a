import numpy as np
import pytest

from scoring.metrics import Example, get
from scoring.metrics._likelihood import Causal
from tests import shared

FLUENT = [
    "Once upon a time there was a little girl. She loved to play in the park.",
    "Tom had a red ball. He threw the ball to his dog and the dog ran to get it.",
    "The sun was warm and the birds were happy. They sang all day long.",
]


@pytest.fixture(scope="module")
def stories():
    return shared.path("data/models/stories260K")


def load(folder, **options):
    return get("perplexity")(model=str(folder), **options).load("cpu")


def nll(scorer, *texts):
    return scorer([Example(text=text) for text in texts]).values["nll"]


def plain_nll(folder, text):
    """One text, no batch, the model's own logits."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    ids = tokenizer(text, add_special_tokens=False).input_ids
    ids = torch.tensor([[tokenizer.bos_token_id, *ids]])
    with torch.inference_mode():
        logs = model(ids).logits.double().log_softmax(-1)
    return -logs[0, :-1].gather(1, ids[0, 1:, None]).mean().item()


class TestRealModel:
    def test_fluent_text_surprises_less_than_shuffled_text(self, stories):
        rng = np.random.default_rng(0)
        shuffled = [" ".join(rng.permutation(text.split())) for text in FLUENT]
        scorer = load(stories)
        assert (nll(scorer, *FLUENT) + 1 < nll(scorer, *shuffled)).all()

    def test_it_equals_a_plain_computation(self, stories):
        expected = [plain_nll(stories, text) for text in FLUENT]
        assert nll(load(stories), *FLUENT) == pytest.approx(expected, abs=1e-5)


class TestOptions:
    TEXT = Example(text="the ferry left harbour at seven", prefix="the ferry")

    def test_without_bos_the_first_token_is_not_scored(self, gpt2):
        with_bos, without = load(gpt2), load(gpt2, bos=False)
        assert nll(without, "the ferry left") != nll(with_bos, "the ferry left")
        scores = without([Example(text="ferry")])
        assert scores.reasons["nll"] == ["there is no token to score"]
        assert with_bos([Example(text="ferry")]).reasons["nll"] == [None]

    def test_generation_only_leaves_the_prefix_out(self, gpt2):
        whole = load(gpt2)([self.TEXT]).values["nll"][0] * 6
        prefix = nll(load(gpt2), "the ferry")[0] * 2
        found = load(gpt2, tokens="generation")([self.TEXT]).values["nll"][0]
        assert found == pytest.approx((whole - prefix) / 4, abs=1e-5)

    def test_they_are_in_the_signature(self, gpt2):
        signature = load(gpt2, tokens="generation", bos="false").signature
        assert "|bos:False|" in signature and "|tokens:generation|" in signature
        assert "|model:sha256:" in signature and str(gpt2) not in signature


class TestEdges:
    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("", "there is no token to score"),
            ("left " * 30, "the text has 30 tokens, the model takes 24"),
        ],
    )
    def test_what_does_not_exist_is_nan_with_a_reason(self, gpt2, text, reason):
        scores = load(gpt2)([Example(text="the ferry"), Example(text=text)])
        assert scores.reasons["nll"] == [None, reason]
        assert np.isnan(scores.values["nll"]).tolist() == [False, True]

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("a ferry", "the text does not start with its prefix"),
            ("the ferry", "there is no token to score"),
        ],
    )
    def test_generation_only_needs_the_prefix_and_more(self, gpt2, text, reason):
        scorer = load(gpt2, tokens="generation")
        scores = scorer([Example(text=text, prefix="the ferry")])
        assert scores.reasons["nll"] == [reason]

    def test_nothing_to_score_is_no_error(self, gpt2):
        assert len(load(gpt2)([]).values["nll"]) == 0

    def test_progress_adds_up(self, gpt2):
        told = []
        load(gpt2)([Example(text="the ferry"), Example(text="")] * 3, told.append)
        assert sum(told) == 6


@pytest.mark.parametrize("budget", [1, 64])
def test_batches_and_order_make_no_difference(gpt2, budget):
    texts = ["the ferry left", "seven", "nobody on deck said a word . so bad !"]
    scorer = load(gpt2)
    expected = nll(scorer, *texts)
    scorer.engine = Causal(scorer.engine.model, scorer.engine.head, budget)
    assert nll(scorer, *texts[::-1])[::-1] == pytest.approx(expected, abs=1e-5)
