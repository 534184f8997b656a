import numpy as np
import pytest

from annotation import sentences
from scoring.metrics import Example, MetricError, OptionError, get, perplexity
from scoring.metrics._engine.likelihood import Causal, Seq2Seq
from tests.support import shared

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


# Models that fill gaps ----------------------------------------------------------------

GOLDEN = {
    "bart": "golden/models/bart-tiny",
    "pegasus": "golden/models/pegasus-tiny-sharp",
    "t5": "golden/models/t5-tiny",
}
# The gap, and what stands before the text in the decoder.
GAPS = {
    "bart": ("<mask>", "<s>"),
    "pegasus": ("<mask_1>", ""),
    "t5": ("<extra_id_0>", "<extra_id_0>"),
}


@pytest.fixture(scope="module", params=GOLDEN)
def family(request):
    return request.param


@pytest.fixture(scope="module")
def folder(family):
    return shared.path(GOLDEN[family])


@pytest.fixture(scope="module")
def logprobs(family, folder):
    """Log-probabilities of a text's tokens, by the whole model: tokens of the text."""
    import torch
    from tokenizers import Tokenizer
    from transformers import AutoModelForSeq2SeqLM

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    model = AutoModelForSeq2SeqLM.from_pretrained(folder, dtype=torch.float32).eval()

    def compute(source, target, opening):
        x = torch.tensor([tokenizer.encode(source).ids])
        first = tokenizer.encode(opening, add_special_tokens=False).ids
        y = [*first, *tokenizer.encode(target, add_special_tokens=False).ids]
        inputs = torch.tensor([[model.config.decoder_start_token_id, *y[:-1]]])
        with torch.inference_mode():
            logits = model(input_ids=x, decoder_input_ids=inputs).logits
        logs = logits.double().log_softmax(-1)[0, range(len(y)), y]
        return logs[len(first) :].numpy()

    return compute


class TestFromMask:
    def test_it_equals_a_plain_computation(self, family, folder, logprobs):
        gap, opening = GAPS[family]
        expected = [-logprobs(gap, text, opening).mean() for text in FLUENT]
        assert nll(load(folder), *FLUENT) == pytest.approx(expected, abs=1e-5)

    def test_it_is_bartscore_from_a_gap_without_the_end_token(self, pegasus):
        text = "the ferry left harbour"
        scorer = get("bartscore")(model=str(pegasus), directions="source").load("cpu")
        found = scorer([Example(text=text, source="<mask_1>")]).values["faithfulness"]
        (pair,) = scorer.backbone.pairs([("<mask_1>", text)], end=True)
        (logs,) = scorer.engine.logprobs([pair])
        assert len(logs) == 5
        without_end = (found[0] * 5 - logs[-1]) / 4
        assert nll(load(pegasus), text) == pytest.approx(-without_end, abs=1e-5)

    def test_it_is_the_default_and_has_the_signature_of_that(self, pegasus):
        signature = load(pegasus).signature
        assert "|form:from_mask|" in signature and str(pegasus) not in signature
        assert signature == load(pegasus, form="from_mask").signature


class TestLeaveOneOut:
    def test_it_equals_a_plain_computation(self, family, folder, logprobs):
        gap, opening = GAPS[family]
        for text in FLUENT:
            first, second = sentences.split(text)
            logs = [
                logprobs(f" {gap} {second}", first, opening),
                # BART's decoder goes through what stands before the gap.
                logprobs(f"{first} {gap} ", f" {second}", f"{opening}{first}")
                if family == "bart"
                else logprobs(f"{first} {gap} ", second, opening),
            ]
            found = nll(load(folder, form="leave_one_out"), text)
            assert found == pytest.approx(-np.concatenate(logs).mean(), abs=1e-5)

    def test_given_sentences_are_used(self, pegasus):
        scorer = load(pegasus, form="leave_one_out")
        text = "the ferry left harbour . nobody said a word"
        halves = ("the ferry left harbour .", "nobody said a word")
        given = Example(text=text, sentences=("the ferry left", "harbour . nobody"))
        whole, found = scorer([Example(text=text, sentences=halves), given])[0]["nll"]
        assert whole != pytest.approx(found, abs=1e-3)

    def test_a_lone_sentence_is_predicted_from_the_gap(self, pegasus):
        found = nll(load(pegasus, form="leave_one_out"), "nobody said a word")
        assert found == pytest.approx(nll(load(pegasus), "nobody said a word"))

    def test_the_splitter_is_in_the_signature(self, pegasus):
        signature = load(pegasus, form="leave_one_out").signature
        assert f"|splitter:{sentences.NAME}|" in signature
        assert "|form:leave_one_out|" in signature
        assert "splitter" not in load(pegasus).signature


def test_slabs_make_no_difference(gpt2, monkeypatch) -> None:
    """Texts are planned some at a time: memory does not grow with their number."""
    texts = ["the ferry left .", "seven", "", "nobody said a word .", "so bad !"]
    examples, told = [Example(text) for text in texts], []
    expected = load(gpt2)(examples)
    monkeypatch.setattr(perplexity, "SLAB", 2)
    found = load(gpt2)(examples, told.append)
    assert found.reasons == expected.reasons
    assert sum(told) == len(texts)
    np.testing.assert_allclose(found.values["nll"], expected.values["nll"], atol=1e-5)


@pytest.mark.parametrize("form", ["from_mask", "leave_one_out"])
class TestGapEdges:
    @pytest.mark.parametrize("text", ["", "  \n"])
    def test_no_text_is_nan_with_a_reason(self, pegasus, form, text):
        scores = load(pegasus, form=form)([Example(text="seven"), Example(text=text)])
        assert scores.reasons["nll"] == [None, "there is no token to score"]
        assert np.isnan(scores.values["nll"]).tolist() == [False, True]

    def test_a_text_that_holds_the_gap_is_nan_with_a_reason(self, pegasus, form):
        scores = load(pegasus, form=form)([Example("a <mask_1> b"), Example("seven")])
        reason = "the text holds <mask_1>, which the model takes for a gap"
        assert scores.reasons["nll"] == [reason, None]

    def test_a_text_that_is_too_long_is_nan_with_a_reason(self, pegasus, form):
        long = Example(text="left " * 41)
        scores = load(pegasus, form=form)([long, Example(text="seven")])
        reason = "the text to predict has 41 tokens, the model takes 40"
        assert scores.reasons["nll"] == [reason, None]

    def test_progress_adds_up(self, pegasus, form):
        told = []
        examples = [Example(text="the ferry"), Example(text="")] * 150
        load(pegasus, form=form)(examples, told.append)
        assert sum(told) == 300

    def test_nothing_to_score_is_no_error(self, pegasus, form):
        assert len(load(pegasus, form=form)([]).values["nll"]) == 0

    @pytest.mark.parametrize("budget", [1, 64])
    def test_batches_and_order_make_no_difference(self, pegasus, form, budget):
        texts = ["the ferry left . good", "seven", "nobody said a word . so bad !"]
        scorer = load(pegasus, form=form)
        expected = nll(scorer, *texts)
        scorer.engine = Seq2Seq(scorer.engine.model, scorer.engine.head, budget)
        assert nll(scorer, *texts[::-1])[::-1] == pytest.approx(expected, abs=1e-5)

    def test_a_causal_model_is_refused_in_one_sentence(self, gpt2, form):
        with pytest.raises(MetricError, match=f"form={form} needs .*use form=causal"):
            load(gpt2, form=form)

    def test_scoring_behind_the_prefix_is_refused_before_loading(self, form):
        with pytest.raises(OptionError, match="needs a causal language model"):
            get("perplexity")(form=form, tokens="generation").check()


class TestWrongModels:
    def test_a_causal_form_of_an_encoder_decoder_is_refused(self, pegasus):
        with pytest.raises(MetricError, match="use form=from_mask or form=leave_one"):
            load(pegasus, form="causal")

    def test_behind_the_prefix_there_is_bartscore(self, pegasus):
        with pytest.raises(MetricError, match="bartscore with hypothesis=continuation"):
            load(pegasus, tokens="generation")

    def test_a_model_that_sees_what_it_predicts_is_refused(self, gpt2, tmp_path):
        from transformers import AutoTokenizer, BertConfig, BertForMaskedLM

        config = BertConfig(
            vocab_size=50,
            hidden_size=16,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=32,
        )
        BertForMaskedLM(config).save_pretrained(tmp_path)
        AutoTokenizer.from_pretrained(gpt2).save_pretrained(tmp_path)
        with pytest.raises(MetricError, match="reads texts in both directions"):
            load(tmp_path)


def test_the_form_that_auto_finds_is_in_the_signature(gpt2):
    signature = load(gpt2).signature
    assert "|form:causal|" in signature
    assert signature == load(gpt2, form="causal").signature
