"""Whole or not at all, though it is stored piece by piece."""

from __future__ import annotations

import io
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from annotation import imports, surveys
from annotation.imports import _curtain
from annotation.models import (
    Annotation,
    AttributeLabel,
    Generation,
    Import,
    Prompt,
    Reference,
    Storing,
    Study,
    System,
)
from scoring.models import MetricRun, Score

pytestmark = pytest.mark.django_db

HEADER = "prefix,label,system,text,reference,rating:coherence,system_model\n"
FIRST = HEADER + "The sea,,a,One.,r,4,\n"
SECOND = (
    HEADER
    + "The sea,,a,Two.,s,4,t5\n"
    + "".join(f"Lake {n},glad,b,Text {n}.,r,{n % 5 + 1},\n" for n in range(7))
)
OWN = "text,prompt,score:bleu\n" + "".join(f"Text {n}.,p,{n}\n" for n in range(5))
TABLES = (
    *(Study, Import, Generation, Prompt, System, AttributeLabel, Reference),
    *(Annotation, Score, MetricRun),
)


class Killed(BaseException):
    pass


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch) -> None:
    monkeypatch.setattr("annotation.imports._writing.PIECE", 2)
    monkeypatch.setattr("annotation.imports._brought.AT_ONCE", 2)


def run(content: str = SECOND, *, format: str = "csv", **given):
    given = {"file_name": "lake.csv", "format": format, **given}
    file = io.BytesIO(content.encode())
    if "study" in given:
        return imports.into(file=file, **given)
    return imports.run(study_name="lake", file=file, **{"owner": None, **given})


def contents() -> list[int]:
    return [kind.objects.count() for kind in TABLES]


def at(n: int, do):
    """Does something once so many texts are stored."""
    return lambda n_stored: do() if n_stored == n else None


def killed() -> None:
    raise Killed


@pytest.fixture
def dead(monkeypatch):
    """An import whose process was killed: nothing was undone."""

    def make(**given) -> Storing:
        with monkeypatch.context() as context:
            context.setattr(_curtain, "undo", lambda row, most=None: None)
            with pytest.raises(Killed):
                run(stored=at(4, killed), **given)
        return Storing.objects.get()

    return make


def test_nobody_sees_a_study_before_its_last_piece(alice, client):
    seen = []
    client.force_login(alice)

    def look() -> None:
        page = client.get("/studies/lake/")
        seen.append(Generation.objects.count())
        assert (page.status_code, page["Retry-After"]) == (503, "3")
        assert "4 of 8 texts" in page.content.decode()
        assert not Study.objects.visible_to(alice).exists()
        assert "is listed when all of it is in" in client.get("/").content.decode()
        assert client.get("/api/v1/studies/lake/").status_code == 503

    run(owner=alice, stored=at(4, look))
    assert seen == [4] and not Storing.objects.exists()
    assert client.get("/studies/lake/").status_code == 200


def test_the_same_holds_of_a_study_that_a_file_is_added_to(alice, client):
    study = run(FIRST, owner=alice).study
    client.force_login(alice)

    def look() -> None:
        assert client.get("/studies/lake/").status_code == 503
        assert client.post("/studies/lake/open/").status_code == 503
        with pytest.raises(imports.UploadError, match="Another file is being added"):
            run(study=study)
        with pytest.raises(surveys.TransitionError, match="being stored"):
            surveys.open_study(study=study)
        assert study.systems.get(name="a").model == ""

    run(study=study, stored=at(4, look))
    assert study.generations.count() == 9
    assert study.systems.get(name="a").model == "t5"


@pytest.mark.parametrize("n", [2, 4, 6, 8])
def test_an_import_that_is_broken_off_leaves_nothing(n):
    before = contents()
    with pytest.raises(Killed):
        run(stored=at(n, killed))
    assert contents() == before and not Storing.objects.exists()


@pytest.mark.parametrize("n", [2, 8])
def test_one_that_added_to_a_study_leaves_it_as_it_was(n):
    study = run(FIRST).study
    before = contents()
    with pytest.raises(Killed):
        run(study=study, stored=at(n, killed))
    assert contents() == before and not Storing.objects.exists()
    assert study.systems.get().model == ""
    assert run(study=study).n_texts == 8


def test_metric_scores_come_or_go_with_their_texts(monkeypatch):
    monkeypatch.setattr("scoring.runs.uploaded.PIECE", 2)
    before = contents()

    def refuse(study) -> None:
        assert Score.objects.count() == 5
        raise Killed

    with pytest.raises(Killed):
        run(OWN, format="columns", fence=refuse)
    assert contents() == before
    run(OWN, format="columns")
    assert Score.objects.count() == 5 and MetricRun.objects.count() == 1


class TestAKilledProcess:
    def test_what_it_left_is_removed_once_its_lease_is_over(self, dead):
        row = dead()
        imports.tidy(now=timezone.now())
        assert Generation.objects.count() == 4
        later = row.until + timedelta(seconds=1)
        imports.tidy(now=later)
        assert contents() == [0] * len(TABLES)

    def test_it_is_removed_some_at_a_time(self, dead, monkeypatch):
        monkeypatch.setattr(_curtain, "PIECES_TIDIED", 1)
        dead()
        Storing.objects.update(until=timezone.now())
        imports.tidy(now=timezone.now())
        assert Study.objects.exists() and Annotation.objects.count() == 2
        for _ in range(9):
            imports.tidy(now=timezone.now())
        assert not Study.objects.exists()

    def test_the_same_name_can_be_used_again_at_once(self, dead):
        dead()
        Storing.objects.update(until=timezone.now())
        assert run().n_texts == 8

    def test_a_study_that_was_there_stays(self, dead):
        study = run(FIRST).study
        before = contents()
        dead(study=study)
        Storing.objects.update(until=timezone.now())
        imports.tidy(now=timezone.now())
        assert contents() == before

    def test_one_that_only_slept_writes_nothing_more(self):
        def sleep() -> None:
            Storing.objects.update(until=timezone.now())
            imports.tidy(now=timezone.now())

        with pytest.raises(imports.UploadError, match="stood still"):
            run(stored=at(4, sleep))
        assert contents() == [0] * len(TABLES)


@pytest.mark.django_db(transaction=True)
def test_nothing_is_locked_between_two_pieces():
    locked = []
    run(stored=lambda n: locked.append(connection.in_atomic_block))
    assert locked == [False] * 4


def test_ids_are_given_to_nobody_else(make_study):
    study = make_study(prompts=1)
    run()
    make_study(name="after", prompts=1)
    assert Generation.objects.count() == 8 + 2 * study.generations.count()
