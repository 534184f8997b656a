from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection

from evalapp import storage
from evalapp.work import leases, retries, tasks
from scoring import metrics, pulse, runs, training
from scoring.metrics._learning.training import Step
from scoring.models import Checkpoint, Chunk, MetricRun, Score
from scoring.runs import loading
from scoring.training import worker as training_worker
from scoring.training.work import TRAININGS
from tests.annotation.seating import in_threads
from tests.scoring import working
from tests.scoring.trained import begun, slice_of, weights, work
from tests.scoring.working import NOON

pytestmark = pytest.mark.usefixtures("trained_here")
State = Checkpoint.State
ME, RIVAL = "here/1/a", "there/1/b"


@pytest.fixture
def study(make_study):
    return make_study()


@pytest.fixture
def short_slices(monkeypatch):
    """Each slice takes one step, and tells of it."""
    from scoring.metrics._learning import fitting

    monkeypatch.setattr(fitting, "REPORT_SECONDS", 0.0)
    monkeypatch.setattr(training_worker, "_seconds_left", lambda started: 0.0)


@pytest.fixture
def first_told(monkeypatch):
    """What happens when a slice first tells how far it is."""
    waiting = []
    real = training_worker.Report.__call__

    def told(report, step):
        if waiting:
            waiting.pop()()
        real(report, step)

    monkeypatch.setattr(training_worker.Report, "__call__", told)
    return waiting.append


class TestSlices:
    def test_a_training_ends_in_a_checkpoint(self, study, tiny):
        checkpoint = begun(study, tiny)
        assert work(checkpoint) == 1
        assert (checkpoint.state, checkpoint.error) == (State.DONE, "")
        assert (checkpoint.started_at, checkpoint.finished_at) == (NOON, NOON)
        assert checkpoint.step == checkpoint.steps > 3
        assert checkpoint.card["figures"]["n"] > 0
        assert checkpoint.signature.startswith("pupil|training|")
        assert checkpoint.log[0].keys() == {
            *("stage", "step", "loss", "held_out", "seconds")
        }
        assert len(checkpoint.log) == checkpoint.steps
        assert not training_worker.folder_of(checkpoint).exists()

    def test_slices_follow_each_other_and_end_in_the_same_weights(
        self, study, tiny, short_slices, monkeypatch
    ):
        parts = begun(study, tiny, name="parts")
        assert work(parts) == parts.steps
        assert [one.index for one in parts.chunks.all()] == list(range(parts.steps))
        steps = [one.details["step"] for one in parts.chunks.all()]
        assert steps == list(range(1, parts.steps + 1))
        monkeypatch.setattr(training_worker, "_seconds_left", lambda started: None)
        whole = begun(study, tiny, name="whole")
        assert work(whole) == 1
        assert weights(parts) == weights(whole) != {}
        assert _curve(parts) == _curve(whole)

    def test_while_it_goes_on_its_row_tells_how_far_it_is(
        self, study, tiny, short_slices
    ):
        checkpoint = begun(study, tiny)
        assert slice_of(checkpoint) == checkpoint.chunks.last().pk
        assert (checkpoint.state, checkpoint.step) == (State.RUNNING, 1)
        assert checkpoint.loss and checkpoint.held_out_loss
        first, second = checkpoint.chunks.all()
        assert (first.state, first.done_items) == (Chunk.State.DONE, 1)
        assert (second.state, second.sent_at) == (Chunk.State.QUEUED, None)

    def test_a_slice_is_done_once(self, study, tiny, short_slices):
        checkpoint = begun(study, tiny)
        slice_of(checkpoint)
        first = checkpoint.chunks.first()
        TRAININGS.perform(pk=first.pk, owner=RIVAL, clock=lambda: NOON)
        assert checkpoint.chunks.count() == 2

    def test_scoring_gets_its_turn_between_slices(
        self, study, tiny, sent, short_slices, django_capture_on_commit_callbacks
    ):
        """One worker that takes the messages in their order."""
        with django_capture_on_commit_callbacks(execute=True):
            checkpoint = begun(study, tiny)
            run = runs.start(study=study, metric="letters", options={})
        order = []
        while sent:
            order.append(sent.pop(0))
            with django_capture_on_commit_callbacks(execute=True):
                tasks.perform(Chunk, order[-1])
        first, second, *_ = checkpoint.chunks.values_list("pk", flat=True)
        assert order[:3] == [first, run.chunks.get().pk, second]
        checkpoint.refresh_from_db()
        run.refresh_from_db()
        assert (checkpoint.state, run.state) == (State.DONE, MetricRun.State.DONE)
        assert not Chunk.objects.filter(sent_at=None).exists()

    def test_the_study_is_scored_with_what_was_trained(self, study, tiny):
        checkpoint = begun(study, tiny)
        work(checkpoint)
        run = runs.start(study=study, metric="pupil", options={"model": checkpoint.key})
        working.work(run)
        assert run.state == MetricRun.State.DONE, run.error
        assert Score.objects.exclude(value=None).count() == study.generations.count()
        assert "checkpoint:" not in run.signature.text

    def test_another_training_under_the_same_name_is_loaded_anew(self, study, tiny):
        signatures = []
        for seed in (1, 2):
            checkpoint = begun(study, tiny, seed=seed)
            work(checkpoint)
            options = {"model": checkpoint.key}
            signatures.append(loading.load(metric="pupil", options=options).signature)
            training.remove(checkpoint=checkpoint)
            storage.delete(checkpoint.stored_as)
        assert signatures[0] != signatures[1]


class TestErrors:
    def test_what_a_user_can_cure_ends_it_at_once(self, study, tiny):
        checkpoint = begun(study, tiny, fails="user")
        slice_of(checkpoint)
        assert checkpoint.state == State.FAILED
        assert checkpoint.error == "the pupil will not learn: choose another"
        assert checkpoint.finished_at == NOON

    def test_anything_else_is_tried_three_times(self, study, tiny):
        checkpoint = begun(study, tiny, fails="bug")
        for _ in range(2):
            slice_of(checkpoint)
            assert checkpoint.state == State.RUNNING
        slice_of(checkpoint)
        assert checkpoint.state == State.FAILED
        told = "ZeroDivisionError: the pupil fell ill (3 attempts)"
        assert checkpoint.error == told

    def test_a_metric_that_is_gone_is_told(self, study, tiny):
        checkpoint = begun(study, tiny)
        Checkpoint.objects.update(metric="letters")
        slice_of(checkpoint)
        assert "letters cannot be trained" in checkpoint.error

    def test_of_a_folder_only_the_name_is_shown(self, study, tiny, tmp_path):
        checkpoint = begun(study, tiny)
        gone = tmp_path / "models" / "gone"
        Checkpoint.objects.update(options=checkpoint.options | {"base": str(gone)})
        slice_of(checkpoint)
        assert checkpoint.state == State.FAILED
        assert str(tmp_path) not in checkpoint.error


class TestInterruptions:
    def test_a_cancelled_one_keeps_what_it_learned_and_goes_on_to_the_same_end(
        self, study, tiny, short_slices, first_told
    ):
        whole = begun(study, tiny, name="whole")
        work(whole)
        checkpoint = begun(study, tiny, name="cancelled")
        for _ in range(3):
            slice_of(checkpoint)
        first_told(lambda: training.cancel(checkpoint=checkpoint))
        assert slice_of(checkpoint) is None
        assert (checkpoint.state, checkpoint.step) == (State.CANCELLED, 3)
        training.retry(checkpoint=checkpoint)
        work(checkpoint)
        assert checkpoint.state == State.DONE
        assert weights(checkpoint) == weights(whole)

    def test_a_worker_that_is_told_to_stop_gives_its_slice_back(
        self, study, tiny, first_told
    ):
        checkpoint = begun(study, tiny)
        first_told(retries.stop)
        slice_of(checkpoint)
        (chunk,) = checkpoint.chunks.all()
        assert (chunk.state, chunk.attempt) == (Chunk.State.QUEUED, 0)
        assert checkpoint.state == State.RUNNING

    def test_one_that_comes_back_after_its_lease_finds_all_done(
        self, study, tiny, first_told
    ):
        checkpoint = begun(study, tiny)

        def sleep_too_long():
            Chunk.objects.update(lease_until=NOON)
            pulse.reap(now=NOON)
            assert slice_of(checkpoint, owner=RIVAL) is None
            assert checkpoint.state == State.DONE

        first_told(sleep_too_long)
        TRAININGS.perform(pk=checkpoint.chunks.get().pk, owner=ME, clock=lambda: NOON)
        checkpoint.refresh_from_db()
        assert (checkpoint.state, checkpoint.chunks.get().owner) == (State.DONE, RIVAL)
        assert weights(checkpoint)

    def test_one_that_was_taken_over_in_the_middle_queues_nothing(
        self, study, tiny, first_told, short_slices
    ):
        checkpoint = begun(study, tiny)

        def sleep_too_long():
            Chunk.objects.update(lease_until=NOON)
            pulse.reap(now=NOON)
            slice_of(checkpoint, owner=RIVAL)

        first_told(sleep_too_long)
        first = checkpoint.chunks.get().pk
        assert TRAININGS.perform(pk=first, owner=ME, clock=lambda: NOON)
        assert checkpoint.chunks.count() == 2
        work(checkpoint)
        whole = begun(study, tiny, name="whole")
        work(whole)
        assert weights(checkpoint) == weights(whole)

    def test_one_that_died_right_after_the_end_needs_no_more_training(
        self, study, tiny, monkeypatch
    ):
        checkpoint = begun(study, tiny)
        work(checkpoint)
        Checkpoint.objects.update(state=State.RUNNING, card={}, finished_at=None)
        Chunk.objects.update(state=Chunk.State.QUEUED, attempt=1)
        pupil = metrics.get("pupil")
        monkeypatch.setattr(pupil, "train", lambda *a, **k: pytest.fail("trained"))
        slice_of(checkpoint)
        assert (checkpoint.state, checkpoint.card["metric"]) == (State.DONE, "pupil")

    def test_one_that_was_cancelled_at_the_very_end_publishes_nothing(
        self, study, tiny, monkeypatch
    ):
        checkpoint, keep = begun(study, tiny), storage.keep

        def keep_and_cancel(name, path):
            keep(name, path)
            training.cancel(checkpoint=checkpoint)

        monkeypatch.setattr(storage, "keep", keep_and_cancel)
        slice_of(checkpoint)
        assert checkpoint.state == State.CANCELLED
        assert storage.find(checkpoint.stored_as) is None

    def test_what_another_database_left_under_its_name_is_not_gone_on_with(
        self, study, tiny
    ):
        checkpoint = begun(study, tiny)
        for place in (
            storage.local(checkpoint.stored_as),
            training_worker.folder_of(checkpoint),
        ):
            (place / "model").mkdir(parents=True)
        work(checkpoint)
        assert checkpoint.state == State.DONE
        assert weights(checkpoint)

    def test_one_that_was_deleted_meanwhile_leaves_no_trace(
        self, study, tiny, first_told, django_capture_on_commit_callbacks
    ):
        checkpoint = begun(study, tiny)

        def delete():
            training.cancel(checkpoint=checkpoint)
            with django_capture_on_commit_callbacks(execute=True):
                training.remove(checkpoint=checkpoint)

        first_told(delete)
        chunk = checkpoint.chunks.get()
        TRAININGS.perform(pk=chunk.pk, owner=ME, clock=lambda: NOON)
        assert not Checkpoint.objects.exists()
        assert not [one for one in storage.below("checkpoints") if "safetensors" in one]


@pytest.mark.django_db(transaction=True)
def test_no_row_is_locked_while_the_checkpoint_is_published(study, tiny, monkeypatch):
    publish, locked = training_worker._publish, []

    def noted(*places):
        locked.append(connection.in_atomic_block)
        publish(*places)

    monkeypatch.setattr(training_worker, "_publish", noted)
    checkpoint = begun(study, tiny)
    work(checkpoint)
    assert (checkpoint.state, locked) == (State.DONE, [False])


@pytest.mark.django_db(transaction=True)
def test_two_workers_share_the_slices(study, tiny, short_slices):
    checkpoint = begun(study, tiny)

    def at_it(number):
        for _ in range(200):
            queued = Chunk.objects.filter(state=Chunk.State.QUEUED)
            for chunk in queued:
                TRAININGS.perform(
                    pk=chunk.pk, owner=f"here/{number}/a", clock=lambda: NOON
                )
            if Checkpoint.objects.filter(state=State.DONE).exists():
                return
            training_worker.time.sleep(0.05)

    in_threads(2, at_it)
    checkpoint.refresh_from_db()
    assert checkpoint.state == State.DONE
    assert checkpoint.chunks.count() == checkpoint.steps
    assert set(checkpoint.chunks.values_list("attempt", flat=True)) == {1}


class TestReport:
    @pytest.fixture
    def report(self, study, tiny):
        begun(study, tiny)
        Checkpoint.objects.update(state=State.RUNNING)
        chunk = Chunk.objects.get()
        taken = leases.take(Chunk.objects.all(), pk=chunk.pk, owner=ME, now=NOON)
        return training_worker.Report(taken, lambda: NOON)

    def test_each_look_at_what_is_held_out_is_a_point(self, report):
        for step, loss, held_out in ((1, 0.9, None), (2, 0.8, 0.7), (3, 0.7, 0.7)):
            report(Step("training", step, 100, loss, held_out, step))
        report(Step("training", 4, 100, 0.6, 0.5, 4.0))
        row = Checkpoint.objects.get()
        points = [(p["step"], p["loss"], p["held_out"]) for p in row.log]
        assert points == [(2, 0.8, 0.7), (4, 0.6, 0.5)]

    def test_without_any_a_twentieth_is_one(self, report):
        for step in range(1, 13):
            report(Step("training", step, 100, 0.5, None, step))
        assert [p["step"] for p in Checkpoint.objects.get().log] == [5, 10]

    def test_after_a_kill_the_curve_goes_on_where_the_training_does(self, report):
        report.checkpoint.log = [{"stage": "before", "step": 9, "held_out": None}]
        for step, held_out in ((10, 0.9), (20, 0.8), (30, 0.7), (25, 0.8), (30, 0.7)):
            report(Step("training", step, 100, 0.5, held_out, step))
        log = Checkpoint.objects.get().log
        assert [p["step"] for p in log] == [9, 10, 20, 30]

    def test_reading_what_was_kept_does_not_set_it_back(self, report):
        report(Step("training", 7, 10, 0.5, 0.4, 7.0))
        report(Step("training", 0, 10))
        report.save()
        assert Checkpoint.objects.get().step == 7

    def test_it_renews_the_lease(self, report):
        later = NOON + timedelta(seconds=60)
        report.clock = lambda: later
        report(Step("training", 1, 10))
        assert Chunk.objects.get().lease_until > later


def _curve(checkpoint):
    return [(p["step"], p["loss"], p["held_out"]) for p in checkpoint.log]
