from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from evalapp.api import nearer_end
from evalapp.api.nearer_end import FromNearerEnd, rows_between

N = 23


@pytest.fixture
def names(db, monkeypatch):
    """Of users, as a list that is long enough to be read from its end."""
    monkeypatch.setattr(nearer_end, "FEW", 0)
    User.objects.bulk_create(
        User(username=f"name-{n:02}", last_name=f"of {n % 3}") for n in range(N)
    )
    rows = User.objects.order_by("-last_name", "username")
    return rows.values_list("username", flat=True)


@pytest.mark.parametrize("size", [1, 4, 10, 30])
def test_same_rows_as_a_slice(names, size):
    for start in range(N + 3):
        found = rows_between(names, start, start + size, N)
        assert list(found) == list(names)[start : start + size]


def test_last_rows_are_not_walked_to(names):
    with CaptureQueriesContext(connection) as asked:
        assert list(rows_between(names, 20, 30, N)) == list(names)[20:]
    assert "OFFSET" not in asked[0]["sql"]


def test_rows_without_an_order_are_not_turned(names):
    rows = names.order_by()
    assert list(rows_between(rows, 20, 23, N)) == list(rows[20:23])


def test_few_rows_are_not_turned(names, monkeypatch):
    monkeypatch.setattr(nearer_end, "FEW", N)
    with CaptureQueriesContext(connection) as asked:
        list(rows_between(names, 20, 23, N))
    assert "OFFSET 20" in asked[0]["sql"]


def test_pages_of_a_query_and_of_a_list(names):
    of_query = FromNearerEnd(names, 5)
    of_list = FromNearerEnd(list(names), 5)
    for number in of_query.page_range:
        assert list(of_query.page(number)) == list(of_list.page(number))
    assert list(of_query.get_page("1000000")) == list(names)[20:]
