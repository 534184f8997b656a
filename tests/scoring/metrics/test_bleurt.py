"""BLEURT: options, both stages with a tiny encoder, scores."""

import json
import math

import numpy as np
import pytest

from scoring.metrics import Example, MetricError, OptionError, get
from scoring.metrics._learning import pairing
from scoring.metrics._learning.hygiene import LEFT_OUT
from scoring.metrics._learning.training import MODEL, Rated, TrainingData
from scoring.metrics.bleurt import BLEURT, BleurtTraining
from tests.scoring.metrics.tiny_encoder import WORDS, tiny_encoder

QUICK = {"epochs": 2, "batch": 8, "max_tokens": 60, "held_out": 0.3}
NEW = Example("She said the gulls had stood.", references=("The gulls stood there.",))


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return tiny_encoder(tmp_path_factory.mktemp("encoder"))


def sentence(rng, n=14):
    return " ".join(rng.choice(WORDS, n)) + "."


@pytest.fixture(scope="module")
def texts():
    rng = np.random.default_rng(5)
    return [" ".join(sentence(rng) for _ in range(2)) for _ in range(32)]


@pytest.fixture(scope="module")
def rated():
    rng = np.random.default_rng(6)
    return [
        Rated(sentence(rng), sentence(rng), float(rng.random()), f"prompt {k // 2}")
        for k in range(40)
    ]


@pytest.fixture(scope="module")
def data(texts, rated):
    return TrainingData(texts, rated=rated)


def train(data, folder, base, *, seconds=None, tell=lambda step: None, **options):
    options = {**QUICK, "base": base, **options}
    return BLEURT.train(data, folder, tell, seconds=seconds, **options)


def made(data, tmp_path_factory, base, **options):
    folder = tmp_path_factory.mktemp("training")
    assert train(data, folder, base, **options)
    return folder / MODEL


@pytest.fixture(scope="module")
def both(data, tmp_path_factory, base):
    return made(data, tmp_path_factory, base)


@pytest.fixture(scope="module")
def synthetic(texts, tmp_path_factory, base):
    return made(TrainingData(texts), tmp_path_factory, base)


@pytest.fixture(scope="module")
def published(base, tmp_path_factory):
    """A BERT for sequence classification with one label, and BERT's own tokenizer."""
    import torch
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    folder = tmp_path_factory.mktemp("published")
    AutoTokenizer.from_pretrained(base).save_pretrained(folder)
    config = BertConfig.from_pretrained(base, num_labels=1, initializer_range=0.5)
    torch.manual_seed(1)
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


def facts(model, name="training.json"):
    return json.loads((model / name).read_text())


def weights(model):
    names = ("model.safetensors", "head.safetensors")
    return [(model / name).read_bytes() for name in names]


def score(model, examples, **options):
    return get("bleurt")(model=str(model), **options).load("cpu")(examples)


class TestOptions:
    def test_a_negative_length_is_answered(self):
        with pytest.raises(OptionError, match="pretrain_epochs=-1: expected 0 to 100"):
            BLEURT.training(pretrain_epochs=-1)

    def test_without_a_model_it_says_what_to_do(self):
        with pytest.raises(OptionError, match="to train one, go to Metrics, Training"):
            get("bleurt")().check()

    def test_wide_models_are_changed_with_care(self):
        assert BleurtTraining.RATE == 1e-5

    def test_neither_texts_nor_ratings_are_answered(self, texts, base, tmp_path):
        with pytest.raises(MetricError, match="expected texts to pre-train on or"):
            train(TrainingData(texts), tmp_path, base, pretrain_epochs=0)


class TestTasks:
    def task(self, data, base, **options):
        return BLEURT.task(data, BLEURT.training(base=base, **{**QUICK, **options}))

    def test_pairs_depend_on_seed_and_number_alone(self, texts, base):
        first, again, other = (
            [
                self.task(TrainingData(texts), base, seed=seed).examples(k)
                for k in (5, 9)
            ]
            for seed in (1, 1, 2)
        )
        assert first == again != other

    def test_copies_are_made_anew_in_each_epoch(self, texts, base):
        task = self.task(TrainingData(texts), base)
        made = {task.examples(3 + epoch * task.n)[0].text for epoch in range(6)}
        assert len(made) > 3

    def test_pairs_fit_into_what_the_model_reads(self, texts, base):
        long = [" ".join(text.replace(".", "").split() * 9) for text in texts]
        task = self.task(TrainingData(long), base)
        for number in range(9):
            (one,) = task.examples(number)
            assert len(one.text[0].split()) == 20  # a third of 60 tokens

    def test_what_is_not_defined_has_no_part_in_the_loss(self, texts, base):
        from scoring.metrics._learning.bleurt_task import Signalled

        task = self.task(TrainingData(texts), base)
        network = task.build("cpu")
        whole = Signalled(("the man", "the man"), (1.0, 1.0, 1.0, 1.0), "same")
        part = whole._replace(target=(1.0, *[math.nan] * 3))
        z = task.read(network, [whole.text])[0].detach()
        assert task.loss(network, [whole]).item() == pytest.approx(
            float(((z - 1) ** 2).mean()), rel=1e-5
        )
        assert task.loss(network, [part]).item() == pytest.approx(
            float((z[0] - 1) ** 2), rel=1e-5
        )

    def test_a_gap_may_be_filled_by_a_model(self, texts, base, pegasus):
        data = TrainingData(texts)
        plain = self.task(data, base)
        filled = self.task(data, base, fill=pegasus)
        numbers = range(12)
        assert [filled.examples(k) for k in numbers] != [
            plain.examples(k) for k in numbers
        ]

    def test_bertscore_may_be_a_signal(self, texts, base):
        task = self.task(TrainingData(texts), base, bertscore=base)
        (one,) = task.examples(0)
        assert len(one.target) == 5 and -1 <= one.target[4] <= 1
        assert task.facts()["signals"][-1] == "bertscore"

    def test_prompts_are_learned_from_or_held_out_as_a_whole(self, data, rated, base):
        task = self.task(data, base)
        sides = [
            {rated[k].document for k in side} for side in (task.learned, task.kept)
        ]
        assert all(sides) and not sides[0] & sides[1]

    def test_the_reference_is_read_first(self, data, rated, base):
        task = self.task(data, base)
        (one,) = task.examples(0)
        source = rated[task.learned[0]]
        assert one.text == (source.reference, source.text)
        assert one.target == source.rating


class TestTraining:
    def test_ratings_come_after_copies(self, data, base, tmp_path):
        told = []
        assert train(data, tmp_path, base, tell=told.append)
        stages = list(dict.fromkeys(step.stage for step in told))
        assert stages[1:] == ["pre-training", "fine-tuning"]
        assert sorted(p.name for p in tmp_path.iterdir()) == ["data.json", MODEL]

    def test_the_card_says_how_good_both_stages_are(self, both):
        card = facts(both)
        assert {"pearson", "spearman", "before"} <= set(card["figures"])
        assert {"bleu", "rouge-1", "rouge-2", "rouge-l"} <= set(
            card["pretraining"]["figures"]
        )
        assert card["data"]["rated"] == 40
        assert facts(both, "head.json")["fine_tuned"] is True

    def test_ratings_go_on_from_the_mean_of_the_signals(
        self, texts, data, base, synthetic
    ):
        options = BLEURT.training(**{**QUICK, "base": synthetic})
        task = BLEURT.task(data, options)
        network = task.build("cpu").eval()
        z = task.predicted(network, [task.of(0, 0)[0]])[0, 0]
        one = data.rated[0]
        found = score(synthetic, [Example(one.text, references=(one.reference,))])
        assert z == pytest.approx(found.values["bleurt"][0], abs=1e-5)

    def test_slices_end_in_the_same_weights(self, data, base, both, tmp_path):
        slices = 1
        while not train(data, tmp_path, base, seconds=0.01):
            slices += 1
        assert slices > 3
        assert weights(tmp_path / MODEL) == weights(both)

    def test_a_stop_in_either_stage_is_made_good(self, data, base, both, tmp_path):
        class Stop(Exception):
            pass

        for stage in ("pre-training", "fine-tuning"):

            def tell(step, stage=stage):
                if step.stage == stage and step.step >= 2:
                    raise Stop

            with pytest.raises(Stop):
                train(data, tmp_path, base, tell=tell)
        assert train(data, tmp_path, base)
        assert weights(tmp_path / MODEL) == weights(both)

    def test_without_ratings_it_knows_signals_only_and_says_so(self, synthetic):
        head = facts(synthetic, "head.json")
        assert head["fine_tuned"] is False and head["outputs"] == 4

    @pytest.mark.parametrize("given", ["auto", "cls"])
    def test_small_encoders_compare_both_texts_unless_told_otherwise(
        self, texts, base, tmp_path, given
    ):
        options = {"pooling": given, "pretrain_epochs": 0.3}
        assert train(TrainingData(texts), tmp_path, base, **options)
        expected = {"auto": "pair", "cls": "cls"}[given]
        assert facts(tmp_path / MODEL, "head.json")["pooling"] == expected

    def test_copies_may_be_left_out(self, rated, base, tmp_path):
        assert train(TrainingData(rated=rated), tmp_path, base)
        card = facts(tmp_path / MODEL)
        assert "pretraining" not in card and "before" not in card["figures"]


class TestScores:
    def test_each_text_has_one_whatever_stands_beside_it(self, both):
        other = Example("Never was the harbour so bad.", references=("It was bad.",))
        (alone,) = score(both, [NEW]).values["bleurt"]
        found = score(both, [other, NEW]).values["bleurt"]
        assert np.isfinite(found).all()
        assert found[1] == pytest.approx(alone, abs=1e-5)

    def test_the_best_of_several_references_counts_or_their_mean(self, both):
        texts = ("The gulls stood there.", "Never in the old house of sun.", " ")
        each = [
            score(both, [Example(NEW.text, references=(one,))]).values["bleurt"][0]
            for one in texts[:2]
        ]
        several = [Example(NEW.text, references=texts)]
        best = score(both, several).values["bleurt"][0]
        mean = score(both, several, aggregate="mean").values["bleurt"][0]
        assert best == pytest.approx(max(each), abs=1e-5)
        assert mean == pytest.approx(sum(each) / 2, abs=1e-5)

    def test_there_is_none_without_a_reference_or_a_text(self, both):
        found = score(both, [Example("A text."), Example(" ", references=("B.",)), NEW])
        assert np.isnan(found.values["bleurt"]).tolist() == [True, True, False]
        assert found.reasons["bleurt"] == [
            "there is no reference",
            "the text is empty",
            None,
        ]

    def test_texts_of_both_stages_have_none_and_are_named(self, both, data):
        task = BLEURT.task(data, BLEURT.training(**QUICK, base="bundled:encoder-small"))
        learned = data.rated[task.learned[0]].text
        kept = data.rated[task.kept[0]].text
        card = facts(both)["data"]
        assert card["held_out"] < len(data.texts)
        examples = [
            Example(text, references=("The sun.",))
            for text in (learned, kept, *data.texts)
        ]
        found = score(both, [*examples, NEW])
        reasons = found.reasons["bleurt"]
        assert reasons[0] == LEFT_OUT and reasons[1] is reasons[-1] is None
        n = len(data.texts) - card["held_out"]
        assert reasons.count(LEFT_OUT) == n + 1
        assert f"{n + 1} of the texts have no score" in found.notes[0]
        assert learned[:40] in found.notes[0]
        assert f"and {n - 4} more" in found.notes[0]

    def test_long_pairs_are_cut_and_counted(self, both):
        long = Example("the old island of man " * 20, references=("The sun.",))
        notes = score(both, [long, NEW]).notes
        assert len(notes) == 1
        assert "longer than 60 tokens together with their reference" in notes[0]

    def test_progress_counts_each_text_once(self, both, data):
        told = []
        examples = [Example(data.texts[0], references=("A.",)), NEW, Example("B.")]
        examples += [Example(text, references=("A.",)) for text in data.texts]
        get("bleurt")(model=str(both)).load("cpu")(examples, told.append)
        assert sum(told) == len(examples)

    def test_one_that_knows_signals_only_gives_their_mean(self, synthetic):
        from scoring.metrics._learning.heads import Judge

        judge = Judge(synthetic, device="cpu")
        z = judge([(NEW.references[0], NEW.text)])
        assert z.shape == (1, 4)
        assert score(synthetic, [NEW]).values["bleurt"][0] == pytest.approx(z.mean())

    def test_the_signature_has_the_contents_of_the_checkpoint(self, both):
        scorer = get("bleurt")(model=str(both)).load("cpu")
        assert "model:sha256:" in scorer.signature
        assert str(both) not in scorer.signature


class TestPublishedCheckpoints:
    def test_give_what_transformers_gives_for_reference_and_text(self, published):
        import torch
        from transformers import AutoTokenizer, BertForSequenceClassification

        tokenizer = AutoTokenizer.from_pretrained(published)
        model = BertForSequenceClassification.from_pretrained(published).eval()
        marks = ("[CLS]", "[SEP]")
        ids, sides = [tokenizer.convert_tokens_to_ids(marks[0])], [0]
        for side, text in enumerate((NEW.references[0], NEW.text)):
            own = tokenizer(text, add_special_tokens=False)["input_ids"]
            ids += [*own, tokenizer.convert_tokens_to_ids(marks[1])]
            sides += [side] * (len(own) + 1)
        with torch.no_grad():
            expected = model(
                input_ids=torch.tensor([ids]), token_type_ids=torch.tensor([sides])
            ).logits.item()
        found = score(published, [NEW]).values["bleurt"][0]
        assert found == pytest.approx(expected, abs=1e-5)

    def test_of_several_labels_are_refused(self, published, tmp_path):
        from transformers import (
            AutoTokenizer,
            BertConfig,
            BertForSequenceClassification,
        )

        AutoTokenizer.from_pretrained(published).save_pretrained(tmp_path)
        config = BertConfig.from_pretrained(published, num_labels=2)
        BertForSequenceClassification(config).save_pretrained(tmp_path)
        with pytest.raises(MetricError, match="with 2 outputs: expected"):
            score(tmp_path, [NEW])

    def test_of_another_metric_are_refused(self, both, tmp_path):
        for path in both.iterdir():
            (tmp_path / path.name).write_bytes(path.read_bytes())
        head = facts(both, "head.json") | {"metric": "argent"}
        (tmp_path / "head.json").write_text(json.dumps(head))
        with pytest.raises(MetricError, match="is a checkpoint of argent"):
            score(tmp_path, [NEW])


@pytest.fixture(scope="module")
def prompts():
    rng = np.random.default_rng(8)
    return [sentence(rng, 4) for _ in range(8)]


@pytest.fixture(scope="module")
def own(prompts):
    """Five texts of each prompt, rated beside the prefix."""
    rng = np.random.default_rng(9)
    found = []
    for prefix in prompts:
        document = pairing.document(prefix=prefix, source="")
        for _ in range(5):
            text = f"{prefix} {sentence(rng)}"
            found.append(Rated(text, prefix, float(rng.random()), document))
    return found


@pytest.fixture(scope="module")
def crossed(own, tmp_path_factory, base):
    data = TrainingData(rated=own, evaluated=[o.text for o in own], cross_fitted=True)
    return made(data, tmp_path_factory, base, pair="prefix", folds=3)


def examples(own):
    return [Example(one.text, prefix=one.reference) for one in own]


class TestWithoutReferences:
    def test_the_prefix_takes_the_place_of_the_reference(self, both):
        from scoring.metrics._learning.heads import Judge

        one = Example("The gulls stood there.", prefix="The gulls", label="good")
        for pair, first in (
            ("prefix", "The gulls"),
            ("label_prefix", "good: The gulls"),
        ):
            z = Judge(both, device="cpu")([(first, one.text)])
            found = score(both, [one], pair=pair).values["bleurt"][0]
            assert found == pytest.approx(z[0, 0], abs=1e-5)

    def test_a_text_without_a_prefix_has_a_reason(self, both):
        found = score(both, [Example("A text.")], pair="prefix")
        assert found.reasons["bleurt"] == ["there is no prefix"]

    def test_each_text_is_scored_by_a_model_that_saw_none_of_its_prompt(
        self, crossed, own
    ):
        from scoring.metrics._learning import cross_fitting
        from scoring.metrics._learning.heads import Judge

        head = facts(crossed, "head.json")
        folders = cross_fitting.parts_of(crossed, head)
        judges = [Judge(folder, device="cpu") for folder in folders]
        assert len(judges) == 3
        found = score(crossed, examples(own))
        assert found.reasons["bleurt"] == [None] * len(own)
        for k, one in enumerate(own):
            fold = head["fold_of"][one.document]
            knows = [judge.knows(one.text) for judge in judges]
            assert [fold != other for other in range(3)] == knows
            z = judges[fold]([(one.reference, one.text)])[0, 0]
            assert found.values["bleurt"][k] == pytest.approx(z, abs=1e-5)

    def test_its_figures_are_of_the_prompts_left_out(self, crossed, own):
        figures = facts(crossed)["figures"]
        assert (figures["folds"], figures["n"]) == (3, len(own))
        assert -1 <= figures["pearson"] <= 1

    @pytest.mark.slow
    def test_slices_end_in_the_same_weights(self, own, base, crossed, tmp_path):
        data = TrainingData(rated=own, cross_fitted=True)
        slices = 1
        options = {"pair": "prefix", "folds": 3}
        while not train(data, tmp_path, base, seconds=0.01, **options):
            slices += 1
        assert slices > 3
        for part in ("", "fold-0", "fold-1"):
            assert weights(tmp_path / MODEL / part) == weights(crossed / part)

    def test_the_signature_has_the_contents_of_all_folds(self, crossed, tmp_path):
        import shutil

        other = shutil.copytree(crossed, tmp_path / "other")
        head = facts(other, "head.json")
        head["contents"][0] = "sha256:0"
        (other / "head.json").write_text(json.dumps(head))
        signatures = {
            get("bleurt")(model=str(one)).load("cpu").signature
            for one in (crossed, other)
        }
        assert len(signatures) == 2

    def test_too_few_prompts_are_answered(self, own, base, tmp_path):
        with pytest.raises(
            MetricError, match="folds=9: expected rated texts of at least"
        ):
            data = TrainingData(rated=own, cross_fitted=True)
            train(data, tmp_path, base, folds=9)
