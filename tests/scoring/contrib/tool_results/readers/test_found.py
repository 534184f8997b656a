from __future__ import annotations

import math

import pytest

from scoring.contrib.tool_results.readers import _found


@pytest.mark.parametrize(
    ("value", "expected"),
    [(1, 1.0), (False, 0.0), ("0.25", 0.25), (" 3 ", 3.0), (-2.5, -2.5)],
)
def test_a_number_is_a_number(value, expected):
    assert _found.number(value) == (expected, "")


@pytest.mark.parametrize(
    "value",
    [None, math.nan, math.inf, "nan", "4/5", "", [1], {}, 10**400, 1e101, "x" * 10_000],
)
def test_what_is_none_is_missing_with_a_reason(value):
    found = _found.number(value)
    assert found.value is None and 5 < len(found.reason) <= 300


def test_a_signature_keeps_to_its_form():
    found = _found.signed({"judge": "a|b\nc\0", "none": None, "task": "t" * 2000})
    assert found.startswith("judge:a/b c|task:ttt")
    assert "none" not in found and len(found) < 900
