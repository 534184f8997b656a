from __future__ import annotations

import pytest
from django.forms.models import model_to_dict

from annotation.perturbations import PERTURBATIONS
from annotation.quality.forms import PolicyForm

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study):
    return make_study()


def form(study, **changed):
    current = study.current_policy()
    values = model_to_dict(current, PolicyForm.Meta.fields) | changed
    data = {key: value for key, value in values.items() if value not in (None, False)}
    return PolicyForm(data, study=study, instance=current)


class TestKindsOfDamage:
    def test_all_are_ticked_at_first_and_mark_what_is_for_english(self, study):
        field = PolicyForm(study=study, instance=study.current_policy())["damages"]
        assert field.value() == list(PERTURBATIONS)
        titles = dict(field.field.choices)
        assert titles["negate"].endswith("English only.")
        assert "English" not in titles["drop"]

    @pytest.mark.parametrize("ticked", [[], list(PERTURBATIONS)])
    def test_all_or_none_change_nothing(self, study, ticked):
        made = form(study, damages=ticked)
        assert made.is_valid(), made.errors
        assert made.policy().pk == study.current_policy().pk

    def test_a_choice_is_a_new_version(self, study):
        made = form(study, damages=["drop", "shuffle"])
        assert made.is_valid(), made.errors
        made.save()
        policy = study.current_policy()
        assert (policy.version, policy.damages) == (2, ["drop", "shuffle"])

    def test_going_back_to_all_is_one_too(self, study):
        study.policies.update(damages=["drop"])
        made = form(study, damages=list(PERTURBATIONS))
        assert made.is_valid() and made.policy().damages == []
        assert made.policy().pk is None
