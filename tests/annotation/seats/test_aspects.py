"""The questions of a study, of which each process keeps a copy."""

from __future__ import annotations

import pytest

from annotation.seats import aspects
from tests.annotation.seating import lay_out

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study):
    study = make_study(prompts=1)
    lay_out(study)
    return study


def test_questions_are_read_once_when_they_can_no_longer_change(
    study, django_assert_num_queries
):
    with django_assert_num_queries(1):
        first, second = aspects.of_study(study), aspects.of_study(study)
    assert first == second == tuple(study.aspects.all())


def test_those_of_a_draft_are_read_anew(make_study):
    draft = make_study(name="draft")
    aspects.of_study(draft)
    draft.aspects.update(question="Is it whole?")
    assert {one.question for one in aspects.of_study(draft)} == {"Is it whole?"}
