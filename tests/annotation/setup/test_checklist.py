from __future__ import annotations

from decimal import Decimal

import pytest
from django.utils import timezone

from annotation import studies, surveys
from annotation.crowd import practice
from annotation.models import Study
from annotation.setup.checklist import (
    CHECKED,
    PREVIEWED,
    SIMULATED,
    Point,
    State,
    checklist,
    note_once,
    points,
)
from annotation.setup.fixed import fixed

pytestmark = pytest.mark.django_db


def point(study: Study, title: str) -> Point:
    found = points(checklist(study=study), *State)
    return next(one for one in found if one.title == title)


def state(study: Study, title: str) -> State:
    return point(study, title).state


def test_a_study_without_texts_cannot_open(make_study):
    study = make_study(prompts=0)
    assert state(study, "Texts") == State.STOPS
    assert [p.title for p in points(checklist(study=study), State.STOPS)] == ["Texts"]


def test_texts_that_allow_no_damaged_one_stop_it_until_that_is_decided(make_study):
    study = make_study(prompts=1)
    study.generations.update(text="Nobody came.")
    study.prompts.update(prefix="Nobody", label=None)
    assert state(study, "Damaged texts") == State.STOPS
    study.damaged_texts = "none"
    assert state(study, "Damaged texts") == State.OPTIONAL


def test_a_question_about_labels_needs_texts_with_labels(make_study):
    study = make_study()
    study.aspects.filter(key="relevance").update(question="Does it fit {label}?")
    assert state(study, "Questions and scale") == State.DONE
    study.prompts.update(label=None)
    found = point(study, "Questions and scale")
    assert found.state == State.CHECK
    assert "“Relevance” asks how well a text fits its label" in found.warning


def test_a_question_about_the_opening_needs_texts_with_one(make_study):
    study = make_study()
    asked = "Does the text continue naturally from its opening?"
    study.aspects.filter(key="consistency").update(question=asked)
    assert state(study, "Questions and scale") == State.DONE
    study.prompts.update(prefix="")
    found = point(study, "Questions and scale")
    assert found.state == State.CHECK
    assert "asks about the opening of a text" in found.warning


def test_standard_words_are_to_be_checked_until_somebody_saved_them(alice):
    study = studies.create(name="ferry", owner=alice)
    for title in ("Title and instructions", "Questions and scale"):
        assert state(study, title) == State.CHECK
    note_once(study=study, verb=CHECKED, user=alice, now=timezone.now())
    for title in ("Title and instructions", "Questions and scale"):
        assert state(study, title) == State.DONE


@pytest.mark.parametrize(
    ("title", "field", "value"),
    [
        ("Contact", "contact", "lab@example.org"),
        ("Title and instructions", "instructions", "Read every text."),
    ],
)
def test_words_for_workers_are_missing_until_they_are_there(
    make_study, title, field, value
):
    study = make_study()
    assert state(study, title) == State.MISSING
    assert point(study, title).warning
    setattr(study, field, value)
    assert state(study, title) == State.DONE
    assert not point(study, title).warning


def test_a_consent_text_is_to_be_checked_until_somebody_saved_it(make_study, alice):
    study = make_study()
    assert state(study, "Consent") == State.MISSING
    assert point(study, "Consent").warning
    study.consent = "You may stop at any time."
    assert state(study, "Consent") == State.CHECK
    assert not point(study, "Consent").warning
    note_once(study=study, verb=CHECKED, user=alice, now=timezone.now())
    assert state(study, "Consent") == State.DONE


def test_pay_below_the_floor_is_warned_of(make_study):
    study = make_study(pay_per_page=Decimal("0.10"), minutes_per_page=10)
    assert state(study, "Pay") == State.CHECK
    assert "0.60 USD per hour" in point(study, "Pay").warning
    study.pay_per_page = Decimal(3)
    assert state(study, "Pay") == State.DONE
    study.pay_per_page = None
    assert state(study, "Pay") == State.OPTIONAL


def test_who_admits_the_invited_only_must_invite(make_study):
    study = make_study(invited_only=True)
    assert state(study, "Invites") == State.MISSING


def test_practice_is_optional(make_study):
    study = make_study()
    assert state(study, "Practice") == State.OPTIONAL
    text = practice.Text("One sentence.", {"coherence": (4, 5)}, "It is good.")
    practice.define(study=study, prefix="", label="", attempts=2, texts=[text])
    assert state(study, "Practice") == State.DONE
    assert point(study, "Practice").sentence.startswith("1 practice text before")


@pytest.mark.parametrize(
    ("verb", "title"), [(PREVIEWED, "Preview"), (SIMULATED, "Simulation")]
)
def test_what_was_tried_is_noted_once(make_study, alice, verb, title):
    study = make_study()
    assert state(study, title) != State.DONE
    for _ in range(2):
        note_once(study=study, verb=verb, user=alice, now=timezone.now())
    assert state(study, title) == State.DONE
    assert study.events.count() == 1


def test_an_open_study_is_past_trying_it_first(make_study):
    study = make_study()
    assert checklist(study=study)[-1].title == "Try it first"
    surveys.open_study(study=study)
    assert checklist(study=study)[-1].title == "How you check the work"


def test_nothing_is_noted_of_an_open_study(make_study, alice):
    study = make_study()
    surveys.open_study(study=study)
    before = study.events.count()
    note_once(study=study, verb=PREVIEWED, user=alice, now=timezone.now())
    assert study.events.count() == before


def test_what_becomes_fixed_is_what_an_open_study_refuses(make_study):
    """The names in words, beside the fields that only a draft may change."""
    said = dict(fixed(study=make_study(pay_per_page=Decimal("0.5"))))
    assert said["Scale"] == "from 1 to 5"
    assert said["Pay"] == "0.50 USD per page, also for pages that are not used"
    assert said["Questions"] == "Coherence, Consistency, Relevance"
    assert said["Analysis plan"].startswith("none")


def test_it_takes_as_many_queries_for_many_texts(
    make_study, django_assert_max_num_queries
):
    for name, prompts in (("small", 2), ("large", 30)):
        study = make_study(name=name, prompts=prompts)
        surveys.damageable(study=study)  # kept from the overview
        with django_assert_max_num_queries(28):
            checklist(study=study)


def test_what_is_fixed_names_the_random_part(make_study):
    said = dict(fixed(study=make_study(rated_share=20)))
    assert said["Texts that people rate"] == (
        "20 % of the texts of each system, drawn at random"
    )


def test_the_checklist_says_how_many_texts_are_drawn(make_study):
    study = make_study(prompts=10, rated_share=20)
    said = "8 of 40 texts of 4 systems, drawn at random, each to be rated by 2 people."
    assert point(study, "Texts").sentence.startswith(said)
    surveys.open_study(study=study)
    assert point(study, "Texts").sentence.startswith(said)
