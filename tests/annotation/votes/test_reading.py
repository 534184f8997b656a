from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation import answering, assigning, surveys, workers
from annotation.models import Item, Seat, Vote, comparing
from annotation.votes import reading
from scoring.results import offering, study_arrays
from tests.annotation.seating import NOON, hire, sit
from tests.annotation.test_pair_pages import prefer

PAIRS = {"ratings_per_text": 2, "page_kinds": ["pair"], "texts_per_survey": 3}


@pytest.fixture
def study(make_study):
    study = make_study(prompts=2, systems=("a", "b"), aspects=("coherence",), **PAIRS)
    surveys.open_study(study=study)
    return study


def collect(study, **how) -> None:
    """Two people answer every page; the first text is better, unless told otherwise."""
    for name in ("ann", "ben"):
        worker = hire(study, name)
        while seat := assigning.claim(worker=worker, now=NOON):
            answers = prefer(seat, **how)
            answering.submit(seat=seat, answers=answers, now=NOON)


def winners(study) -> list[int]:
    """The system that each vote is for; 0 for none."""
    found = []
    for row in reading.rows(study=study):
        found.append([0, row.first, row.second][row.outcome])
    return found


def test_votes_are_for_the_text_that_was_preferred_whichever_side_it_was_on(study):
    collect(study)
    rows = reading.rows(study=study)
    a = study.systems.get(name="a").pk
    assert winners(study) == [a] * 4
    assert {row.first for row in rows} == set(
        study.systems.values_list("pk", flat=True)
    )
    assert all(row.ordered for row in rows)
    assert len({row.rater for row in rows}) == 2
    assert len({row.pair for row in rows}) == 2
    assert {row.question for row in rows} == {"Coherence"}


def test_a_vote_names_the_texts_that_were_shown_left_first(study):
    collect(study)
    for row in reading.rows(study=study):
        first, second = (study.generations.get(pk=pk) for pk in row.texts)
        assert (first.system_id, second.system_id) == (row.first, row.second)
        assert first.prompt_id == second.prompt_id == row.prompt


@pytest.mark.parametrize(
    ("code", "outcome"),
    [(1, "a"), (2, "a"), (3, None), (4, "b"), (5, "b")],
)
def test_how_much_better_a_text_is_does_not_change_the_vote(study, code, outcome):
    study.pair_strength = True
    study.save()
    collect(study, code=code)
    wanted = study.systems.get(name=outcome).pk if outcome else 0
    assert set(winners(study)) == {wanted}


def test_only_votes_that_count_are_read(study):
    seat = sit(study, "ann")
    answering.save_all(seat=seat, answers=prefer(seat), now=NOON)
    assert not reading.any_of(study=study)  # not submitted
    answering.submit(seat=seat, answers={}, now=NOON)
    assert reading.any_of(study=study)
    bad = sit(study, "bad")
    answering.submit(seat=bad, answers=prefer(bad, damaged=True), now=NOON)
    assert bad.state != Seat.State.VALID
    n = Item.objects.filter(pk__in=seat.order, negative=None).count()
    assert len(reading.rows(study=study)) == n


def test_a_vote_on_an_excluded_text_does_not_count(study):
    collect(study)
    text = study.generations.first()
    text.excluded_at = NOON
    text.save()
    assert len(reading.rows(study=study)) == 2


def test_the_votes_of_a_withdrawn_worker_are_gone(study):
    collect(study)
    workers.withdraw(worker=study.workers.get(external_id="ann"), now=NOON)
    assert len(reading.rows(study=study)) == 2


def test_votes_of_files_and_of_pages_are_read_alike(study, alice):
    collect(study)
    a, b = study.systems.order_by("name")
    file = study.imports.create(format="votes", file_name="v.csv", sha256="0")
    Vote.objects.create(
        study=study,
        imported=file,
        pair="1",
        question="Coherence",
        first=a,
        second=b,
        outcome=Vote.Outcome.SECOND,
    )
    assert reading.questions(study=study) == ["Coherence"]
    data = study_arrays.load(study=study, needs=("votes",))
    assert len(data.votes.outcome) == 5
    assert data.votes.question.tolist() == ["Coherence"] * 5
    assert offering.facts(study=study).votes


def test_who_cannot_say_gives_no_vote(study):
    study.aspects.update(cannot_say=True)
    seat = sit(study, "ann")
    answers = dict.fromkeys(prefer(seat))
    answering.submit(seat=seat, answers=answers, now=NOON)
    assert seat.annotations.exists()
    assert not reading.any_of(study=study)
    assert comparing.turned(comparing.TIE) == comparing.TIE


def test_without_pairs_no_rating_is_looked_at(make_study):
    """SQLite looked at all, for minutes, though the study had no pair."""
    study = make_study()
    with CaptureQueriesContext(connection) as asked:
        assert not offering.facts(study=study).votes
    joined = 'INNER JOIN "annotation_pair"'
    assert not [one for one in asked.captured_queries if joined in one["sql"]]
