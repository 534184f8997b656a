from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from zipfile import ZipFile

import pytest

from annotation import votes
from annotation.models import comparing
from annotation.models.surveys import pseudonym
from scoring.replication import writing
from tests.annotation.pairing import compare, open_pairs
from tests.annotation.seating import NOON, sit

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study):
    """One page of three pairs and a damaged twin, compared by two people."""
    study = make_study(prompts=1, systems=("a", "b", "c"), aspects=("coherence",))
    open_pairs(study)
    for name in ("ann", "ben"):
        compare(sit(study, name), first=comparing.FIRST)
    return study


@pytest.fixture
def bundle(study, tmp_path):
    path = tmp_path / "ferry.zip"
    writing.write(study=study, path=path, now=datetime(2026, 3, 2, tzinfo=UTC))
    with ZipFile(path) as opened:
        yield opened


def lines(bundle) -> list[dict[str, object]]:
    return [json.loads(line) for line in bundle.read("votes.jsonl").splitlines()]


def test_it_has_each_choice_and_the_votes_that_count(study, bundle):
    told = lines(bundle)
    assert len(told) == 2 * 4
    rows = list(csv.DictReader(io.StringIO(bundle.read("data/votes.csv").decode())))
    assert len(rows) == 2 * 3  # the damaged version is no vote
    assert {row["rater"] for row in rows} == {str(row["rater"]) for row in told}


def test_the_pseudonyms_of_workers_are_no_names_from_files(study, bundle):
    own = {pseudonym(study, pk) for pk in study.workers.values_list("pk", flat=True)}
    assert {row["rater"] for row in lines(bundle)} == own


def test_where_a_file_names_people_all_raters_have_codes(study, tmp_path):
    text = b"pair,first,second,outcome,worker\n1,a,b,first,Carla\n"
    file = {"file": io.BytesIO(text), "file_name": "votes.csv"}
    votes.add(study=study, format="votes", now=NOON, **file)
    path = tmp_path / "named.zip"
    writing.write(study=study, path=path, now=NOON)
    with ZipFile(path) as opened:
        content = b"".join(opened.read(name) for name in opened.namelist())
        assert b"Carla" not in content
        assert {str(row["rater"])[0] for row in lines(opened)} == {"r"}


def test_a_study_of_ratings_has_no_such_file(make_study, tmp_path):
    path = tmp_path / "other.zip"
    writing.write(study=make_study(name="other"), path=path, now=NOON)
    with ZipFile(path) as opened:
        assert "votes.jsonl" not in opened.namelist()
