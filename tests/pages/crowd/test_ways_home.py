"""The last page on platforms that give each study an address of its own."""

from __future__ import annotations

import pytest

from annotation.models import Worker
from tests.annotation.seating import lay_out
from tests.pages.working import agreement, begin, finish, full_form, url

pytestmark = pytest.mark.django_db

SONA = (
    "https://uni.sona-systems.com/webstudy_credit.aspx?experiment_id=12"
    "&amp;credit_token=4e48f9&amp;survey_code="
)
CONNECT = "https://connect.cloudresearch.com/participant/project/FF4E356E38/complete"


def last_page(study, worker: str) -> str:
    client, seat = begin(study, worker)
    client.post(url("submit", seat), full_form(seat))
    return finish(client, study)


def open_study(make_study, **fields):
    study = make_study(prompts=1, samples=2, completion_code="C0DE2345", **fields)
    lay_out(study)
    return study


def test_on_sona_the_button_gives_the_worker_s_own_credit_and_there_is_no_code(
    make_study,
):
    address = f"{SONA}XXXX".replace("&amp;", "&")
    study = open_study(make_study, platform="sona", completion_url=address)
    page = last_page(study, "5512")
    assert f'href="{SONA}5512"' in page
    assert "Return to Sona Systems" in page and "C0DE2345" not in page


def test_on_connect_the_button_records_it_and_the_code_is_there_too(make_study):
    study = open_study(make_study, platform="connect", completion_url=CONNECT)
    page = last_page(study, "a1b2c3d4e5f6")
    assert f'href="{CONNECT}"' in page and "C0DE2345" in page
    assert "tells CloudResearch Connect that you have finished" in page


def test_without_the_redirect_people_enter_the_code(make_study):
    study = open_study(make_study, platform="connect")
    page = last_page(study, "a1b2c3d4e5f6")
    assert "Return to" not in page and "C0DE2345" in page


def test_on_connect_the_ids_of_the_link_are_kept_with_the_worker(client, make_study):
    study = open_study(make_study, platform="connect")
    link = {"participantId": "a1b2c3d4", "assignmentId": "as-1", "projectId": "<x>"}
    client.get(study.get_worker_url(), link)
    client.post(url("start", study), agreement(study))
    worker = Worker.objects.get()
    assert (worker.external_id, worker.arrival) == (
        "a1b2c3d4",
        {"assignmentId": "as-1"},
    )
