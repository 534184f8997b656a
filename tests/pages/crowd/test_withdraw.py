"""What a worker sees who wants their answers back."""

from __future__ import annotations

import pytest
from django.test import Client

from annotation.crowd.forms import pages
from annotation.models import Annotation, Worker
from annotation.page_kinds import questions
from tests.annotation.seating import lay_out, page
from tests.pages.contrib.mturk.test_mturk import sit as turk_sit

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study):
    study = make_study(
        prompts=1, completion_code="C0DE", contact="lab@example.org", consent="Words."
    )
    lay_out(study)
    return study


def at(study, part: str) -> str:
    return f"/w/{study.public_id}/{part}"


def arrive(study, name: str = "w1") -> tuple[Client, Worker]:
    """A browser of someone who has agreed."""
    client = Client()
    client.get(at(study, ""), {"worker": name})
    agreed = {"agree": "on", "version": pages.ConsentForm(study).digest}
    client.post(at(study, "start/"), agreed)
    return client, study.workers.get(external_id=name)


@pytest.fixture
def rated(study):
    """A browser of someone who has submitted a page."""
    client, worker = arrive(study)
    seat = worker.seats.get()
    answers = {
        questions.field_name(position, key): value
        for (position, key), value in page(seat).items()
    }
    client.post(f"{seat.get_absolute_url()}submit/", {**answers, "then": "stop"})
    assert worker.seats.get().state == "valid"
    return client


def read(client, url: str) -> str:
    answer = client.get(url)
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_last_page_leads_here(study, rated):
    assert at(study, "withdraw/") in read(rated, at(study, "done/"))


def test_looking_at_the_page_deletes_nothing(study, rated):
    text = read(rated, at(study, "withdraw/"))
    assert "You cannot undo it" in text and "lab@example.org" in text
    assert Annotation.objects.exists()


def test_the_button_deletes_and_the_code_stays_in_reach(study, rated):
    answer = rated.post(at(study, "withdraw/"))
    assert answer["Location"] == at(study, "done/")
    assert not Annotation.objects.exists()
    assert not study.workers.filter(external_id="w1").exists()
    text = read(rated, at(study, "done/"))
    assert "You have left this study" in text and "C0DE" in text
    assert "take your answers back" not in text


def test_a_double_click_and_a_later_visit_change_nothing(study, rated):
    for method in (rated.post, rated.post, rated.get):
        assert method(at(study, "withdraw/"))["Location"] == at(study, "done/")
    assert study.workers.count() == 1


def test_the_same_browser_gets_no_more_pages(study, rated):
    rated.post(at(study, "withdraw/"))
    rated.post(at(study, "start/"))
    assert study.workers.get().seats.filter(state="claimed").count() == 0


def test_answers_from_a_tab_left_open_are_not_taken(study):
    client, worker = arrive(study)
    seat = worker.seats.get()
    client.post(at(study, "withdraw/"))
    answer = client.post(
        f"{seat.get_absolute_url()}answer/",
        {questions.field_name(1, "coherence"): "3"},
    )
    assert answer.status_code == 404
    assert not Annotation.objects.exists()


def test_who_comes_back_by_their_link_agrees_anew_as_somebody_new(study, rated):
    rated.post(at(study, "withdraw/"))
    _, again = arrive(study)
    assert again.state == "active" and study.workers.count() == 2


def test_a_browser_that_we_do_not_know_is_sent_to_the_beginning(study):
    answer = Client().get(at(study, "withdraw/"))
    assert answer["Location"] == study.get_worker_url()


@pytest.mark.parametrize("method", ["get", "post"])
def test_on_mechanical_turk_the_work_is_submitted_first(make_study, method):
    study = make_study(name="turk", prompts=1, platform="mturk", contact="a@b.org")
    lay_out(study)
    client = Client()
    mount, seat = turk_sit(client, study)
    answer = getattr(client, method)(f"{mount}{at(study, 'withdraw/')}")
    text = answer.content.decode()
    assert "Submit your work first" in text and seat.worker.personal_code in text
    assert study.workers.get().state == "active"


def test_it_needs_the_form_s_own_token(study, rated):
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = rated.cookies
    assert strict.post(at(study, "withdraw/")).status_code == 403
    assert Annotation.objects.exists()
