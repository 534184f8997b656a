"""The crowdworker's pages with Django's client: no script runs here."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation import platforms, surveys
from annotation.crowd import consent, cookies, visitors
from annotation.models import Annotation, Place, Seat, Study, Worker
from tests.pages.working import (
    agreement,
    begin,
    finish,
    full_form,
    remembered,
    rows_in_tables,
    url,
)

CONSENT = "We keep your ratings."


@pytest.fixture
def study(make_study):
    """Two pages of one prompt."""
    study = make_study(prompts=1, samples=2, consent=CONSENT, contact="lab@example.org")
    surveys.open_study(study=study)
    return study


@pytest.fixture
def prolific(make_study):
    study = make_study(
        name="crowd", prompts=1, samples=2, platform="prolific", completion_code="C0DE"
    )
    surveys.open_study(study=study)
    return study


class TestWelcome:
    def test_it_shows_instructions_questions_and_the_words_to_agree_to(self, study):
        page = Client().get(study.get_worker_url()).content.decode()
        assert CONSENT in page
        assert "Contact: lab@example.org." in page
        assert "How good is the coherence?" in page

    def test_it_never_says_the_name_of_the_study(self, study):
        # The name may say what is compared.
        assert "ferry" not in Client().get(study.get_worker_url()).content.decode()

    def test_opening_the_link_changes_nothing(self, study):
        before = rows_in_tables()
        for _ in range(3):
            assert Client().get(study.get_worker_url()).status_code == 200
        assert rows_in_tables() == before

    def test_it_takes_the_worker_out_of_the_address(self, study):
        client = Client()
        answer = client.get(study.get_worker_url(), {"worker": "w1", "utm": "x"})
        assert answer.url == study.get_worker_url()
        assert remembered(client)["workers"] == {study.public_id.hex: "w1"}

    @pytest.mark.parametrize("worker", ["", "a b", "x" * 129, "<b>", "é"])
    def test_it_refuses_an_id_of_impossible_shape(self, study, worker):
        answer = Client().get(study.get_worker_url(), {"worker": worker})
        assert answer.status_code == 400
        assert "incomplete" in answer.content.decode()

    def test_it_refuses_an_id_that_no_database_stores(self, study):
        answer = Client().get(study.get_worker_url(), {"worker": "w\x00"})
        assert answer.status_code == 400

    def test_an_unknown_study_does_not_exist(self, db):
        answer = Client().get(reverse("worker:welcome", args=[uuid4()]))
        assert answer.status_code == 404

    @pytest.mark.parametrize(
        ("state", "words"),
        [("draft", "not started"), ("paused", "is paused"), ("closed", "is closed")],
    )
    def test_a_study_that_is_not_open_says_so(self, study, state, words):
        Study.objects.filter(pk=study.pk).update(state=state)
        assert words in Client().get(study.get_worker_url()).content.decode()

    def test_nobody_starts_in_a_paused_study(self, study):
        client = Client()
        client.get(study.get_worker_url())
        surveys.pause(study=study)
        client.post(url("start", study), agreement(study))
        assert not Seat.objects.exists()

    def test_a_platform_without_pages_is_said(self, study, monkeypatch):
        monkeypatch.delitem(platforms.PLATFORMS, "direct")
        page = Client().get(study.get_worker_url()).content.decode()
        assert "cannot be opened here" in page


class TestStart:
    def test_it_claims_a_seat_and_leads_to_it(self, study):
        client = Client()
        client.get(study.get_worker_url())
        answer = client.post(url("start", study), agreement(study))
        assert answer.url == Seat.objects.get().get_absolute_url()

    def test_it_keeps_the_words_agreed_to_and_when(self, study):
        begin(study)
        worker = Worker.objects.get()
        assert worker.consent == consent.words(study)
        assert timezone.now() - worker.consented_at < timedelta(minutes=1)

    def test_nothing_starts_without_agreement(self, study):
        client = Client()
        client.get(study.get_worker_url())
        answer = client.post(url("start", study), {**agreement(study), "agree": ""})
        assert answer.status_code == 400
        assert "Tick the box" in answer.content.decode()
        assert not Worker.objects.exists()

    def test_words_that_changed_meanwhile_are_read_again(self, study):
        client, old = Client(), agreement(study)
        client.get(study.get_worker_url())
        Study.objects.filter(pk=study.pk).update(consent="We sell your ratings.")
        answer = client.post(url("start", study), old)
        assert "has changed" in answer.content.decode()
        assert not Worker.objects.exists()

    def test_it_needs_a_token_against_forged_requests(self, study):
        client = Client(enforce_csrf_checks=True)
        client.get(study.get_worker_url())
        answer = client.post(url("start", study), agreement(study))
        assert answer.status_code == 403

    def test_a_get_does_not_start(self, study):
        answer = Client().get(f"{url('start', study)}?worker=w1")
        assert answer.status_code == 302
        assert answer.url == f"{study.get_worker_url()}?worker=w1"
        assert not Worker.objects.exists()

    def test_a_double_click_takes_one_seat(self, study):
        client, seat = begin(study)
        answer = client.post(url("start", study), agreement(study))
        assert answer.url == seat.get_absolute_url()
        assert Seat.objects.count() == 1

    def test_the_same_worker_on_another_device_gets_the_same_seat(self, study):
        _, seat = begin(study, "w1")
        other = Client()
        other.get(study.get_worker_url(), {"worker": "w1"})
        page = other.get(study.get_worker_url()).content.decode()
        assert "Welcome back" in page
        assert other.post(url("start", study)).url == seat.get_absolute_url()

    def test_studies_do_not_share_their_workers(self, study, prolific):
        client, _ = begin(study, "abcdefgh1")
        begin(prolific, "0123456789abcdef01234567", client)
        assert remembered(client)["workers"] == {
            study.public_id.hex: "abcdefgh1",
            prolific.public_id.hex: "0123456789abcdef01234567",
        }
        assert Worker.objects.count() == 2

    def test_the_cookie_never_outgrows_what_a_browser_keeps(self, study, rf):
        request = rf.get("/")
        visitors.be(request, {})
        for _ in range(40):
            cookies.remember(request, Study(public_id=uuid4()), "x" * 128)
        cookies.remember(request, study, "w1")
        kept = visitors.of(request)["workers"]
        assert len(kept) == cookies.MAX_STUDIES_REMEMBERED
        assert cookies.remembered_id(request, study) == "w1"


class TestProlific:
    PID = "5f1d7a2b3c4d5e6f7a8b9c0d"

    def test_who_comes_without_an_id_is_sent_back_there(self, prolific):
        answer = Client().get(prolific.get_worker_url())
        assert answer.status_code == 403
        assert "from its page on Prolific" in answer.content.decode()

    def test_a_link_that_was_not_filled_in_is_refused(self, prolific):
        pid = "{{%PROLIFIC_PID%}}"
        answer = Client().get(prolific.get_worker_url(), {"PROLIFIC_PID": pid})
        assert answer.status_code == 400

    def test_the_end_leads_home_with_the_code(self, prolific):
        client, seat = begin(prolific, self.PID)
        client.post(url("submit", seat), full_form(seat, then="stop"))
        page = finish(client, prolific)
        assert "https://app.prolific.com/submissions/complete?cc=C0DE" in page
        assert ">C0DE<" in page

    def test_who_can_do_nothing_is_told_to_return_the_submission(self, prolific):
        Place.objects.filter(study=prolific).update(free=False)
        client = Client()
        client.get(prolific.get_worker_url(), {"PROLIFIC_PID": self.PID})
        client.post(url("start", prolific), agreement(prolific))
        page = client.get(url("done", prolific)).content.decode()
        assert "return your submission" in page
        assert "C0DE" not in page


class TestStrangers:
    @pytest.mark.parametrize("page", ["seat", "answer", "keep", "submit"])
    def test_the_seat_of_another_worker_does_not_exist(self, study, page):
        _, seat = begin(study, "w1")
        client, _ = begin(study, "w2")
        send = client.get if page == "seat" else client.post
        assert send(url(page, seat), {"a-1-coherence": "5"}).status_code == 404
        assert not Annotation.objects.exists()

    @pytest.mark.parametrize("page", ["seat", "answer", "keep", "submit"])
    def test_a_browser_without_session_is_told_what_to_do(self, study, page):
        _, seat = begin(study)
        client = Client()
        send = client.get if page == "seat" else client.post
        answer = send(url(page, seat), {"a-1-coherence": "5"})
        assert answer.status_code == 403
        assert "Open the link you were given" in answer.content.decode()
        assert not Annotation.objects.exists()

    @pytest.mark.parametrize("page", ["leave", "done"])
    def test_pages_of_a_worker_lead_strangers_to_the_welcome(self, study, page):
        assert Client().get(url(page, study)).url == study.get_worker_url()

    def test_a_worker_of_one_study_is_a_stranger_in_another(self, study, prolific):
        _, seat = begin(prolific, "0123456789abcdef01234567")
        client, _ = begin(study)
        assert client.get(seat.get_absolute_url()).status_code == 403

    def test_the_owner_may_open_the_link_like_anybody(self, study, client, alice):
        client.force_login(alice)
        assert client.get(study.get_worker_url()).status_code == 200


class TestLeave:
    def test_a_plain_form_saves_what_was_answered(self, study):
        client, seat = begin(study)
        answer = client.post(url("keep", seat), {"a-1-coherence": "3", "a-2-x": "1"})
        assert answer.url == url("leave", study)
        assert Annotation.objects.get().value == 3

    def test_it_says_how_to_come_back_on_another_device(self, study):
        client, seat = begin(study, "w1")
        page = client.get(url("leave", study)).content.decode()
        assert f"http://testserver{study.get_worker_url()}?worker=w1" in page
        assert seat.get_absolute_url() in page

    def test_on_prolific_the_platform_leads_back(self, prolific):
        client, _ = begin(prolific, "0123456789abcdef01234567")
        page = client.get(url("leave", prolific)).content.decode()
        assert "0123456789abcdef01234567" not in page
        assert "from its page on Prolific" in page

    def test_a_worker_without_id_gets_a_link_that_nobody_can_guess(self, study):
        client = Client()
        client.get(study.get_worker_url())
        client.post(url("start", study), agreement(study))
        other = Client()
        link = Worker.objects.get().external_id
        assert len(link) >= 22
        other.get(study.get_worker_url(), {"worker": link})
        seat = Seat.objects.get()
        assert other.post(url("start", study)).url == seat.get_absolute_url()


class TestDone:
    def test_it_tells_the_truth_about_the_damaged_texts(self, study):
        client, seat = begin(study)
        client.post(url("submit", seat), full_form(seat, then="stop"))
        page = finish(client, study)
        assert "damaged on purpose" in page
        assert "lab@example.org" in page
        assert Worker.objects.get().personal_code in page

    def test_there_is_no_code_before_a_page_is_handed_in(self, study):
        client, _ = begin(study)
        page = client.get(url("done", study)).content.decode()
        assert study.completion_code not in page
        assert "damaged" not in page

    def test_the_code_can_be_had_after_the_study_has_closed(self, study):
        client, seat = begin(study)
        client.post(url("submit", seat), full_form(seat, then="stop"))
        surveys.close(study=study)
        page = client.get(study.get_worker_url()).content.decode()
        assert url("finish", study) in page
        assert study.completion_code in finish(client, study)

    def test_who_is_at_a_page_can_finish_it_after_a_pause(self, study):
        client, seat = begin(study)
        surveys.pause(study=study)
        assert (
            seat.get_absolute_url()
            in client.get(study.get_worker_url()).content.decode()
        )
        client.post(url("submit", seat), full_form(seat, then="next"))
        seat.refresh_from_db()
        assert seat.state == Seat.State.VALID
