"""The worker's way through the practice page, with Django's client."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from annotation import surveys
from annotation.crowd import practice
from annotation.crowd.forms import pages
from annotation.crowd.practice import Text
from annotation.models import PracticeTry, Seat, Study

pytestmark = pytest.mark.django_db

GOOD = Text("The ferry left. It came back.", {"coherence": (4, 5)}, "It is whole.")
BAD = Text("Bread the. Gulls seven.", {"coherence": (1, 2)}, "It falls apart.")


@pytest.fixture
def study(make_study):
    study = make_study(screen_out_code="S0RRY", platform="prolific")
    practice.define(
        study=study, prefix="At sea.", label="sad", attempts=2, texts=[GOOD, BAD]
    )
    surveys.open_study(study=study)
    return study


@pytest.fixture
def client(study):
    """A worker who has agreed."""
    client = Client()
    client.get(study.get_worker_url(), {"PROLIFIC_PID": "a" * 24})
    agreed = {"agree": "on", "version": pages.ConsentForm(study).digest}
    client.agreed = client.post(url("start", study), agreed)
    return client


def url(name: str, study: Study) -> str:
    return reverse(f"worker:{name}", args=[study.public_id])


def form(number: int = 1, first: int = 5, second: int = 1) -> dict[str, str]:
    keys = ("coherence", "consistency", "relevance")
    values = ((1, first), (2, second))
    names = {f"a-{at}-{key}": str(value) for at, value in values for key in keys}
    return {"number": str(number), **names}


def attempt(client: Client, study: Study, **values) -> str:
    answer = client.post(url("practice_try", study), form(**values), follow=True)
    return answer.content.decode()


def test_the_welcome_page_says_that_practice_comes_first(study, make_study):
    newcomer = Client()
    newcomer.get(study.get_worker_url(), {"PROLIFIC_PID": "b" * 24})
    page = newcomer.get(study.get_worker_url()).content.decode()
    assert "a short practice page" in page and "2 tries" in page
    other = make_study(name="other")
    surveys.open_study(study=other)
    page = Client().get(other.get_worker_url(), follow=True).content.decode()
    assert "Before you start" in page and "practice" not in page


def test_it_stands_between_the_consent_and_the_first_page(client, study):
    assert client.agreed["Location"] == url("practice", study)
    page = client.get(url("practice", study)).content.decode()
    assert "At sea. The ferry left." in page
    assert "Try 1 of 2" in page
    assert "It is whole." not in page  # not before it is answered
    assert not Seat.objects.exists()


def test_who_passes_reads_why_and_goes_on_to_a_real_page(client, study):
    page = attempt(client, study)
    assert "You passed" in page
    assert "It falls apart." in page
    answer = client.post(url("start", study))
    assert answer["Location"] == Seat.objects.get().get_absolute_url()


def test_who_does_not_is_told_what_was_expected_and_tries_again(client, study):
    page = attempt(client, study, first=2)
    assert "A careful reader would answer 4 or 5" in page
    assert client.post(url("start", study))["Location"] == url("practice", study)
    again = client.get(url("practice", study), {"again": ""}).content.decode()
    assert "Try 2 of 2" in again
    assert " checked" not in again
    assert "You passed" in attempt(client, study, number=2)


def test_after_the_last_try_the_way_ends_politely_with_its_code(client, study):
    attempt(client, study, first=2)
    page = attempt(client, study, number=2, first=2)
    assert "S0RRY" in page
    assert study.completion_code not in page
    client.post(url("start", study))
    assert not Seat.objects.exists()


def test_what_is_missing_is_named_and_what_was_given_is_kept(client, study):
    some = form()
    del some["a-2-relevance"]
    answer = client.post(url("practice_try", study), some)
    page = answer.content.decode()
    assert answer.status_code == 400
    assert 'href="#a-2-relevance"' in page
    assert page.count(" checked") == 5
    assert not PracticeTry.objects.exists()


def test_looking_at_it_changes_nothing(client, study):
    for query in ("", "?again"):
        client.get(url("practice", study) + query)
    assert not PracticeTry.objects.exists()


@pytest.mark.parametrize("number", ["", "x", "-1", "99", "9" * 30])
def test_a_forged_number_counts_for_nothing(client, study, number):
    given = {**form(), "number": number}
    assert client.post(url("practice_try", study), given).status_code == 302
    assert not PracticeTry.objects.exists()


def test_a_stranger_and_a_study_without_practice_lead_to_the_welcome_page(
    client, study, make_study
):
    assert Client().get(url("practice", study))["Location"] == study.get_worker_url()
    other = make_study(name="other")
    assert client.get(url("practice", other))["Location"] == other.get_worker_url()


def test_a_paused_study_says_so(client, study):
    surveys.pause(study=study)
    page = client.get(url("practice", study), follow=True).content.decode()
    assert "This study is paused" in page
