"""Ratings and scores of texts that are here already, joined by the researcher's ids."""

from __future__ import annotations

from io import BytesIO

import pytest
from django.db.models import F

from annotation import imports
from annotation.assistant import past
from annotation.models import Annotation, Generation, ImportedMean, Study
from scoring.models import Score
from tests.annotation.imports import given
from tests.annotation.imports.people.test_people import path, rows_of

pytestmark = pytest.mark.django_db

TEXTS = [(f"s{n}", f"A text that is number {n}.", "a") for n in range(6)]


def make(content: bytes, **options) -> Study:
    result = imports.run(
        study_name="lake",
        format="columns",
        file=BytesIO(content),
        file_name="texts.csv",
        owner=None,
        options={"scale": "1-5", **options},
    )
    return result.study


def add(study: Study, content: bytes, **options) -> imports.ImportResult:
    return imports.into(
        study=study,
        format="columns",
        file=BytesIO(content),
        file_name="ratings.csv",
        options={"yes": True, **options},
    )


@pytest.fixture
def study() -> Study:
    return make(given.table(("id", "text", "system"), TEXTS))


def rated(study: Study) -> list[tuple[str, str, int]]:
    rows = Annotation.objects.filter(generation__study=study).order_by("pk")
    return list(rows.values_list("generation__key", "rater", "value"))


def aspect_of(study: Study) -> str:
    return study.aspects.values_list("key", flat=True)[0]


def ratings(study: Study, *rows: tuple[object, ...]) -> bytes:
    return given.table(("id", "who", aspect_of(study)), rows)


def test_ratings_by_id_stand_at_their_texts():
    study = make(path("28a").read_bytes())
    result = add(study, path("28b").read_bytes())
    right = {
        (r["instance_id"], r["user_id"], int(r["coherence"])) for r in rows_of("28b")
    }
    assert set(rated(study)) == right
    assert (result.n_ratings, result.n_texts, result.n_by_id) == (60, 0, 20)
    assert study.generations.count() == 20
    assert str(result) == "lake: 60 ratings of 20 texts of the study, by ID."


def test_nothing_is_stored_before_somebody_has_looked_at_three_pairs(study):
    content = ratings(study, ("s1", "ann", 4), ("s3", "ann", 2), ("s5", "ann", 1))
    with pytest.raises(imports.Asked) as asked:
        add(study, content, yes=False)
    [question] = asked.value.questions
    assert question.code == "ids"
    assert [one.split(":")[0] for one in question.examples] == ['"s1"', '"s3"', '"s5"']
    assert "A text that is number 3." in question.examples[1]
    assert not Annotation.objects.exists()


def test_several_raters_and_means_and_scores_come_by_id(study):
    aspect = aspect_of(study)
    rows = [("s2", "ann", 4, 0.5), ("s2", "ben", 5, 0.5), ("s0", "ann", 1, 0.25)]
    add(study, given.table(("id", "rater", aspect, "bleu"), rows))
    assert rated(study) == [("s2", "ann", 4), ("s2", "ben", 5), ("s0", "ann", 1)]
    scores = Score.objects.annotate(key=F("generation__key"))
    assert set(scores.values_list("key", "output", "value")) == {
        ("s2", "bleu", 0.5),
        ("s0", "bleu", 0.25),
    }
    add(study, given.table(("id", f"mean:{aspect}"), [("s4", 3.5)]))
    mean = ImportedMean.objects.get()
    assert (mean.generation.key, mean.mean) == ("s4", 3.5)


def test_the_list_of_files_says_how_many_scores_came(study):
    rows = [("s2", 0.5), ("s0", 0.25)]
    add(study, given.table(("id", "bleu"), rows))
    assert past.came_of(study.imports.latest("pk")) == "2 scores"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("s9", "ann", 4)], 'no text of the study has the ID "s9"'),
        ([("", "ann", 4)], "Column “id” is empty"),
        ([("s1", "ann", 4), ("s1", "ann", 3)], "rated again by the same rater"),
        ([("s1", "ann", 7)], "outside the scale from 1 to 5"),
    ],
)
def test_what_does_not_fit_is_said_and_nothing_is_stored(study, rows, said):
    content = ratings(study, ("s0", "ann", 3), *rows)
    with pytest.raises(imports.UploadError, match=said):
        add(study, content, map={"who": "rater"}, guess=True)
    assert not Annotation.objects.exists()


def test_the_same_file_twice_is_no_second_rating(study):
    content = given.table(("id", "rater", aspect_of(study)), [("s1", "ann", 4)])
    add(study, content)
    with pytest.raises(imports.UploadError, match="has this rating"):
        add(study, content)
    assert len(rated(study)) == 1


def test_ids_that_evalapp_gave_are_nobodys():
    study = make(given.table(("text", "system"), [row[1:] for row in TEXTS]))
    assert Generation.objects.first().key == "t-0001"
    with pytest.raises(imports.UploadError, match="an ID that EvalApp gave"):
        add(study, ratings(study, ("t-0001", "ann", 4)))


def test_a_file_without_texts_makes_no_study():
    table = given.table(("id", "rater", "coherence"), [("s1", "ann", 4)])
    with pytest.raises(imports.UploadError, match="but no texts"):
        make(table)
    assert not Study.objects.exists()


def test_ids_of_data_frames_are_those_of_the_study():
    study = make(path("30a").read_bytes())
    assert study.generations.filter(key="1").exists()
    aspect = aspect_of(study)
    add(
        study,
        given.table(("id", "rater", aspect), [("2.0", "new", 4), ("3", "new", 1)]),
    )
    new = [(key, value) for key, rater, value in rated(study) if rater == "new"]
    assert new == [("2", 4), ("3", 1)]


def test_what_a_dead_process_left_is_removed_and_the_texts_stay(study, monkeypatch):
    def die(*args, **kwargs):
        raise RuntimeError("killed")

    monkeypatch.setattr(imports._storing, "_send_scores", die)
    with pytest.raises(RuntimeError):
        add(study, given.table(("id", "rater", aspect_of(study)), [("s1", "a", 4)]))
    assert not Annotation.objects.exists()
    assert study.generations.count() == len(TEXTS)
    assert study.imports.count() == 1
