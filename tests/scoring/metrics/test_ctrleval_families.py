"""CTRLEval with T5 and BART: numbers of the released code on 20 of its texts.

Made with torch 2.13.0 and transformers 5.23.0 on models with random weights. "plain" is
the released code with another gap token; the other form is that of pre-training, worked
out apart from it.
"""

import json

import numpy as np
import pytest

from scoring.metrics import Example, get
from scoring.metrics._ctrleval.scorer import CTRLEvalScorer
from scoring.metrics._engine.likelihood import Seq2Seq
from tests.support import shared

FORMS = [
    ("t5", "pretraining", "sentinel"),
    ("t5", "plain", "plain"),
    ("bart", "pretraining", "infill"),
    ("bart", "plain", "plain"),
]
ASPECTS = {"coherence": "coh", "consistency": "cons"}
TOLERANCE = 1e-5


@pytest.fixture(scope="module")
def examples():
    lines = shared.path("data/ctrleval/data_senti.txt").read_text().splitlines()
    splits = shared.path("golden/ctrleval/senti_sentences_punkt.json").read_text()
    rows = (line.split("\t")[:3] for line in lines[:20])
    return [
        Example(text=text, prefix=prefix, label=label, sentences=tuple(split))
        for (label, prefix, text), split in zip(rows, json.loads(splits), strict=False)
    ]


def loaded(family, **options) -> CTRLEvalScorer:
    folder = shared.path(f"golden/models/{family}-tiny")
    return get("ctrleval")(model=str(folder), weighting="mean", **options).load("cpu")


@pytest.mark.slow
@pytest.mark.parametrize(("family", "form", "name"), FORMS)
def test_every_evaluator_has_the_same_score(examples, family, form, name):
    content = shared.path("golden/ctrleval/ctrleval_t5_bart_20.json").read_text()
    parts = loaded(family, form=form)(examples).parts
    for k, sample in enumerate(json.loads(content)["samples"]):
        for key, short in ASPECTS.items():
            expected = sample[f"{family}_{name}_{short}"]
            found = parts[f"{key}.s"][k]
            np.testing.assert_allclose(
                found[~np.isnan(found)], expected, atol=TOLERANCE, rtol=0
            )


@pytest.mark.parametrize("family", ["t5", "bart"])
class TestOneForm:
    @pytest.mark.slow
    def test_order_batches_and_padding_make_no_difference(self, examples, family):
        whole = loaded(family)
        expected = whole(examples[:4]).values
        order = [2, 0, 3, 1]
        for budget in (1, 64, 1024):
            small = CTRLEvalScorer(
                whole.signature,
                Seq2Seq(whole.engine.model, whole.engine.head, budget),
                whole.backbone,
                whole.aspects,
                whole.iwf,
                whole.way,
            )
            found = small([examples[k] for k in order]).values
            for key, values in expected.items():
                np.testing.assert_allclose(found[key], values[order], atol=TOLERANCE)

    def test_label_words_are_as_the_whole_model_alone_gives_them(
        self, examples, family
    ):
        """One forward of the whole model per pair, full logits, nothing shared."""
        scorer = loaded(family)
        aspect = scorer.aspects[2]
        blanks = aspect.blanks(examples[0])[:12]
        pairs = scorer.pairs(blanks, end=False)
        found = scorer.engine.mean_logprobs(pairs)
        expected = [_alone(scorer.engine.model, pair) for pair in pairs]
        np.testing.assert_allclose(found, expected, atol=TOLERANCE)

    def test_words_of_one_token_cost_one_encoding_and_one_decoding(
        self, examples, family
    ):
        scorer = loaded(family)
        pairs = scorer.pairs(scorer.aspects[2].blanks(examples[0])[:6], end=False)
        assert len({pair.scored for pair in pairs}) == 6
        (source,) = {pair.source for pair in pairs}
        assert scorer.engine.work(pairs) == len(source) + len(pairs[0].target)

    @pytest.mark.slow
    def test_the_form_is_in_the_signature(self, family):
        plain, own = loaded(family, form="plain"), loaded(family)
        assert "|form:plain|" in plain.signature
        assert "|form:pretraining|" in own.signature


def _alone(model, pair) -> float:
    import torch

    target = torch.tensor([pair.target])
    start = torch.tensor([[model.config.decoder_start_token_id]])
    with torch.inference_mode():
        logits = model(
            input_ids=torch.tensor([pair.source]),
            decoder_input_ids=torch.cat([start, target[:, :-1]], dim=1),
        ).logits
    logs = logits.log_softmax(-1)[0].gather(-1, target.T)[pair.first : pair.last]
    return float(logs.double().mean())


@pytest.mark.slow
def test_what_t5_is_asked_has_no_limit_and_what_bart_is_asked_has_one():
    long = Example("He left. " * 400, sentences=("He left. " * 399, "He left."))
    assert loaded("t5")([long]).reasons["coherence"] == [None]
    (reason,) = loaded("bart")([long]).reasons["coherence"]
    assert reason.endswith("tokens, the model takes 1024")
