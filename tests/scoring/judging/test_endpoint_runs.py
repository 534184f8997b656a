"""Runs whose judge answers over the network: limits, ends, other models."""

from __future__ import annotations

import pytest
from django.utils import timezone

from evalapp.work import dispatch, leases
from scoring import runs
from scoring.endpoints import admission
from scoring.judging.ledger import Limit
from scoring.models import Chunk, JudgeCall, Score
from scoring.runs import RunError, loading, worker
from tests.scoring.endpoints.servers import KEY, Server, completion, error
from tests.scoring.working import NOON, work
from tests.support import judges
from tests.support.messages import catch

pytestmark = pytest.mark.django_db(transaction=True)
OPTIONS = {"model": "endpoint:lab/tiny", "mode": "answer", "aspects": "quality: Good?"}
PRICES = {"price_in": 1.0, "price_out": 2.0}


@pytest.fixture(autouse=True)
def _forget():
    yield
    loading.forget_all()


@pytest.fixture
def serve(monkeypatch, settings, tmp_path):
    """A server that answers as `server.reply` says; the messages of its runs."""
    monkeypatch.setenv("LAB_KEY", KEY)
    with Server(lambda body, n: completion("4")).running() as server:
        named = {"url": f'"{server.url}"', "key_env": '"LAB_KEY"'}
        named["changes"] = '"split"'
        judges.write(settings, tmp_path, **named, **PRICES)
        monkeypatch.setenv("JUDGES_FILE", str(tmp_path / "judges.toml"))
        server.messages = []
        catch(monkeypatch, "score_chunk", lambda pk: pytest.fail("waits for a GPU"))
        catch(monkeypatch, "score_chunk", server.messages.append, queue="judges")
        yield server


def start(study, calls=1000, **limit):
    return runs.start(
        study=study, metric="llm_judge", options=OPTIONS, limit=Limit(calls, **limit)
    )


def scored(run):
    """Values and reasons, by text."""
    found = Score.objects.filter(signature=run.signature).order_by("generation")
    return list(found.values_list("value", "reason"))


class TestStarting:
    def test_its_chunks_wait_on_a_queue_of_their_own(self, make_study, serve):
        run = start(make_study())
        assert serve.messages == [run.chunks.get().pk]
        Chunk.objects.update(sent_at=None)
        dispatch.reap(now=NOON)
        assert serve.messages == [run.chunks.get().pk] * 2

    def test_a_limit_that_cannot_be_held_is_refused(self, make_study, serve):
        with pytest.raises(RunError, match="in USD"):
            start(make_study(), cost=5.0, currency="EUR")

    def test_texts_that_take_many_calls_go_into_small_chunks(self, make_study, serve):
        options = {**OPTIONS, "mode": "samples", "samples": 100}
        run = runs.start(
            study=make_study(prompts=8),
            metric="llm_judge",
            options=options,
            limit=Limit(10_000),
        )
        assert [len(one.generations) for one in run.chunks.all()] == [10, 10, 10, 2]


class TestScoring:
    def test_answers_become_scores(self, make_study, serve):
        run = start(make_study())
        work(run)
        assert run.state == "done" and scored(run) == [(4.0, "")] * 8
        assert (run.n_calls, run.notes) == (9, [])
        assert JudgeCall.objects.filter(run=run).count() == 9

    def test_the_same_again_costs_a_probe(self, make_study, serve):
        study = make_study()
        work(start(study))
        again = start(study)
        work(again)
        assert again.state == "done" and again.n_calls == 1

    def test_where_the_limit_ends_it_the_rest_is_for_another_run(
        self, make_study, serve
    ):
        study = make_study()
        first = start(study, calls=4)
        work(first)
        assert first.state == "done" and len(serve.asked) == first.n_calls == 4
        assert scored(first) == [(4.0, "")] * 3 + [(None, admission.CALLS_REACHED)] * 5
        (note,) = first.notes
        assert note.startswith("The limit of 4 calls was reached, so some texts")
        second = start(study)
        work(second)
        assert scored(second) == [(4.0, "")] * 8 and second.notes == []
        assert second.n_calls == 1 + 5

    def test_a_limit_takes_no_score_away_that_another_run_has_stored_since(
        self, make_study, serve, monkeypatch
    ):
        study = make_study()
        first, second = start(study, calls=4), start(study)
        asked = worker._rows

        def late(*given):
            """The first has asked, and not saved yet, when the other one ends."""
            monkeypatch.setattr(worker, "_rows", asked)
            rows = list(asked(*given))
            work(second)
            return rows

        monkeypatch.setattr(worker, "_rows", late)
        work(first)
        assert (first.state, first.n_calls) == ("done", 4)
        assert scored(first) == [(4.0, "")] * 8

    def test_what_the_network_failed_at_is_asked_again(
        self, make_study, serve, monkeypatch
    ):
        monkeypatch.setattr("scoring.endpoints.client.FIRST_PAUSE", 0.001)
        study = make_study(prompts=1, systems=("a",))
        work(start(study))
        (text,) = study.generations.all()
        text.text += " It was late."
        text.save()
        Score.objects.all().delete()
        serve.reply = lambda body, n: (
            error(500) if "late" in str(body) else completion()
        )
        run = start(study)
        work(run)
        ((value, reason),) = scored(run)
        assert value is None and reason.endswith("asked 5 times without success")
        serve.reply = lambda body, n: completion("2")
        run = start(study)
        work(run)
        assert scored(run) == [(2.0, "")]


class TestEnds:
    def test_a_key_that_is_refused_ends_it_and_is_nowhere(self, make_study, serve):
        def reply(body, n):
            return error(401, KEY) if len(serve.asked) > 3 else completion("4")

        serve.reply = reply
        run = start(make_study())
        work(run)
        assert run.state == "failed" and "check the variable LAB_KEY" in run.error
        rows = str([*JudgeCall.objects.values_list()]) + str(run.__dict__)
        assert KEY not in rows + str([*run.chunks.values_list()])
        serve.reply = lambda body, n: completion("4")
        runs.retry(run=run)
        work(run)
        assert run.state == "done" and scored(run) == [(4.0, "")] * 8

    def test_cancelled_it_keeps_its_answers_for_later(self, make_study, serve):
        run = start(make_study())

        def reply(body, n):
            if len(serve.asked) == 4:
                runs.cancel(run=run)
            return completion("4", model="tiny") if n == 0 else error(500)

        serve.reply = reply
        work(run)
        assert run.state == "cancelled" and scored(run) == []
        answered = JudgeCall.objects.filter(status=200, sample=1).count()
        assert answered
        serve.reply = lambda body, n: completion("4")
        runs.retry(run=run)
        work(run)
        assert run.state == "done" and scored(run) == [(4.0, "")] * 8
        assert JudgeCall.objects.filter(status=200, sample=1).count() == 8

    def test_a_killed_workers_successor_asks_only_what_is_missing(
        self, make_study, serve
    ):
        run = start(make_study())
        work(run)
        Score.objects.all().delete()
        run.chunks.update(
            state="running", owner="here/1/a", lease_until=NOON, attempt=1
        )
        type(run).objects.update(state="running")
        loading.forget_all()
        leases.requeue_expired(now=NOON)
        work(run, owner="here/2/b")
        assert run.state == "done" and scored(run) == [(4.0, "")] * 8
        assert len(serve.asked) == 9

    def test_another_model_after_a_pause_is_not_mixed_in(
        self, make_study, serve, small_chunks
    ):
        run = start(make_study())
        first, *others = run.chunks.all()
        leases.cancel(run.chunks.exclude(pk=first.pk), now=NOON)
        work(run)
        type(run).objects.update(state="cancelled")
        run.refresh_from_db()
        serve.reply = lambda body, n: completion("5", model="huge")
        runs.retry(run=run)
        work(run, now=timezone.now())
        assert run.state == "failed"
        assert run.error.startswith("The server now answers as a different model than")
        assert {value for value, _ in scored(run)} == {4.0}
