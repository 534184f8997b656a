"""UNION: what it learns and rebuilds, what it gives, what it refuses."""

import json
import shutil

import numpy as np
import pytest

from annotation import sentences
from scoring.metrics import MetricError, OptionError, get
from scoring.metrics._engine.base import Example
from scoring.metrics._learning.hygiene import LEFT_OUT
from scoring.metrics._learning.training import MODEL, TrainingData, rate_of
from scoring.metrics._learning.union_negatives import NegativeOptions
from scoring.metrics.disscore import DisScore
from scoring.metrics.union import STALE, UNION, UNIONTraining
from tests.scoring.metrics.human_texts import stories
from tests.scoring.metrics.tiny_encoder import tiny_encoder

TEXTS = stories(60)
NEW = "A man was at the film. He had a house and a ferry. The sun came."


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return str(tiny_encoder(tmp_path_factory.mktemp("encoder")))


@pytest.fixture(scope="module")
def checkpoint(base, tmp_path_factory):
    folder = tmp_path_factory.mktemp("union")
    assert train(folder, base)
    return folder / MODEL


def train(folder, base, **options):
    options = {"epochs": 1, "held_out": 0.2} | options
    return UNION.train(
        TrainingData(TEXTS), folder, lambda step: None, base=base, **options
    )


def task(base, texts=TEXTS, **options):
    options = {"held_out": 0.2} | options
    return UNION.task(TrainingData(texts), UNION.training(base=base, **options))


def scored(model, examples):
    return get("union")(model=str(model)).load()(examples)


class TestExamples:
    def test_each_text_stands_beside_itself_with_errors(self, base):
        found = task(base)
        numbers = set()
        for number in range(40):
            human, damaged = found.examples(number)
            assert (human.target, damaged.target) == (1, 0)
            assert human.text in TEXTS and damaged.text != human.text
            first = sentences.split(human.text)[0]
            assert damaged.text.startswith(first)
            assert human.original == damaged.original == human.text
            numbers.add(len(damaged.kinds))
        assert {1, 2, 3} <= numbers

    def test_an_example_depends_on_seed_and_number_alone(self, base):
        one, other = task(base), task(base)
        other.examples(3)
        assert one.examples(7) == other.examples(7)
        assert one.examples(7) != task(base, seed=1).examples(7)
        assert one.held_out() == other.held_out()

    def test_shares_of_errors_are_options(self, base):
        found = task(base, types="0, 0, 1, 0", numbers="1, 0, 0, 0")
        assert {found.examples(k)[1].kinds for k in range(20)} == {("shuffle",)}

    def test_sentences_of_what_is_held_out_are_never_put_in(self, base):
        marked = [f"{text} {k} gulls." for k, text in enumerate(stories(60))]
        found = task(base, marked, types="0, 1, 0, 0", whole_replaced=1.0)
        kept = {f"{k} gulls." for k in found.kept}
        for number in range(found.n):
            _, damaged = found.examples(number)
            assert not any(one in damaged.text.split(". ") for one in kept)


class TestReconstruction:
    def test_it_is_added_to_the_loss_with_its_weight(self, base):
        import torch

        losses = {}
        for weight in (0.0, 0.1, 1.0):
            found = task(base, reconstruction=weight)
            torch.manual_seed(0)
            network = found.build("cpu").eval()
            with torch.no_grad():
                losses[weight] = float(found.loss(network, found.examples(0)))
        more = losses[1.0] - losses[0.0]
        assert more > 1  # nats: nothing was learned yet
        assert losses[0.1] - losses[0.0] == pytest.approx(0.1 * more, rel=1e-4)

    def test_it_is_the_mean_over_places_that_both_texts_have(self, base):
        import torch

        found = task(base, reconstruction=1.0, places=0)
        torch.manual_seed(0)
        network = found.build("cpu").eval()
        batch = found.examples(0) + found.examples(1)
        ids, mask = found.ids(network, [one.text for one in batch])
        vectors = network.encoder.get_input_embeddings().weight
        with torch.no_grad():
            states = network.states(ids, mask)
            chances = network.rebuilder(states, vectors).log_softmax(-1)
            actual = float(found._rebuilt(network, states, mask, batch))
        expected = []
        for row, one in enumerate(batch):
            original = found._tokens([one.original])[0]
            n = min(int(mask[row].sum()), len(original))
            expected.append(
                -np.mean([float(chances[row, k, original[k]]) for k in range(n)])
            )
        assert actual == pytest.approx(np.mean(expected), rel=1e-5)

    def test_some_places_stand_for_all(self, base):
        found = task(base, places=8)
        counts = np.zeros(21)
        for drawn in (np.arange(1000) + 0.5) / 1000:
            places = found._places(21, drawn)
            assert len(set(places)) == 8 and max(places) < 21
            counts[places] += 1
        assert counts / 1000 == pytest.approx(np.full(21, 8 / 21), abs=0.01)

    @pytest.mark.slow
    def test_it_learns_and_is_left_behind(self, base, tmp_path):
        from safetensors.torch import load_file

        train(tmp_path, base, epochs=6, rate=0.01, reconstruction=1.0)
        folder = tmp_path / MODEL
        card = json.loads((folder / "training.json").read_text())
        assert card["log"][-1]["loss"] < card["log"][0]["loss"] - 0.5
        names = [
            name
            for file in folder.glob("*.safetensors")
            for name in load_file(str(file))
        ]
        assert names and not any("rebuilder" in name for name in names)


class TestScores:
    def test_the_score_is_the_probability_of_a_person(self, checkpoint):
        scores = scored(checkpoint, [Example(NEW), Example("Good"), Example("")])
        values = scores.values["union"]
        assert ((values[:2] > 0) & (values[:2] < 1)).all() and np.isnan(values[2])
        assert scores.reasons["union"] == [None, None, "the text is empty"]

    def test_what_it_was_trained_on_gets_a_reason(self, checkpoint):
        learned = Example(f"{NEW} {TEXTS[0]}")
        scores = scored(checkpoint, [learned, Example(NEW)])
        assert scores.reasons["union"] == [LEFT_OUT, None]

    def test_the_prefix_has_no_part_in_it(self, checkpoint):
        both = [Example(NEW), Example(NEW, prefix="A man")]
        one, other = scored(checkpoint, both).values["union"]
        assert one == pytest.approx(other, abs=1e-6)

    def test_figures_tell_of_each_error_and_of_length(self, checkpoint):
        card = json.loads((checkpoint / "training.json").read_text())
        figures = card["figures"]
        assert {"auc", "accuracy", "auc_of_length", "majority"} <= set(figures)
        assert set(figures["auc_by_kind"]) <= {
            *("repeat", "replace", "shuffle", "negation")
        }
        assert sum(figures["kinds"].values()) >= figures["n"] / 2
        assert figures["majority"] == 0.5


def test_a_training_in_slices_ends_in_the_same_weights(base, tmp_path):
    train(tmp_path / "once", base, epochs=0.5)
    while not train(tmp_path / "slices", base, epochs=0.5, seconds=0.0):
        pass
    one, other = (
        json.loads((tmp_path / name / MODEL / "training.json").read_text())["figures"]
        for name in ("once", "slices")
    )
    assert one == other


def test_a_causal_model_will_do(gpt2, tmp_path):
    assert train(tmp_path, str(gpt2), epochs=0.2)
    (value,) = scored(tmp_path / MODEL, [Example("the ferry left . nobody")]).values[
        "union"
    ]
    assert 0 < value < 1


def test_a_checkpoint_of_another_metric_is_refused_by_both_names(base, tmp_path):
    DisScore.train(
        TrainingData(TEXTS), tmp_path, lambda step: None, base=base, epochs=0.1
    )
    expected = "trained for disscore, coherence: expected one for union"
    with pytest.raises(MetricError, match=expected):
        get("union")(model=str(tmp_path / MODEL)).load()


def test_shares_of_few_digits_are_drawn_by():
    options = UNION.training(numbers="0.3333333, 0.3333333, 0.3333333, 0").negatives()
    assert options.numbers == pytest.approx((1 / 3, 1 / 3, 1 / 3, 0), rel=1e-12)
    assert np.random.default_rng(0).choice(4, p=options.numbers) < 3
    assert UNION.training().negatives() == NegativeOptions()


def test_the_shares_of_openmeva_can_be_chosen_and_single_ones_replaced():
    chosen = UNION.training(errors="openmeva").negatives()
    assert (chosen.numbers, chosen.weights) == (
        (0.2, 0.3, 0.45, 0.05),
        (0.01, 0.45, 0.44, 0.1),
    )
    mixed = UNION.training(errors="openmeva", types="0.1, 0.3, 0.4, 0.2").negatives()
    assert mixed.numbers == chosen.numbers
    assert mixed.weights == pytest.approx((0.1, 0.3, 0.4, 0.2))


def test_a_checkpoint_of_the_earlier_shares_says_so(checkpoint, tmp_path):
    folder = shutil.copytree(checkpoint, tmp_path / "earlier")
    facts = json.loads((folder / "head.json").read_text())
    assert facts.pop("errors")["numbers"] == [0.5, 0.2, 0.2, 0.1]
    (folder / "head.json").write_text(json.dumps(facts))
    assert STALE in scored(folder, [Example(NEW)]).notes
    assert STALE not in scored(checkpoint, [Example(NEW)]).notes


def test_without_a_checkpoint_it_says_where_to_train_one():
    with pytest.raises(OptionError, match="train one under Metrics, Training"):
        get("union")().check()


def test_the_rate_of_bert_is_the_papers():
    assert rate_of(UNIONTraining(), 768) == 5e-5
    assert UNIONTraining().batch == 10 and UNIONTraining().max_tokens == 200


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"types": "0.5, 0.5"}, "types=0.5, 0.5: expected 4 shares"),
        ({"types": "0.5, 0.5, 0.5, -0.5"}, "expected 4 shares from 0 to 1"),
        ({"types": "a, b, c, d"}, "expected 4 shares"),
        ({"numbers": "0.2, 0.3, 0.4, 0.05"}, "that sum to 1"),
        ({"errors": "other"}, "errors"),
        ({"reconstruction": -1}, "reconstruction=-1: expected 0 to 100"),
        ({"most_words": 1.5}, "most_words=1.5: expected 0 to 1"),
        ({"places": -1}, "places=-1: expected 0 to 4096"),
    ],
)
def test_a_training_refuses_what_will_not_do(options, message):
    with pytest.raises(OptionError) as error:
        UNION.training(**options)
    assert message in str(error.value)
