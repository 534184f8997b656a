"""The page of agreement."""

from __future__ import annotations

import json

import numpy as np
import pytest
from django.urls import reverse

from annotation.models import Annotation
from scoring.stats import agreement
from tests.scoring import analysed
from tests.support.scored import rate

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("as_alice", "nobody_is_woken"),
]
RATED = [[1, 2, 1], [2, 2, 3], [5, 4, 5], [3, 3, 4], [4, 4, 2], [1, 1, 1]]


@pytest.fixture
def study(make_study):
    study = make_study()
    rate(study, "coherence", RATED)
    return study


def named(study) -> None:
    """Say who gave each rating, as a file may: the k-th of each text is anna's, ..."""
    seen: dict[int, int] = {}
    for one in Annotation.objects.order_by("pk"):
        k = seen[one.generation_id] = seen.get(one.generation_id, -1) + 1
        Annotation.objects.filter(pk=one.pk).update(rater=("anna", "bert", "<i>")[k])


def counts():
    values = np.arange(1, 6)
    return np.array([[row.count(v) for v in values] for row in RATED]), values


def test_it_shows_alpha_as_the_library_has_it(client, study):
    page = analysed.page(client, study, "agreement")
    alpha = agreement.alpha(*counts(), "ordinal")
    assert f"{alpha.value:.3f}" in page
    assert "Krippendorff&#x27;s alpha (ordinal)" in page


def test_raters_of_a_file_without_names_are_not_compared(client, study):
    page = analysed.page(client, study, "agreement")
    assert "The file does not say who gave these ratings" in page


def test_raters_are_listed_by_name_and_names_are_escaped(client, study):
    named(study)
    page = analysed.page(client, study, "agreement")
    assert "anna" in page and "&lt;i&gt;" in page
    assert "<i>" not in page.replace("\\u003Ci\\u003E", "")


def test_the_table_of_workers_is_a_download_with_every_digit(client, study):
    named(study)
    analysed.page(client, study, "agreement", aspect="coherence")
    address = reverse(
        "analysis_table", args=[study.name, "agreement", "workers", "json"]
    )
    found = json.loads(client.get(address, {"aspect": "coherence"}).content)
    assert {row[0] for row in found["rows"]} == {"anna", "bert", "<i>"}
    change = found["rows"][0][2]
    assert change["signature"].startswith("alpha-without|aspect:coherence")


def test_it_leads_to_workers_and_to_quality_control(client, study):
    page = analysed.page(client, study, "agreement")
    for name in ("study_workers", "study_quality"):
        assert page.count(reverse(name, args=[study.name])) >= 1
