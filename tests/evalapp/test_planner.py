"""The database looks at tables that were just filled."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Place, Survey
from annotation.surveys import opening
from evalapp import planner

pytestmark = pytest.mark.django_db

SAID = {
    "postgresql": ['ANALYZE "annotation_place", "annotation_survey"'],
    "sqlite": ["PRAGMA analysis_limit = 1000", "PRAGMA optimize"],
}


def test_it_is_asked_to_in_its_own_words():
    with CaptureQueriesContext(connection) as asked:
        planner.look_at(Place, Survey)
    said = [query["sql"] for query in asked if "SAVEPOINT" not in query["sql"]]
    assert said == SAID[connection.vendor]


def test_it_looks_once_a_study_is_open(make_study, monkeypatch):
    seen = []
    monkeypatch.setattr(planner, "look_at", lambda *models: seen.append(models))
    study = make_study()
    opening.start_opening(study=study)
    assert study.places.exists()
    assert seen == [opening.WRITTEN] and Place in seen[0]
