"""Trials of judges in the database: asked for, done by workers, brought back."""

from __future__ import annotations

from datetime import timedelta

import pytest

from evalapp.work import leases, retries, tasks
from evalapp.work.kinds import Refused
from scoring import pulse
from scoring.judging import trials
from scoring.judging.ledger import Limit
from scoring.judging.trial_report import TrialError
from scoring.metrics import MetricError, OptionError
from scoring.models import JudgeTrial
from tests.scoring.judging.asked import judges_file
from tests.scoring.working import NOON
from tests.support.messages import catch

LATER = NOON + timedelta(minutes=10)
LIMIT = Limit(100, 2.5, "EUR")


@pytest.fixture(autouse=True)
def sent(monkeypatch) -> list[int]:
    """Ids of the trials that workers were woken up for."""
    found: list[int] = []
    catch(monkeypatch, "try_judge", found.append)
    return found


@pytest.fixture(autouse=True)
def file(monkeypatch, tmp_path):
    prices = {"price_in": 1.0, "price_out": 1.0, "currency": "EUR"}
    judges_file(monkeypatch, tmp_path, "http://127.0.0.1:9/v1", **prices)


@pytest.fixture
def doing(monkeypatch):
    """Let trials of pairs do this."""

    def do(kind):
        monkeypatch.setitem(trials.KINDS, "pairs", kind)
        monkeypatch.delitem(trials.CHECKS, "pairs", raising=False)

    do(lambda trial, report: {"found": trial.setup})
    return do


@pytest.fixture
def study(make_study, doing):
    return make_study()


def started(study, **options):
    options = {"model": "endpoint:lab/tiny", "mode": "answer", **options}
    return trials.start(
        study=study,
        kind="pairs",
        options=options,
        setup={"n": 3},
        limit=LIMIT,
        user=study.owner,
    )


def work(trial, *, owner="here/1/a", now=NOON):
    trials.TRIALS.perform(pk=trial.pk, owner=owner, clock=lambda: now)
    trial.refresh_from_db()


class TestStart:
    def test_it_wakes_a_worker_once_the_row_is_there(
        self, study, sent, django_capture_on_commit_callbacks
    ):
        with django_capture_on_commit_callbacks(execute=True):
            trial = started(study)
        assert sent == [trial.pk]

    def test_what_was_agreed_to_is_kept(self, study):
        trial = started(study)
        assert trial.agreed_at is not None
        assert (trial.most_calls, trial.most_cost, trial.currency) == (100, 2.5, "EUR")
        assert (trial.created_by, trial.setup) == (study.owner, {"n": 3})

    def test_options_left_out_are_as_usual(self, study):
        options = started(study).options
        assert (options["mode"], options["samples"]) == ("answer", 20)

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"model": "bundled:causal-nano"}, "asks a model behind an address"),
            ({"model": "endpoint:lab"}, "expected endpoint:NAME/MODEL"),
            ({"mode": "guess"}, "mode=guess"),
            ({"samples": 1}, "samples=1"),
        ],
    )
    def test_a_wrong_option_is_named(self, study, options, said):
        with pytest.raises(OptionError, match=said):
            started(study, **options)
        assert not JudgeTrial.objects.exists()

    @pytest.mark.parametrize(
        ("model", "said"),
        [
            ("endpoint:nowhere/tiny", "there is no endpoint nowhere; there are: lab"),
            ("endpoint:lab/huge", "does not offer the model huge; it offers: tiny"),
        ],
    )
    def test_only_what_the_operator_offers_is_asked(self, study, model, said):
        with pytest.raises(MetricError, match=said):
            started(study, model=model)

    def test_a_kind_that_there_is_not_is_refused(self, study):
        with pytest.raises(OptionError, match="kind=oracle: expected one of: pairs"):
            trials.start(study=study, kind="oracle", options={}, setup={}, limit=LIMIT)


class TestCompute:
    def test_the_result_is_kept_with_who_answered(self, study, doing):
        def find(trial, report):
            trial.signature, trial.notes = "judge|v:1", ["a note"]
            return {"share": 0.5}

        doing(find)
        trial = started(study)
        tasks.perform(JudgeTrial, trial.pk)
        trial.refresh_from_db()
        assert (trial.state, trial.result) == ("done", {"share": 0.5})
        assert (trial.signature, trial.notes) == ("judge|v:1", ["a note"])
        assert trial.started_at <= trial.finished_at

    def test_progress_is_in_the_row(self, study, doing):
        doing(lambda trial, report: report(2, 5) or {})
        trial = started(study)
        work(trial)
        assert (trial.done_items, trial.total_items) == (2, 5)

    @pytest.mark.parametrize("error", [MetricError, OptionError, TrialError])
    def test_what_a_user_can_cure_fails_at_once(self, study, doing, error):
        def fail(trial, report):
            raise error("check the variable LAB_KEY")

        doing(fail)
        trial = started(study)
        work(trial)
        assert (trial.state, trial.attempt) == ("failed", 1)
        assert trial.error == "check the variable LAB_KEY"

    def test_anything_else_is_tried_three_times(self, study, doing):
        doing(lambda trial, report: {}["odd"])
        trial = started(study)
        states = []
        for _ in range(3):
            work(trial)
            states.append(trial.state)
        assert states == ["queued", "queued", "failed"]

    def test_one_that_another_worker_has_is_left_alone(self, study):
        trial = started(study)
        leases.take(JudgeTrial.objects.all(), pk=trial.pk, owner="b", now=NOON)
        work(trial)
        assert (trial.state, trial.owner, trial.result) == ("running", "b", {})

    def test_one_that_was_cancelled_meanwhile_keeps_no_result(self, study, doing):
        def cancelled(trial, report):
            trials.TRIALS.cancel(JudgeTrial.objects.get(pk=trial.pk))
            return {"share": 0.5}

        doing(cancelled)
        trial = started(study)
        work(trial)
        assert (trial.state, trial.result) == ("cancelled", {})

    def test_a_worker_that_is_told_to_stop_gives_it_back(
        self, study, doing, monkeypatch
    ):
        monkeypatch.setattr(retries, "is_stopping", lambda: True)
        doing(lambda trial, report: report(0, 1) or {})
        trial = started(study)
        work(trial)
        assert (trial.state, trial.attempt) == ("queued", 0)


class TestAfterwards:
    def test_a_cancelled_one_can_be_tried_again(
        self, study, sent, django_capture_on_commit_callbacks
    ):
        trial = started(study)
        trials.TRIALS.cancel(trial)
        assert trial.state == "cancelled"
        with django_capture_on_commit_callbacks(execute=True):
            trials.TRIALS.retry(trial)
        assert (trial.state, trial.most_calls, sent[-1]) == ("queued", 100, trial.pk)

    def test_more_may_be_agreed_to(self, study):
        trial = started(study)
        trials.TRIALS.cancel(trial)
        trials.TRIALS.retry(trial, limit=Limit(500))
        assert (trial.most_calls, trial.most_cost) == (500, None)

    def test_one_that_is_done_stays_so(self, study):
        trial = started(study)
        work(trial)
        trials.TRIALS.cancel(trial)
        assert trial.state == "done"
        with pytest.raises(Refused, match="failed or was cancelled"):
            trials.TRIALS.retry(trial)

    def test_a_dead_worker_s_trial_is_queued_again_and_sent(self, study, sent):
        trial = started(study)
        leases.take(JudgeTrial.objects.all(), pk=trial.pk, owner="a", now=NOON)
        pulse.reap(now=LATER)
        trial.refresh_from_db()
        assert (trial.state, sent) == ("queued", [trial.pk])
