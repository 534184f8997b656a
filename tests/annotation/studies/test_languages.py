"""The language of a study: what it begins with, and what follows a change."""

from __future__ import annotations

import pytest
from django.utils import timezone

from annotation import studies
from annotation.models import Study
from annotation.perturbations import PERTURBATIONS, of_language
from annotation.surveys import planning

pytestmark = pytest.mark.django_db


def test_a_study_speaks_english_unless_told() -> None:
    study = studies.create(name="plain", owner=None)
    assert study.language == "en" and study.public_title == "Rate texts"
    assert study.consent.startswith("You will read short texts")


def test_a_new_study_begins_with_the_words_of_its_language() -> None:
    study = studies.create(name="de", owner=None, language="de", aspects=["overall"])
    (asked,) = study.aspects.all()
    assert study.public_title == "Texte bewerten"
    assert study.instructions.startswith("Jede Seite zeigt")
    assert asked.question == "Wie gut ist dieser Text insgesamt?"
    assert (asked.key, asked.low) == ("overall", "Sehr schlecht")


@pytest.mark.parametrize("language", ["tlh", "../../etc", "DE"])
def test_a_language_that_there_is_not_is_refused(language: str) -> None:
    with pytest.raises(studies.StudyError, match="not a valid choice"):
        studies.create(name="odd", owner=None, language=language)


def test_standard_words_follow_a_change_of_the_language() -> None:
    study = studies.create(name="fr", owner=None)
    study.language = "fr"
    study.save()
    studies.translate(study=study, before="en")
    study.refresh_from_db()
    assert studies.has_standard_instructions(study)
    assert studies.are_standard(study, list(study.aspects.all()))
    assert study.consent.startswith("Vous allez lire")


def test_what_someone_wrote_stays_when_the_language_changes() -> None:
    study = studies.create(name="own", owner=None, consent="My **own** words.")
    study.language = "pl"
    study.save()
    first = study.aspects.get(key="coherence")
    first.question = "Is it whole?"
    first.save()
    studies.translate(study=study, before="en")
    study.refresh_from_db()
    first.refresh_from_db()
    assert study.consent == "My **own** words."
    assert first.question == "Is it whole?" and first.title == "Spójność"


def test_limits_of_reading_speed_follow_what_a_character_says() -> None:
    limits = {}
    for language in ("en", "ja", "zh-hans"):
        made = studies.create(name=language, owner=None, language=language)
        policy = made.current_policy()
        limits[language] = policy.characters_per_second, policy.same_faster_than
    assert limits == {"en": (60, 30), "ja": (30, 15), "zh-hans": (20, 10)}


def test_a_copy_speaks_the_same_language() -> None:
    source = studies.create(name="ja", owner=None, language="ja")
    made = studies.copy(
        source=source, name="copy", user=None, now=timezone.now(), with_texts=False
    )
    assert made.language == "ja"


def test_damages_that_know_english_are_for_english_only() -> None:
    assert set(of_language("en")) == set(PERTURBATIONS)
    others = set(of_language("ar"))
    assert set(PERTURBATIONS) - others == {"inflect", "negate", "rename"}
    assert of_language("ar", ["negate", "drop"]) == ["drop"]
    # With none left of the chosen ones, pages still get their damaged texts.
    assert set(of_language("ar", ["negate"])) == others


def test_pages_are_drawn_with_the_damages_of_their_language(make_study) -> None:
    study = make_study()
    Study.objects.filter(pk=study.pk).update(language="hi")
    study.refresh_from_db()
    kinds = planning.whole_draw(study).pool.kinds
    assert kinds == set(of_language("hi"))
