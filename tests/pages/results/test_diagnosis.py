"""The page that sets metrics and people beside each other on damaged texts."""

from __future__ import annotations

import pytest
from django.urls import reverse

from scoring import runs
from scoring.models import MetricRun
from tests.annotation.seating import hand_in, lay_out, sit
from tests.scoring import analysed
from tests.scoring.working import work

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("as_alice", "nobody_is_woken"),
]
SCORE = "/studies/ferry/metrics/negatives/"


@pytest.fixture
def study(make_study):
    study = make_study()
    lay_out(study)
    for name in ("w1", "w2", "w3", "w4"):
        hand_in(sit(study, name))
    work(runs.start(study=study, metric="length", options={}))
    return study


def page(client) -> str:
    return client.get(reverse("analysis", args=["ferry", "diagnosis"])).content.decode()


def test_it_offers_to_score_what_is_missing(client, study):
    shown = page(client)
    assert "Score 2 negatives with this metric" in shown
    answer = client.post(SCORE, follow=True).content.decode()
    assert "Scoring negatives with: length." in answer
    assert "0 of 2 negatives scored" in answer
    assert "Score 2 negatives" not in answer
    run = MetricRun.objects.get(on="negatives")
    assert run.get_absolute_url() in answer
    assert run.created_by.username == "alice"


def test_it_starts_nothing_that_is_done(client, study):
    client.post(SCORE)
    work(MetricRun.objects.get(on="negatives"))
    answer = client.post(SCORE, follow=True).content.decode()
    assert "Every metric has scored the negatives" in answer
    assert "Scores of the negatives</h2>" not in answer
    assert MetricRun.objects.filter(on="negatives").count() == 1


def test_a_run_says_that_it_scored_negatives(client, study):
    client.post(SCORE)
    run = MetricRun.objects.get(on="negatives")
    work(run)
    shown = client.get(run.get_absolute_url()).content.decode()
    assert "2 negatives</td>" in shown and "2 texts</td>" not in shown


def test_it_says_why_a_run_was_refused(client, study, monkeypatch):
    def refuse(**given):
        raise runs.RunError("<b>no</b>")

    monkeypatch.setattr("scoring.runs.starting.start", refuse)
    answer = client.post(SCORE, follow=True).content.decode()
    assert "length: &lt;b&gt;no&lt;/b&gt;." in answer


def test_it_has_the_numbers_of_people_and_metrics(client, study):
    client.post(SCORE)
    work(MetricRun.objects.get(on="negatives"))
    shown = analysed.page(client, study, "diagnosis")
    assert "People, one rater" in shown and "Length: words" in shown
    assert "\N{MINUS SIGN}3.00" in shown  # 1 for damaged texts, 4 for the others
    assert "with_discarded" not in shown.partition('id="overall"')[0]


def test_its_tables_come_as_files(client, study):
    analysed.page(client, study, "diagnosis")
    for table in ("overall", "kinds", "distances", "unseen", "people"):
        address = reverse("analysis_table", args=["ferry", "diagnosis", table, "csv"])
        assert client.get(address).status_code == 200, table


def test_a_stranger_starts_nothing(client, study, bob):
    client.force_login(bob)
    assert client.post(SCORE).status_code == 404
    assert not MetricRun.objects.filter(on="negatives").exists()
