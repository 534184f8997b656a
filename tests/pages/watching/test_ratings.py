from __future__ import annotations

import pytest

from annotation import answering
from annotation.kinds.edits.content import originals
from annotation.models import Negative, Seat
from annotation.watching import reports
from tests.annotation.seating import NOON, hand_in, lay_out, page, sit
from tests.pages.working import worker_page

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]


@pytest.fixture
def study(make_study):
    study = make_study(prompts=1, ratings_per_text=3)
    lay_out(study)
    return study


def address(seat: Seat) -> str:
    return f"/studies/ferry/ratings/{seat.public_id}/"


def read(client, url: str) -> str:
    answer = client.get(url)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_page_shows_answers_verdict_and_the_damaged_text(client, study):
    seat = hand_in(sit(study, "PLATFORM-4711"), careful=False)
    found = read(client, address(seat))
    assert "damaged on purpose: sentences in another order" in found
    assert "The damaged text got 5; the best of 4 other texts got 2" in found
    assert "PLATFORM-4711" not in found
    assert "others" in found and 'class="track' in found


def test_its_words_are_never_run(client, study):
    seat = sit(study, "ann")
    answering.submit(
        seat=seat, answers=page(seat), now=NOON, comment="<script>alert(1)</script>"
    )
    reports.report(seat=seat, position=1, reason="<img src=x>", now=NOON)
    found = read(client, address(seat))
    assert "<script>alert(1)" not in found and "<img src=x>" not in found
    assert "&lt;script&gt;" in found and "waiting for review" in found


def test_worker_survey_monitor_and_reports_lead_to_it(client, study):
    seat = hand_in(sit(study, "ann"))
    reports.report(seat=seat, position=1, reason="Bad.", now=NOON)
    busy = sit(study, "ben")
    for url in (worker_page(seat.worker), "surveys/1/", "reports/"):
        assert address(seat) in read(client, f"/studies/ferry/{url}")
    monitor = read(client, "/studies/ferry/monitor/")
    assert address(busy) in monitor and address(seat) in monitor


def test_a_page_that_is_being_rated_can_be_seen(client, study):
    seat = sit(study, "ann")
    assert "Not checked yet" in read(client, address(seat))


def test_a_page_after_the_debriefing_says_so(client, study):
    seat = hand_in(sit(study, "ann"))
    Seat.objects.update(informed=True)
    assert "had read the debriefing" in read(client, address(seat))


def test_a_page_without_a_damaged_text_is_shown_as_well(client, study):
    Negative.objects.get().item.delete()
    seat = hand_in_without_negative(study)
    found = read(client, address(seat))
    assert "The page has no damaged text to compare with others." in found


def hand_in_without_negative(study) -> Seat:
    seat = sit(study, "ann")
    keys = study.aspects.values_list("key", flat=True)
    answers = {(n, key): 3 for n in range(1, len(seat.order) + 1) for key in keys}
    return answering.submit(seat=seat, answers=answers, now=NOON)


def test_seats_of_another_study_are_not_found(client, study, make_study):
    seat = hand_in(sit(study, "ann"))
    make_study(name="other")
    url = address(seat).replace("ferry", "other")
    assert client.get(url).status_code == 404


def test_who_has_no_access_to_the_study_gets_404(client, study, bob):
    seat = hand_in(sit(study, "ann"))
    client.force_login(bob)
    assert client.get(address(seat)).status_code == 404


def test_a_worker_reads_nothing_of_it(client, study):
    """Neither what others gave, nor which text is damaged, nor that they stand out."""
    seat = sit(study, "ann")
    hand_in(sit(study, "careless"), careful=False)
    client.logout()
    client.get(f"{study.get_worker_url()}?worker=ann")
    found = client.get(seat.get_absolute_url(), follow=True).content.decode()
    for word in ("eeds attention", "shuffle", "/ratings/", "others gave", "discarded"):
        assert word not in found
    assert client.get(address(seat)).status_code == 302  # to the login


def test_a_page_of_corrections_shows_texts_as_they_were_left(client, alice, make_study):
    from annotation import answering, surveys
    from annotation.kinds.edits.edit_drafts import CORRECTED, Sent

    study = make_study(name="edits", prompts=2, systems=("a",), page_kinds=["edit"])
    surveys.open_study(study=study)
    seat = sit(study, "ann")
    answers = {
        (n, CORRECTED): Sent(f"{one.rest} Mine.") for n, one in originals(seat).items()
    }
    answering.submit(seat=seat, answers=answers, now=NOON)
    client.force_login(alice)
    page = client.get(f"/studies/edits/ratings/{seat.public_id}/").content.decode()
    assert page.count("1 word changed") == 2 and page.count(" Mine.</p>") == 2
    assert "Words changed</th>" in page and "Coherence</th>" not in page
    assert "Damaged text not corrected" in page
