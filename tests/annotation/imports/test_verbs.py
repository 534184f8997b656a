"""Verbs that give records another shape lose no cell in silence."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.imports import _verbs
from annotation.imports._account import Account
from annotation.imports._verbs import Part
from annotation.imports.files import Record


def records(*cells: dict[str, Any]) -> _verbs.Records:
    return (Record(n, one) for n, one in enumerate(cells, start=1))


def cells_of(found: _verbs.Records) -> list[dict[str, Any]]:
    return [record.cells for record in found]


def aside(account: Account) -> dict[str, dict[str, int]]:
    entries = account.entries(())
    return {e.column: {one.words: one.n for one in e.unused} for e in entries}


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        ({"Input.text": "a"}, {"text": "a"}),
        ({"Input.text": "a", "text": "b"}, {"text": "a", "text (2)": "b"}),
        ({"text": "b", "Input.text": "a"}, {"text": "b", "Input.text": "a"}),
        ({"Input.text": "", "text": "b"}, {"text": "b"}),
        ({"text": "b", "Input.text": None}, {"text": "b"}),
    ],
)
def test_no_column_hides_another_that_gets_its_name(cells, found):
    named = _verbs.rename(records(cells), lambda c: c.removeprefix("Input."))
    assert cells_of(named) == [found]


def test_rows_that_do_not_fit_are_counted_with_the_reason():
    account = Account()
    given = records({"a": 1, "s": "no"}, {"a": 2, "s": "yes"}, {"a": None, "s": "no"})
    kept = _verbs.where(given, lambda c: c["s"] == "yes", account, "it said no")
    assert cells_of(kept) == [{"a": 2, "s": "yes"}]
    assert aside(account) == {"a": {"it said no": 1}, "s": {"it said no": 2}}


def test_columns_of_items_become_rows():
    account = Account()
    parts = {"q1": Part("One.", "rating:q"), "q2": Part("Two.", "rating:q")}
    given = records({"who": "a", "q1": 3, "q2": 4}, {"who": "b", "q1": "", "q2": 5})
    melted = _verbs.melt(given, parts.get, account)
    assert cells_of(melted) == [
        {"who": "a", "text": "One.", "rating:q": 3},
        {"who": "a", "text": "Two.", "rating:q": 4},
        {"who": "b", "text": "Two.", "rating:q": 5},
    ]
    empty = _verbs.melt(records({"who": "c", "q1": None}), parts.get, account)
    assert cells_of(empty) == []
    assert aside(account) == {"who": {_verbs.NO_ITEM: 1}}


def test_lists_side_by_side_become_rows():
    account = Account()
    given = records({"id": 1, "t": ["a", "b"], "n": [3, 4], "odd": [1]})
    rows = _verbs.explode(given, ["t", "n", "odd"], account)
    assert cells_of(rows) == [{"id": 1, "t": "a", "n": 3}, {"id": 1, "t": "b", "n": 4}]
    assert aside(account) == {"odd": {_verbs.NOT_EVEN: 1}}


def test_no_record_becomes_more_rows_than_there_may_be():
    account = Account()
    many = list(range(_verbs.MOST + 5))
    assert len(list(_verbs.explode(records({"n": many}), ["n"], account))) == 1000
    assert aside(account) == {"n": {_verbs.TOO_MANY: 5}}
    wide = dict.fromkeys(map(str, many), 1)
    rows = _verbs.melt(records(wide), lambda c: Part(c, "rating:q"), account)
    assert len(list(rows)) == 1000


@pytest.mark.parametrize(
    ("cells", "path", "found"),
    [
        ({"a": {"b": {"c": 1}}}, "a.b.c", 1),
        ({"a.b": {"c": 1}}, "a.b.c", 1),
        ({"a.b.c": 1}, "a.b.c", 1),
        ({"a": [1]}, "a.b", None),
        ({}, "a", None),
    ],
)
def test_a_path_is_found_however_much_of_it_is_a_name(cells, path, found):
    assert _verbs.pick(cells, path) == found
