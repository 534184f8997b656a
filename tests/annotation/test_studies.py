from __future__ import annotations

import pytest

from annotation import studies
from annotation.models import Study
from annotation.studies import StudyError

pytestmark = pytest.mark.django_db


def test_a_study_gets_the_aspects_of_the_paper_and_a_first_policy(alice):
    study = studies.create(name="ferry", owner=alice)
    keys = [aspect.key for aspect in study.aspects.all()]
    assert keys == ["coherence", "consistency", "attribute-relevance"]
    assert study.current_policy().version == 1
    assert (study.state, study.owner) == (Study.State.DRAFT, alice)


def test_its_words_for_workers_do_not_give_the_damaged_texts_away():
    study = studies.create(name="ferry", owner=None)
    words = (study.consent + study.instructions).lower()
    assert "deleted" in words and "contact" in words
    assert not any(word in words for word in ("damage", "negative", "hidden", "system"))


def test_aspects_are_named_or_described():
    study = studies.create(
        name="ferry",
        owner=None,
        aspects=["overall", "Plot holes", {"title": "Humour", "low": "not funny"}],
    )
    overall, holes, humour = study.aspects.all()
    assert overall.title == "Overall quality"
    assert (holes.key, holes.title) == ("plot-holes", "Plot holes")
    assert (humour.key, humour.low, humour.high) == ("humour", "not funny", "Very good")


def test_labels_come_with_or_without_verbalizers():
    study = studies.create(name="a", owner=None, labels={"positive": ["good"]})
    assert study.labels.get().verbalizers == ["good"]
    study = studies.create(name="b", owner=None, labels=["sad", "happy"])
    assert study.labels.count() == 2


@pytest.mark.parametrize(
    "name", ["", "two words", "Ähre", "a/b", "x" * 51, "new", "line\n"]
)
def test_it_refuses_a_name_that_cannot_stand_in_an_address(name):
    with pytest.raises(StudyError, match="cannot be a study's name|reserved"):
        studies.create(name=name, owner=None)


def test_it_refuses_a_name_that_is_taken():
    studies.create(name="ferry", owner=None)
    with pytest.raises(StudyError, match='"ferry" is already used'):
        studies.create(name="ferry", owner=None)


def test_it_refuses_a_name_that_was_taken_a_moment_ago(monkeypatch):
    checked = studies.draft(name="ferry", owner=None)
    studies.create(name="ferry", owner=None)
    monkeypatch.setattr(studies, "draft", lambda **given: checked)
    with pytest.raises(StudyError, match="already used"):
        studies.create(name="ferry", owner=None)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"scale_min": 5, "scale_max": 5}, "scale"),
        ({"scale_max": 101}, "scale"),
        ({"ratings_per_text": 0}, "ratings per text"),
        ({"contact": "nobody"}, "contact"),
        ({"aspects": []}, "at least one aspect"),
        ({"aspects": ["overall", "Overall"]}, "same key"),
        ({"aspects": ["?"]}, "key"),
        ({"aspects": [{"key": "a", "colour": "red"}]}, "colour"),
        ({"labels": ["sad", "sad"]}, "the same"),
    ],
)
def test_it_refuses_what_cannot_be_and_makes_nothing(fields, said):
    with pytest.raises(StudyError, match=said):
        studies.create(name="ferry", owner=None, **fields)
    assert not Study.objects.exists()
