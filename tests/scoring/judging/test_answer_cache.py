"""What was answered before is counted before anybody agrees to a limit."""

from __future__ import annotations

import pytest
from django.utils import timezone

from scoring import runs
from scoring.judging import answer_cache, estimates, pairs, steps
from scoring.judging.answer_cache import CachedAnswers
from scoring.judging.ledger import Limit
from scoring.metrics import get
from scoring.metrics.judge import workload
from scoring.models import JudgeCall, JudgeIdentity
from tests.scoring.endpoints.servers import completion
from tests.scoring.judging.asked import longest, served, started
from tests.scoring.judging.asked import work as try_it
from tests.scoring.working import work
from tests.support.messages import catch

pytestmark = pytest.mark.django_db(transaction=True)

MODEL = "endpoint:lab/tiny"
PRICES = {"price_in": 1000.0, "price_out": 1000.0}


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    for name in ("score_chunk", "try_judge"):
        catch(monkeypatch, name, lambda pk: None)


@pytest.fixture
def study(make_study):
    return make_study()


def options(**given):
    given = {"model": MODEL, "mode": "answer", "aspects": "a: Good?", **given}
    return get("llm_judge")(**given).options


def run(study, calls=100, **given):
    found = runs.start(
        study=study,
        metric="llm_judge",
        options=vars(options(**given)),
        limit=Limit(calls),
    )
    work(found)
    return found


def estimated(study, **given):
    metric = get("llm_judge")(**vars(options(**given)))
    return estimates.of_run(study=study, metric=metric)


def test_the_rest_alone_is_estimated_and_limited(study, monkeypatch, tmp_path):
    with served(monkeypatch, tmp_path, "4", calls_at_once=1, **PRICES):
        n, before = study.generations.count(), estimated(study)
        run(study, calls=4)  # the test question and three texts
        found = estimated(study)
    assert (before.calls, before.kept) == (n + 1, 0)
    assert (found.calls, found.kept, found.unsure) == (n + 1 - 3, 3, 0)
    assert found.proposed_calls < before.proposed_calls
    assert found.tokens_in < before.tokens_in and found.cost < before.cost
    assert found.proposed_cost < before.proposed_cost


def test_a_run_makes_as_many_calls_as_were_told(study, monkeypatch, tmp_path):
    with served(monkeypatch, tmp_path, "4", calls_at_once=1):
        run(study, calls=4)
        told = estimated(study)
        assert run(study).n_calls == told.calls


def test_another_question_or_mode_has_no_answers_yet(study, monkeypatch, tmp_path):
    with served(monkeypatch, tmp_path, "4"):
        run(study)
        assert estimated(study).calls == 1
        assert estimated(study, aspects="b: Fair?").kept == 0
        assert estimated(study, mode="samples", samples=2).kept == 0


def test_answers_of_another_model_and_answers_that_are_none_do_not_count(
    study, monkeypatch, tmp_path
):
    with served(monkeypatch, tmp_path, "4", changes="split"):
        run(study)
        JudgeCall.objects.filter(
            pk__in=JudgeCall.objects.filter(sample=1).values("pk")[:2]
        ).update(problem="the model refused")
        n = study.generations.count()
        assert estimated(study).kept == n - 2
        JudgeIdentity.objects.create(
            endpoint="lab",
            model_asked="tiny",
            model_answered="tiny",
            fingerprint="fp_2",
            first_seen=timezone.now(),
            last_seen=timezone.now(),
        )
        assert estimated(study).kept == 0


def test_a_judge_that_does_not_say_its_name_is_known_again(
    study, monkeypatch, tmp_path
):
    with served(
        monkeypatch, tmp_path, lambda *_: completion("4", model="", fingerprint=None)
    ):
        run(study)
        assert estimated(study).kept == study.generations.count()


def test_pairs_are_kept_in_both_orders(study, monkeypatch, tmp_path):
    with served(monkeypatch, tmp_path, longest):
        trial = try_it(started(study, n=3))
        found = pairs.estimate(study=study, options=trial.options, setup=trial.setup)
    assert (found.calls, found.kept) == (1, 6)


def test_steps_are_kept(study, monkeypatch, tmp_path):
    asked = steps.questions({"aspects": "a: Good?"})
    with served(monkeypatch, tmp_path, "1. Look."):
        given = {"model": MODEL, "aspects": "a: Good?"}
        trial = started(study)
        trial.kind, trial.options = steps.KIND, {**trial.options, **given}
        trial.save()
        assert try_it(trial).state == "done", trial.error
        assert steps.estimate(given, study).kept == len(asked)


class TestSample:
    """Where not all keys are looked up."""

    def test_of_many_some_are_and_the_limit_leaves_room(
        self, study, monkeypatch, tmp_path
    ):
        monkeypatch.setattr(answer_cache, "LOOKED_UP", 4)
        with served(monkeypatch, tmp_path, "4"):
            run(study)
            found = estimated(study)
        n = study.generations.count()
        assert (found.calls, found.kept) == (1, n)
        # 4 of 4 are kept: at least 4 / (4 + z^2) = half of all are.
        assert found.unsure == n / 2
        assert found.proposed_calls >= 1.2 * (1 + n / 2) + 10

    def test_the_room_is_that_of_wilson_s_interval(self):
        """(0.2366, 0.7634) for 5 of 10 at z = 1.96; here z = 2, by the same formula."""
        size = workload.Size(1000, 0, 0)
        kept = CachedAnswers(asked=10, calls=10, kept=5)
        low = (0.5 + 0.2 - 2 * (0.025 + 0.01) ** 0.5) / 1.4
        assert kept.unsure(size, 1.0) == pytest.approx(1000 * (0.5 - low), abs=1)

    def test_what_was_looked_up_whole_is_sure(self):
        kept = CachedAnswers(asked=10, calls=10, kept=5)
        assert kept.unsure(workload.Size(10, 0, 0), 1.0) == 0
        assert kept.unsure(workload.Size(10, 0, 0), 2.0) > 0

    @pytest.mark.parametrize("period", [2, 10, 50, 7])
    def test_rows_that_repeat_are_taken_as_often_as_they_are(self, period):
        """Steps of 50 would take one of 10 systems, and no other."""
        some = answer_cache.spread(range(100_000), 2000)
        assert len(set(some)) == 2000 and some == sorted(some)
        for turn in range(period):
            share = sum(one % period == turn for one in some) / 2000
            assert share == pytest.approx(1 / period, abs=0.01)

    @pytest.mark.parametrize(("rows", "n"), [(0, 5), (3, 5), (5, 5), (5, 2)])
    def test_of_few_all_are_taken(self, rows, n):
        some = answer_cache.spread(range(rows), n)
        assert len(set(some)) == len(some) == min(rows, n)


class TestOtherStudies:
    """Who sees that an answer was kept knows that the text was judged there."""

    @pytest.fixture
    def other(self, make_study, study):
        """With the very same texts."""
        return make_study(name="other")

    def test_one_that_all_members_may_see_shares_its_answers(
        self, study, other, monkeypatch, tmp_path
    ):
        with served(monkeypatch, tmp_path, "4"):
            n = study.generations.count()
            assert run(study).n_calls == n + 1
            assert estimated(other).kept == n
            assert run(other).n_calls == 1  # the test question

    def test_one_that_a_member_may_not_see_does_not(
        self, study, other, bob, monkeypatch, tmp_path
    ):
        other.members.create(user=bob, role="viewer")
        with served(monkeypatch, tmp_path, "4"):
            n = study.generations.count()
            assert run(study).n_calls == n + 1
            assert estimated(other).kept == 0
            assert run(other).n_calls == n + 1
            # The other way round, everybody may.
            assert estimated(study).kept == n
