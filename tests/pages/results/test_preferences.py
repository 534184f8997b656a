from __future__ import annotations

import io

import pytest

from annotation import votes
from scoring.judging import judge_votes
from tests.scoring import analysed
from tests.scoring.judging.test_judge_votes import trial

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]

ROWS = ["p,a,<b>x</b>,1,ann", "q,a,<b>x</b>,2,ann", "r,<b>x</b>,c,tie,ben"]


def vote(study, *rows):
    content = "\n".join(["pair,first,second,outcome,worker", *rows]).encode()
    given = {"format": "votes", "file_name": "v.csv", "create_systems": True}
    votes.add(study=study, file=io.BytesIO(content), **given)


def test_without_votes_the_page_says_where_they_come_from(client, make_study):
    study = make_study()
    page = analysed.page(client, study, "preferences")
    assert "Let workers compare pairs, or add votes." in page
    assert f'href="/studies/{study.name}/import/"' in page


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


def test_a_judge_is_chosen_by_name_and_shown_beside_people(client, make_study):
    study = make_study()
    judge = judge_votes.name(trial(study, 1, 2, 0, 1, 1, 2))
    vote(study, "p,a,b,1,ann", "q,a,b,2,ann")
    assert judge in analysed.page(client, study, "preferences")
    page = analysed.page(client, study, "preferences", judge=judge)
    assert f"A judge beside people: {judge}" in page
    assert "2 votes on 2 pairs by 1 rater" in page  # its own are not counted
    assert "The judge gave 6 verdicts on “Coherence”, with 1 tie." in page


def test_without_a_judge_none_can_be_chosen(client, make_study):
    study = make_study()
    vote(study, *ROWS)
    assert "Judge beside people" not in analysed.page(client, study, "preferences")


def test_verdicts_of_a_judge_alone_can_be_shown(client, make_study):
    study = make_study()
    judge = judge_votes.name(trial(study, 1, 2, 0, 1))
    page = analysed.page(client, study, "preferences", judge=judge)
    assert "No votes yet" in page and "Strength by the judge and by people" in page
