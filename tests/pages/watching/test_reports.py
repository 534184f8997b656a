from __future__ import annotations

import pytest

from annotation.models import Item, Seat
from annotation.watching import reports
from tests.annotation.seating import NOON, hand_in, lay_out, sit
from tests.scoring import analysed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]

URL = "/studies/ferry/reports/"


@pytest.fixture
def study(make_study):
    study = make_study(prompts=1)
    lay_out(study)
    return study


def reported(study, *, negative: bool = False, reason: str = "It insults.") -> Item:
    seat = sit(study, f"w{study.workers.count()}")
    hand_in(seat)
    item = Item.objects.filter(negative__isnull=not negative).first()
    position = seat.order.index(item.pk) + 1
    reports.report(seat=seat, position=position, reason=reason, now=NOON)
    return item


def read(client, url: str = URL) -> str:
    answer = client.get(url)
    assert answer.status_code == 200
    return answer.content.decode()


def test_without_a_report_it_says_what_will_be_here(client, study):
    assert "No text was reported" in read(client)


def test_it_shows_what_was_said_and_never_runs_it(client, study):
    reported(study, reason="<script>alert(1)</script>")
    page = read(client)
    assert "&lt;script&gt;alert(1)" in page and "<script>alert" not in page


def test_it_never_shows_an_id_of_a_platform(client, study):
    reported(study)
    study.workers.update(external_id="PROLIFIC-4711")
    assert "PROLIFIC-4711" not in read(client)


def test_a_text_is_excluded_and_included_again(client, study):
    item = reported(study)
    answer = client.post(f"{URL}{item.pk}/exclude/", {"words": "It insults."})
    assert answer["Location"] == URL
    assert "Include the text again" in read(client)
    client.post(f"{URL}{item.pk}/keep/")
    item.generation.refresh_from_db()
    assert item.generation.excluded_at is None


def test_without_a_reason_nothing_is_excluded(client, study):
    item = reported(study)
    answer = client.post(f"{URL}{item.pk}/exclude/", {"words": ""}, follow=True)
    assert "Enter a reason for excluding" in answer.content.decode()
    item.generation.refresh_from_db()
    assert item.generation.excluded_at is None


def test_a_negative_is_said_to_be_in_no_statistic(client, study):
    item = reported(study, negative=True)
    page = read(client)
    assert "It is in no statistic" in page
    assert f"{item.pk}/exclude/" not in page


@pytest.mark.parametrize("verb", ["keep", "exclude"])
def test_a_text_that_nobody_reported_is_not_found(client, study, verb):
    reported(study)
    other = Item.objects.filter(reports=None).first()
    assert client.post(f"{URL}{other.pk}/{verb}/", {"words": "x"}).status_code == 404


@pytest.mark.parametrize("verb", ["keep", "exclude"])
def test_texts_of_another_study_are_not_found(client, study, make_study, verb):
    item = reported(study)
    make_study(name="other")
    url = f"/studies/other/reports/{item.pk}/{verb}/"
    assert client.post(url, {"words": "x"}).status_code == 404


def test_the_log_tells_what_was_done_and_why(client, study):
    assert "Nothing has happened yet" in read(client, "/studies/ferry/log/")
    item = reported(study)
    client.post(f"{URL}{item.pk}/exclude/", {"words": "It insults."})
    page = read(client, "/studies/ferry/log/")
    assert "Excluded text" in page and "It insults." in page and "alice" in page


def test_results_leave_an_excluded_text_out_and_can_count_it_in(client, study):
    for _ in range(2):
        item = reported(study)
    client.post(f"{URL}{item.pk}/exclude/", {"words": "It insults."})
    results = "/studies/ferry/results/"
    page = analysed.seen(client, results)
    assert client.get(results).context["found"]["agreement"][0]["n_texts"] == 3
    assert "1 text is excluded from these numbers" in page
    analysed.seen(client, f"{results}?with_excluded=1")
    counted = client.get(f"{results}?with_excluded=1")
    assert counted.context["found"]["agreement"][0]["n_texts"] == 4
    assert "agreement.csv?with_excluded=1" in counted.content.decode()
    table = client.get(f"{results}agreement.csv?with_excluded=1").content.decode()
    assert table != client.get(f"{results}agreement.csv").content.decode()


def test_results_leave_pages_after_the_debriefing_out_and_can_count_them_in(
    client, study
):
    for _ in range(2):
        reported(study)
    Seat.objects.update(informed=True)
    results = "/studies/ferry/results/"
    page = analysed.seen(client, results)
    n = Seat.objects.filter(state=Seat.State.VALID).count()
    assert f"{n} page" in page and "had already read the debriefing" in page
    assert not client.get(results).context["found"]["rated"]
    analysed.seen(client, f"{results}?with_informed=1")
    counted = client.get(f"{results}?with_informed=1")
    assert counted.context["found"]["rated"]
    assert "agreement.csv?with_informed=1" in counted.content.decode()


def test_the_overview_and_the_links_say_how_many_wait(client, study):
    reported(study)
    assert "1 text was reported by workers" in read(client, "/studies/ferry/")
    assert '<span class="count">1</span>' in read(client, "/studies/ferry/workers/")
    client.post(f"{URL}{Item.objects.exclude(reports=None).get().pk}/keep/")
    assert "reported by workers" not in read(client, "/studies/ferry/")


def test_an_excluded_text_says_so_wherever_it_stands(client, study):
    item = reported(study)
    client.post(f"{URL}{item.pk}/exclude/", {"words": "It insults."})
    texts = read(client, f"/studies/ferry/texts/?key={item.generation.key}")
    assert "It insults." in texts and "the text is excluded" in texts
    assert ">excluded</span>" in read(client, "/studies/ferry/surveys/1/")
