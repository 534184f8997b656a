"""Trainings in the API, with a metric that needs no torch."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from scoring import metrics
from scoring.models import Checkpoint
from tests.scoring.probed import corpus_of
from tests.support.learner import CARD, Fond, Learner, trained, training_of
from tests.support.messages import catch
from tests.support.scored import rate

pytestmark = pytest.mark.django_db
URL = "/api/studies/ferry/trainings/"
WANTED = {
    "metric": "learner",
    "name": "mine",
    "corpus": "novels",
    "options": {"epochs": 2},
}


@pytest.fixture
def study(make_study, monkeypatch, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    found = {"fond": Fond, "learner": Learner, "length": metrics.get("length")}
    monkeypatch.setattr(metrics, "names", lambda: sorted(found))
    monkeypatch.setattr(metrics, "get", found.__getitem__)
    catch(monkeypatch, "score_chunk", lambda pk: None)
    study = make_study()
    corpus_of(study, topic=["sea", "land"])
    return study


def client_of(user) -> APIClient:
    client = APIClient()
    client.force_authenticate(user)
    return client


@pytest.fixture
def api(alice):
    return client_of(alice)


def start(client, **changed):
    return client.post(URL, {**WANTED, **changed}, format="json")


def test_a_training_is_started_and_listed(api, study):
    answer = start(api)
    assert answer.status_code == 201
    made = answer.json()
    assert (made["state"], made["corpus"]) == ("queued", "novels")
    assert made["model"] == "checkpoint:ferry/mine"
    assert made["options"]["epochs"] == 2
    assert made["progress"]["step"] == 0
    assert [one["name"] for one in api.get(URL).json()["results"]] == ["mine"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"metric": "length"}, "cannot be trained"),
        ({"name": "two words"}, "name"),
        ({"corpus": "zines"}, "no corpus"),
        ({"corpus": None}, "learns from human texts"),
        ({"options": {"depth": 2}}, "unknown option depth"),
        ({"options": {"base": "/etc"}}, "base=/etc: expected"),
        ({"ratings": "harbour/coherence"}, "ratings=harbour/coherence: expected"),
    ],
)
def test_what_cannot_be_trained_is_refused_with_a_reason(api, study, changed, said):
    answer = start(api, **changed)
    assert answer.status_code == 400
    assert said in str(answer.json())
    assert not Checkpoint.objects.exists()


def test_ratings_are_named_by_study_and_aspect(api, study, make_study):
    other = make_study(name="harbour")
    rate(other, "coherence", [[1], [5]] * 4)
    training_of(study, metric="fond", aspect=other.aspects.get(key="coherence"))
    [shown] = api.get(URL).json()["results"]
    assert shown["ratings"] == "harbour/coherence"


def test_a_finished_one_tells_how_good_it_is(api, study):
    trained(study)
    found = api.get(f"{URL}learner-1/").json()
    assert found["state"] == "done"
    assert found["card"]["figures"] == CARD["figures"]
    assert len(found["log"]) == 3


def test_it_is_cancelled_tried_again_and_deleted(api, study):
    start(api)
    assert api.delete(f"{URL}mine/").status_code == 400
    assert api.post(f"{URL}mine/cancel/").json()["state"] == "cancelled"
    assert api.post(f"{URL}mine/retry/").json()["state"] == "queued"
    again = api.post(f"{URL}mine/retry/")
    assert again.status_code == 400
    assert "failed or was cancelled" in str(again.json())
    api.post(f"{URL}mine/cancel/")
    assert api.delete(f"{URL}mine/").status_code == 204
    assert api.get(f"{URL}mine/").status_code == 404


def test_a_stranger_learns_nothing_of_it(bob, study):
    trained(study)
    stranger = client_of(bob)
    assert stranger.get(URL).status_code == 404
    assert start(stranger).status_code == 404
    assert stranger.delete(f"{URL}learner-1/").status_code == 404
    assert Checkpoint.objects.count() == 1


def test_no_folder_of_the_server_is_told(api, study):
    training_of(study, options={"base": "/srv/models/secret/mine"})
    [shown] = api.get(URL).json()["results"]
    assert shown["options"] == {"base": "mine"}


def test_a_long_list_comes_in_pages_with_as_many_queries(api, study):
    def queries() -> int:
        with CaptureQueriesContext(connection) as made:
            assert api.get(URL).status_code == 200
        return len(made)

    training_of(study, name="one")
    of_one = queries()
    for name in ("two", "three", "four", "five"):
        training_of(study, name=name)
    assert queries() == of_one
    page = api.get(f"{URL}?limit=2").json()
    assert (page["count"], page["previous"]) == (5, None)
    assert [one["name"] for one in page["results"]] == ["five", "four"]
    rest = api.get(page["next"]).json()
    assert [one["name"] for one in rest["results"]] == ["three", "two"]
