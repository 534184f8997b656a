"""Votes come in and go on a page, and systems are said to be people on another."""

from __future__ import annotations

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import System
from tests.scoring import analysed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]

ADD = "/studies/ferry/import/"
KINDS = "/studies/ferry/systems/kinds/"
GOOD = "pair,first,second,outcome,worker\np,a,b,1,ann\nq,b,a,tie,ben\n"


@pytest.fixture
def study(make_study):
    return make_study()


def upload(client, content=GOOD, **answers):
    """The file, and the answer to what its page asks."""
    file = SimpleUploadedFile("votes.csv", content.encode())
    return client.post(client.post(ADD, {"file": file}).url, answers)


def people(study):
    return list(study.systems.filter(kind="human").values_list("name", flat=True))


def test_a_good_file_is_in_and_leads_to_what_it_says(client, study):
    answer = upload(client)
    assert answer["Location"] == "/studies/ferry/results/preferences/"
    assert study.votes.count() == 2
    assert study.imports.get().created_by.username == "alice"


def test_a_bad_file_is_refused_with_all_that_is_wrong(client, study):
    answer = upload(client, GOOD.replace("p,a,b,1", "p,<x>,b,").replace("tie", "none"))
    page = answer.content.decode()
    assert answer.status_code == 400 and "The file has 2 problems" in page
    assert "<x>" not in page
    assert not study.votes.exists()


def test_it_is_asked_whether_unknown_systems_are_new(client, study):
    content = GOOD.replace("b,", "new,")
    page = upload(client, content).content.decode()
    assert "names a system that the study does not have: &quot;new&quot;" in page
    assert not study.votes.exists()
    upload(client, content, **{"agree-systems": "on"})
    assert study.systems.filter(name="new").exists()


def test_systems_are_said_to_be_people(client, study):
    answer = client.post(KINDS, {"human": ["b", "d"]}, follow=True)
    assert "Written by people: b, d." in answer.content.decode()
    assert people(study) == ["b", "d"]
    assert study.events.get().verb == "set-human-systems"
    client.post(KINDS, {})
    assert people(study) == []


def test_nothing_changes_for_a_system_that_is_not_there(client, study):
    System.objects.filter(name="a").update(kind="human")
    client.post(KINDS, {"human": ["x"]})
    assert people(study) == ["a"]


def test_votes_of_people_stay_theirs_in_a_simulated_study(client, make_study):
    study = make_study(simulated=True)
    upload(client)
    page = analysed.page(client, study, "preferences")
    assert "imulated" not in page.partition("<main")[2]
    address = re.search(r'href="(/studies/ferry/results/preferences/\S+?\.csv)"', page)
    assert address
    assert "imulated" not in client.get(address[1]).content.decode()
    ratings = analysed.page(client, study, "agreement").partition("<main")[2]
    assert "These ratings are simulated" in ratings
