from __future__ import annotations

import os
import signal

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from evalapp.work import heartbeats
from scoring import training
from scoring.management.commands import score, train_metric
from scoring.models import Checkpoint, Chunk
from scoring.training import worker as training_worker
from scoring.training.work import TRAININGS
from tests.scoring.processes import PATIENCE, environment, is_alive, manage, wait_for
from tests.scoring.trained import begun, rated_study, reviews, weights, work

pytestmark = pytest.mark.usefixtures("trained_here")
State = Checkpoint.State


class Inline:
    """Stands for the supervised worker: does a slice at each tick."""

    deaths = 0

    def __init__(self, **options):
        self.stopped = False

    def tick(self, *, now):
        for chunk in Chunk.objects.filter(state=Chunk.State.QUEUED)[:1]:
            TRAININGS.perform(pk=chunk.pk, owner=heartbeats.me(), clock=timezone.now)

    def stop(self, *, now):
        Inline.last = self
        self.stopped = True


@pytest.fixture
def inline(monkeypatch):
    monkeypatch.setattr(train_metric, "Supervisor", Inline)
    monkeypatch.setattr(score, "LOOK_SECONDS", 0.0)


@pytest.fixture
def study(make_study):
    made = make_study()
    reviews(made)
    return made


def words(tiny, *more, **options):
    usual = {"base": tiny, "attribute": "verdict", "batch": 4, "held_out": 0.3}
    pairs = {**usual, "epochs": 1, "max_tokens": 16, **options}.items()
    said = [word for k, v in pairs for word in ("-o", f"{k}={v}")]
    return ["pupil", "--corpus", "reviews", *said, *more]


@pytest.mark.usefixtures("inline")
class TestCommand:
    def test_it_waits_to_the_end_and_tells_how_to_score(self, study, tiny, capsys):
        call_command("train_metric", *words(tiny))
        output = capsys.readouterr().out
        assert "accuracy: " in output
        assert "signature: pupil|training|" in output
        assert "score with --option model=checkpoint:ferry/pupil" in output
        assert Inline.last.stopped

    def test_of_several_studies_with_the_corpus_one_is_named(
        self, study, make_study, tiny
    ):
        reviews(make_study(name="lake"))
        with pytest.raises(CommandError, match="with a corpus 'reviews': ferry, lake"):
            call_command("train_metric", *words(tiny))
        call_command("train_metric", *words(tiny, "--study", "lake"))
        assert Checkpoint.objects.get().study.name == "lake"

    def test_it_learns_the_ratings_of_another_study(self, study, make_study, tiny):
        lake = rated_study(make_study, prompts=6)
        given = ["--ratings", "lake/coherence", "--name", "rated"]
        call_command("train_metric", *words(tiny, *given))
        made = Checkpoint.objects.get(name="rated")
        assert made.aspect == lake.aspects.get(key="coherence")

    @pytest.mark.parametrize(
        ("changed", "told"),
        [
            (["--study", "lake"], "no study 'lake'; there are: ferry"),
            (["--study", "ferry", "--corpus", "x"], 'no corpus "x"; there are: rev'),
            (["--corpus", "x"], "no study has a corpus with this name"),
            (["-o", "colour=red"], "unknown option colour"),
            (["-o", "colour"], "colour: expected NAME=VALUE"),
            (["--name", "a b"], "up to 64 letters"),
            (["--ratings", "ferry/mood"], "expected STUDY/ASPECT; aspects of ferry: c"),
        ],
    )
    def test_a_wrong_word_is_told_in_one_sentence(self, study, tiny, changed, told):
        with pytest.raises(CommandError, match=told):
            call_command("train_metric", *words(tiny, *changed))
        assert not Checkpoint.objects.exists()

    def test_without_a_corpus_the_study_is_asked_for(self, study):
        with pytest.raises(CommandError, match="--study: say which study"):
            call_command("train_metric", "pupil")

    def test_a_failed_training_ends_with_its_reason(self, study, tiny):
        with pytest.raises(CommandError, match="failed: the pupil will not") as caught:
            call_command("train_metric", *words(tiny, fails="user"))
        assert caught.value.returncode == 1

    def test_ctrl_c_cancels_and_the_same_command_goes_on(
        self, study, tiny, monkeypatch, capsys
    ):
        def interrupt(self, *, now):
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(Inline, "tick", interrupt)
            with pytest.raises(CommandError, match="run the same command") as caught:
                call_command("train_metric", *words(tiny))
        assert caught.value.returncode == 130
        assert Checkpoint.objects.get().state == State.CANCELLED
        call_command("train_metric", *words(tiny))
        assert Checkpoint.objects.get().state == State.DONE

    def test_it_gives_up_when_no_worker_lives_long_enough(
        self, study, tiny, monkeypatch
    ):
        monkeypatch.setattr(Inline, "tick", lambda self, now: None)
        monkeypatch.setattr(Inline, "deaths", 5)
        with pytest.raises(CommandError, match="keeps crashing; see .*log"):
            call_command("train_metric", *words(tiny))
        assert Checkpoint.objects.get().state == State.CANCELLED

    def test_a_log_gets_a_line_now_and_then(self, study, tiny, monkeypatch, capsys):
        monkeypatch.setattr(train_metric, "LINE_SECONDS", 0.0)
        call_command("train_metric", *words(tiny))
        told = capsys.readouterr().err
        assert "training: step 3 of 3, loss 0." in told
        assert "held-out loss 0." in told

    def test_a_terminal_gets_a_bar(self, study, tiny, monkeypatch, capsys):
        err = train_metric.sys.stderr
        monkeypatch.setattr(err, "isatty", lambda: True, raising=False)
        call_command("train_metric", *words(tiny))
        assert "training: 100%" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
class TestProcesses:
    """Real workers on the broker of folders, slices of a second."""

    @pytest.fixture
    def env(self, tmp_path):
        short = {"TRAINING_SLICE_SECONDS": "1", "OMP_NUM_THREADS": "1"}
        return {**environment(tmp_path), **short, "DEVICE": "cpu"}

    def test_kill_9_twice_ends_in_the_weights_of_one_that_nobody_killed(
        self, study, tiny, env
    ):
        whole = begun(study, tiny, name="whole", epochs=4, batch=4)
        work(whole)
        given = words(tiny, "--name", "killed", epochs=4, pause=0.1)
        with manage(env, "train_metric", *given) as command:
            first = kill_a_trainer(after=0)
            second = kill_a_trainer(after=3)
            output, _ = command.communicate(timeout=PATIENCE)
        assert command.returncode == 0, output
        assert first != second
        killed = Checkpoint.objects.get(name="killed")
        assert killed.chunks.count() > 2
        # A kill that comes just as a slice ends costs no attempt.
        attempts = sum(killed.chunks.values_list("attempt", flat=True))
        assert 0 <= attempts - killed.chunks.count() <= 2
        assert weights(killed) == weights(whole)
        assert [p["loss"] for p in killed.log] == [p["loss"] for p in whole.log]

    def test_ctrl_c_keeps_what_was_learned_and_leaves_no_process(
        self, study, tiny, env
    ):
        given = words(tiny, epochs=50, pause=0.1)
        with manage(env, "train_metric", *given) as command:
            worker = wait_for(lambda: training_pid(0))
            command.send_signal(signal.SIGINT)
            output, _ = command.communicate(timeout=PATIENCE)
        assert command.returncode == 130, output
        assert "run the same command to continue" in output
        assert "Traceback" not in output
        checkpoint = Checkpoint.objects.get()
        assert checkpoint.state == State.CANCELLED
        assert (training_worker.folder_of(checkpoint) / "state.pt").exists()
        assert not is_alive(worker)
        training.remove(checkpoint=checkpoint)


def training_pid(after: int) -> int | None:
    """The process of a worker that is in the middle of a slice, behind that step."""
    busy = Chunk.objects.filter(state=Chunk.State.RUNNING, done_items__gt=after).first()
    pid = int(busy.owner.split("/")[-2]) if busy else 0
    return pid if pid and is_alive(pid) else None


def kill_a_trainer(*, after: int) -> int:
    pid = wait_for(lambda: training_pid(after))
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not is_alive(pid))
    return pid
