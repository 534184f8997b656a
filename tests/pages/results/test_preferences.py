from __future__ import annotations

import io

import pytest

from annotation import votes
from tests.scoring import analysed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]

ROWS = ["p,a,<b>x</b>,1,ann", "q,a,<b>x</b>,2,ann", "r,<b>x</b>,c,tie,ben"]


def vote(study, *rows):
    content = "\n".join(["pair,first,second,outcome,worker", *rows]).encode()
    given = {"format": "votes", "file_name": "v.csv", "create_systems": True}
    votes.add(study=study, file=io.BytesIO(content), **given)


def test_without_votes_there_is_the_form_open_and_a_sample(client, make_study):
    page = analysed.page(client, make_study(), "preferences")
    assert "No votes yet" in page and "samples/votes.csv" in page
    assert '<details class="section options" id="votes" open>' in page


def test_votes_become_a_ranking(client, make_study):
    study = make_study()
    vote(study, *ROWS)
    page = analysed.page(client, study, "preferences")
    assert "3 votes on 3 pairs by 2 raters, with 1 tie." in page
    assert "No votes: b, d." in page
    assert "bradley-terry|" in page
    assert "<b>x</b>" not in page and "&lt;b&gt;x&lt;/b&gt;" in page


def test_a_study_needs_no_text_to_have_votes(client, make_study):
    study = make_study(prompts=0, systems=())
    vote(study, *ROWS)
    page = analysed.page(client, study, "preferences")
    assert "Strength of each system" in page and "No texts yet" not in page


def test_its_table_is_a_file(client, make_study):
    study = make_study()
    vote(study, *ROWS)
    analysed.page(client, study, "preferences")
    address = "/studies/ferry/results/preferences/ranking.csv"
    assert client.get(address).content.decode().startswith("System,Strength,")
