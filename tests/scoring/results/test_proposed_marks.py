"""Marks of a metric that are proposed to people, by page and by command."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from annotation.kinds.spans import scheme, schemes
from annotation.kinds.spans.models import TextProposals
from annotation.models import Study
from scoring.models import MetricReading
from scoring.results import proposed_marks

pytestmark = pytest.mark.django_db

URL = "/studies/ferry/results/proposals/"


@pytest.fixture
def study(make_study, alice, client) -> Study:
    client.force_login(alice)
    study = make_study(page_kinds=["spans"])
    schemes.keep(study, scheme.ESA, "esa")
    for text in study.generations.all():
        end = len(text.text)  # behind the opening, which cannot be marked
        place, words = (end - 3, end, ""), ("text", text.text[-3:])
        marks = [[*place, "minor", *words], [*place, "odd", *words]]
        MetricReading.objects.create(generation=text, metric="xCOMET", marks=marks)
    return study


def test_a_metric_is_chosen_on_the_page_and_taken_back(study, client):
    assert "xCOMET" in client.get(URL).content.decode()
    page = client.post(URL, {"metric": "xCOMET"}, follow=True).content.decode()
    assert "Left out" in page
    assert TextProposals.objects.count() == study.generations.count()
    client.post(URL, {"metric": ""})
    assert not TextProposals.objects.exists()


def test_a_metric_that_has_marked_nothing_is_refused(study, client):
    client.post(URL, {"metric": "nobody"})
    assert not TextProposals.objects.exists()


def test_marks_that_nobody_could_make_are_refused_and_change_nothing(study, client):
    client.post(URL, {"metric": "xCOMET"})
    schemes.keep(study, scheme.MQM, "mqm")  # the metric names no categories
    page = client.post(URL, {"metric": "xCOMET"}, follow=True).content.decode()
    assert "Workers could make none of the marks of xCOMET" in page
    assert all(row.marks for row in TextProposals.objects.all())


def test_an_open_study_shows_what_came_of_them_and_changes_nothing(study, client):
    proposed_marks.propose(study=study, metric="xCOMET")
    Study.objects.update(state=Study.State.OPEN)
    page = client.get(URL).content.decode()
    assert "fixed when the study opened" in page and "Propose the marks of" not in page
    client.post(URL, {"metric": ""})
    assert TextProposals.objects.exists()


def test_pages_of_other_kinds_have_no_such_page_below_metrics(
    make_study, client, alice
):
    client.force_login(alice)
    make_study()
    assert URL not in client.get("/studies/ferry/runs/", follow=True).content.decode()
    assert "This study has none" in client.get(URL).content.decode()


def test_the_command_proposes_and_takes_back(study, capsys):
    call_command("propose_marks", "ferry", metric="xCOMET")
    assert "mark" in capsys.readouterr().out
    assert TextProposals.objects.exists()
    call_command("propose_marks", "ferry", none=True)
    assert not TextProposals.objects.exists()
    with pytest.raises(CommandError):
        call_command("propose_marks", "ferry", metric="nobody")


@pytest.mark.parametrize("page", ["", "marked_errors/", "agreement/"])
def test_pages_of_numbers_say_that_people_saw_proposals(study, client, page):
    words = "People found the marks of xCOMET on their pages"
    url = f"/studies/ferry/results/{page}"
    assert words not in client.get(url, follow=True).content.decode()
    proposed_marks.propose(study=study, metric="xCOMET")
    assert words in client.get(url, follow=True).content.decode()
