"""Researchers' pages of a study whose people compare texts."""

from __future__ import annotations

import re

import pytest

from annotation.models import Item, Seat, Study, comparing
from annotation.watching import reports
from tests.annotation.pairing import MUCH_B, compare, open_pairs
from tests.annotation.seating import NOON, hand_in, lay_out, sit
from tests.pages.working import worker_page

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]


@pytest.fixture
def study(make_study):
    """One page of three pairs and a damaged twin, with three places."""
    study = make_study(prompts=1, systems=("a", "b", "c"), ratings_per_text=3)
    return open_pairs(study, pair_strength=True)


def read(client, url: str) -> str:
    answer = client.get(f"/studies/ferry/{url}")
    assert answer.status_code == 200
    return " ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split())


def of(seat: Seat) -> str:
    return f"ratings/{seat.public_id}/"


def test_a_rated_page_tells_answers_in_words_beside_those_of_others(client, study):
    ann = compare(sit(study, "ann"), real=MUCH_B)
    compare(sit(study, "ben"), real=MUCH_B)
    found = read(client, of(ann))
    assert "The pairs, in the order this worker saw them" in found
    assert "B is much better" in found and "others: A is much better 1" in found
    assert "A, on the left" in found
    assert "hidden check: a text beside its damaged version" in found
    assert "It should lower" in found


def test_a_page_without_answers_can_be_seen(client, study):
    seat = sit(study, "ann")
    reports.report(seat=seat, position=1, reason="<img src=x>", now=NOON)
    found = client.get(f"/studies/ferry/{of(seat)}").content.decode()
    assert "No answer has been saved" in found
    assert "<img src=x>" not in found and "&lt;img src=x&gt;" in found


def test_a_survey_shows_its_pairs_with_systems_and_the_hidden_check(client, study):
    compare(sit(study, "ann"))
    found = read(client, "surveys/1/")
    assert "hidden check" in found and "made from" in found
    assert "without the names of systems" in found and "See ratings" in found
    assert found.count("damaged on purpose") == 1


def test_the_list_of_surveys_counts_pairs_but_not_the_check(client, study):
    compare(sit(study, "ann"))
    compare(sit(study, "ben"))
    found = read(client, "surveys/")
    assert "Pairs Prompt" in found
    assert "Survey&nbsp;1 3 each pair has its own" in found
    assert "2 of 3" in found


def test_the_list_of_workers_tells_choices_and_no_mean_of_codes(client, study):
    seat = compare(sit(study, "ann"), real=MUCH_B)
    compare(sit(study, "ben"), real=MUCH_B)
    for url in ("workers/", worker_page(seat.worker)):
        found = read(client, url)
        assert "Share of left" in found and "0.00" in found
        assert "Bias" not in found and "r with" not in found


def test_a_study_of_ratings_says_nothing_of_choices(client, make_study):
    lay_out(make_study(name="other"))
    hand_in(sit(Study.objects.get(name="other"), "ann"))
    found = client.get("/studies/other/workers/").content.decode()
    assert "Share of left" not in found and "Bias" in found


def test_a_text_lists_what_it_was_compared_with(client, study):
    compare(sit(study, "ann"), first=comparing.FIRST)
    found = read(client, "text/?key=0-a-1")
    assert "Comparisons" in found and "Ratings" not in found.split("Comparisons")[0]
    assert "0-b-1" in found and "in 2 pairs" in found and "better better" in found
    assert "Nobody has rated" not in found


def test_texts_tell_in_how_many_pairs_they_stand(client, study):
    found = read(client, "texts/")
    assert found.count("in 2 pairs") == 3 and "Coherence" not in found


def test_a_reported_pair_shows_both_texts_and_asks_which(client, study):
    seat = sit(study, "ann")
    item = Item.objects.filter(pk__in=seat.order, pair__second__isnull=False).first()
    at = seat.order.index(item.pk) + 1
    reports.report(seat=seat, position=at, reason="Rude.", now=NOON)
    page = client.get("/studies/ferry/reports/").content.decode()
    assert 'name="key"' in page and "Keep both texts" in page
    for text in (item.pair.first, item.pair.second):
        assert text.text[-40:] in page
    url = f"/studies/ferry/reports/{item.pk}/exclude/"
    answer = client.post(url, {"words": "Rude."}, follow=True)
    assert "Choose which of the two texts" in answer.content.decode()
    chosen = {"words": "Rude.", "key": item.pair.second.key}
    answer = client.post(url, chosen, follow=True)
    assert f"{item.pair.second.key} is excluded" in answer.content.decode()
    keep = f"/studies/ferry/reports/{item.pk}/keep/"
    answer = client.post(keep, {"words": ""}, follow=True).content.decode()
    assert "stay. The answers on them count." in answer


def test_the_overview_and_the_monitor_count_pairs(client, study):
    compare(sit(study, "ann"))
    overview = read(client, "")
    assert "3 of 9 comparisons are valid (33 %: 3 for each of 3 pairs)" in overview
    assert "Comparisons per pair" in overview and "Ratings per text" not in overview
    monitor = read(client, "monitor/")
    assert "Pairs by valid comparisons" in monitor and "Texts by" not in monitor


def test_a_draft_of_pairs_says_when_they_are_drawn(client, make_study):
    make_study(name="draft", page_kinds=["pair"])
    found = client.get("/studies/draft/").content.decode()
    assert "The pairs are drawn when the study opens." in found
