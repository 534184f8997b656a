"""Many newcomers from one address, and people who come from elsewhere."""

from __future__ import annotations

import re
import threading
from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.test import Client, RequestFactory
from django.utils import timezone

from annotation import surveys
from annotation.crowd import invites, sources
from annotation.models import Place, Study
from evalapp.limits import throttling
from tests.annotation.seating import expire, in_threads
from tests.pages.working import agreement, full_form, url

pytestmark = pytest.mark.django_db

ATTACKER, HOME = "203.0.113.66", "198.51.100.7"


@pytest.fixture(autouse=True)
def behind_a_proxy(settings):
    cache.clear()
    settings.BEHIND_PROXY = True
    yield
    cache.clear()


@pytest.fixture
def study(make_study) -> Study:
    """Eight places."""
    study = make_study(prompts=2, samples=2, ratings_per_text=2)
    surveys.open_study(study=study)
    assert study.places.count() == 8
    return study


def from_(address: str) -> Client:
    return Client(headers={"X-Forwarded-For": address})


def start(study: Study, address: str, query: dict[str, str] | None = None):
    client = from_(address)
    client.get(study.get_worker_url(), query or {}, follow=True)
    return client, client.post(url("start", study), agreement(study))


def is_seat(answer) -> bool:
    return answer.status_code == 302 and "/seat/" in answer["Location"]


def fill_up(study: Study, address: str) -> int:
    n = 0
    while is_seat(start(study, address)[1]):
        n += 1
    return n


def test_one_address_gets_half_of_few_places_and_others_find_one(study):
    assert fill_up(study, ATTACKER) == 4
    assert is_seat(start(study, HOME)[1])


def test_who_is_refused_is_told_when_to_come_back(study):
    fill_up(study, ATTACKER)
    client, refused = start(study, ATTACKER)
    assert refused.status_code == 429
    assert refused["Retry-After"] == "300"
    said = refused.content.decode()
    assert "in a few minutes" in said and "Try again in 5 minutes" in said
    assert "nothing wrong" in said


def test_they_get_a_page_by_the_same_button_once_there_is_one(study):
    fill_up(study, ATTACKER)
    client, _ = start(study, ATTACKER)
    expire(study=study, now=timezone.now() + timedelta(hours=1))
    assert is_seat(client.post(url("start", study)))


def test_the_start_is_offered_while_a_place_can_be_had_from_a_crowd(study):
    fill_up(study, ATTACKER)
    for n in range(4):
        assert is_seat(start(study, f"198.51.100.{n}")[1])
    page = from_(HOME).get(study.get_worker_url()).content.decode()
    assert ">Start</button>" in page
    assert is_seat(start(study, HOME)[1])


def test_a_personal_link_is_not_bound_by_the_address(study):
    names = [f"guest {n}" for n in range(8)]
    made = invites.create(study=study, names=names, now=timezone.now())
    for one in made:
        _, answer = start(study, ATTACKER, {"invite": one.token})
        assert is_seat(answer)
    assert not Place.objects.exclude(source="").exists()


def test_the_next_page_is_not_bound_either(study):
    client, answer = start(study, ATTACKER)
    seat = study.workers.get().seats.get()
    fill_up(study, ATTACKER)
    assert is_seat(client.post(url("submit", seat), full_form(seat)))


def test_no_address_is_stored(study):
    start(study, ATTACKER)
    place = Place.objects.exclude(source="").get()
    assert re.fullmatch("[0-9a-f]{32}", place.source)
    request = RequestFactory().get("/", headers={"X-Forwarded-For": ATTACKER})
    other = Study(public_id=uuid4())
    assert place.source == sources.of(request, study, "w1")
    assert place.source != sources.of(request, other, "w1")


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.66", "203.0.113.66"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.66", "203.0.113.66"),
        ("unknown", "unknown"),
        ("", ""),
    ],
)
def test_a_home_with_many_addresses_is_one(address, network):
    assert throttling.network_of(address) == network


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_one_address_in_four_threads_leaves_a_seat_for_everybody_else(make_study):
    """Forty places; twenty people come while one address takes all that it can."""
    study = make_study(prompts=10, samples=2, ratings_per_text=2)
    surveys.open_study(study=study)
    assert study.places.count() == 40
    over = threading.Event()

    def attack(n: int) -> None:
        while not over.is_set():
            start(study, ATTACKER)

    def come(n: int) -> bool:
        return is_seat(start(study, f"198.51.100.{n}")[1])

    def work(n: int) -> list[bool]:
        if n < 4:
            attack(n)
            return []
        try:
            return [come(person) for person in range(20)]
        finally:
            over.set()

    found = in_threads(5, work)[4]
    assert found == [True] * 20
