"""Amounts in answers of Prolific: whole, not negative, or not known."""

from __future__ import annotations

import pytest

from annotation.contrib.prolific import prolific


@pytest.mark.parametrize(
    ("given", "read"),
    [
        *((0, 0), (150, 150), (150.0, 150)),
        *((-1, None), (1.5, None), (10**12, None), (True, None), ("150", None)),
        *((float("nan"), None), (float("inf"), None), (None, None)),
    ],
)
def test_only_a_whole_amount_is_one(given: object, read: int | None) -> None:
    assert prolific._whole(given) == read
