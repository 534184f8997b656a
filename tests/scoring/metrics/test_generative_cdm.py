"""Generative CDM from texts to scores: what it learns, keeps, gives and refuses."""

import json
import shutil

import numpy as np
import pytest

from scoring.metrics import MetricError, OptionError, get
from scoring.metrics._cdm import stages as _cdm_stages
from scoring.metrics._cdm.task import Negative
from scoring.metrics._engine.base import Example
from scoring.metrics._learning.hygiene import LEFT_OUT
from scoring.metrics._learning.training import MODEL, TrainingData
from scoring.metrics.generative_cdm import KEY, GenerativeCDM
from tests.scoring.metrics.conftest import WORDS
from tests.scoring.metrics.pairs import other_vocabulary, sibling
from tests.scoring.metrics.tiny_encoder import tiny_encoder

NEW = "The old man was at the house. It was a good film."


def story(k):
    """Five sentences of words that the tiny models know."""
    rng = np.random.default_rng(k)
    drawn = [rng.choice(WORDS[:20], 4) for _ in range(5)]
    return " ".join(" ".join(words) + " ." for words in drawn)


TEXTS = ["", "good", "ferry .", *(story(k) for k in range(45))]


@pytest.fixture(scope="module")
def models(pegasus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    return {
        "base": str(tiny_encoder(folder / "encoder")),
        "amateur": str(pegasus),
        "expert": str(sibling(pegasus, folder / "expert")),
    }


def train(folder, models, tell=lambda step: None, texts=TEXTS, **options):
    defaults = {
        "max_tokens": 30,
        "max_new_tokens": 6,
        "held_out": 0.3,
        "batch": 8,
        "epochs": 1,
        "top_p": 1,
        **models,
    }
    seconds = options.pop("seconds", None)
    return GenerativeCDM.train(
        TrainingData(texts), folder, tell, seconds=seconds, **{**defaults, **options}
    )


@pytest.fixture(scope="module")
def trained(models, tmp_path_factory):
    folder = tmp_path_factory.mktemp("training")
    assert train(folder, models)
    return folder


@pytest.fixture(scope="module")
def scorer(trained):
    return get("generative_cdm")(model=str(trained / MODEL)).load()


def negatives(folder):
    """What was written, without how long it took."""
    lines = (folder / _cdm_stages.NEGATIVES).read_text().split("\n")
    found = [json.loads(line) for line in lines if line.endswith("}")]
    return {one["document"]: one | {"seconds": 0} for one in found}


class Interrupted(Exception):
    pass


def after(steps, stage):
    """Progress that interrupts at so many steps of a stage."""

    def tell(step):
        if step.stage == stage and step.step >= steps:
            raise Interrupted

    return tell


class TestTraining:
    def test_each_text_with_a_segment_has_a_negative(self, trained):
        found = negatives(trained)
        written = [one for one in found.values() if one["start"] >= 0]
        assert len(found) == len(TEXTS) - 1  # the empty text is left out before
        assert len(written) == len(TEXTS) - 3
        assert all(one["machine"] for one in written)

    def test_texts_of_one_word_are_counted_and_say_why(self, trained):
        whys = [one["why"] for one in negatives(trained).values() if one["why"]]
        assert whys == ["no segment can be removed without emptying the text"] * 2
        facts = json.loads((trained / MODEL / "training.json").read_text())
        assert facts["figures"]["regenerated"]["without a segment"] == 2

    def test_the_card_says_how_segments_differ_and_who_is_the_expert(self, trained):
        facts = json.loads((trained / MODEL / "training.json").read_text())
        found = facts["figures"]
        assert 0 <= found["auc"] <= 1 and 0.5 <= found["auc_of_length"] <= 1
        assert 0.5 < found["regenerated"]["share that differs"] <= 1
        assert found["regenerated"]["mean length ratio"] > 0
        assert {"amateur loss", "expert loss"} <= set(found["infilling models"])
        assert facts["options"]["gamma"] == 0.5
        assert "share that differs" in (trained / MODEL / "README.md").read_text()

    def test_what_was_interrupted_twice_ends_in_the_same_weights(
        self, models, trained, tmp_path, monkeypatch
    ):
        monkeypatch.setattr(_cdm_stages, "TOLD_SECONDS", 0)
        monkeypatch.setattr(_cdm_stages._cdm_negatives, "BUDGET", {"cpu": 300})
        whole, parts = tmp_path / "whole", tmp_path / "parts"
        assert train(whole, models)
        with pytest.raises(Interrupted):
            train(parts, models, after(20, _cdm_stages.WRITING))
        assert 0 < len(negatives(parts)) < len(TEXTS) - 1
        with (parts / _cdm_stages.NEGATIVES).open("a") as file:
            file.write('{"document": 9, "sta')  # killed in the middle of a line
        slices = 0
        while not train(parts, models, seconds=0):
            slices += 1
        assert slices > 2
        assert negatives_of(parts) == negatives_of(whole)
        for name in ("model.safetensors", "head.safetensors"):
            one, other = (f / MODEL / name for f in (whole, parts))
            assert one.read_bytes() == other.read_bytes()

    @pytest.mark.slow
    def test_infilling_models_may_learn_these_texts_before(self, models, tmp_path):
        stages = []
        told = lambda step: stages.append(step.stage)  # noqa: E731
        while not train(tmp_path, models, told, infill_epochs=1, seconds=0):
            pass
        assert list(dict.fromkeys(stages))[1:] == [
            "training the amateur",
            "training the expert",
            _cdm_stages.WRITING,
            "training",
        ]
        log = json.loads((tmp_path / "amateur" / MODEL / "training.json").read_text())
        assert log["log"][-1]["held_out"] < log["log"][0]["held_out"]

    @pytest.mark.parametrize("options", [{"unit": "words", "words": 2}, {}])
    def test_the_segment_may_be_the_one_that_tells_most(
        self, models, tmp_path, options
    ):
        with pytest.raises(Interrupted):
            told = after(1, "training")
            train(tmp_path, models, told, segment="strategic", **options)
        written = [one for one in negatives(tmp_path).values() if one["start"] >= 0]
        words = {len(one["human"].replace(" .", "").split()) for one in written}
        assert written and (not options or words == {2})

    def test_a_folder_of_another_training_is_refused(self, models, trained, tmp_path):
        shutil.copytree(trained, tmp_path / "copy")
        shutil.rmtree(tmp_path / "copy" / MODEL)
        with pytest.raises(MetricError, match="holds a training with"):
            train(tmp_path / "copy", models, gamma=1)

    def test_models_with_other_tokenizers_are_refused(self, models, tmp_path):
        expert = other_vocabulary(models["amateur"], tmp_path / "expert")
        with pytest.raises(MetricError, match="their tokenizers differ"):
            train(tmp_path / "folder", {**models, "expert": str(expert)})

    def test_texts_of_one_sentence_are_too_little(self, models, tmp_path):
        texts = [f"the ferry left {word}" for word in WORDS[:20]]
        with pytest.raises(MetricError, match="give longer texts, or change"):
            train(tmp_path, models, texts=texts)

    @pytest.mark.parametrize(
        "options", [{"gamma": -1}, {"top_p": 0}, {"words": 0}, {"max_new_tokens": 20}]
    )
    def test_options_out_of_range_are_answered(self, models, tmp_path, options):
        with pytest.raises(OptionError, match="expected"):
            train(tmp_path, models, **options)


def negatives_of(folder):
    return dict(sorted(negatives(folder).items()))


class TestBothSides:
    def test_they_differ_in_the_segment_and_end_at_sentences(self):
        text = "A b. It was good. C d e. F g. H i j. K l."
        one = Negative(0, 5, 17, len(text), "It was good.", "This is so very bad.")
        for seed in range(20):
            human, machine = one.both(text, np.random.default_rng(seed))
            assert human.startswith("A b. It was good. C d e.")
            assert machine.startswith("A b. This is so very bad. C d e.")
            assert human.endswith(".") and machine.endswith(".")

    def test_on_average_they_are_as_long(self):
        text = "It was good. " + "A b. C d e f. G h. I j k. " * 3
        one = Negative(0, 0, 12, len(text) - 1, "It was good.", "bad and long " * 2)
        rng = np.random.default_rng(0)
        pairs = [one.both(text, rng) for _ in range(300)]
        lengths = [[len(side.split()) for side in pair] for pair in pairs]
        human, machine = np.mean(lengths, axis=0)
        assert abs(human - machine) < 1.0

    def test_there_are_none_where_length_would_tell(self):
        text = "It was good. A b."
        one = Negative(0, 0, 12, len(text), "It was good.", "bad")
        assert one.both(text, np.random.default_rng(0)) is None


class TestScores:
    def test_they_are_probabilities(self, scorer):
        found = scorer([Example(NEW), Example("Terrible story of the sun.")])
        assert ((found.values[KEY] > 0) & (found.values[KEY] < 1)).all()

    def test_an_empty_text_has_none(self, scorer):
        found = scorer([Example(" "), Example(NEW)])
        assert np.isnan(found.values[KEY][0]) and not np.isnan(found.values[KEY][1])
        assert found.reasons[KEY] == ["the text is empty", None]

    def test_what_was_learned_from_has_none(self, scorer, trained):
        reasons = scorer([Example(text) for text in TEXTS[3:]]).reasons[KEY]
        data = json.loads((trained / "data.json").read_text())
        assert reasons.count(LEFT_OUT) == len(TEXTS) - 3 - data["held_out"]

    def test_the_expert_is_one_in_one_of_two_orders(self, models, tmp_path):
        swapped = {"expert": models["amateur"], "amateur": models["expert"]}
        found = []
        for name, pair in (("one", models), ("other", {**models, **swapped})):
            with pytest.raises(Interrupted):
                train(tmp_path / name, pair, after(1, _cdm_stages.WRITING))
            content = (tmp_path / name / _cdm_stages.INFILLERS).read_text()
            found.append(json.loads(content))
        assert found[0]["amateur loss"] == found[1]["expert loss"]
        warnings = [one["warning"] for one in found if "warning" in one]
        assert len(warnings) == 1
        assert warnings[0].startswith("The expert is not the better model.")

    def test_a_note_warns_where_the_expert_was_none(self, trained, tmp_path):
        shutil.copytree(trained / MODEL, tmp_path / "copy")
        file = tmp_path / "copy" / "head.json"
        facts = json.loads(file.read_text()) | {"warning": "No expert."}
        file.write_text(json.dumps(facts))
        scorer = get("generative_cdm")(model=str(tmp_path / "copy")).load()
        assert scorer([Example(NEW)]).notes == ("No expert.",)

    def test_without_a_checkpoint_people_are_told_to_train_one(self):
        with pytest.raises(OptionError, match="train one under Metrics, Training"):
            get("generative_cdm")().check()

    def test_a_checkpoint_of_another_metric_is_refused(self, trained, tmp_path):
        shutil.copytree(trained / MODEL, tmp_path / "other")
        file = tmp_path / "other" / "head.json"
        file.write_text(file.read_text().replace('"generative_cdm"', '"union"'))
        with pytest.raises(MetricError, match="was trained for union"):
            get("generative_cdm")(model=str(tmp_path / "other")).load()
