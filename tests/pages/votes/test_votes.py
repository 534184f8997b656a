"""Votes come in and go on a page, and systems are said to be people on another."""

from __future__ import annotations

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import Import, System
from tests.scoring import analysed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]

VOTES = "/studies/ferry/votes/"
KINDS = "/studies/ferry/systems/kinds/"
GOOD = "pair,first,second,outcome,worker\np,a,b,1,ann\nq,b,a,tie,ben\n"


@pytest.fixture
def study(make_study):
    return make_study()


def upload(client, content=GOOD, **data):
    file = SimpleUploadedFile("votes.csv", content.encode())
    return client.post(VOTES, {"format": "votes", **data, "file": file})


def people(study):
    return list(study.systems.filter(kind="human").values_list("name", flat=True))


def test_a_good_file_is_in_and_leads_to_what_it_says(client, study):
    answer = upload(client)
    assert answer["Location"] == "/studies/ferry/results/preferences/"
    assert study.votes.count() == 2
    assert study.imports.get().created_by.username == "alice"


def test_a_bad_file_is_refused_with_all_that_is_wrong(client, study):
    answer = upload(client, GOOD.replace("p,a", "p,<x>").replace("tie", "none"))
    page = answer.content.decode()
    assert answer.status_code == 400 and "The file has 2 problems" in page
    assert "no system &quot;&lt;x&gt;&quot;" in page and "<x>" not in page
    assert not study.votes.exists()


def test_missing_systems_are_made_where_the_box_is_ticked(client, study):
    upload(client, GOOD.replace("b,", "new,"), create_systems="on")
    assert study.systems.filter(name="new").exists()


def test_without_a_file_the_form_says_so(client, study):
    answer = client.post(VOTES, {"format": "votes"})
    assert answer.status_code == 400
    assert "This field is required" in answer.content.decode()


def test_a_file_that_is_too_large_is_refused(client, study, settings):
    settings.UPLOAD_MAX_BYTES = 10
    answer = upload(client)
    assert answer.status_code == 400 and "is larger than" in answer.content.decode()


def test_a_file_is_listed_and_deleted_after_one_question(client, study):
    upload(client)
    page = client.get(VOTES).content.decode()
    assert "votes.csv" in page and "data-confirm=" in page
    record = study.imports.get()
    answer = client.post(f"{VOTES}{record.pk}/delete/", follow=True)
    assert "The votes of votes.csv are deleted." in answer.content.decode()
    assert not study.votes.exists()


def test_other_files_are_not_deleted_there(client, study):
    record = Import.objects.create(study=study, format="csv", file_name="texts.csv")
    assert client.post(f"{VOTES}{record.pk}/delete/").status_code == 404


def test_files_of_other_studies_are_not_deleted_there(client, study, make_study):
    other = make_study(name="other")
    record = Import.objects.create(study=other, format="votes", file_name="votes.csv")
    assert client.post(f"{VOTES}{record.pk}/delete/").status_code == 404


def test_files_of_votes_are_not_listed_among_those_of_texts(client, study):
    upload(client)
    page = client.get("/studies/ferry/import/").content.decode()
    assert "votes.csv" not in page


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
