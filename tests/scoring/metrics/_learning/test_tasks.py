"""A head on an encoder: what it learns from, and what is said of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from scoring.metrics import MetricError
from scoring.metrics._engine import models
from scoring.metrics._learning import hygiene
from scoring.metrics._learning.tasks import MOST_HELD_OUT, HeadTask, Labelled
from scoring.metrics._learning.training import Training, TrainingData
from tests.scoring.metrics.tiny_encoder import tiny_encoder

TEXTS = [f"the man said {n} gulls" for n in range(400)]


class Numbered(HeadTask):
    """The target is the number that a text has."""

    def of(self, document, number):
        text = self.data.texts[document]
        return [Labelled(text, int(text.split()[3]) / 400)]

    def facts(self):
        return {"metric": "numbered"}


class Halved(HeadTask):
    def of(self, document, number):
        return [Labelled(self.data.texts[document], float(document >= 200))]


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return str(tiny_encoder(tmp_path_factory.mktemp("base")))


@pytest.fixture
def numbered(base):
    return Numbered(TrainingData(texts=TEXTS), Training(base=base, batch=16))


@pytest.fixture
def halved(base):
    options = Training(base=base, batch=16, held_out=0.3)
    return Halved(TrainingData(texts=TEXTS), options, ("low", "high"))


class TestDocuments:
    def test_are_learned_from_or_held_out_never_both(self, numbered):
        assert not set(numbered.learned) & set(numbered.kept)
        assert len(numbered.learned) + len(numbered.kept) == len(TEXTS)
        assert numbered.seen == [TEXTS[k] for k in numbered.learned]

    def test_that_are_held_out_are_a_fair_part_of_a_sorted_corpus(self, halved):
        first = [one.target for one in halved.held_out()[:50]]
        assert 0.25 < np.mean(first) < 0.75

    def test_beyond_a_thousand_are_not_looked_at(self, base):
        texts = [f"text {n}" for n in range(4000)]
        options = Training(base=base, held_out=0.5)
        assert len(Halved(TrainingData(texts=texts), options).kept) == MOST_HELD_OUT

    def test_that_are_too_few_are_refused(self, base):
        kept = [text for text in TEXTS if hygiene.is_held_out(text, 0.1)]
        with pytest.raises(MetricError, match=f"got 0 and {len(kept)}"):
            Numbered(TrainingData(texts=kept), Training(base=base))

    def test_come_with_a_number_that_no_epoch_has(self, numbered, monkeypatch):
        numbers = []
        monkeypatch.setattr(
            Numbered, "of", lambda self, document, number: numbers.append(number) or []
        )
        numbered.held_out()
        assert max(numbers) < 0 and len(set(numbers)) == len(numbers)

    def test_of_a_number_are_those_of_its_place_in_the_epoch(self, numbered):
        assert numbered.examples(3) == numbered.examples(3 + numbered.n)


class TestLoss:
    def test_of_classes_is_the_cross_entropy(self, halved):
        network = halved.build("cpu").eval()
        examples = halved.held_out()[:5]
        z = torch.from_numpy(halved.predicted(network, examples))
        targets = torch.tensor([int(one.target) for one in examples])
        expected = -torch.log_softmax(z, 1)[range(5), targets].mean()
        assert halved.loss(network, examples).item() == pytest.approx(
            expected.item(), abs=1e-5
        )

    def test_of_numbers_is_the_squared_error(self, numbered):
        network = numbered.build("cpu").eval()
        examples = numbered.held_out()[:5]
        z = numbered.predicted(network, examples)[:, 0]
        expected = np.mean(
            [(a - b.target) ** 2 for a, b in zip(z, examples, strict=True)]
        )
        found = numbered.loss(network, examples).item()
        assert found == pytest.approx(expected, abs=1e-5)


class TestFigures:
    def test_of_classes_stand_beside_the_majority_and_the_length(
        self, halved, monkeypatch
    ):
        examples = halved.held_out()
        z = np.array([[0.0, one.target - 0.5] for one in examples])
        monkeypatch.setattr(Halved, "predicted", lambda *_: z)
        found = halved.figures(None, examples)
        share = np.mean([one.target for one in examples])
        assert found["n"] == len(examples) and found["accuracy"] == found["auc"] == 1.0
        assert found["majority"] == pytest.approx(max(share, 1 - share))
        assert found["auc_of_length"] == 0.5

    def test_of_numbers_are_correlations(self, numbered, monkeypatch):
        examples = numbered.held_out()
        z = np.array([[2 * one.target + 1] for one in examples])
        monkeypatch.setattr(Numbered, "predicted", lambda *_: z)
        found = numbered.figures(None, examples)
        assert found["pearson"] == pytest.approx(1) == found["spearman"]
        assert found["mse"] > 1 and found["spearman_of_length"] is None

    def test_of_a_constant_are_no_correlations(self, numbered, monkeypatch):
        examples = numbered.held_out()
        monkeypatch.setattr(
            Numbered, "predicted", lambda *_: np.zeros((len(examples), 1))
        )
        assert set(numbered.figures(None, examples)) == {"n", "mse"}


class TestBuilding:
    def test_begins_with_the_same_head_for_the_same_seed(self, numbered):
        def head(seed):
            torch.manual_seed(seed)
            return numbered.build("cpu").head[0].weight.detach().numpy()

        np.testing.assert_array_equal(head(1), head(1))
        assert (head(1) != head(2)).any()

    def test_pools_the_first_token_of_wide_models_only(self, base):
        from scoring.metrics._learning import heads

        def pooling(wish):
            return heads.begun(base, pooling=wish, outputs=1, device="cpu").pooling

        assert (pooling("auto"), pooling("cls")) == ("mean", "cls")

    @pytest.mark.parametrize(
        ("width", "saved_as", "expected"),
        [
            (768, "BertForMaskedLM", "cls"),
            (768, "GPT2LMHeadModel", "last"),
            (768, "LlamaForCausalLM", "last"),
            (192, "LlamaForCausalLM", "mean"),
        ],
    )
    def test_reads_wide_causal_models_at_their_last_token(
        self, base, width, saved_as, expected
    ):
        from scoring.metrics._learning import heads

        config = models.config(Path(base))
        config.hidden_size, config.architectures = width, [saved_as]
        assert heads._pooling(config) == expected

    def test_the_last_token_is_the_last_of_the_text_not_of_the_batch(self, base):
        from scoring.metrics._learning import heads

        reader = heads.begun(base, pooling="last", outputs=1, device="cpu")
        states = torch.arange(24.0).reshape(2, 4, 3)
        mask = torch.tensor([[True] * 4, [True, True, False, False]])
        assert reader.pooled(states, mask).tolist() == [[9, 10, 11], [15, 16, 17]]
