"""Numbers as pages show them."""

from __future__ import annotations

import pytest

from annotation.templatetags.evalapp import number, signed


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
