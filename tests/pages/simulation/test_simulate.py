from __future__ import annotations

import re
from decimal import Decimal

import pytest
from django.urls import reverse

from annotation.models import Seat, Study, Worker
from annotation.simulation import views
from tests.annotation.seating import lay_out

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study, client, alice):
    client.force_login(alice)
    study = make_study(pay_per_page=Decimal("0.25"))
    lay_out(study)
    return study


def get(client, study, **given) -> str:
    query = {
        "workers": 8,
        "seed": 1,
        "careful": 50,
        "noisy": 0,
        "lazy": 0,
        "random": 50,
        "straight-lining": 0,
    }
    answer = client.get(reverse("study_simulate", args=[study.name]), query | given)
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", answer.content.decode())


def test_without_a_question_there_is_only_the_form(client, study):
    said = client.get(reverse("study_simulate", args=[study.name])).content.decode()
    assert 'name="straight-lining"' in said
    assert "What to expect" not in said


def test_it_shows_what_to_expect_and_writes_nothing(client, study):
    said = get(client, study)
    assert "careful workers by 2.0, noisy workers by 1.2" in said
    for words in ("What to expect", "Careful", "Random", "Coherence", "USD"):
        assert words in said
    assert not Seat.objects.exists()
    assert not Worker.objects.exists()
    assert not Study.objects.get().simulated


def test_kinds_that_nobody_is_of_are_left_out(client, study):
    table = get(client, study).split("Workers by kind", 1)[1]
    assert "Lazy" not in table.split("Coverage over time")[0]


def test_shares_must_add_up(client, study):
    said = get(client, study, careful=60)
    assert "must add up to 100 %. Yours add up to 110 %" in said
    assert "What to expect" not in said


def test_a_study_without_texts_says_what_comes_first(client, make_study, alice):
    client.force_login(alice)
    said = get(client, make_study(name="empty", prompts=0))
    assert "Import texts" in said


def test_a_large_study_is_sent_to_the_command_line(client, study, monkeypatch):
    monkeypatch.setattr(views, "MAX_TEXTS", 7)
    assert "manage.py simulate ferry” on the server" in get(client, study)


def test_of_many_surveys_it_rates_some_and_says_so(client, study, monkeypatch):
    monkeypatch.setattr(views, "MAX_PAGES", 2)
    assert "The simulation rated 1 of 2 surveys" in get(client, study)


def test_too_few_workers_are_named(client, study):
    assert "Not covered" in get(client, study, workers=1, careful=100, random=0)


def test_a_study_of_pairs_is_simulated_too(client, as_alice, make_study):
    make_study(name="pairs", prompts=6, page_kinds=["pair"])
    url = "/studies/pairs/simulate/"
    query = {"workers": 12, "careful": 100, "noisy": 0, "lazy": 0, "random": 0}
    more = {"straight-lining": 0, "fast-clicker": 0, "patient-straight": 0, "seed": 1}
    found = client.get(url, {**query, **more}).content.decode()
    assert "Every pair gets its 2 comparisons." in found
    assert "Coherence, pairs" in found and "feels a quality of each text" in found
