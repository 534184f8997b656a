import doctest

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.stats import signature


def test_it_says_what_a_number_depends_on_in_a_fixed_order():
    parts = {"draws": 1000, "unit": "prompt", "group": "none", "n": 360, "seed": 7}
    parts |= {"undefined": "drop", "qc": "valid", "raters": "mean"}
    expected = (
        "pearson|group:none|undefined:drop|n:360|raters:mean|qc:valid"
        "|draws:1000|unit:prompt|seed:7|v:1"
    )
    assert signature.text("pearson", **parts) == expected
    assert signature.text("pearson", **dict(reversed(parts.items()))) == expected


@pytest.mark.parametrize(
    ("value", "written"),
    [(True, "yes"), (False, "no"), (0.05, "0.05"), (3, "3"), ("a b", "a b")],
)
def test_values_are_written_so_that_people_can_read_them(value, written):
    assert signature.text("alpha", level=value) == f"alpha|level:{written}|v:1"


def test_what_does_not_apply_is_left_out():
    assert signature.text("alpha", seed=None, draws=0) == "alpha|draws:0|v:1"


def test_unknown_parts_follow_by_name():
    assert signature.text("x", zebra=1, ape=2, seed=3) == "x|seed:3|ape:2|zebra:1|v:1"


def test_the_version_is_not_for_the_caller_to_say():
    with pytest.raises(ValueError, match="version"):
        signature.text("x", v=2)


words = st.text("ab%|:\n\r é=", max_size=6)


@settings(max_examples=50, deadline=None)
@given(words, st.dictionaries(words.filter(bool), words, max_size=4))
def test_any_text_can_be_read_back(statistic, parts):
    line = signature.text(statistic, **parts)
    assert signature.parse(line) == {"statistic": statistic, **parts, "v": "1"}
    assert "\n" not in line


def test_the_examples_in_the_text_hold():
    assert doctest.testmod(signature).failed == 0
