from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation import answering, assigning
from annotation.models import Study
from tests.annotation.seating import NOON, hand_in, hire, lay_out, page, sit, state
from tests.pages.working import worker_page

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]

URL = "/studies/ferry/monitor/"
NOW = f"{URL}now/"


@pytest.fixture
def study(make_study):
    study = make_study(prompts=4)
    lay_out(study)
    return study


def read(client, url: str = URL) -> str:
    answer = client.get(url)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_draft_says_what_will_be_here(client, make_study):
    make_study()
    assert "No worker has started yet" in read(client)


def test_it_shows_who_is_at_a_page_and_frees_the_seat(client, study):
    seat = sit(study, "PLATFORM-4711")
    page = read(client)
    assert "0 of 15" in page and "PLATFORM-4711" not in page
    url = f"/studies/ferry/seats/{seat.public_id}/free/"
    assert url in page
    assert client.post(url, {"back": "monitor"})["Location"] == URL
    assert state(seat) == "expired"


def test_it_counts_texts_by_their_valid_ratings(client, study):
    hand_in(sit(study, "w1"))
    rows = client.get(URL).context["filled"]
    assert [tuple(row) for row in rows] == [(0, 3, [12]), (1, 1, [4]), (2, 0, [0])]


def test_it_tells_what_trusted_workers_think_of_the_damage(client, study):
    worker = hire(study, "w1")
    for _ in range(3):
        hand_in(assigning.claim(worker=worker, now=NOON))
    hand_in(sit(study, "w2"), careful=False)
    (row,) = client.get(URL).context["damages"].value
    assert (row.perturbation, row.trusted, row.last) == ("shuffle", 3, 3)
    assert "100.0" in read(client)


def test_only_an_open_study_refreshes_itself(client, study):
    assert f'hx-get="{NOW}"' in read(client)
    assert f'hx-get="{NOW}"' in read(client, NOW)
    Study.objects.update(state="closed")
    assert "hx-get" not in read(client)


def test_what_is_refreshed_is_the_same_as_on_the_page(client, study):
    sit(study, "w1")
    part = read(client, NOW)
    assert part.lstrip().startswith('<div id="monitor"')
    assert "Rating now" in part and "<html" not in part


def test_the_workers_page_says_how_each_of_them_rates(client, study):
    for name in ("w1", "w2"):
        hand_in(sit(study, name))
    sit(study, "w3")
    page = read(client, "/studies/ferry/workers/")
    assert "0 of 1" in page  # failed checks
    assert "nobody else has rated these texts" in page
    assert "by clock" in page


def test_workers_who_need_attention_stand_first(client, study):
    careful = hand_in(sit(study, "w1")).worker
    careless = hand_in(sit(study, "w2"), careful=False).worker
    pages = read(client, "/studies/ferry/workers/")
    assert pages.index(worker_page(careless)) < pages.index(worker_page(careful))


def test_the_workers_pages_say_which_checks_failed(client, study):
    seat = hand_in(sit(study, "w1"), careful=False)
    assert "damaged text rated too high (1)" in read(client, "/studies/ferry/workers/")
    own = read(client, f"/studies/ferry/{worker_page(seat.worker)}")
    assert "damaged text rated too high (1)" in own
    assert "The damaged text got 5, above" in own


@pytest.mark.parametrize("url", [URL, NOW, "/studies/ferry/workers/"])
def test_queries_do_not_grow_with_workers(client, make_study, url):
    study = make_study(prompts=4, ratings_per_text=5)
    lay_out(study)

    def queries(workers: int) -> int:
        for _ in range(workers):
            hand_in(sit(study, f"w{study.workers.count()}"))
            sit(study, f"busy{study.workers.count()}")
        with CaptureQueriesContext(connection) as found:
            assert client.get(url).status_code == 200
        return len(found)

    assert queries(1) == queries(5)


class TestDismissing:
    @pytest.fixture
    def entry(self, study) -> str:
        seat = sit(study, "w1")
        said = "The second text is cut off."
        answering.submit(seat=seat, answers=page(seat), now=NOON, comment=said)
        return f"worker:{seat.worker.public_id}"

    def test_an_entry_is_dismissed_and_brought_back(self, client, study, entry):
        assert entry in read(client)
        sent = {"entry": entry, "reason": "Known: the source is cut."}
        assert client.post(f"{URL}dismiss/", sent)["Location"] == URL
        seen = read(client)
        assert "Dismissed (1)" in seen and "Known: the source is cut." in seen
        assert f"{URL}dismiss/" not in seen
        client.post(f"{URL}bring-back/", {"entry": entry})
        assert "Dismissed (1)" not in read(client)

    def test_without_a_reason_the_page_says_what_to_do(self, client, study, entry):
        client.post(f"{URL}dismiss/", {"entry": entry, "reason": " "})
        assert "Enter a reason" in read(client)

    def test_viewers_see_no_form(self, client, study, entry, bob):
        study.members.create(user=bob, role="viewer")
        client.force_login(bob)
        assert f"{URL}dismiss/" not in read(client)


def test_it_says_whether_the_study_may_be_stopped(client, study):
    page = read(client)
    assert "It is too early to stop: the first prompt is still open." in page
    Study.objects.update(ratings_per_text=1)
    for number in range(4):
        hand_in(sit(study, f"w{number}"))
    page = read(client, f"{URL}?aspect=coherence&pair=1")
    assert "in (4 prompts): the order of no two systems is known with 95" in page
    assert '<svg viewBox="0 0 640 260" role="img"' in page
    assert "Numbers in the chart" in page


def test_it_reads_any_question_and_pair_in_the_address(client, study):
    read(client, f"{URL}?aspect=none&pair=-7")


def test_workers_see_nothing_of_it(client, study):
    Study.objects.update(one_by_one=True)
    page = read(client, study.get_worker_url())
    assert "Can you stop?" not in page and "one_by_one" not in page
    assert "one prompt" not in page
