"""What every trained metric does with data, a folder and options."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

from annotation import sentences
from scoring.metrics import MetricError, Output
from scoring.metrics._engine.base import OptionError, option
from scoring.metrics._learning import hygiene
from scoring.metrics._learning.trained import TrainedMetric
from scoring.metrics._learning.training import MODEL, Training, TrainingData
from tests.scoring.metrics.tiny_encoder import tiny_encoder

WORDS = "ferry harbour island gulls house sun man woman film story".split()


def texts(n=40):
    rng = np.random.default_rng(3)
    return [" ".join(rng.choice(WORDS, 20)) for _ in range(n)]


@dataclasses.dataclass(frozen=True)
class SunnyTraining(Training):
    word: str = option("sun", "what is looked for")


class Sunny(TrainedMetric):
    """Whether there is a sun."""

    title = source = "Sunny"
    TrainingOptions = SunnyTraining
    outputs = (Output("sunny", "Sunny", "probability, [0, 1]", True),)
    load = None

    @classmethod
    def task(cls, data, options):
        from scoring.metrics._learning.tasks import HeadTask, Labelled

        class Task(HeadTask):
            def of(self, document, number):
                text = self.data.texts[document]
                return [Labelled(text, float(options.word in text.split()))]

        return Task(data, options, ("no", "yes"))


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return str(tiny_encoder(tmp_path_factory.mktemp("base")))


def train(folder, base, data=None, progress=lambda step: None, **options):
    options = {"base": base, "batch": 8, "epochs": 0.5, "held_out": 0.3} | options
    return Sunny.train(data or TrainingData(texts()), folder, progress, **options)


class TestATraining:
    def test_makes_its_folder_tells_of_its_stages_and_leaves_a_card(
        self, base, tmp_path
    ):
        told = []
        assert train(tmp_path / "new" / "folder", base, progress=told.append)
        stages = dict.fromkeys(step.stage for step in told)
        assert list(stages) == ["preparing the texts", "training"]
        path = tmp_path / "new" / "folder" / MODEL / "training.json"
        card = json.loads(path.read_text())
        assert card["metric"] == "test_trained" and card["options"]["word"] == "sun"
        assert card["data"]["given"] == 40 and "texts" not in card["data"]
        assert card["signature"].startswith("test_trained|training|base:sha256:")

    def test_goes_on_from_slice_to_slice(self, base, tmp_path):
        calls = 0
        while not train(tmp_path, base, seconds=0.0):
            calls += 1
        assert calls == 1  # two steps, and the second ends it
        assert train(tmp_path, base)

    def test_goes_on_when_more_is_to_be_scored_by_then(self, base, tmp_path):
        more = TrainingData(texts(), evaluated=texts()[:3])
        assert not train(tmp_path, base, seconds=0.0)
        assert train(tmp_path, base, data=more)

    def test_refuses_to_go_on_with_other_options_or_texts(self, base, tmp_path):
        assert not train(tmp_path, base, seconds=0.0)
        with pytest.raises(MetricError, match="other options"):
            train(tmp_path, base, rate=0.5)
        other = TrainingData([f"{text} now" for text in texts()])
        with pytest.raises(MetricError, match="with other data"):
            train(tmp_path, base, data=other)

    def test_never_learns_from_what_is_to_be_scored(self, base, tmp_path):
        data = TrainingData(texts(), evaluated=texts()[:5])
        assert train(tmp_path, base, data=data)
        seen = np.load(tmp_path / MODEL / hygiene.SEEN)
        assert not hygiene.touching(data.evaluated, seen).any()
        learned = [t for t in texts()[5:] if not hygiene.is_held_out(t, 0.3)]
        assert hygiene.touching(learned, seen).all()

    def test_names_options_that_will_not_do_before_anything_is_made(
        self, base, tmp_path
    ):
        for wrong, said in (
            ({"epochs": 0}, "epochs=0: expected 0.01 to 100"),
            ({"colour": 1}, "unknown option colour"),
            ({"pooling": "x"}, "expected one of auto, cls, last, mean"),
        ):
            with pytest.raises(OptionError, match=said):
                train(tmp_path / "new", base, **wrong)
        assert not (tmp_path / "new").exists()


class TestTheSignature:
    def signature(self, base, data=None, **options):
        chosen = Sunny.training(base=base, **options)
        return Sunny.training_signature(data or TrainingData(texts()), chosen)

    def test_changes_with_data_options_and_the_encoder_and_with_nothing_else(
        self, base, tmp_path
    ):
        plain = self.signature(base)
        copy = str(tiny_encoder(tmp_path / "copy"))
        assert self.signature(copy) == plain
        evaluated = TrainingData(texts(), evaluated=["b"])
        assert self.signature(base, data=evaluated) == plain
        other = str(tiny_encoder(tmp_path / "other", seed=1))
        different = {
            self.signature(other),
            self.signature(base, seed=1),
            self.signature(base, word="film"),
            self.signature(base, data=TrainingData(["a"])),
        }
        assert len(different | {plain}) == 5
        assert base not in plain and plain.endswith("|v:1")

    def test_changes_with_the_programs_that_read_the_texts(self, base, monkeypatch):
        plain = self.signature(base)
        assert f"|splitter:{sentences.NAME}|lemminflect:" in plain
        monkeypatch.setattr("annotation.sentences.NAME", "punkt-1")
        assert self.signature(base) != plain
