"""Anchors of a study: frozen, asked again, compared."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.template import Context, Template

from annotation import studies
from annotation.models import Annotation, Generation, Import, Prompt
from scoring.judging import anchor_sets, anchors, text_sample, trials
from scoring.judging.ledger import Limit
from scoring.judging.trial_judge import with_defaults
from scoring.metrics import OptionError
from scoring.models import AnchorSet, JudgeCall, JudgeTrial
from tests.scoring.endpoints.servers import Server, completion
from tests.scoring.judging.asked import judges_file
from tests.scoring.working import NOON
from tests.support.looking import twice
from tests.support.messages import catch

MODEL = "endpoint:lab/tiny"


class Mood:
    """A judge whose mean moves; it gives a text one of three numbers."""

    def __init__(self) -> None:
        self.higher = 0

    def __call__(self, body, n):
        message = body["messages"][0]["content"]
        own = 1 + sum(map(ord, message)) % 3
        return completion(str(own + self.higher))


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    catch(monkeypatch, "try_judge", lambda pk: None)


@pytest.fixture
def mood():
    return Mood()


@pytest.fixture
def server(mood, monkeypatch, tmp_path):
    with Server(mood).running() as server:
        judges_file(monkeypatch, tmp_path, server.url)
        yield server


@pytest.fixture
def study(make_study):
    return make_study(prompts=8)


def rated(study) -> None:
    """Half of the texts, by people of a file."""
    made = Import.objects.create(study=study, format="csv", file_name="r", sha256="0")
    aspect = study.aspects.get(key="coherence")
    for k, text in enumerate(study.generations.order_by("pk")[:16]):
        Annotation.objects.create(
            imported=made,
            rater=f"r{k}",
            aspect=aspect,
            generation=text,
            value=1 + k % 5,
            updated_at=NOON,
        )


def frozen(study, looks=3, n=20) -> AnchorSet:
    [question] = [
        one for one in text_sample.questions(study) if one["key"] == "coherence"
    ]
    return anchor_sets.freeze(
        study=study,
        options=with_defaults(
            model=MODEL, mode="answer", aspects=json.dumps([question])
        ),
        texts=anchors.draw_anchors(study, "coherence", n),
        looks=looks,
        limit=Limit(100),
    )


def work(day: int = 0) -> JudgeTrial:
    trial = JudgeTrial.objects.order_by("pk").last()
    now = NOON + timedelta(days=day)
    trials.TRIALS.perform(pk=trial.pk, owner="here/1/a", clock=lambda: now)
    trial.refresh_from_db()
    return trial


@pytest.mark.django_db(transaction=True)
class TestAskings:
    def test_a_judge_that_answers_the_same_is_not_marked(self, study, server):
        held = frozen(study)
        assert work().state == "done"
        anchor_sets.ask(anchors=held)
        assert work(30).state == "done"
        first, second = anchors.history(held)
        assert first.look is None and first.n == second.n == 20
        assert second.look.mean.value == 0
        assert anchors.drifts_in(study) == {}

    def test_a_judge_that_has_changed_is_marked_with_the_date(
        self, study, server, mood
    ):
        held = frozen(study)
        work()
        mood.higher = 1
        anchor_sets.ask(anchors=held)
        work(30)
        anchor_sets.ask(anchors=held)
        work(60)
        said = anchors.drifts_in(study)[MODEL]
        assert said.startswith("This judge’s mean has changed by +1.00 points")
        assert said.endswith(f" since {(NOON + timedelta(days=30)):%-d %B %Y}.")
        page = Template("{% load judges %}{% judge_changes study %}")
        assert said in page.render(Context({"study": study}))
        mood.higher = 0
        anchor_sets.ask(anchors=held)
        work(90)
        assert anchors.drifts_in(study) == {}  # it is as it was

    def test_each_asking_has_answers_of_its_own(self, study, server):
        held = frozen(study)
        work()
        anchor_sets.ask(anchors=held)
        work()
        samples = JudgeCall.objects.filter(sample__gt=0).values_list(
            "sample", flat=True
        )
        assert sorted(samples) == [3] * 20 + [4] * 20

    def test_a_study_that_is_deleted_takes_no_round_with_it(
        self, study, server, make_study
    ):
        other = make_study(name="other", prompts=8)
        frozen(other)
        work()
        held = frozen(study)
        work()
        long_ago = NOON - timedelta(days=60)
        studies.delete(study=other, typed="other", user=None, now=long_ago)
        twice(studies.purge, now=NOON)
        anchor_sets.ask(anchors=held)
        trial = work()
        assert (trial.state, trial.n_kept) == ("done", 0)

    def test_a_text_that_has_changed_is_left_out_and_said(self, study, server):
        held = frozen(study)
        work()
        text = Generation.objects.get(pk=held.texts[0]["id"])
        Prompt.objects.filter(pk=text.prompt_id).update(source="Something new")
        changed = sum(one["prompt"] == text.prompt_id for one in held.texts)
        anchor_sets.ask(anchors=held)
        trial = work()
        assert trial.result["gone"] == changed > 0
        assert anchors.history(held)[1].n == 20 - changed

    def test_no_look_is_taken_beyond_the_plan(self, study, server):
        held = frozen(study, looks=1)
        work()
        anchor_sets.ask(anchors=held)
        work()
        with pytest.raises(trials.TrialError, match="all 1 planned repeats"):
            anchor_sets.ask(anchors=held)


@pytest.mark.django_db
class TestFreezing:
    @pytest.fixture(autouse=True)
    def file(self, monkeypatch, tmp_path):
        judges_file(monkeypatch, tmp_path, "http://127.0.0.1:9/v1")

    def test_rated_texts_come_first_with_what_people_gave(self, study):
        rated(study)
        found = anchors.draw_anchors(study, "coherence", 20)
        known = [one["human"] for one in found if one["human"] is not None]
        assert len(found) == 20 and len(known) == 16
        assert set(known) == {1.0, 2.0, 3.0, 4.0, 5.0}
        assert len({one["digest"] for one in found}) == 20

    def test_anchors_that_were_asked_about_in_other_words_are_asked_no_more(
        self, study
    ):
        held = frozen(study)
        rows = JudgeTrial.objects.filter(setup__anchors=held.pk)
        rows.update(state="done", signature="llm_judge|mode:answer|v:2")
        with pytest.raises(trials.TrialError, match="in other words since"):
            anchor_sets.ask(anchors=held)

    def test_one_asking_at_a_time(self, study):
        held = frozen(study)
        with pytest.raises(trials.TrialError, match="already"):
            anchor_sets.ask(anchors=held)

    def test_anchors_that_ended_are_not_asked(self, study):
        held = frozen(study)
        anchor_sets.end(anchors=held)
        with pytest.raises(trials.TrialError, match="have ended"):
            anchor_sets.ask(anchors=held)

    def test_a_failed_asking_is_not_tried_again_once_there_is_a_later_one(self, study):
        held = frozen(study)
        JudgeTrial.objects.update(state=JudgeTrial.State.FAILED)
        first = JudgeTrial.objects.get()
        anchor_sets.ask(anchors=held)
        with pytest.raises(trials.TrialError, match="a later round has started"):
            trials.TRIALS.retry(first)

    def test_nor_once_the_anchors_have_ended(self, study):
        held = frozen(study)
        JudgeTrial.objects.update(state=JudgeTrial.State.FAILED)
        anchor_sets.end(anchors=held)
        with pytest.raises(trials.TrialError, match="these anchors have ended"):
            trials.TRIALS.retry(JudgeTrial.objects.get())

    def test_askings_of_before_rounds_were_stored_are_counted(self, study):
        frozen(study)
        JudgeTrial.objects.update(setup={"anchors": 0})
        assert anchors.next_round(MODEL) == 1

    def test_the_limit_is_that_of_each_asking(self, study):
        held = frozen(study)
        trial = JudgeTrial.objects.get()
        assert (held.most_calls, trial.most_calls) == (100, 100)
        found = anchors.estimate(held.options, held.texts)
        assert found.calls == 21

    @pytest.mark.parametrize(
        ("question", "n", "said"),
        [("mood", 20, "question=mood"), ("coherence", 3, "texts=3: expected 20")],
    )
    def test_a_wrong_choice_is_named(self, study, question, n, said):
        with pytest.raises(OptionError, match=said):
            anchors.draw_anchors(study, question, n)

    def test_a_plan_has_a_number_of_looks(self, study):
        with pytest.raises(OptionError, match="looks=0"):
            frozen(study, looks=0)
