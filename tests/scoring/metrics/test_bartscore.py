import json

import numpy as np
import pytest

from scoring.metrics import Example, MetricError, get
from scoring.metrics._engine.likelihood import Seq2Seq
from tests.support import shared

FERRY = Example(
    text="the ferry left harbour",
    prefix="the ferry",
    source="nobody said a word",
    references=("the ferry left at seven", "the harbour was good , so good"),
)


def load(folder, **options):
    return get("bartscore")(model=str(folder), **options).load("cpu")


def score(folder, *examples, **options):
    return load(folder, **options)(examples)


@pytest.fixture(scope="module")
def golden():
    return json.loads(shared.path("golden/other/bartscore_golden.json").read_text())


@pytest.fixture(scope="module")
def bart():
    return shared.path("golden/models/bart-tiny")


@pytest.fixture(scope="module")
def values(pegasus):
    return score(pegasus, FERRY).values


@pytest.fixture(scope="module")
def plain(pegasus):
    """B(x -> y) for one pair, by the whole model and all its probabilities."""
    import torch
    from tokenizers import Tokenizer
    from transformers import PegasusForConditionalGeneration

    tokenizer = Tokenizer.from_file(str(pegasus / "tokenizer.json"))
    tokenizer.no_truncation()
    model = PegasusForConditionalGeneration.from_pretrained(pegasus).eval()

    def compute(source, target):
        x, y = (torch.tensor([tokenizer.encode(t).ids]) for t in (source, target))
        start = torch.tensor([[model.config.decoder_start_token_id]])
        with torch.inference_mode():
            inputs = torch.cat([start, y[:, :-1]], dim=1)
            logits = model(input_ids=x, decoder_input_ids=inputs).logits
        logs = logits.double().log_softmax(-1)
        return logs.gather(2, y[..., None]).mean().item()

    return compute


class TestReleasedCode:
    """Its numbers for a BART with random weights, on its own texts."""

    @pytest.mark.slow
    def test_both_directions_are_the_same(self, bart, golden):
        pairs = zip(golden["sources"], golden["targets"], strict=True)
        examples = [Example(text=y, source=x, references=(x,)) for x, y in pairs]
        values = load(bart)(examples).values
        for key, name in (
            ("faithfulness", "score_bs1"),
            ("precision", "score_bs4"),
            ("recall", "reverse_bs1"),
        ):
            np.testing.assert_allclose(values[key], golden[name], atol=1e-5, rtol=0)

    @pytest.mark.parametrize("how", ["max", "mean"])
    def test_several_references_give_the_same(self, bart, golden, how):
        targets = golden["targets"]
        examples = [
            Example(text=text, references=(targets[k], targets[k + 1]))
            for k, text in enumerate(golden["sources"][:4])
        ]
        found = score(bart, *examples, directions="references", references=how)
        expected = golden[f"multi_ref_{how}_first4"]
        np.testing.assert_allclose(found.values["recall"], expected, atol=1e-5, rtol=0)

    def test_the_special_tokens_of_both_ends_are_scored(self, bart, golden):
        (target,) = golden["targets"][:1]
        ids = load(bart).backbone.ids([target], end=True)[target]
        assert list(ids) == golden["target0_ids"]


class TestEachOutput:
    def test_faithfulness_is_the_text_given_its_source(self, values, plain):
        expected = plain(FERRY.source, FERRY.text)
        assert values["faithfulness"] == pytest.approx(expected, abs=1e-5)

    def test_precision_is_the_text_given_a_reference(self, values, plain):
        expected = max(plain(r, FERRY.text) for r in FERRY.references)
        assert values["precision"] == pytest.approx(expected, abs=1e-5)

    def test_recall_is_a_reference_given_the_text(self, values, plain):
        expected = max(plain(FERRY.text, r) for r in FERRY.references)
        assert values["recall"] == pytest.approx(expected, abs=1e-5)

    def test_f_is_that_of_the_best_reference(self, values, plain):
        text = FERRY.text
        each = [(plain(r, text) + plain(text, r)) / 2 for r in FERRY.references]
        assert values["f"] == pytest.approx(max(each), abs=1e-5)


def test_t5_scores_the_text_and_its_end_token():
    import torch
    from transformers import AutoTokenizer, T5ForConditionalGeneration

    folder = shared.path("golden/models/t5-tiny")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = T5ForConditionalGeneration.from_pretrained(folder).eval()
    x, y = (tokenizer(t, return_tensors="pt") for t in (FERRY.source, FERRY.text))
    with torch.inference_mode():
        expected = -model(**x, labels=y.input_ids).loss.item()
    found = score(folder, FERRY, directions="source").values["faithfulness"]
    assert found == pytest.approx(expected, abs=1e-5)


class TestSeveralReferences:
    @pytest.mark.parametrize("key", ["precision", "recall", "f"])
    def test_the_mean_is_that_of_the_single_ones(self, pegasus, key):
        singles = [
            Example(text=FERRY.text, references=(one,)) for one in FERRY.references
        ]
        expected = score(pegasus, *singles).values[key].mean()
        found = score(pegasus, FERRY, references="mean").values[key]
        assert found == pytest.approx(expected, abs=1e-5)

    @pytest.mark.parametrize("how", ["max", "mean"])
    @pytest.mark.parametrize("key", ["precision", "recall"])
    def test_each_is_kept_with_its_weight(self, pegasus, how, key):
        examples = [FERRY, Example(text="seven", references=("the ferry",))]
        scores = score(pegasus, *examples, references=how)
        values, parts = scores.values, scores.parts
        s, w = parts[f"{key}.s"], parts[f"{key}.w"]
        assert s.shape == w.shape == (2, 2) and np.isnan(s[1, 1]) and np.isnan(w[1, 1])
        weighted = np.nansum(s * w, axis=1) / np.nansum(w, axis=1)
        assert weighted == pytest.approx(values[key], abs=1e-12)

    def test_empty_ones_do_not_count(self, pegasus):
        with_empty = Example(text="seven", references=(" ", "the ferry", ""))
        without = Example(text="seven", references=("the ferry",))
        found = score(pegasus, with_empty, without, references="mean").values
        assert found["recall"][0] == found["recall"][1]


class TestWhatIsPredictedFromWhat:
    def value(self, folder, example, **options):
        scores = score(folder, example, directions="source", **options)
        return scores.values["faithfulness"][0]

    def test_a_text_without_source_is_predicted_from_its_prefix(self, pegasus, plain):
        example = Example(text=FERRY.text, prefix=FERRY.prefix)
        expected = plain(FERRY.prefix, FERRY.text)
        assert self.value(pegasus, example) == pytest.approx(expected, abs=1e-5)

    def test_the_prefix_can_be_asked_for(self, pegasus, plain):
        expected = plain(FERRY.prefix, FERRY.text)
        found = self.value(pegasus, FERRY, given="prefix")
        assert found == pytest.approx(expected, abs=1e-5)

    def test_the_prefix_can_be_left_out_of_the_text(self, pegasus, plain):
        expected = plain(FERRY.prefix, "left harbour")
        found = self.value(pegasus, FERRY, given="prefix", hypothesis="continuation")
        assert found == pytest.approx(expected, abs=1e-5)

    def test_against_references_too(self, pegasus, plain):
        scores = score(pegasus, FERRY, hypothesis="continuation")
        expected = max(plain("left harbour", r) for r in FERRY.references)
        assert scores.values["recall"] == pytest.approx(expected, abs=1e-5)


class TestOutputs:
    @pytest.mark.parametrize(
        ("directions", "keys"),
        [
            ("all", ["faithfulness", "precision", "recall", "f"]),
            ("source", ["faithfulness"]),
            ("references", ["precision", "recall", "f"]),
        ],
    )
    def test_there_are_those_that_were_asked_for(self, pegasus, directions, keys):
        metric = get("bartscore")(model=str(pegasus), directions=directions)
        assert [output.key for output in metric.outputs] == keys
        scores = metric.load("cpu")([FERRY])
        assert list(scores.values) == list(scores.reasons) == keys

    def test_leaving_some_out_does_not_change_the_others(self, pegasus):
        every = score(pegasus, FERRY).values
        for directions in ("source", "references"):
            for key, value in score(pegasus, FERRY, directions=directions)[0].items():
                assert value == pytest.approx(every[key], abs=1e-5)

    def test_they_are_explained_by_the_pairs_behind_the_parts(self, pegasus, plain):
        metric = get("bartscore")(model=str(pegasus))
        found, parts = metric.explain(FERRY), score(pegasus, FERRY).parts
        assert list(found) == ["faithfulness", "precision", "recall"]
        for key, evaluators in found.items():
            expected = [plain(one.source, one.target) for one in evaluators]
            assert parts[f"{key}.s"][0] == pytest.approx(expected, abs=1e-5)
        assert metric.explain(Example(text="seven")) == {}


class TestEdges:
    LONG = "left " * 40  # and the end token

    @pytest.mark.parametrize(
        ("example", "options", "reason"),
        [
            ({"text": " "}, {}, "the text is empty"),
            ({}, {}, "there is neither a source nor a prefix"),
            ({"prefix": "the"}, {"given": "source"}, "there is no source"),
            ({"source": "the"}, {"given": "prefix"}, "there is no prefix"),
            (
                {"source": "the", "prefix": "a"},
                {"hypothesis": "continuation"},
                "the text does not start with its prefix",
            ),
            (
                {"prefix": "the ferry "},
                {"hypothesis": "continuation"},
                "nothing follows the prefix",
            ),
            ({"source": LONG}, {}, "the input has 41 tokens, the model takes 40"),
            (
                {"text": LONG, "source": "the"},
                {},
                "the text to predict has 41 tokens, the model takes 40",
            ),
        ],
    )
    def test_no_faithfulness_is_nan_with_a_reason(
        self, pegasus, example, options, reason
    ):
        given = Example(**{"text": "the ferry ", **example})
        scores = score(pegasus, FERRY, given, **options)
        assert scores.reasons["faithfulness"] == [None, reason]
        assert np.isnan(scores.values["faithfulness"]).tolist() == [False, True]

    @pytest.mark.parametrize("key", ["precision", "recall", "f"])
    def test_no_references_is_nan_with_a_reason(self, pegasus, key):
        scores = score(pegasus, Example(text="seven", source="the ferry"), FERRY)
        assert scores.reasons[key] == ["there are no references", None]
        assert np.isnan(scores.values[key]).tolist() == [True, False]
        assert np.isfinite(scores.values["faithfulness"]).all()

    def test_one_reference_that_is_too_long_leaves_no_number(self, pegasus):
        scores = score(pegasus, Example(text="seven", references=("the", self.LONG)))
        assert [scores.reasons[key][0] for key in ("precision", "recall", "f")] == [
            "the input has 41 tokens, the model takes 40",
            "the text to predict has 41 tokens, the model takes 40",
            "the input has 41 tokens, the model takes 40",
        ]

    def test_nothing_to_score_is_no_error(self, pegasus):
        assert all(len(values) == 0 for values in score(pegasus).values.values())

    def test_progress_adds_up(self, pegasus):
        told = []
        load(pegasus)([FERRY, Example(text="")] * 150, told.append)
        assert sum(told) == 300

    def test_a_causal_model_is_refused_in_one_sentence(self, gpt2):
        with pytest.raises(MetricError, match="family 'gpt2'.*supported: .*pegasus"):
            load(gpt2)


def test_the_signature_has_all_options_and_no_path(pegasus):
    signature = load(pegasus, references="mean", given="prefix").signature
    assert "|references:mean|" in signature and "|given:prefix|" in signature
    assert "|model:sha256:" in signature and str(pegasus) not in signature


@pytest.mark.parametrize("budget", [1, 64])
def test_batches_and_order_make_no_difference(pegasus, budget):
    examples = [FERRY, Example(text="seven", prefix="good", references=("at deck",))]
    scorer = load(pegasus)
    expected = scorer(examples).values
    scorer.engine = Seq2Seq(scorer.engine.model, scorer.engine.head, budget)
    for key, values in scorer(examples[::-1]).values.items():
        assert values[::-1] == pytest.approx(expected[key], abs=1e-5)
