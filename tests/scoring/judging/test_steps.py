"""Evaluation steps that a judge writes: in the database, within a limit, once."""

from __future__ import annotations

import pytest

from scoring.judging import steps, trials
from scoring.judging.ledger import Limit
from scoring.metrics import OptionError
from scoring.metrics.judge import rubric
from tests.scoring.endpoints.servers import completion, message_of
from tests.scoring.judging.asked import served, work
from tests.support.messages import catch

pytestmark = pytest.mark.django_db(transaction=True)

LIMIT = Limit(20)
ASPECTS = "fluency: How fluent?\ntopic: How apt?"
LIST = "1. Read the text.\n2. Count mistakes."


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    catch(monkeypatch, "try_judge", lambda pk: None)


@pytest.fixture
def study(make_study):
    return make_study()


def started(study, limit=LIMIT, **options):
    return trials.start(
        study=study,
        kind=steps.KIND,
        options={"model": "endpoint:lab/tiny", "aspects": ASPECTS, **options},
        setup={"given": {}, "sets": []},
        limit=limit,
        user=study.owner,
    )


def writing(body, n):
    if "nothing else" in message_of(body) and "Write the steps" not in message_of(body):
        return completion("1")
    return completion(f"<think>So.</think>{LIST}")


def test_each_question_gets_steps_and_no_text_is_sent(study, monkeypatch, tmp_path):
    with served(monkeypatch, tmp_path, writing) as server:
        trial = work(started(study))
    assert trial.result == {
        "steps": {"fluency": LIST, "topic": LIST},
        "answered": "tiny (fp_1)",
    }
    assert (trial.n_calls, trial.done_items, trial.total_items) == (3, 2, 2)
    sent = "".join(map(message_of, server.asked))
    texts = study.generations.values_list("text", flat=True)
    assert "How fluent?" in sent and not any(text in sent for text in texts)


def test_the_option_takes_them(study, monkeypatch, tmp_path):
    with served(monkeypatch, tmp_path, writing):
        trial = work(started(study))
    asked = steps.questions(trial.options)
    assert rubric.steps(steps.as_option(trial), asked) == steps.current(trial)


def test_the_estimate_is_what_it_takes_if_nothing_fails(study, monkeypatch, tmp_path):
    with served(monkeypatch, tmp_path, writing):
        trial = started(study)
        assert steps.estimate(trial.options, study).calls == 3
        assert work(trial).n_calls == 3


def test_written_again_they_are_the_same_and_cost_one_test_question(
    study, monkeypatch, tmp_path
):
    with served(monkeypatch, tmp_path, writing) as server:
        first = work(started(study))
        again = work(started(study))
    assert again.result == first.result
    assert (again.n_calls, again.n_kept, len(server.asked)) == (1, 2, 4)


def test_it_stops_at_its_limit_and_keeps_what_came(study, monkeypatch, tmp_path):
    with served(monkeypatch, tmp_path, writing) as server:
        trial = work(started(study, Limit(2)))
        assert trial.state == "failed"
        assert trial.error.startswith("The limit of 2 calls was reached.")
        trials.TRIALS.retry(trial, limit=Limit(10))
        trial = work(trial)
        assert trial.state == "done", trial.error
    assert len(server.asked) == 3


def test_a_judge_that_refuses_is_quoted(study, monkeypatch, tmp_path):
    def reply(body, n):
        if "Write the steps" in message_of(body):
            return completion("", refusal="I will not.")
        return completion("1")

    with served(monkeypatch, tmp_path, reply):
        trial = work(started(study))
    assert (trial.state, trial.result) == ("failed", {})
    assert "no steps were written for fluency: the model refused" in trial.error


def test_what_cannot_be_stored_is_left_out(study, monkeypatch, tmp_path):
    with served(monkeypatch, tmp_path, "1. Read\0 it."):
        trial = work(started(study, aspects="a: How good?"))
    assert trial.result["steps"] == {"a": "1. Read it."}


class TestEdit:
    @pytest.fixture
    def trial(self, study, monkeypatch, tmp_path):
        with served(monkeypatch, tmp_path, writing):
            return work(started(study))

    def test_own_words_stand_beside_those_of_the_judge(self, trial):
        steps.edit(trial=trial, steps={"fluency": "Look.", "topic": LIST})
        trial.refresh_from_db()
        assert steps.current(trial) == {"fluency": "Look.", "topic": LIST}
        assert steps.replaced(trial) == [("How fluent?", LIST)]
        assert steps.as_option(trial) == f"fluency:\nLook.\n\ntopic:\n{LIST}"

    def test_what_the_option_would_not_take_is_refused(self, trial):
        wrong = {"fluency": "topic:\nLook.", "topic": LIST}
        with pytest.raises(OptionError, match="the line topic: appears twice"):
            steps.edit(trial=trial, steps=wrong)
        trial.refresh_from_db()
        assert "edited" not in trial.result
