"""Numbers as pages show them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.templatetags.evalapp import ago, number, signed


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (0.12345, 3, "0.123"),
        (-0.5, 3, "−0.500"),
        (-0.0001, 3, "0.000"),
        (1234567.0, 0, "1,234,567"),
        (3, 0, "3"),
    ],
)
def test_a_number_has_a_real_minus_and_none_before_zero(value, digits, shown):
    assert number(value, "", digits) == shown


def test_a_difference_has_its_sign_and_none_at_zero():
    assert [signed(v) for v in (0.25, -0.25, -0.0001)] == ["+0.250", "−0.250", "0.000"]


def test_what_does_not_exist_says_why_to_the_eye_and_the_ear():
    shown = number(None, "constant <scores>")
    assert shown.count("constant &lt;scores&gt;") == 2


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (-1, "0 seconds ago"),
        (1, "1 second ago"),
        (59, "59 seconds ago"),
        (60, "1 minute ago"),
        (3660, "1 hour ago"),
    ],
)
def test_the_last_minute_is_told_in_seconds(seconds, shown):
    then = timezone.now() - timedelta(seconds=seconds)
    assert ago(then).replace("\xa0", " ") == shown
