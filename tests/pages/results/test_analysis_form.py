"""The options of an analysis: its own first, then what every analysis asks."""

from __future__ import annotations

import pytest

from scoring.results.forms.analyses import AnalysisForm

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]


def without_labels(study):
    study.prompts.update(label=None)
    study.labels.all().delete()
    return study


def test_filters_come_after_what_the_page_alone_asks(make_study):
    form = AnalysisForm(make_study(), "drift", {})
    assert [field.name for field in form.own][-1] == "seed"
    assert "aspect" in [field.name for field in form.own]
    assert "systems" in [field.name for field in form.filters]


def test_a_list_without_choices_is_not_shown(make_study):
    study = without_labels(make_study())
    names = [field.name for field in AnalysisForm(study, "drift", {}).filters]
    assert "labels" not in names
    assert "systems" in names


def test_a_choice_that_the_study_lacks_is_shown_with_its_error(make_study):
    study = without_labels(make_study())
    form = AnalysisForm(study, "drift", {"labels": ["positive"]})
    assert "labels" in [field.name for field in form.filters]


def test_a_wrong_option_is_said_once_in_a_sentence(make_study):
    form = AnalysisForm(make_study(), "drift", {"prompts": "x"})
    [error] = form.errors["prompts"]
    assert error.startswith("Expected numbers")
