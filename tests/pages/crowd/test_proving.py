"""Strangers who know or guess a worker's id, and workers on another device."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from annotation import human_scores, surveys, workers
from annotation.crowd import proofs
from annotation.crowd.urls import pages
from annotation.models import Annotation, Report, Seat, Study, Worker
from tests.pages.working import (
    agreement,
    begin,
    full_form,
    leads_up,
    remembered,
    rows_in_tables,
    url,
)

pytestmark = pytest.mark.django_db

PID = "5f1d7a2b3c4d5e6f7a8b9c0d"
SESSION = "650c1f2e3d4a5b6c7d8e9f00"
ASKED = "Enter your personal code"


@pytest.fixture(autouse=True)
def counters():
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def study(make_study) -> Study:
    """Two pages for each worker."""
    study = make_study(prompts=1, samples=2, contact="lab@example.org")
    surveys.open_study(study=study)
    return study


@pytest.fixture
def prolific(make_study) -> Study:
    study = make_study(name="crowd", prompts=1, samples=2, platform="prolific")
    surveys.open_study(study=study)
    return study


def hand_in(client: Client, seat: Seat, then: str = "next"):
    return client.post(url("submit", seat), full_form(seat, then=then))


def work(study: Study, worker: str = "7") -> tuple[Client, Seat]:
    """A worker's own browser, at the second page, and the first page."""
    client, seat = begin(study, worker)
    assert "/seat/" in hand_in(client, seat)["Location"]
    seat.refresh_from_db()
    return client, seat


def guess(
    study: Study, worker: str = "7", address: str = "127.0.0.1", **query: str
) -> Client:
    """A stranger's browser that says it is the worker."""
    client = Client(REMOTE_ADDR=address)
    client.get(study.get_worker_url(), {"worker": worker, **query}, follow=True)
    return client


def asks(answer) -> bool:
    return answer.status_code == 403 and ASKED in answer.content.decode()


def refuses(answer) -> bool:
    """The method, or leads to the page whose form it takes."""
    return answer.status_code == 405 or leads_up(answer)


def a_seat_of(study: Study) -> Seat:
    return Seat.objects.filter(worker__study=study).latest("pk")


def give(client: Client, study: Study, code: str, back: str = ""):
    return client.post(url("prove", study), {"code": code, "back": back})


class TestStranger:
    # Where nobody's work is at stake: the frame reads its own address.
    OPEN = {"mturk", "prove"}

    @pytest.mark.parametrize("name", [path.name for path in pages.urlpatterns])
    def test_every_page_of_a_worker_asks_for_the_code(self, study, name):
        work(study)
        stranger = guess(study)
        of = a_seat_of(study) if "seat_id" in str(path_of(name)) else study
        answers = [ask(url(name, of)) for ask in (stranger.get, stranger.post)]
        told = [answer for answer in answers if not refuses(answer)]
        assert name in self.OPEN or (told and all(map(asks, told)))
        worker = Worker.objects.get()
        for answer in answers:
            assert worker.personal_code not in answer.content.decode()

    def test_they_cannot_take_the_answers_back(self, study):
        work(study)
        before = rows_in_tables()
        assert asks(guess(study).post(url("withdraw", study)))
        assert rows_in_tables() == before
        assert Worker.objects.get().state == "active"
        aspect = study.aspects.first()
        assert human_scores.counts(study=study, aspect=aspect).counts.sum() == 4

    def test_they_change_nothing_of_a_page_handed_in_or_begun(self, study):
        _, first = work(study)
        second = a_seat_of(study)
        stranger = guess(study)
        form = {"a-1-coherence": "5", "comment": "mine", "report-1": "bad"}
        kept = list(Annotation.objects.values_list("pk", "value"))
        for seat in (first, second):
            for name in ("answer", "report", "keep", "submit"):
                assert asks(stranger.post(url(name, seat), form))
        assert list(Annotation.objects.values_list("pk", "value")) == kept
        assert not Report.objects.exists()
        assert not Seat.objects.exclude(comment="").exists()

    def test_who_came_before_the_work_was_done_is_asked_too(self, study):
        early = guess(study)
        early.post(url("start", study), agreement(study))
        own, seat = begin(study, "7")
        hand_in(own, seat)
        assert asks(early.get(study.get_worker_url()))
        assert asks(early.post(url("withdraw", study)))
        assert own.get(url("withdraw", study)).status_code == 200

    def test_work_from_before_proofs_were_kept_is_not_deleted_by_an_id(self, study):
        work(study)
        Worker.objects.update(proofs=[])
        stranger = guess(study)
        assert asks(stranger.get(url("withdraw", study)))
        assert asks(stranger.post(url("withdraw", study)))
        assert Worker.objects.get().state == "active"

    def test_a_page_handed_in_by_a_stranger_does_not_make_them_the_worker(self, study):
        """They arrived before, and post at the very moment when the worker does."""
        early = guess(study)
        early.post(url("start", study), agreement(study))
        own, seat = begin(study, "7")
        hand_in(own, seat)
        worker = Worker.objects.get()
        known = worker.proofs
        request = early.get(study.get_worker_url()).wsgi_request
        stale = Worker.objects.get()
        stale.proofs = []  # as it was read before
        proofs.learn(request, stale)
        worker.refresh_from_db()
        assert worker.proofs == known


def path_of(name: str):
    return next(path.pattern for path in pages.urlpatterns if path.name == name)


class TestOwnBrowser:
    def test_it_goes_on_and_takes_the_answers_back_at_once(self, study):
        client, _ = work(study)
        assert client.get(a_seat_of(study).get_absolute_url()).status_code == 200
        assert client.post(url("withdraw", study)).status_code == 302
        assert not Annotation.objects.exists()
        assert Worker.objects.get().state == "withdrawn"
        assert client.get(url("done", study)).status_code == 200

    def test_a_double_click_on_submit_locks_nobody_out(self, study):
        client, seat = begin(study, "7")
        other_tab = Client()
        other_tab.cookies.load(client.cookies.output(header=""))
        hand_in(other_tab, seat)  # its answer, with whatever cookie, never arrives
        assert "/seat/" in hand_in(client, seat)["Location"]
        assert client.get(url("withdraw", study)).status_code == 200

    def test_what_is_kept_of_it_tells_nothing(self, study):
        client, _ = work(study)
        (kept,) = Worker.objects.get().proofs
        assert len(kept) == 32
        assert remembered(client)["browser"] not in kept

    def test_nothing_of_it_is_kept_after_a_withdrawal(self, study):
        client, _ = work(study)
        client.post(url("withdraw", study))
        assert Worker.objects.get().proofs == []

    def test_nor_after_the_ids_were_forgotten(self, study):
        work(study)
        workers.forget_ids(study=study, now=timezone.now())
        assert Worker.objects.get().proofs == []


class TestCode:
    def test_it_lets_another_device_in(self, study):
        work(study)
        device = guess(study)
        code = Worker.objects.get().personal_code
        answer = give(device, study, f" {code.upper()} ")
        assert answer["Location"] == study.get_worker_url()
        assert device.post(url("start", study))["Location"] == (
            a_seat_of(study).get_absolute_url()
        )
        assert device.get(a_seat_of(study).get_absolute_url()).status_code == 200

    def test_it_leads_back_to_the_withdrawal_that_was_asked_for(self, study):
        work(study)
        device = guess(study)
        page = device.get(url("withdraw", study)).content.decode()
        assert f'name="back" value="{url("withdraw", study)}"' in page
        code = Worker.objects.get().personal_code
        answer = give(device, study, code, back=url("withdraw", study))
        assert answer["Location"] == url("withdraw", study)
        device.post(url("withdraw", study))
        assert Worker.objects.get().state == "withdrawn"

    def test_it_leads_nowhere_else(self, study):
        work(study)
        code = Worker.objects.get().personal_code
        answer = give(guess(study), study, code, back="https://evil.example/withdraw/")
        assert answer["Location"] == study.get_worker_url()

    def test_a_wrong_one_is_refused_and_said(self, study):
        work(study)
        device = guess(study)
        answer = give(device, study, "00000000")
        assert asks(answer)
        assert "This code is not right" in answer.content.decode()
        assert asks(device.get(study.get_worker_url()))

    def test_who_tries_many_has_to_wait(self, study):
        work(study)
        device = guess(study)
        for _ in range(proofs.TRIES):
            give(device, study, "00000000")
        answer = give(device, study, Worker.objects.get().personal_code)
        assert answer.status_code == 429
        assert "Wait a minute" in answer.content.decode()

    def test_all_addresses_of_one_home_count_together(self, study):
        work(study)
        for n in range(proofs.TRIES):
            guess(study, code="00000000", address=f"2001:db8::{n}")
        code = Worker.objects.get().personal_code
        device = guess(study, code=code, address="2001:db8::ffff")
        assert asks(device.get(study.get_worker_url()))

    def test_links_are_no_way_around_that(self, study):
        work(study)
        for _ in range(proofs.TRIES):
            guess(study, code="00000000")
        code = Worker.objects.get().personal_code
        assert asks(guess(study, code=code).get(study.get_worker_url()))

    def test_the_link_to_come_back_by_has_it_in_it(self, study):
        client, _ = work(study)
        worker = Worker.objects.get()
        page = client.get(url("leave", study)).content.decode()
        assert f"?worker=7&amp;code={worker.personal_code}" in page
        device = guess(study, code=worker.personal_code)
        assert device.get(a_seat_of(study).get_absolute_url()).status_code == 200
        assert device.get(url("withdraw", study)).status_code == 200

    def test_without_a_worker_it_leads_to_the_beginning(self, study):
        assert give(Client(), study, "x")["Location"] == study.get_worker_url()


class TestProlific:
    def come(self, study: Study, session: str) -> Client:
        client = Client()
        query = {"PROLIFIC_PID": PID, "SESSION_ID": session}
        client.get(study.get_worker_url(), query)
        return client

    def work(self, study: Study, session: str = SESSION) -> Client:
        client = self.come(study, session)
        client.post(url("start", study), agreement(study))
        hand_in(client, a_seat_of(study))
        return client

    def test_the_same_session_goes_on_on_any_device(self, prolific):
        self.work(prolific)
        device = self.come(prolific, SESSION)
        assert device.get(a_seat_of(prolific).get_absolute_url()).status_code == 200
        assert device.get(url("withdraw", prolific)).status_code == 200

    @pytest.mark.parametrize("session", ["", "650c1f2e3d4a5b6c7d8e9f01"])
    def test_who_only_knows_the_id_is_asked(self, prolific, session):
        self.work(prolific)
        stranger = self.come(prolific, session)
        assert asks(stranger.get(prolific.get_worker_url()))
        assert asks(stranger.post(url("withdraw", prolific)))

    def test_a_session_that_anybody_could_name_proves_nothing(self, prolific):
        self.work(prolific, "1")
        assert asks(self.come(prolific, "1").get(prolific.get_worker_url()))

    def test_who_does_the_work_is_paid_for_it(self, prolific):
        """A stranger who starts under the id meanwhile leaves no trace."""
        own = self.come(prolific, SESSION)
        own.post(url("start", prolific), agreement(prolific))
        other = self.come(prolific, "f" * 24)
        other.post(url("start", prolific))
        hand_in(own, a_seat_of(prolific))
        assert Worker.objects.get().arrival == {"SESSION_ID": SESSION}

    def test_the_code_is_told_to_who_leaves(self, prolific):
        client = self.work(prolific)
        page = client.get(url("leave", prolific)).content.decode()
        assert Worker.objects.get().personal_code in page


def test_somebody_who_is_new_is_asked_nothing(study):
    work(study)
    assert guess(study, "8").get(study.get_worker_url()).status_code == 200
