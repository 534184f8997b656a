"""kill -9 in the middle of every kind of work that runs and trainings do not test."""

from __future__ import annotations

import os
import signal
import time
from io import BytesIO
from zipfile import ZipFile

import pytest
from django.utils import timezone

from annotation import assistant, kept, surveys
from annotation.contrib.mailing import listing, sending
from annotation.models import (
    Generation,
    Importing,
    Mailing,
    Opening,
    Policy,
    Rejudging,
    Storing,
    Study,
    Summary,
    Verdict,
)
from annotation.quality import applying
from evalapp.work import kinds
from evalapp.work.models import Leased
from scoring import analyses, runs
from scoring.judging.ledger import Limit
from scoring.models import (
    Analysis,
    Chunk,
    DataSet,
    JudgeCall,
    JudgeTrial,
    Probe,
    Score,
)
from scoring.publishing import shelf as publishing
from scoring.results import analysing
from tests.annotation.seating import hand_in, lay_out, sit
from tests.scoring import probed
from tests.scoring.endpoints.texts_server import words
from tests.scoring.judging.asked import longest, served, started
from tests.scoring.processes import environment, free_port, is_alive, manage, wait_for
from tests.scoring.working import NOON
from tests.support.postbox import Postbox

pytestmark = pytest.mark.django_db(transaction=True)
# Seconds: a worker imports torch, and a busy machine may take a minute for that.


@pytest.fixture
def study(make_study, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    return make_study()


def analysis(study) -> Analysis:
    options = analyses.options("agreement", {})
    return analysing.find(study=study, name="agreement", options=options, now=NOON)


def data_set(study) -> DataSet:
    publishing.SHELF.ask(study=study)
    row = publishing.SHELF.find(study=study)
    assert row is not None
    return row


def probe(study) -> Probe:
    probed.corpus_of(study, n=12)
    return probed.started(study, "surface", clusters=[2], seeds=1)


def opening(study) -> Opening:
    row = surveys.start_opening(study=study)
    assert row is not None
    return row


def summary(study) -> Summary:
    kept.read(study=study, name="filled", now=NOON)
    return Summary.objects.get()


def rejudging(study) -> Rejudging:
    lay_out(study)
    hand_in(sit(study, "ann"))
    wanted = Policy(study=study, rule="above_any")
    applying.start(study=study, policy=wanted, user=study.owner, now=timezone.now())
    return Rejudging.objects.get()


def importing(study, n_texts: int = 3) -> Importing:
    lines = (b"%d,Text %d.\n" % (n, n) for n in range(n_texts))
    content = b"id,output\n" + b"".join(lines)
    upload = assistant.keep(
        user=study.owner, file=BytesIO(content), file_name="lake.csv"
    )
    assistant.choose(upload=upload, choices={"name": "lake"})
    assert assistant.finish(upload=upload) is None
    return upload.importing


# By the name of the kind.
BEGIN = {
    **{"analyses": analysis, "datasets": data_set},
    **{"imports": importing, "openings": opening, "probes": probe},
    **{"quality": rejudging, "summaries": summary},
}


def held_by(row: Leased) -> int | None:
    row.refresh_from_db()
    pid = int(row.owner.split("/")[-2]) if row.state == Leased.State.RUNNING else 0
    return pid if pid and is_alive(pid) else None


def has_ended(row: Leased) -> bool:
    row.refresh_from_db()
    return row.ended


def kill_the_first_of_each(rows: dict[str, Leased]) -> dict[str, int]:
    """The worker that holds it first, by kind. One worker does all, in any order."""
    killed: dict[str, int] = {}
    while left := rows.keys() - killed.keys():
        holders = wait_for(lambda kinds=left: holders_of(rows, kinds))
        for kind, pid in holders.items():
            os.kill(pid, signal.SIGKILL)
            wait_for(lambda pid=pid: not is_alive(pid))
            killed[kind] = pid
    return killed


def holders_of(rows: dict[str, Leased], kinds: set[str]) -> dict[str, int]:
    return {kind: pid for kind in kinds if (pid := held_by(rows[kind]))}


@pytest.mark.migrations
@pytest.mark.slow
def test_kill_9_costs_an_attempt_and_nothing_else(
    make_study, settings, tmp_path, monkeypatch
) -> None:
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr("evalapp.work.dispatch.send", lambda task, pk, queue: None)
    monkeypatch.setattr("annotation.surveys.opening.MAX_TEXTS", 0)
    monkeypatch.setattr("annotation.assistant.working.SMALL_BYTES", 0)
    monkeypatch.setattr("annotation.kept.keeping.MOST_TEXTS", 0)
    monkeypatch.setattr("annotation.quality.applying.MOST_AT_ONCE", 0)
    rows = {kind: begin(make_study(name=kind)) for kind, begin in BEGIN.items()}
    for row in rows.values():
        type(row).objects.update(sent_at=None)
    env = {**environment(tmp_path), "TEST_PAUSE": "1.5"}
    with manage(env, "up", "--bind", f"127.0.0.1:{free_port()}"):
        killed = kill_the_first_of_each(rows)
        wait_for(lambda: all(map(has_ended, rows.values())))
    ends = {kind: (row.state, row.attempt, row.error) for kind, row in rows.items()}
    assert ends == dict.fromkeys(rows, (Leased.State.DONE, 2, ""))
    for kind, row in rows.items():
        assert f"/{killed[kind]}/" not in row.owner
        assert_is_whole(row)


def assert_is_whole(row: Leased) -> None:
    if isinstance(row, DataSet):
        assert ZipFile(publishing.SHELF.path(row)).testzip() is None
    elif isinstance(row, Importing):
        assert Study.objects.get(name="lake").generations.count() == 3
    elif isinstance(row, Opening):
        assert row.study.state == "open"
    elif isinstance(row, Rejudging):
        assert Verdict.objects.filter(policy=row.policy).count() == row.done == 1
        assert row.study.surveys.count() * row.study.ratings_per_text == (
            row.study.places.count()
        )
    else:
        assert row.result


@pytest.mark.migrations
@pytest.mark.slow
def test_kill_9_while_texts_are_stored_ends_in_the_whole_study(
    study, tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr("evalapp.work.dispatch.send", lambda task, pk, queue: None)
    monkeypatch.setattr("annotation.assistant.working.SMALL_BYTES", 0)
    row = importing(study, n_texts=2500)
    Importing.objects.update(sent_at=None)
    half = Generation.objects.filter(study__name="lake")
    env = {**environment(tmp_path), "TEST_PAUSE": "1.5"}
    with manage(env, "up", "--bind", f"127.0.0.1:{free_port()}"):
        first = wait_for(lambda: half.exists() and held_by(row))
        os.kill(first, signal.SIGKILL)
        wait_for(lambda: not is_alive(first))
        assert 0 < half.count() < 2500 and Storing.objects.exists()
        assert not Study.objects.visible_to(study.owner).filter(name="lake").exists()
        wait_for(lambda: has_ended(row))
    assert (row.state, row.attempt, row.error) == (Leased.State.DONE, 2, "")
    assert half.count() == 2500 and not Storing.objects.exists()


@pytest.mark.migrations
@pytest.mark.slow
def test_kill_9_of_a_trial_asks_only_what_was_not_answered(
    study, tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr("evalapp.work.dispatch.send", lambda task, pk, queue: None)

    def slow(body, n):
        time.sleep(0.5)
        return longest(body, n)

    with served(monkeypatch, tmp_path, slow, calls_at_once=1) as server:
        trial = started(study, n=12)
        JudgeTrial.objects.update(sent_at=None)
        calls = JudgeCall.objects.filter(trial=trial)
        with manage(environment(tmp_path), "up", "--bind", f"127.0.0.1:{free_port()}"):
            first = wait_for(lambda: calls.count() > 4 and held_by(trial))
            os.kill(first, signal.SIGKILL)
            wait_for(lambda: not is_alive(first))
            wait_for(lambda: has_ended(trial))
    assert (trial.state, trial.attempt, trial.error) == (Leased.State.DONE, 2, "")
    verdicts = trial.result["verdicts"]
    assert len(verdicts) == 12 and all(one["outcome"] is not None for one in verdicts)
    assert calls.count() == 1 + 2 * 12  # the probe, and each pair in both orders
    assert len(server.asked) <= calls.count() + 1  # one was on its way


@pytest.mark.migrations
@pytest.mark.slow
def test_kill_9_of_a_run_asks_for_no_log_probabilities_twice(
    study, tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr("evalapp.work.dispatch.send", lambda task, pk, queue: None)
    likely = words(start="<s>")

    def slow(body, n):
        time.sleep(1.0)
        return likely(body, n)

    with served(monkeypatch, tmp_path, slow, calls_at_once=1) as server:
        run = runs.start(
            study=study,
            metric="perplexity",
            options={"model": "endpoint:lab/tiny"},
            limit=Limit(1000),
        )
        Chunk.objects.update(sent_at=None)
        chunk, calls = run.chunks.get(), run.calls.filter(sample=1)
        with manage(environment(tmp_path), "up", "--bind", f"127.0.0.1:{free_port()}"):
            first = wait_for(lambda: calls.count() > 2 and held_by(chunk))
            os.kill(first, signal.SIGKILL)
            wait_for(lambda: not is_alive(first))
            wait_for(lambda: has_ended(chunk))
    assert (chunk.state, chunk.attempt, chunk.error) == (Leased.State.DONE, 2, "")
    assert calls.count() == study.generations.count()
    assert Score.objects.exclude(value=None).count() == study.generations.count()
    assert len(server.asked) <= run.calls.count() + 1  # one was on its way


@pytest.mark.migrations
@pytest.mark.slow
def test_kill_9_of_a_mailing_writes_to_nobody_twice(
    study, settings, tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr("evalapp.work.dispatch.send", lambda task, pk, queue: None)
    settings.EMAIL_READY, study.contact = True, "lab@example.org"
    people = [listing.Person("", f"p{n}@example.org") for n in range(8)]
    listing.add(study=study, people=people, now=NOON)
    text = {"whom": sending.NEW, "subject": "Rate", "body": "{link}"}
    row = sending.start(study=study, now=NOON, **text)
    Mailing.objects.update(sent_at=None)
    with Postbox(seconds=1.0).running() as box:
        env = {**environment(tmp_path), "EMAIL_URL": box.url}
        with manage(env, "up", "--bind", f"127.0.0.1:{free_port()}"):
            first = wait_for(lambda: len(box.taken) > 2 and held_by(row))
            os.kill(first, signal.SIGKILL)
            wait_for(lambda: not is_alive(first))
            wait_for(lambda: has_ended(row))
    assert (row.state, row.attempt, row.error) == (Leased.State.DONE, 2, "")
    assert sorted(box.taken) == [one.address for one in people]
    states = list(row.mails.values_list("state", flat=True))
    # One was on its way, and nobody knows of it.
    assert sorted(states) == ["sending"] + ["sent"] * 7


def test_every_kind_of_work_is_killed_somewhere() -> None:
    above = {"mailings", "runs", "trials"}
    # Runs without a network: test_supervisor; trainings: test_train_metric.
    killed = BEGIN.keys() | above | {"trainings"}
    assert {work.name for work in kinds.registered()} == killed
