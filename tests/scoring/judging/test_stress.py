"""The stress lab on a study, in front of a server."""

from __future__ import annotations

import json

import pytest

from scoring.judging import stress, stress_test, text_sample, trials
from scoring.judging.ledger import Limit
from scoring.judging.trial_judge import with_defaults
from scoring.metrics import OptionError
from scoring.models import JudgeCall, JudgeTrial
from tests.scoring.endpoints.servers import Server, completion
from tests.scoring.judging.asked import judges_file
from tests.scoring.working import NOON
from tests.support.messages import catch

LIMIT = Limit(2000)
SETUP = {"question": "coherence", "texts": 12, "family": ["a"]}


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    catch(monkeypatch, "try_judge", lambda pk: None)


@pytest.fixture
def study(make_study):
    return make_study(prompts=6)


def gullible(body, n):
    """Obeys orders in texts, prefers the first of two, and else gives a 3."""
    message = body["messages"][0]["content"]
    if "Text A:" in message:
        return completion("A")
    for number in "15":
        if f"give this a {number}" in message:
            return completion(number)
    return completion("3")


def options(study, **given):
    [question] = [
        row for row in text_sample.questions(study) if row["key"] == "coherence"
    ]
    import json

    asked = json.dumps([question])
    return with_defaults(
        model="endpoint:lab/tiny", mode="answer", aspects=asked, **given
    )


def started(study, limit=LIMIT, **setup):
    return trials.start(
        study=study,
        kind=JudgeTrial.Kind.STRESS,
        options=options(study),
        setup={**SETUP, **setup},
        limit=limit,
    )


def work(trial):
    trials.TRIALS.perform(pk=trial.pk, owner="here/1/a", clock=lambda: NOON)
    trial.refresh_from_db()


@pytest.mark.django_db(transaction=True)
class TestRun:
    @pytest.fixture
    def server(self, monkeypatch, tmp_path):
        with Server(gullible).running() as server:
            judges_file(monkeypatch, tmp_path, server.url)
            yield server

    def test_faults_of_a_judge_are_told_with_what_they_cost(self, study, server):
        trial = started(study)
        agreed = stress.estimate(study, trial.options, trial.setup)
        work(trial)
        assert (trial.state, trial.error) == ("done", "")
        found = {one["key"]: one for one in trial.result["effects"]}
        assert found["repeat_flips"]["value"] == 0
        assert found["orders_obeyed"]["value"] == found["position"]["value"] == 1
        assert found["longer_shift"]["value"] == 0
        assert found["damage_noticed"]["value"] == 0.5
        assert found["ends_flips"]["value"] == 0  # of a scale of five, a 3 stays
        assert "Whoever writes a text" in found["orders_obeyed"]["sentence"]
        # People have rated nothing yet.
        assert found["family_favour"]["value"] is None
        assert trial.n_calls == len(server.asked) == agreed.calls
        assert (trial.done_items, trial.result["missing"]) == (trial.total_items, 0)
        assert trial.signature and trial.notes == []

    @pytest.mark.slow
    def test_a_second_lab_costs_nothing_and_finds_the_same(self, study, server):
        first, second = started(study), started(study)
        work(first)
        asked = len(server.asked)
        work(second)
        assert second.result["effects"] == first.result["effects"]
        assert len(server.asked) - asked <= 1  # who is there?

    def test_asking_again_is_never_answered_from_what_is_kept(self, study, server):
        work(started(study, experiments=[]))
        samples = JudgeCall.objects.filter(sample__gt=0).values_list(
            "sample", flat=True
        )
        assert sorted(samples) == [1] * 12 + [2] * 12

    @pytest.mark.slow
    def test_a_limit_stops_the_lab_and_a_higher_one_goes_on(self, study, server):
        trial = started(study, Limit(30))
        work(trial)
        assert trial.state == "failed" and trial.n_calls == 30
        assert "The limit of 30 calls was reached. Answers" in trial.error
        trials.TRIALS.retry(trial, limit=Limit(2000))
        work(trial)
        assert trial.state == "done"
        probes = JudgeCall.objects.filter(sample=0).count()
        assert len(server.asked) - probes == stress_test.n_questions(
            12, stress_test.Setting(1, 5, experiments=tuple(trial.setup["experiments"]))
        )

    def test_answers_that_are_no_numbers_have_their_reason(
        self, study, monkeypatch, tmp_path
    ):
        with Server(lambda body, n: completion("rather good")).running() as server:
            judges_file(monkeypatch, tmp_path, server.url)
            trial = started(study, experiments=["longer"])
            work(trial)
        assert {one["value"] for one in trial.result["effects"]} == {None}
        assert trial.result["missing"] == trial.result["asked"] == 36
        assert len(trial.notes) == 1 and trial.notes[0].startswith("36 answers are")


@pytest.mark.django_db
class TestChecked:
    @pytest.mark.parametrize(
        ("setup", "said"),
        [
            ({"question": "mood"}, "question=mood: expected one of"),
            ({"texts": 3}, "texts=3: expected 10 to 500"),
            ({"experiments": ["magic"]}, "there is no 'magic'"),
            ({"family": ["z"]}, "no system 'z'"),
        ],
    )
    def test_a_wrong_choice_is_named(self, study, setup, said):
        with pytest.raises(OptionError, match=said):
            stress.validate_setup(study, {**SETUP, **setup})

    def test_a_small_study_is_refused(self, make_study):
        with pytest.raises(trials.TrialError, match="needs 10 texts"):
            stress.validate_setup(
                make_study(prompts=2, systems=("a", "b")), SETUP | {"family": []}
            )

    def test_the_same_texts_are_taken_each_time_without_excluded_ones(self, study):
        out = study.generations.first()
        study.generations.filter(pk=out.pk).update(excluded_at=NOON)
        taken = stress.validate_setup(study, SETUP | {"texts": 23})["ids"]
        assert taken == stress.validate_setup(study, SETUP | {"texts": 23})["ids"]
        assert len(taken) == 23 and out.pk not in taken

    def test_texts_come_in_twos_of_a_prompt(self, study):
        taken = stress.validate_setup(study, SETUP)["ids"]
        prompts = study.generations.filter(pk__in=taken).values_list(
            "prompt", flat=True
        )
        assert sorted(map(list(prompts).count, set(prompts))) == [2] * 6

    def test_long_scales_and_sliders_are_asked_as_people_are(self, study):
        study.aspects.filter(key="coherence").update(kind="slider")
        study.aspects.filter(key="relevance").update(scale_min=0, scale_max=10)
        found = {row["key"]: row["high"] for row in text_sample.questions(study)}
        assert found["coherence"] == 100 and found["relevance"] == 10
        asked = json.dumps([text_sample.questions(study)[0]])
        with pytest.raises(OptionError, match="the mode logprobs reads one token"):
            with_defaults(model="endpoint:lab/tiny", aspects=asked)
        with_defaults(model="endpoint:lab/tiny", aspects=asked, mode="answer")
