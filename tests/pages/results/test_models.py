"""The page that says how to add the models of papers."""

from __future__ import annotations

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db
URL = "/metrics/models/"


@pytest.fixture
def client(alice) -> Client:
    client = Client()
    client.force_login(alice)
    return client


def read(client: Client, url: str) -> str:
    return client.get(url).content.decode()


def test_it_lists_what_papers_used_and_whether_it_is_here(client, settings, tmp_path):
    settings.MODELS_DIR = tmp_path
    assert not any(one.here for one in client.get(URL).context["published"])
    folder = tmp_path / "google" / "pegasus-large"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text('{"model_type": "pegasus"}')
    (folder / "model.safetensors").touch()
    here = [one.name for one in client.get(URL).context["published"] if one.here]
    assert here == ["google/pegasus-large"]


@pytest.mark.parametrize(
    ("hub", "says"),
    [
        ("off", "does not download models"),
        ("list", "downloads only models that its operator has listed"),
        ("on", "may download models"),
    ],
)
def test_it_says_whether_the_hub_may_be_used(client, settings, hub, says):
    settings.HUB, settings.HUB_MODELS = hub, []
    assert says in " ".join(read(client, URL).split())


def test_it_leads_back_to_the_study_and_shows_nobody_elses(client, make_study, bob):
    make_study(name="mine")
    assert "Metrics of mine" in read(client, f"{URL}?study=mine")
    client.force_login(bob)
    assert "Metrics of mine" not in read(client, f"{URL}?study=mine")
    assert "Metrics of mine" not in read(client, "/metrics/length/?study=mine")


def test_a_stand_in_says_so_before_it_runs(client, make_study):
    study = make_study(name="mine")
    for page in ("metrics/", "metrics/with/ctrleval/"):
        shown = read(client, f"/studies/{study.name}/{page}")
        assert "Bundled stand-in" in shown
        assert f"{URL}?study=mine" in shown
