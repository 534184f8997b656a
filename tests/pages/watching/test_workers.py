from __future__ import annotations

import uuid

import pytest

from annotation import assigning
from annotation.models import CopyCheck, Report, Seat, Worker
from annotation.watching import attention
from tests.annotation.seating import NOON, hand_in, lay_out, sit, state
from tests.pages.working import worker_page

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]

URL = "/studies/ferry/workers/"


@pytest.fixture
def study(make_study):
    study = make_study(prompts=1)
    lay_out(study)
    return study


@pytest.fixture
def seat(study):
    return hand_in(sit(study, "PLATFORM-4711"))


def address(seat: Seat, verb: str = "") -> str:
    return f"/studies/ferry/{worker_page(seat.worker)}" + (f"{verb}/" if verb else "")


def read(client, url: str) -> str:
    answer = client.get(url)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_worker_has_a_page_that_names_no_platform_id(client, seat):
    assert address(seat) in read(client, URL)
    page = read(client, address(seat))
    assert "Survey 1" in page and "PLATFORM-4711" not in page


def test_where_only_a_text_needs_attention_workers_are_listed(client, seat):
    item = seat.survey.items.exclude(generation=None).first()
    Report.objects.create(
        seat=seat, item=item, reason="The text breaks off.", reported_at=NOON
    )
    assert attention.read(study=seat.worker.study).subjects[0].is_text
    assert address(seat) in read(client, URL)


def test_who_answers_like_a_model_is_shown_with_the_figures_and_escaped(client, seat):
    held = ["the judge <b>tiny</b>", 30, 30, 27, 14.2, 0.01, 9]
    CopyCheck.objects.create(
        study=seat.worker.study, asked_at=NOON, held={str(seat.worker.pk): held}
    )
    for url in (address(seat), "/studies/ferry/monitor/"):
        page = read(client, url)
        assert "the judge &lt;b&gt;tiny&lt;/b&gt; in 27 of 30 answers" in page
        assert "do not withhold pay because of it alone" in page
    assert "answers like a model" in read(client, URL)


def test_who_is_excluded_already_is_not_listed_as_answering_like_a_model(client, seat):
    held = ["the judge tiny", 30, 30, 27, 14.2, 0.01, 9]
    CopyCheck.objects.create(
        study=seat.worker.study, asked_at=NOON, held={str(seat.worker.pk): held}
    )
    client.post(address(seat, "exclude"), {"reason": "A script."})
    assert "27 of 30 answers" not in read(client, "/studies/ferry/monitor/")


def test_a_worker_is_excluded_with_a_reason_and_included_again(client, seat):
    assert "1 valid page of w-" in read(client, address(seat))
    client.post(address(seat, "exclude"), {"reason": "A script."})
    assert state(seat) == "discarded"
    page = read(client, address(seat))
    assert "A script." in page and "Include the worker again" in page
    client.post(address(seat, "include"))
    assert state(seat) == "valid"
    log = read(client, "/studies/ferry/log/")
    assert "Excluded worker" in log and "Included worker" in log


def test_without_a_reason_nobody_is_excluded(client, seat):
    answer = client.post(address(seat, "exclude"), {"reason": ""}, follow=True)
    assert "Say why" in answer.content.decode()
    assert state(seat) == "valid"


def test_a_blocked_worker_is_unblocked(client, seat):
    Worker.objects.update(state="blocked", state_reason="2 of 2 pages.")
    assert "2 of 2 pages." in read(client, address(seat))
    client.post(address(seat, "unblock"))
    assert Worker.objects.get().state == "active"


def test_a_wrong_wish_is_explained(client, seat):
    answer = client.post(address(seat, "include"), follow=True)
    assert "This worker is active, not excluded." in answer.content.decode()


def test_a_seat_is_freed(client, study):
    seat = sit(study, "w1")
    assert "Free the seat in survey 1" in read(client, address(seat))
    url = f"/studies/ferry/seats/{seat.public_id}/free/"
    assert client.post(url)["Location"] == address(seat)
    assert state(seat) == "expired"
    answer = client.post(url, follow=True)
    assert "already expired" in answer.content.decode()


def test_freeing_a_seat_never_leads_to_another_site(client, study):
    seat = sit(study, "w1")
    url = f"/studies/ferry/seats/{seat.public_id}/free/"
    answer = client.post(url, {"back": "https://example.org/"})
    assert answer["Location"] == address(seat)


@pytest.mark.parametrize("verb", ["exclude", "include", "unblock"])
def test_workers_of_another_study_are_not_found(client, seat, make_study, verb):
    make_study(name="other")
    url = address(seat, verb).replace("ferry", "other")
    assert client.post(url, {"reason": "x"}).status_code == 404
    nobody = f"{URL}{uuid.uuid4()}/{verb}/"
    assert client.post(nobody, {"reason": "x"}).status_code == 404


def test_many_pages_take_no_more_queries(
    client, make_study, django_assert_max_num_queries
):
    study = make_study(prompts=6, name="long")
    lay_out(study)
    seat = sit(study, "w1")
    for _ in range(5):
        hand_in(seat)
        seat = assigning.claim(worker=seat.worker, now=NOON)
    with django_assert_max_num_queries(38):
        client.get(address(seat).replace("ferry", "long"))


def test_a_page_after_the_debriefing_is_marked_wherever_it_is_listed(client, seat):
    Seat.objects.update(informed=True)
    Worker.objects.update(debriefed_at=NOON)
    assert "finished</span>" in read(client, URL)
    page = read(client, address(seat))
    assert "after the debriefing</span>" in page
    assert "1 Mar 2026, 12:00 UTC</time>. They have read the debriefing" in page
    assert "after the debriefing</span>" in read(client, "/studies/ferry/surveys/1/")


def test_who_has_read_the_debriefing_gets_no_pages_when_unblocked(client, seat):
    Worker.objects.update(state="blocked", debriefed_at=NOON)
    assert "they get no pages even if you unblock them" in read(client, address(seat))
