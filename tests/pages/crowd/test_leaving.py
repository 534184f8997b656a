"""Between two pages and at the end: who is told what the study hid, and when."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotation import surveys, workers
from annotation.crowd import visitors
from annotation.models import Place, Seat, Study, Worker
from tests.pages.working import (
    begin,
    finish,
    full_form,
    remembered,
    rows_in_tables,
    url,
)

pytestmark = pytest.mark.django_db
SECRETS = ("damaged", "C0DE2345")


@pytest.fixture
def study(make_study) -> Study:
    """Two pages, each for two people."""
    study = make_study(
        prompts=2,
        samples=1,
        ratings_per_text=2,
        completion_code="C0DE2345",
        contact="lab@example.org",
    )
    surveys.open_study(study=study)
    return study


def hand_in(client: Client, seat: Seat, then: str = "stop") -> str:
    answer = client.post(url("submit", seat), full_form(seat, then=then), follow=True)
    return answer.content.decode()


def read(client: Client, name: str, study: Study) -> str:
    return client.get(url(name, study), follow=True).content.decode()


def told(page: str) -> bool:
    return any(secret in page for secret in SECRETS)


class TestBetween:
    def test_after_a_page_nothing_is_told_on_any_way(self, study):
        client, seat = begin(study)
        assert not told(hand_in(client, seat))
        assert "Page 1 is submitted" in read(client, "done", study)
        for name in ("done", "finish", "leave", "welcome", "withdraw"):
            assert not told(read(client, name, study)), name
        again = client.get(seat.get_absolute_url(), follow=True).content.decode()
        assert not told(again)

    def test_it_has_one_button_which_goes_on(self, study):
        client, seat = begin(study)
        hand_in(client, seat)
        page = read(client, "done", study)
        assert page.count("<button") == 1
        assert f'action="{url("start", study)}"' in page
        client.post(url("start", study))
        assert Seat.objects.filter(state=Seat.State.CLAIMED).exists()

    def test_who_is_at_the_next_page_is_led_back_to_it(self, study):
        client, seat = begin(study)
        hand_in(client, seat, then="next")
        page = read(client, "done", study)
        assert Seat.objects.get(state=Seat.State.CLAIMED).get_absolute_url() in page
        assert not told(page)

    def test_changed_words_are_read_before_going_on(self, study):
        client, seat = begin(study)
        Study.objects.update(consent="New words.")
        page = hand_in(client, seat)
        assert f'href="{study.get_worker_url()}">Rate another page' in page
        page = read(client, "done", study)
        assert f'href="{study.get_worker_url()}">Continue' in page

    def test_pages_that_others_hold_may_come_back(self, study):
        client, seat = begin(study)
        soon = timezone.now() + timedelta(hours=1)
        others = Place.objects.exclude(survey=seat.survey_id)
        others.update(free=False, lease_until=soon)
        page = hand_in(client, seat)
        assert "Other people are working" in page
        assert not told(page)

    @pytest.mark.parametrize("state", ["paused", "closed"])
    def test_a_study_that_stops_tells_who_asks_for_the_code(self, study, state):
        client, seat = begin(study)
        Study.objects.update(state=state)
        hand_in(client, seat, then="next")
        ended = state == "closed"  # nothing can come any more
        assert told(read(client, "done", study)) is ended
        assert told(finish(client, study))

    def test_who_is_stopped_gets_the_code_by_asking(self, study):
        client, seat = begin(study)
        hand_in(client, seat)
        Worker.objects.update(state="blocked")
        page = read(client, "done", study)
        assert "no more pages for you" in page
        assert not told(page)
        assert told(finish(client, study))


class TestFinish:
    def test_who_stops_is_asked_once_and_may_still_rate_another_page(self, study):
        client, seat = begin(study)
        page = hand_in(client, seat)
        code, another = "Finish now and get my code", "Rate another page"
        assert 0 < page.index(code) < page.index(another)
        assert not told(page)
        assert told(finish(client, study))

    def test_who_would_rather_rate_another_page_gets_one(self, study):
        client, seat = begin(study)
        assert f'action="{url("start", study)}"' in hand_in(client, seat)
        client.post(url("start", study))
        assert Seat.objects.filter(state=Seat.State.CLAIMED).exists()

    def test_it_asks_first_and_no_get_writes(self, study):
        client, seat = begin(study)
        hand_in(client, seat)
        before = rows_in_tables()
        page = read(client, "finish", study)
        assert "Finish now?" in page
        assert "not get any more pages" in page
        assert rows_in_tables() == before
        assert Worker.objects.get().debriefed_at is None

    def test_then_there_are_no_more_pages(self, study):
        client, seat = begin(study)
        hand_in(client, seat)
        assert told(finish(client, study))
        client.post(url("start", study))
        assert Seat.objects.count() == 1
        assert told(read(client, "welcome", study))

    def test_the_code_can_be_read_again(self, study):
        client, seat = begin(study)
        hand_in(client, seat)
        finish(client, study)
        moment = Worker.objects.get().debriefed_at
        assert told(finish(client, study))
        assert Worker.objects.get().debriefed_at == moment

    def test_who_has_submitted_nothing_cannot_finish(self, study):
        client, seat = begin(study)
        page = finish(client, study)
        assert not told(page)
        assert "Welcome back" in page
        assert Worker.objects.get().debriefed_at is None

    def test_the_page_that_was_begun_is_lost_and_free_for_others(self, study):
        client, seat = begin(study)
        hand_in(client, seat, then="next")
        begun = Seat.objects.get(state=Seat.State.CLAIMED)
        assert "will not count" in read(client, "finish", study)
        finish(client, study)
        begun.refresh_from_db()
        assert begun.state == Seat.State.EXPIRED
        assert begun.place.free

    def test_another_tab_can_change_nothing_afterwards(self, study):
        client, seat = begin(study)
        hand_in(client, seat, then="next")
        begun = Seat.objects.get(state=Seat.State.CLAIMED)
        finish(client, study)
        sent = client.post(url("answer", begun), full_form(begun))
        assert sent.status_code == 409
        hand_in(client, begun)
        begun.refresh_from_db()
        assert (begun.state, begun.annotations.count()) == (Seat.State.EXPIRED, 0)

    def test_another_device_is_told_the_same(self, study):
        client, seat = begin(study)
        hand_in(client, seat)
        other = Client()
        code = Worker.objects.get().personal_code
        other.get(study.get_worker_url(), {"worker": "w1", "code": code})
        assert not told(read(other, "done", study))
        finish(client, study)
        assert told(read(other, "done", study))
        other.post(url("start", study))
        assert Seat.objects.count() == 1

    def test_without_a_worker_it_leads_to_the_link(self, study):
        answer = Client().post(url("finish", study))
        assert answer.url == study.get_worker_url()


class TestTheLastPage:
    def test_it_finishes_by_itself(self, study):
        client, seat = begin(study)
        hand_in(client, seat, then="next")
        page = hand_in(client, Seat.objects.get(state=Seat.State.CLAIMED), then="next")
        assert told(page)
        assert "You rated 2 pages." in page
        assert Worker.objects.get().debriefed_at is not None

    def test_so_it_does_at_the_limit_of_pages(self, study):
        Study.objects.update(max_pages=1)
        client, seat = begin(study)
        assert told(hand_in(client, seat))

    def test_who_withdraws_is_told_and_keeps_the_code(self, study):
        client, seat = begin(study)
        hand_in(client, seat)
        workers.withdraw(worker=Worker.objects.get(), now=timezone.now())
        worker = Worker.objects.get()
        held = remembered(client)
        held["workers"] = {study.public_id.hex: worker.external_id}
        held.save()
        client.cookies[visitors.COOKIE] = held.session_key
        assert told(read(client, "done", study))
