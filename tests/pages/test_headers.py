"""What answers say to browsers and caches."""

from __future__ import annotations

import pytest
from django.urls import get_resolver

from tests.pages.test_access import walk

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "path",
    ["", "texts/", "monitor/", "export/", "export/texts.csv", "metrics/", "nothing/"],
)
def test_nothing_of_a_study_is_kept_by_a_cache(client, make_study, path):
    study = make_study()
    client.force_login(study.owner)
    answer = client.get(f"/studies/ferry/{path}")
    assert answer["Cache-Control"] == "private, no-store"
    assert "camera=()" in answer["Permissions-Policy"]


def test_a_page_of_a_worker_is_not_kept_either(client, make_study):
    kept = client.get(make_study().get_worker_url())["Cache-Control"]
    assert "no-store" in kept and "private" in kept


@pytest.mark.slow
def test_head_is_allowed_where_get_is(client, make_study):
    """Link checkers and monitors ask so."""
    study = make_study()
    client.force_login(study.owner)
    refused = []
    for route in walk(get_resolver()):
        path = "/" + route.replace("<slug:name>", "ferry")
        if "<" in path or path.startswith("/api/"):
            continue
        if client.get(path).status_code == 200 != client.head(path).status_code:
            refused.append(path)
    assert refused == []
