"""A training ends in the same weights however often it was cut, and leaves no mess."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
import torch

from scoring.metrics._engine import models
from scoring.metrics._engine.base import MetricError
from scoring.metrics._learning import fitting, heads, hygiene, states
from scoring.metrics._learning.tasks import HeadTask, Labelled
from scoring.metrics._learning.training import MODEL, Step, Training, TrainingData
from tests.scoring.metrics.tiny_encoder import tiny_encoder

WORDS = "ferry harbour island gulls house sun man woman film story".split()
ROOT = Path(__file__).resolve().parents[4]


def texts(n: int = 60) -> list[str]:
    rng = np.random.default_rng(3)
    return [" ".join(rng.choice(WORDS, 12)) for _ in range(n)]


class Noticing(HeadTask):
    """Tells whether a text has a sun in it; a word is dropped at random each time."""

    def of(self, document: int, number: int) -> list[Labelled]:
        words = self.data.texts[document].split()
        key = np.random.SeedSequence(self.options.seed, spawn_key=(abs(number), 7))
        words.pop(int(np.random.default_rng(key).integers(len(words))))
        return [Labelled(" ".join(words), float("sun" in words))]


def task(base: Path, **options) -> Noticing:
    chosen = {"batch": 8, "epochs": 2.0, "held_out": 0.2, "seed": 5, "rate": 1e-3}
    training = Training(base=str(base), **{**chosen, **options})
    return Noticing(TrainingData(texts=texts()), training, ("no", "yes"))


def fit(work: HeadTask, folder: Path, progress=lambda step: None, **how) -> bool:
    folder.mkdir(exist_ok=True)
    return fitting.fit(work, fitting.plan_of(work.options), folder, progress, **how)


def weights(folder: Path) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes() for path in (folder / MODEL).glob("*.safetensors")
    }


def curve(folder: Path) -> list[tuple]:
    log = json.loads((folder / MODEL / fitting.CARD).read_text())["log"]
    return [(row["step"], row["loss"], row["held_out"]) for row in log]


class Cancelled(Exception):
    pass


class Poisoned(Noticing):
    """Its loss is no number from the second step on."""

    def loss(self, network, examples):
        self.steps = getattr(self, "steps", 0) + network.training
        return super().loss(network, examples) * (1.0 if self.steps < 2 else np.nan)


class Diverging(Noticing):
    """All that it learns is lost with its last step."""

    def loss(self, network, examples):
        return super().loss(network, examples) * (1.0 if network.training else np.inf)


class Mute(Noticing):
    """Only what is held out gives examples."""

    def of(self, document, number):
        return super().of(document, number) if number < 0 else []


class Restless(Noticing):
    """Draws random numbers wherever it can."""

    def figures(self, network, examples):
        torch.rand(3)
        return super().figures(network, examples)

    def loss(self, network, examples):
        if not network.training:
            torch.rand(3)
        return super().loss(network, examples)


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return tiny_encoder(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def whole(base, tmp_path_factory):
    """A training that was done in one go."""
    folder = tmp_path_factory.mktemp("whole")
    assert fit(task(base), folder)
    return folder


class TestTheSameWeights:
    def test_come_of_the_same_seed(self, base, whole, tmp_path):
        assert fit(task(base), tmp_path)
        assert weights(tmp_path) == weights(whole)
        assert len(weights(whole)) == 2 and curve(tmp_path) == curve(whole)

    def test_do_not_come_of_another_seed(self, base, whole, tmp_path):
        assert fit(task(base, seed=6), tmp_path)
        assert weights(tmp_path) != weights(whole)

    def test_come_of_slices_without_time_that_take_a_step_each(
        self, base, whole, tmp_path
    ):
        calls = 1
        while not fit(task(base), tmp_path, seconds=0.0):
            torch.rand(5)  # whatever else the process does between them
            calls += 1
        assert calls == fitting.steps_of(task(base), fitting.Plan(2.0, 8, 5)) > 5
        assert weights(tmp_path) == weights(whole) and curve(tmp_path) == curve(whole)

    @pytest.mark.slow
    def test_come_of_a_training_that_was_cancelled_at_each_report(
        self, base, whole, tmp_path, monkeypatch
    ):
        monkeypatch.setattr(fitting, "REPORT_SECONDS", 0.0)
        steps, reached = [], 0

        def cancel(step: Step) -> None:
            steps.append(step.step)
            if step.step > reached:
                raise Cancelled

        while True:
            try:
                assert fit(task(base), tmp_path, cancel)
                break
            except Cancelled:
                assert max(steps) > reached, "what was learned is kept"
                reached = max(steps)
        assert weights(tmp_path) == weights(whole) and curve(tmp_path) == curve(whole)

    def test_come_of_two_processes_at_one_folder(self, base, whole, tmp_path):
        assert not fit(task(base), tmp_path, seconds=0.0)
        state = (tmp_path / fitting.STATE).read_bytes()
        assert fit(task(base), tmp_path)
        # The slower one had begun before: it ends with the checkpoint already there.
        checkpoint = (tmp_path / MODEL).rename(tmp_path / "aside")
        (tmp_path / fitting.STATE).write_bytes(state)
        slow = fitting._Slice(
            task(base), fitting.Plan(2.0, 8, 5), tmp_path, print, "cpu", "", {}
        )
        assert slow.run(None)
        checkpoint.rename(tmp_path / MODEL)
        slow.finish()
        assert weights(tmp_path) == weights(whole)
        assert [path.name for path in tmp_path.iterdir()] == [MODEL]

    def test_do_not_depend_on_what_looking_draws(self, base, whole, tmp_path):
        quiet = task(base)
        loud = Restless(quiet.data, quiet.options, quiet.classes)
        assert fit(loud, tmp_path)
        assert weights(tmp_path) == weights(whole)

    @pytest.mark.slow
    def test_come_of_a_process_that_was_killed_twice(self, base, whole, tmp_path):
        folder = tmp_path / "it"
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        found = subprocess.run(
            [sys.executable, "-c", KILLED, str(base), str(folder)],
            capture_output=True,
            text=True,
            cwd=ROOT,
            env=environment,
        )
        assert found.stdout == "9 9 ", found.stderr
        assert (folder / fitting.STATE).exists() and not (folder / MODEL).exists()
        assert fit(task(base), folder)
        assert weights(folder) == weights(whole) and curve(folder) == curve(whole)


# Trains in a child that is killed at some point after its second step, then in one that
# goes on and is killed after the sixth. Says by which signal they ended.
KILLED = """
import os, sys, threading, time
from pathlib import Path
import torch
from scoring.metrics._learning import fitting
from tests.scoring.metrics._learning.test_fitting import fit, task

def child(least):
    torch.set_num_threads(1)
    def told(step):
        time.sleep(0.03)
        if step.step >= least:
            threading.Timer(0.01, os.kill, (os.getpid(), 9)).start()
    fitting._Slice._report = lambda self: (self.save(), self.tell())
    fit(task(Path(sys.argv[1])), Path(sys.argv[2]), told)

for least in (2, 6):
    if not (process := os.fork()):
        child(least)
        os._exit(0)
    _, status = os.waitpid(process, 0)
    print(-os.waitstatus_to_exitcode(status), end=" ", flush=True)
"""


class TestTheFolder:
    def test_holds_the_checkpoint_alone_at_the_end(self, whole):
        assert [path.name for path in whole.iterdir()] == [MODEL]

    def test_knows_what_the_model_it_began_with_had_learned(self, whole, tmp_path):
        further = task(whole / MODEL)
        further.seen = ["a text that nobody else has"]
        assert fit(further, tmp_path / "further")
        known = hygiene.seen_by(tmp_path / "further" / MODEL)
        before = hygiene.seen_by(whole / MODEL)
        assert np.isin(before, known).all()
        assert len(known) > len(before)

    def test_is_left_as_it_is_once_finished(self, base, whole):
        before = weights(whole)
        assert fit(task(base, seed=9), whole)
        assert weights(whole) == before

    def test_is_swept_of_what_dead_processes_left_but_not_of_what_lives(
        self, base, tmp_path
    ):
        old, new = tmp_path / "state.pt.1.tmp", tmp_path / "state.pt.2.tmp"
        folder = tmp_path / "model.1.tmp"
        old.touch(), new.touch(), folder.mkdir()
        for path in (old, folder):
            os.utime(path, (0, 0))
        fit(task(base), tmp_path, seconds=0.0)
        assert new.exists() and not old.exists() and not folder.exists()

    @pytest.mark.parametrize("broken", [b"", b"PK\x03\x04half", b"\x80\x04junk."])
    def test_with_a_broken_state_begins_again(
        self, base, whole, tmp_path, broken, caplog
    ):
        (tmp_path / fitting.STATE).write_bytes(broken)
        assert fit(task(base), tmp_path)
        assert "the training starts from the beginning" in caplog.text
        assert weights(tmp_path) == weights(whole)

    def test_with_half_a_state_begins_again(self, base, tmp_path):
        fit(task(base), tmp_path, seconds=0.0)
        state = tmp_path / fitting.STATE
        state.write_bytes(state.read_bytes()[:-2000])
        assert states._read(state) is None

    def test_of_another_training_is_refused(self, base, tmp_path):
        fit(task(base), tmp_path, seconds=0.0, about={"signature": "a"})
        with pytest.raises(MetricError, match="holds a training with other data"):
            fit(task(base), tmp_path, about={"signature": "b"})

    def test_never_opens_a_pickle_that_runs_code(self, tmp_path):
        class Evil:
            def __reduce__(self):
                return (os.mkdir, (str(tmp_path / "ran"),))

        torch.save({"network": Evil()}, tmp_path / "state.pt")
        assert states._read(tmp_path / "state.pt") is None
        assert not (tmp_path / "ran").exists()


class TestTheCheckpoint:
    def test_loads_with_transformers_alone(self, whole):
        from transformers import AutoModel, AutoTokenizer

        model = AutoModel.from_pretrained(whole / MODEL)
        tokens = AutoTokenizer.from_pretrained(whole / MODEL)("the sun", "the man")
        assert model.config.hidden_size == 16 and len(tokens["input_ids"]) == 7

    def test_has_a_card_with_figures_and_a_licence(self, base, tmp_path):
        about = {
            "metric": "noticing",
            "signature": "noticing|v:1",
            "options": {"batch": 8, "base": "a|b"},
            "data": {"given": 60, "classes": {"n|o\n": 20, "yes": 40}},
        }
        assert fit(task(base, epochs=0.5), tmp_path, about=about)
        card = (tmp_path / MODEL / "README.md").read_text()
        for part in (
            "# noticing",
            "`noticing|v:1`",
            "| batch | 8 |",
            r"| base | a\|b |",
            "| given | 60 |",
            "| yes | 40 |",
            r"| n\|o  | 20 |",
            "## Licence",
            "| accuracy | ",
            "| step | training | held out |",
        ):
            assert part in card

    def test_names_models_but_not_where_they_lie(self, base, tmp_path):
        about = {"options": {"base": str(base), "texts": 60}}
        assert fit(task(base, epochs=0.5), tmp_path, about=about)
        card = json.loads((tmp_path / MODEL / fitting.CARD).read_text())
        assert card["options"] == {"base": base.name, "texts": 60}
        for path in (tmp_path / MODEL).iterdir():
            assert str(base.parent).encode() not in path.read_bytes(), path

    def test_says_in_which_arithmetic_it_was_trained(self, base, tmp_path):
        assert fit(task(base, epochs=0.2, precision="float32"), tmp_path)
        card = json.loads((tmp_path / MODEL / fitting.CARD).read_text())
        assert card["precision"] == "float32" and card["steps"] == 2

    def test_learned_something(self, base, tmp_path):
        assert fit(task(base, epochs=15, rate=5e-3), tmp_path)
        card = json.loads((tmp_path / MODEL / fitting.CARD).read_text())
        assert card["figures"]["auc"] > 0.8
        assert card["log"][-1]["loss"] < card["log"][0]["loss"]


class TestProgress:
    kept: ClassVar[list[Step]] = []

    def test_begins_at_once_and_ends_with_the_last_step(self, base, tmp_path):
        told: list[Step] = []
        assert fit(task(base), tmp_path, told.append, stage="learning")
        assert told[0].step == 0 and told[-1].step == told[-1].steps > 5
        assert {step.stage for step in told} == {"learning"}
        assert told[-1].loss is not None and told[-1].held_out is not None
        assert told[-1].seconds > 0

    def test_is_a_sign_of_life_while_figures_are_taken(
        self, base, tmp_path, monkeypatch
    ):
        told: list[Step] = []
        work = task(base, epochs=0.2)
        slice_ = fitting._Slice(
            work, fitting.Plan(0.2, 8, 5), tmp_path, told.append, "cpu", "", {}
        )
        assert slice_.run(None)
        told.clear()
        monkeypatch.setattr(fitting, "REPORT_SECONDS", 0.0)
        slice_.finish()
        assert told

    def test_of_a_loss_that_is_no_number_says_what_to_do(self, base, tmp_path):
        good = task(base)
        bad = Poisoned(good.data, good.options, good.classes)
        with pytest.raises(MetricError, match="step 2 with a learning rate of 0.001"):
            fit(bad, tmp_path)

    def test_of_weights_that_became_useless_is_an_error_not_a_checkpoint(
        self, base, tmp_path
    ):
        good = task(base)
        bad = Diverging(good.data, good.options, good.classes)
        with pytest.raises(MetricError, match="not finite .* smaller rate"):
            fit(bad, tmp_path)
        assert not (tmp_path / MODEL).exists()

    def test_of_texts_that_teach_nothing_is_an_error_not_a_checkpoint(
        self, base, tmp_path
    ):
        good = task(base, epochs=0.5)
        bad = Mute(good.data, good.options, good.classes)
        with pytest.raises(MetricError, match="nothing can be learned from the"):
            fit(bad, tmp_path)
        assert not (tmp_path / MODEL).exists()


def test_the_rate_rises_then_falls():
    rates = [fitting._schedule((k + 1) / 100) for k in range(100)]
    assert np.argmax(rates) == 5 and max(rates) == pytest.approx(1)
    assert rates[0] < rates[3] and rates[-1] == 0.01 and min(rates) > 0


def test_the_rate_is_the_papers_for_wide_models_only(base):
    encoder = models.encoder(base, device="cpu", dtype="float32")
    network = heads.Reader(encoder, pooling="mean", outputs=1)
    assert fitting._width(network) == 16
    assert fitting.rate_of(Training(), 16) == 5e-4
    assert fitting.rate_of(Training(), 768) == 2e-5
    assert fitting.rate_of(Training(rate=0.1), 768) == 0.1
