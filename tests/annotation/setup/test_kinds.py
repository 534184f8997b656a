from __future__ import annotations

import pytest

from annotation import page_kinds, studies, surveys
from annotation.crowd import practice
from annotation.models import Study
from annotation.setup import kinds
from annotation.setup.checklist import State, checklist
from tests.annotation.seating import NOON

SETTINGS = {"pairs_per_text": None, "pair_ties": True, "pair_strength": False}


def choose(study: Study, *chosen: str, **more) -> None:
    studies.choose_kinds(
        study=study,
        kinds=chosen,
        options={**SETTINGS, **more},
        user=None,
        now=NOON,
    )
    study.refresh_from_db()


def test_every_kind_that_can_be_drawn_is_described(make_study):
    described = kinds.described(study=make_study())
    assert [one.value for one in described] == page_kinds.names()
    assert [one.value for one in described if one.used] == ["ratings"]


def test_kinds_come_in_the_order_chosen(make_study):
    study = make_study()
    choose(study, "pair", "ratings", pairs_per_text=2, pair_strength=True)
    assert study.page_kinds == ["pair", "ratings"]
    assert (study.pairs_per_text, study.pair_strength) == (2, True)
    assert kinds.in_words(study=study) == "Pairs, then ratings"


def test_a_random_part_of_the_texts_needs_pages_of_ratings(make_study):
    study = make_study(rated_share=50)
    with pytest.raises(studies.StudyError, match="Have 100 % of them rated"):
        choose(study, "pair")
    choose(study, "ratings")


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ((), "at least one kind"),
        (("pair", "pair"), "used once"),
        (("essays",), "got essays"),
    ],
)
def test_what_cannot_be_asked_is_refused(make_study, chosen, words):
    study = make_study()
    with pytest.raises(studies.StudyError, match=words):
        choose(study, *chosen)
    assert study.page_kinds == ["ratings"]


def test_an_open_study_keeps_its_kinds(make_study):
    study = make_study()
    surveys.open_study(study=study)
    with pytest.raises(studies.StudyError, match="before the study opens"):
        choose(study, "pair")


def test_a_practice_page_of_ratings_needs_pages_of_ratings(make_study):
    study = make_study()
    text = practice.Text("Good.", {"coherence": (4, 5)})
    practice.define(study=study, prefix="", label="", attempts=1, texts=[text])
    with pytest.raises(studies.StudyError, match="practice page"):
        choose(study, "pair")
    choose(study, "pair", "ratings")


def test_standard_instructions_follow_the_kinds(alice):
    study = studies.create(name="fresh", owner=alice)
    choose(study, "pair")
    assert "pairs of texts" in study.instructions
    assert "scale" not in study.instructions
    choose(study, "ratings", "pair")
    assert "scale" in study.instructions and "pairs of texts" in study.instructions
    assert studies.has_standard_instructions(study)
    choose(study, "ratings")
    assert "pairs of texts" not in study.instructions


@pytest.mark.parametrize("kind", page_kinds.names())
@pytest.mark.parametrize("language", ["en", "ar"])
def test_every_kind_has_standard_instructions_in_each_language(alice, kind, language):
    study = studies.create(name="fresh", owner=alice, language=language)
    choose(study, kind)
    assert studies.has_standard_instructions(study)
    assert len(study.instructions) > 100


def test_the_standard_consent_follows_the_kinds(alice):
    study = studies.create(name="fresh", owner=alice)
    choose(study, "edit")
    assert study.consent.startswith("You will read short texts and compare or correct")
    choose(study, "ratings")
    assert study.consent.startswith("You will read short texts and rate them.")


def test_an_own_consent_stays(alice):
    study = studies.create(name="fresh", owner=alice, consent="You may stop.")
    choose(study, "edit")
    assert study.consent == "You may stop."


def test_own_instructions_stay(alice):
    study = studies.create(name="fresh", owner=alice, instructions="Read well.")
    choose(study, "pair")
    assert study.instructions == "Read well."


def test_instructions_of_pairs_are_translated_with_the_language(alice):
    study = studies.create(name="fresh", owner=alice)
    choose(study, "pair")
    study.language = "de"
    study.save()
    studies.translate(study=study, before="en")
    assert "Paare von Texten" in study.instructions
    assert study.consent.startswith("Sie lesen kurze Texte und vergleichen")
    assert study.aspects.get(key="coherence").pair_question.startswith("In welchem")


def test_without_two_systems_the_checklist_stops_pairs(make_study):
    study = make_study(systems=("a",))
    choose(study, "pair")
    points = [one for section in checklist(study=study) for one in section.points]
    (point,) = [one for one in points if one.title == "Kinds of pages"]
    assert point.state == State.STOPS
    assert "no two systems" in point.sentence
    with pytest.raises(surveys.TransitionError, match="no two systems"):
        surveys.open_study(study=study)
