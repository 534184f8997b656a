"""Whatever kind of work it is: a worker does it, people see, cancel and retry it."""

from __future__ import annotations

import pytest
from celery import current_app

from evalapp.work import kinds, leases, retries, tasks
from evalapp.work.kinds import Work
from evalapp.work.models import Leased
from tests.support.rows import NOON, ended_job, job_of, row_of

State = Leased.State
LATER = NOON + leases.LEASE
ME, RIVAL = "here/1/a", "there/2/b"
STOPPED = (State.FAILED, State.CANCELLED)

pytestmark = pytest.mark.django_db


@pytest.fixture(params=kinds.registered(), ids=lambda work: work.name)
def work(request) -> Work:
    return request.param


@pytest.fixture
def study(make_study):
    return make_study()


@pytest.fixture
def row(work, study) -> Leased:
    return row_of(work, study)


@pytest.fixture
def doing(work, monkeypatch):
    """Have the kind do something else with a row."""
    return lambda run: monkeypatch.setattr(work, "run", run)


def perform(work: Work, row: Leased, owner: str = ME, now=NOON) -> bool:
    taken = work.perform(pk=row.pk, owner=owner, clock=lambda: now)
    row.refresh_from_db()
    return taken


def test_every_table_of_work_has_a_kind() -> None:
    assert {work.model for work in kinds.registered()} == set(leases.kinds())


class TestWorker:
    def test_the_task_of_its_messages_takes_the_row(self, work, row, doing):
        done = []
        doing(lambda row, report: done.append(row.pk) or leases.finish(row, now=NOON))
        current_app.loader.import_default_modules()
        current_app.tasks[row.TASK].apply(args=[row.pk], throw=True)
        row.refresh_from_db()
        assert (done, row.state, row.attempt) == ([row.pk], State.DONE, 1)

    def test_a_message_too_many_does_nothing(self, work, row, doing):
        doing(lambda row, report: pytest.fail("done already"))
        type(row).objects.update(state=State.DONE)
        tasks.perform(type(row), row.pk)
        assert not perform(work, row)

    def test_where_its_app_is_switched_off_it_ends_and_says_so(
        self, row, monkeypatch, admin_client
    ):
        monkeypatch.setattr(kinds, "of_model", lambda model: iter(()))
        tasks.perform(type(row), row.pk)
        row.refresh_from_db()
        assert (row.state, row.error) == (State.FAILED, tasks.SWITCHED_OFF)
        page = admin_client.get("/system/").content.decode()
        assert row.in_words() in page and tasks.SWITCHED_OFF in page

    def test_its_report_keeps_the_lease(self, work, row, doing):
        def run(mine, report):
            assert report.renew(at_once=True)
            row.refresh_from_db()
            assert (row.owner, row.lease_until) == (ME, LATER)
            leases.finish(mine, now=NOON)

        doing(run)
        assert perform(work, row)

    def test_another_takes_it_over_after_the_lease_and_alone_ends_it(
        self, work, row, doing
    ):
        def die(mine, report):
            doing(lambda row, report: leases.finish(row, now=LATER))
            assert perform(work, row, RIVAL, LATER)
            report.renew(at_once=True)

        doing(die)
        assert perform(work, row)
        assert (row.state, row.owner, row.attempt) == (State.DONE, RIVAL, 2)

    def test_an_error_of_a_user_ends_it_in_its_own_words(self, work, row, doing):
        def run(row, report):
            raise (work.final or (retries.NotAllowed,))[-1]("no such model")

        doing(run)
        perform(work, row)
        assert (row.state, row.error) == (State.FAILED, "no such model")

    def test_what_is_cancelled_meanwhile_leaves_no_error(self, work, row, doing):
        def run(mine, report):
            leases.cancel(type(row).objects.filter(pk=row.pk), now=NOON)
            report.renew(at_once=True)

        doing(run)
        perform(work, row)
        assert (row.state, row.error) == (State.CANCELLED, "")


class TestPeople:
    def test_it_is_told_in_words_that_begin_like_a_sentence(self, work, row, study):
        words = work.words(job_of(work, study))
        assert words[0].isupper() and len(words) > 8 and not words.endswith(".")

    def test_it_says_how_far_it_is_and_that_nobody_is_there(self, work, row, study):
        progress = work.progress(job_of(work, study))
        assert (progress.state, progress.share) == (State.QUEUED, 0.0)
        assert progress.no_worker and not progress.ended

    def test_cancelled_all_of_it_ends(self, work, row, study):
        job = job_of(work, study)
        work.cancel(job)
        row.refresh_from_db()
        assert (job.state, row.state) == (State.CANCELLED, State.CANCELLED)

    @pytest.mark.parametrize("state", STOPPED)
    def test_tried_again_it_has_all_its_attempts(self, work, row, study, state):
        type(row).objects.update(attempt=3)
        work.retry(ended_job(work, study, state), user=study.owner)
        row.refresh_from_db()
        assert (row.state, row.attempt, row.error) == (State.QUEUED, 0, "")
        assert job_of(work, study).state == State.QUEUED
