"""A run that asks a judge over the network, as its pages tell it."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from scoring import runs
from scoring.judging.ledger import Limit
from scoring.models import (
    JudgeCall,
    JudgeIdentity,
    MetricRun,
    NegativeScore,
    Score,
)
from tests.annotation.seating import lay_out
from tests.scoring.endpoints.servers import completion, error, likely
from tests.scoring.working import work
from tests.support import judges
from tests.support.messages import catch

LIMIT = Limit(100)

pytestmark = [
    pytest.mark.usefixtures("as_alice"),
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture(autouse=True)
def nobody_is_woken(monkeypatch):
    catch(monkeypatch, "score_chunk", lambda pk: None)
    monkeypatch.setattr("scoring.endpoints.client.FIRST_PAUSE", 0.001)


@pytest.fixture
def study(make_study):
    return make_study(prompts=2)


@pytest.fixture
def serve(settings, tmp_path, monkeypatch):
    return partial(judges.serving, settings, tmp_path, monkeypatch)


def start(study, limit=LIMIT, **options) -> MetricRun:
    given = {"model": "endpoint:lab/tiny", "mode": "answer", **options}
    given = {"aspects": "quality: How good is it?", **given}
    return runs.start(study=study, metric="llm_judge", options=given, limit=limit)


def page(client, run, more="") -> str:
    answer = client.get(run.get_absolute_url() + more)
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def explained(client, run) -> str:
    key = run.study.generations.first().key
    where = f"/studies/ferry/results/explain/{run.signature_id}/?key={key}"
    answer = client.get(where)
    assert answer.status_code == 200, where
    return " ".join(answer.content.decode().split())


def test_the_page_of_a_run_tells_calls_tokens_and_money(client, study, serve):
    with serve(lambda body, n: completion("4"), price_in=10, price_out=100):
        run = start(study, Limit(100, 5.0))
        work(run)
    said = page(client, run)
    n = study.generations.count() + 1
    assert f"{n} of at most 100" in said
    assert f"{n * 50} sent, {n * 3} received" in said
    assert f"{n * 800 / 1e6:.2g} USD of at most 5.00 USD" in said
    assert "Stopped because the limit was reached" not in said


@pytest.mark.parametrize("mode", ["logprobs", "samples", "answer", "form"])
def test_a_study_is_judged_by_its_own_questions(client, study, serve, mode):
    """Whatever their keys are: attribute-relevance is one of EvalApp's own."""
    study.aspects.filter(key="relevance").update(
        key="attribute-relevance", question="How well does it express {label}?"
    )
    said = '{"reason": "So.", "score": 4}' if mode == "form" else "4"
    reply = completion(said, logprobs=likely({"4": 1.0}))
    with serve(lambda body, n: reply) as server:
        run = start(study, Limit(10_000), mode=mode, samples=2, aspects="")
        work(run)
    assert (run.state, run.error) == ("done", "")
    scores = Score.objects.filter(signature=run.signature)
    keys = set(scores.values_list("output", flat=True))
    assert keys == {"coherence", "consistency", "attribute_relevance"}
    assert set(scores.values_list("value", flat=True)) == {4.0}
    asked = {body["messages"][0]["content"] for body in server.asked}
    for label in study.labels.all():
        assert any(f"express “{label.name}”?" in one for one in asked)


def test_answers_that_are_used_again_are_counted(client, study, serve):
    with serve(lambda body, n: completion("4")):
        work(start(study))
        Score.objects.all().delete()
        run = start(study)
        work(run)
    n = study.generations.count()
    assert f'<dd>{n} <span class="soft">from earlier runs, at no' in page(client, run)


def test_a_run_that_stopped_at_its_limit_goes_on_where_it_is_raised(
    client, study, serve
):
    n = study.generations.count()
    with serve(lambda body, n: completion("4"), calls_at_once=1) as server:
        run = start(study, Limit(3))
        work(run)
        said = page(client, run)
        assert "Stopped because the limit was reached" in said
        assert Score.objects.exclude(value=None).count() == 2
        client.post(f"{run.get_absolute_url()}raise/", {"most_calls": 50})
        run.refresh_from_db()
        assert (run.state, run.most_calls) == ("queued", 50)
        work(run)
        assert len(server.asked) == n + 1
    assert run.state == "done"
    assert Score.objects.exclude(value=None).count() == n
    assert "Stopped because the limit was reached" not in page(client, run)


@pytest.mark.parametrize("calls", ["2", "3", "", "x"])
def test_a_limit_that_is_no_higher_changes_nothing(client, study, serve, calls):
    with serve(lambda body, n: completion("4"), calls_at_once=1):
        run = start(study, Limit(3))
        work(run)
    answer = client.post(
        f"{run.get_absolute_url()}raise/", {"most_calls": calls}, follow=True
    )
    run.refresh_from_db()
    assert (run.state, run.most_calls) == ("done", 3)
    assert "notice error" in answer.content.decode()


def test_a_run_that_did_not_stop_at_its_limit_has_nothing_to_raise(
    client, study, serve
):
    with serve(lambda body, n: completion("4")):
        run = start(study)
        work(run)
    client.post(f"{run.get_absolute_url()}raise/", {"most_calls": 500})
    run.refresh_from_db()
    assert (run.state, run.most_calls) == ("done", 100)


def test_calls_with_a_problem_are_counted_by_kind_with_an_example(client, study, serve):
    replies = [error(500, "<b>busy</b>"), completion("maybe <i>3</i>")]
    with serve(lambda body, n: replies[n] if n < 2 else completion("4")):
        run = start(study)
        work(run)
    n = study.generations.count()
    # Of each text the first two, and the first of the test question.
    assert f"{2 * n + 1} calls without a score" in page(client, run)
    said = page(client, run, "calls/")
    assert "The server answered with the error 500" in said
    assert "The answer is not one number" in said
    assert "maybe &lt;i&gt;3&lt;/i&gt;" in said
    assert "<b>busy" not in said and "<i>3" not in said


def test_all_calls_can_be_downloaded_without_key_and_address(
    client, study, serve, monkeypatch
):
    secret = "sk-very-secret-0123456789"
    monkeypatch.setenv("LAB_KEY", secret)
    with serve(
        lambda body, n: completion(f"=1+1 {secret}" if n == 2 else "4"),
        key_env='"LAB_KEY"',
    ) as server:
        run = start(study)
        work(run)
        address = server.url
    answer = client.get(f"{run.get_absolute_url()}calls.csv")
    said = b"".join(answer.streaming_content).decode()
    rows = list(csv.DictReader(io.StringIO(said)))
    assert len(rows) == run.calls.count()
    assert rows[1]["model_answered"] == "tiny"
    assert secret not in said and address not in said


def test_the_calls_of_a_run_are_seen_by_its_team_only(client, study, serve, bob):
    with serve(lambda body, n: completion("4")):
        run = start(study)
        work(run)
    client.force_login(bob)
    for more in ("calls/", "calls.csv"):
        assert client.get(run.get_absolute_url() + more).status_code == 404


def test_a_text_is_shown_with_the_reason_that_the_judge_gives(client, study, serve):
    form = '{"reason": "It <b>flows</b> well.", "score": 4}'
    with serve(lambda body, n: completion(form if n else "1")):
        run = start(study, mode="form")
        work(run)
    said = explained(client, run)
    assert "It &lt;b&gt;flows&lt;/b&gt; well." in said
    assert "The reason that tiny gives for 4" in said


def test_a_text_is_shown_with_the_probability_of_each_number(client, study, serve):
    odds = likely({"4": 0.75, "3": 0.25})
    with serve(lambda body, n: completion("4", logprobs=odds)):
        run = start(study, mode="logprobs")
        work(run)
    said = explained(client, run)
    assert "Probability of each number, as the server sent it" in said
    assert "0.750" in said and "0.250" in said


def test_a_text_is_shown_with_every_attempt_and_whoever_answered(client, study, serve):
    replies = [error(503, "wait"), completion("perhaps")]
    with serve(lambda body, n: replies[n] if n < 2 else completion("4")):
        run = start(study)
        work(run)
    said = explained(client, run)
    assert "3 calls, 1 with a valid answer" in said
    assert "The server answered with the error 503" in said
    assert "perhaps" in said
    assert "fp_1" in said


def test_answers_that_another_run_got_are_shown_too(client, study, serve):
    with serve(lambda body, n: completion("4")):
        first = start(study)
        work(first)
        Score.objects.all().delete()
        run = start(study)
        work(run)
    JudgeCall.objects.filter(run=first).update(run=None)
    assert "asked by another run" in explained(client, run)


def test_pages_say_since_when_the_server_answers_as_another_model(client, study, serve):
    with serve(lambda body, n: completion("4")):
        run = start(study)
        work(run)
    assert "the server has been answering as" not in page(client, run)
    JudgeIdentity.objects.create(
        endpoint="lab",
        model_asked="tiny",
        model_answered="<b>other</b>",
        fingerprint="fp_2",
        first_seen=timezone.now() + timedelta(days=1),
        last_seen=timezone.now() + timedelta(days=2),
    )
    for said in (
        page(client, run),
        explained(client, run),
        client.get("/studies/ferry/metrics/").content.decode(),
        client.get("/studies/ferry/results/").content.decode(),
        client.get("/studies/ferry/results/correlations/").content.decode(),
        client.get("/studies/ferry/results/systems/").content.decode(),
    ):
        assert "the server has been answering as" in said
        assert "&lt;b&gt;other&lt;/b&gt; (fp_2)" in said
        assert "tiny (fp_1)" in said


def test_negatives_are_sent_to_a_judge_only_with_consent_and_a_limit(
    client, study, serve
):
    lay_out(study)
    where = "/studies/ferry/metrics/negatives/"
    with serve(lambda body, n: completion("4")):
        scored = start(study)
        work(scored)
        assert scored.state == "done", scored.error
        said = client.post(where).content.decode()
        assert "Damaged texts are scored in the same way as the originals" in said
        assert study.runs.count() == 1
        client.post(
            where, {"agree": "1", "limit-0-agreed": "on", "limit-0-most_calls": "9"}
        )
        run = study.runs.get(on=MetricRun.On.NEGATIVES)
        assert run.most_calls == 9
        work(run)
    assert NegativeScore.objects.exclude(value=None).count() == 2
