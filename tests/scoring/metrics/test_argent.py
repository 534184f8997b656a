"""ARGENT: options, labels, training with a tiny encoder, scores."""

import json
import re

import numpy as np
import pytest

from scoring.metrics import Example, MetricError, OptionError, Scores, get
from scoring.metrics._learning.hygiene import LEFT_OUT
from scoring.metrics._learning.training import MODEL, TrainingData
from scoring.metrics.argent import Argent, ArgentTraining, Corruption
from tests.scoring.metrics.tiny_encoder import WORDS, tiny_encoder

QUICK = {"epochs": 1, "batch": 8, "max_tokens": 40, "held_out": 0.3, "pooling": "mean"}


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return tiny_encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture(scope="module")
def texts():
    rng = np.random.default_rng(5)
    return [" ".join(rng.choice(WORDS, 24)) + "." for _ in range(40)]


@pytest.fixture(scope="module")
def trained(base, texts, tmp_path_factory):
    folder = tmp_path_factory.mktemp("training")
    assert train(texts, folder, base)
    return folder / MODEL


def train(texts, folder, base, **more):
    data = TrainingData(texts)
    return Argent.train(data, folder, lambda step: None, base=base, **QUICK, **more)


def task(texts, base, **options):
    return Argent.task(
        TrainingData(texts), Argent.training(base=base, **{**QUICK, **options})
    )


def card(model):
    return json.loads((model / "training.json").read_text())


class TestOptions:
    def test_without_any_texts_are_shuffled_and_counted(self):
        assert ArgentTraining().corruption == Corruption("shuffle", "count", 0.8, 0.8)

    @pytest.mark.parametrize(
        ("preset", "expected"),
        [
            ("webtext", Corruption("shuffle", "count", p_shuffle=0.8)),
            ("academic", Corruption("inflect", "metric", p_inflect=0.6)),
            ("clinical", Corruption("shuffle", "count", p_shuffle=0.4)),
        ],
    )
    def test_a_preset_is_what_the_paper_found_best(self, preset, expected):
        assert ArgentTraining(preset=preset).corruption == expected

    def test_what_is_given_wins_over_the_preset(self):
        options = ArgentTraining(
            preset="academic", method="shufflection", labels="count", p_shuffle=0.2
        )
        expected = Corruption("shufflection", "count", p_shuffle=0.2, p_inflect=0.6)
        assert options.corruption == expected

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"p_shuffle": 1.1}, "p_shuffle=1.1: expected 0 to 1"),
            ({"p_inflect": -0.1}, "p_inflect=-0.1: expected 0 to 1"),
            ({"shortest": 1}, "expected 2 <= shortest <= longest"),
            ({"shortest": 4, "longest": 3}, "expected 2 <= shortest <= longest"),
            ({"method": "reverse"}, "method=reverse: expected one of auto, inflect"),
            ({"preset": "news"}, "preset=news: expected one of"),
        ],
    )
    def test_those_out_of_range_are_answered(self, given, message):
        with pytest.raises(OptionError, match=message):
            Argent.training(**given)

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"reference_metric": "bleurgh"}, "reference_metric: no metric"),
            ({"reference_metric": "length"}, "expected a metric that compares"),
            ({"reference_metric": "bertscore"}, "choose the model of bertscore"),
            (
                {"reference_metric": "chrf", "reference_model": "bundled:x"},
                "chrf has no model",
            ),
            (
                {"reference_metric": "chrf", "reference_output": "f1"},
                "reference_output=f1: expected one of chrf",
            ),
        ],
    )
    def test_a_metric_that_cannot_label_is_refused_at_once(self, given, message):
        with pytest.raises(OptionError, match=message):
            Argent.training(labels="metric", **given)

    def test_the_metric_that_labels_is_not_asked_where_words_are_counted(self):
        Argent.training(labels="count", reference_metric="bleurgh")

    def test_the_signature_has_the_version_of_the_metric_that_labels(
        self, base, monkeypatch
    ):
        def signature(**given):
            chosen = Argent.training(base=base, reference_metric="chrf", **given)
            return Argent.training_signature(TrainingData(["a"]), chosen)

        plain, counted = signature(labels="metric"), signature(labels="count")
        assert "|labels:chrf-v" in plain and "|labels:chrf-v" not in counted
        monkeypatch.setattr(get("chrf"), "version", "another")
        assert signature(labels="metric") != plain
        assert signature(labels="count") == counted

    @pytest.mark.parametrize("output", ["rouge-l", "rouge_l"])
    def test_the_output_that_labels_may_be_spelled_either_way(self, base, output):
        chosen = Argent.training(
            base=base,
            labels="metric",
            reference_metric="rouge",
            reference_output=output,
        )
        assert chosen.reference()[1].key == "rouge_l"
        signature = Argent.training_signature(TrainingData(["a"]), chosen)
        # As it was spelled when checkpoints were first signed.
        assert re.search(r"\|labels:rouge-v[^|]*-rouge-l(\||$)", signature)


class TestExamples:
    def test_they_depend_on_seed_and_number_alone(self, texts, base):
        first, again = task(texts, base), task(texts, base)
        assert again.examples(9) == first.examples(9)
        assert task(texts, base, seed=1).examples(9) != first.examples(9)

    def test_each_epoch_damages_a_text_anew(self, texts, base):
        found = task(texts, base)
        first, second = found.examples(3)[0], found.examples(3 + found.n)[0]
        assert first.original == second.original and first.text != second.text

    def test_the_label_is_the_share_of_words_that_stayed(self, texts, base):
        for number in range(5):
            (one,) = task(texts, base).examples(number)
            pairs = zip(one.text.split(), one.original.split(), strict=True)
            # The tiny texts have 24 words, and a full stop which may move, too.
            stayed = sum(a.strip(".") == b.strip(".") for a, b in pairs)
            assert one.target == pytest.approx(stayed / 24, abs=2 / 24)

    def test_what_the_encoder_never_reads_is_not_damaged_or_counted(self, base):
        text = " ".join(f"word{k}" for k in range(300))
        found = task([text] * 9 + ["a", "b", "c", "d"], base, held_out=0.5)
        (one,) = found.of(0, 5)
        assert one.original == " ".join(f"word{k}" for k in range(40))

    def test_what_is_held_out_is_learned_from_never(self, texts, base):
        found = task(texts, base)
        out = {one.original for one in found.held_out()}
        seen = {found.examples(number)[0].original for number in range(found.n)}
        assert out and not out & seen


class TestLabelsOfAMetric:
    def labelled(self, texts, base, **more):
        options = {"labels": "metric", "reference_metric": "chrf", **more}
        found = task(texts, base, **options)
        network = found.build("cpu")
        return found, network, found._labelled(network, found.held_out())

    def test_they_are_one_for_a_whole_text_and_fall_with_damage(self, texts, base):
        found, network, rows = self.labelled(texts, base)
        whole = found.held_out()[0]
        (same,) = found._labelled(
            network, [whole._replace(text=whole.original, number=999)]
        )
        assert same.target == 1.0
        targets = [row.target for row in rows]
        assert 0 <= min(targets) < 0.95 and max(targets) <= 1

    def test_what_is_better_when_lower_is_turned_around(self, texts, base):
        _, _, chrf = self.labelled(texts, base)
        _, _, ter = self.labelled(texts, base, reference_metric="ter")
        pairs = [row.target for row in chrf], [row.target for row in ter]
        assert np.corrcoef(pairs)[0, 1] > 0.5

    def test_the_same_examples_have_the_same_labels(self, texts, base):
        assert self.labelled(texts, base)[2] == self.labelled(texts, base)[2]

    @pytest.mark.parametrize(("metric", "sign"), [("chrf", 1), ("ter", -1)])
    def test_raw_ones_are_the_metrics_own_numbers_the_higher_the_better(
        self, texts, metric, sign
    ):
        from scoring.metrics import get
        from scoring.metrics._learning.argent_task import Labels

        options = Argent.training(labels="raw", reference_metric=metric)
        pairs = (["the ferry left.", texts[0]], [texts[0], texts[0]])
        found = Labels(options, texts, "cpu")(*pairs)
        examples = [
            Example(one, references=(other,)) for one, other in zip(*pairs, strict=True)
        ]
        expected = get(metric)().load()(examples).values[metric]
        assert found.tolist() == (sign * expected).tolist()

    def test_a_metric_that_tells_nothing_apart_is_refused(self):
        from scoring.metrics._learning.argent_task import Labels

        options = Argent.training(labels="metric", reference_metric="chrf")
        with pytest.raises(MetricError, match="does not tell a text from another"):
            Labels(options, ["the ferry came."] * 5, "cpu")

    def test_a_metric_without_numbers_says_why(self, monkeypatch):
        from scoring.metrics import chrf
        from scoring.metrics._learning.argent_task import Labels

        class Mute:
            def __call__(self, examples, progress=None):
                n = len(examples)
                return Scores({"chrf": np.full(n, np.nan)}, {"chrf": ["hoarse"] * n})

        monkeypatch.setattr(chrf.ChrF, "load", lambda self, device: Mute())
        options = Argent.training(labels="metric", reference_metric="chrf")
        with pytest.raises(MetricError, match="hoarse"):
            Labels(options, ["the ferry came.", "the sun."], "cpu")

    def test_its_arithmetic_is_not_that_of_the_training(self, texts, base):
        import torch

        found, network, rows = self.labelled(
            texts, base, reference_metric="bertscore", reference_model=str(base)
        )
        with torch.autocast("cpu", torch.bfloat16):
            again = Argent.task(TrainingData(texts), found.options)
            coarse = again._labelled(network, again.held_out())
        assert coarse == rows

    def test_a_training_ends_and_the_checkpoint_knows_the_range(
        self, texts, base, tmp_path
    ):
        options = {"labels": "metric", "reference_metric": "chrf"}
        assert train(texts, tmp_path, base, **options)
        facts = json.loads((tmp_path / MODEL / "head.json").read_text())
        assert facts["labelled_by"]["signature"].startswith("chrf|")
        assert 0 <= facts["labelled_by"]["low"] < facts["labelled_by"]["high"] == 100


class TestTraining:
    def test_the_card_says_how_good_it_is(self, trained):
        found = card(trained)
        assert found["metric"] == "argent"
        assert {"mse", "pearson", "spearman"} <= set(found["figures"])

    def test_the_same_seed_gives_the_same_weights(self, trained, texts, base, tmp_path):
        assert train(texts, tmp_path, base)
        for name in ("model.safetensors", "head.safetensors"):
            again = (tmp_path / MODEL / name).read_bytes()
            assert again == (trained / name).read_bytes()

    def test_slices_end_in_the_same_weights(self, trained, texts, base, tmp_path):
        slices = 1
        while not train(texts, tmp_path, base, seconds=0.02):
            slices += 1
        head = (tmp_path / MODEL / "head.safetensors").read_bytes()
        assert head == (trained / "head.safetensors").read_bytes()


class TestScores:
    NEW = Example("She said that the old gulls came to a white island at good sun.")

    def scores(self, model, examples):
        return get("argent")(model=str(model)).load("cpu")(examples)

    def test_each_text_has_one_whatever_stands_beside_it(self, trained):
        other = Example("Never was the harbour so bad.")
        alone = self.scores(trained, [self.NEW]).values["quality"]
        both = self.scores(trained, [other, self.NEW]).values["quality"]
        assert np.isfinite(both).all()
        assert both[1] == pytest.approx(alone[0], abs=1e-5)

    def test_an_empty_text_and_one_it_learned_from_have_none(self, trained, texts):
        found = self.scores(trained, [Example(" "), self.NEW, Example(texts[0])])
        assert np.isnan(found.values["quality"]).tolist() == [True, False, True]
        assert found.reasons["quality"] == ["the text is empty", None, LEFT_OUT]

    def test_long_texts_are_cut_and_counted(self, trained):
        long = Example("the old island of man " * 20)
        found = self.scores(trained, [long, self.NEW])
        assert found.notes == (
            "Some texts are longer than 40 tokens: their beginning was read.",
        )

    def test_without_a_model_it_says_what_to_do(self):
        with pytest.raises(OptionError, match="to train one, go to Metrics, Training"):
            get("argent")().check()

    def test_a_checkpoint_of_another_metric_is_refused(self, trained, tmp_path):
        copy = tmp_path / "copy"
        copy.mkdir()
        for path in trained.iterdir():
            (copy / path.name).write_bytes(path.read_bytes())
        facts = json.loads((copy / "head.json").read_text())
        (copy / "head.json").write_text(json.dumps({**facts, "metric": "union"}))
        with pytest.raises(MetricError, match="this is one of union"):
            self.scores(copy, [self.NEW])

    def test_the_signature_has_the_contents_of_the_checkpoint(self, trained):
        scorer = get("argent")(model=str(trained)).load("cpu")
        assert "model:sha256:" in scorer.signature
        assert str(trained) not in scorer.signature
