"""Trials that stopped at their limit go on where it is raised, and only there."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scoring.judging import (
    anchor_sets,
    budget,
    judge_votes,
    steps,
    trials,
    usage_report,
)
from scoring.judging.ledger import Limit, LimitError
from scoring.judging.trial_report import TrialError
from scoring.models import AnchorSet, JudgeTrial
from tests.scoring.endpoints.servers import completion
from tests.scoring.judging.asked import longest, served, started, work
from tests.support.messages import catch

FEW, ENOUGH = Limit(5), Limit(100)


@pytest.fixture(autouse=True)
def sent(monkeypatch) -> list[int]:
    found: list[int] = []
    catch(monkeypatch, "try_judge", found.append)
    return found


def stopped(study, **fields) -> JudgeTrial:
    """A trial as a worker leaves it at its limit."""
    trial = started(study, limit=FEW)
    said = "The limit of 5 calls was reached. Raise it."
    changed = {"state": "failed", "error": said, "n_calls": 5, **fields}
    JudgeTrial.objects.filter(pk=trial.pk).update(**changed)
    trial.refresh_from_db()
    return trial


@pytest.fixture
def file(monkeypatch, tmp_path):
    with served(monkeypatch, tmp_path, "1") as server:
        yield server


@pytest.fixture
def study(make_study, file):
    return make_study()


class TestRaise:
    def test_it_is_queued_with_the_new_limit_and_what_was_spent(
        self, study, sent, django_capture_on_commit_callbacks
    ):
        trial = stopped(study)
        with django_capture_on_commit_callbacks(execute=True):
            budget.raise_trial_limit(trial=trial, limit=ENOUGH, user=None)
        assert (trial.state, trial.error, trial.n_calls) == ("queued", "", 5)
        assert (trial.most_calls, sent[-1]) == (100, trial.pk)

    def test_pairs_that_ended_with_gaps_go_on_and_keep_their_verdicts(self, study):
        notes = ["The limit of 5 calls was reached, so 2 of 4 pairs", "Mind the gap."]
        result = {"verdicts": []}
        trial = stopped(study, state="done", error="", notes=notes, result=result)
        budget.raise_trial_limit(trial=trial, limit=ENOUGH, user=None)
        assert (trial.state, trial.notes) == ("queued", notes[1:])
        for state in ("queued", "running", "failed", "cancelled"):
            JudgeTrial.objects.update(state=state, error="nobody answers")
            trial.refresh_from_db()
            assert trial.result == result and not usage_report.reached(trial)
            assert judge_votes.names(study=study) == [judge_votes.name(trial)]

    @pytest.mark.parametrize("limit", [Limit(4), FEW])
    def test_one_that_is_no_higher_is_refused(self, study, limit):
        trial = stopped(study)
        with pytest.raises(LimitError, match="expected a limit above the 5 calls"):
            budget.raise_trial_limit(trial=trial, limit=limit, user=None)
        trial.refresh_from_db()
        assert (trial.state, trial.most_calls) == ("failed", 5)

    def test_money_is_not_limited_where_it_was_not(self, study):
        with pytest.raises(LimitError, match="no spending limit before"):
            budget.raise_trial_limit(
                trial=stopped(study), limit=Limit(100, 5.0), user=None
            )

    @pytest.mark.parametrize(
        "fields", [{"error": "the key was refused"}, {"state": "queued"}]
    )
    def test_what_did_not_stop_at_its_limit_is_left_alone(self, study, fields):
        trial = stopped(study, **fields)
        with pytest.raises(TrialError, match="stopped at its limit"):
            budget.raise_trial_limit(trial=trial, limit=ENOUGH, user=None)


class TestAnchors:
    @pytest.fixture
    def held(self, study):
        texts = [{"id": n, "digest": "", "prompt": n, "human": 1} for n in range(3)]
        return anchor_sets.freeze(
            study=study,
            options={"model": "endpoint:lab/tiny", "aspects": "a: Good?"},
            texts=texts,
            looks=3,
            limit=FEW,
        )

    @pytest.fixture
    def trial(self, held):
        said = {"state": "failed", "error": "The limit of 5 calls was reached."}
        JudgeTrial.objects.update(**said, n_calls=5)
        return JudgeTrial.objects.get()

    def test_the_limit_holds_for_later_rounds_too(self, held, trial):
        budget.raise_trial_limit(trial=trial, limit=ENOUGH, user=None)
        held.refresh_from_db()
        assert (held.most_calls, trial.most_calls, trial.state) == (100, 100, "queued")

    def test_the_anchors_are_locked_before_the_trial_as_retrying_does(self, trial):
        with CaptureQueriesContext(connection) as asked:
            budget.raise_trial_limit(trial=trial, limit=ENOUGH, user=None)
        read = [one["sql"] for one in asked if one["sql"].startswith("SELECT")]
        assert 'FROM "scoring_anchorset"' in read[0]

    def test_anchors_that_have_ended_stay_so(self, held, trial):
        anchor_sets.end(anchors=held)
        with pytest.raises(TrialError, match="these anchors have ended"):
            budget.raise_trial_limit(trial=trial, limit=ENOUGH, user=None)
        assert AnchorSet.objects.get().most_calls == 5

    def test_only_the_last_round_goes_on(self, held, trial):
        anchor_sets.ask(anchors=held)
        with pytest.raises(TrialError, match="a later round has started"):
            budget.raise_trial_limit(trial=trial, limit=ENOUGH, user=None)


@pytest.mark.django_db(transaction=True)
class TestWorkers:
    """With a judge: nothing is asked twice."""

    def test_pairs(self, make_study, monkeypatch, tmp_path):
        study = make_study()
        with served(monkeypatch, tmp_path, longest, calls_at_once=1) as server:
            trial = work(started(study, n=4, limit=FEW))
            assert trial.notes[0].startswith("The limit of 5 calls was reached, so 2")
            budget.raise_trial_limit(trial=trial, limit=ENOUGH, user=None)
            trial = work(trial)
            verdicts = trial.result["verdicts"]
            assert all(one["outcome"] is not None for one in verdicts)
            assert (trial.state, trial.notes) == ("done", [])
            assert len(server.asked) == trial.n_calls == 1 + 2 * 4

    def test_steps_and_money(self, make_study, monkeypatch, tmp_path):
        prices = {"price_in": 1.0, "price_out": 1000.0}
        with served(monkeypatch, tmp_path, lambda *_: completion("1. Look."), **prices):
            trial = trials.start(
                study=make_study(),
                kind=steps.KIND,
                options={"model": "endpoint:lab/tiny", "aspects": "a: Good?"},
                setup={"given": {}, "sets": []},
                limit=Limit(20, 0.6),
            )
            trial = work(trial)
            assert trial.state == "failed"
            assert trial.error.startswith(
                "The limit of 0.6 USD was reached, because the next call might have"
            )
            budget.raise_trial_limit(trial=trial, limit=Limit(20, 5.0), user=None)
            assert work(trial).state == "done", trial.error
