import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import penalties
from scoring.penalties import (
    ESA,
    MQM,
    MQM_SUM,
    Weights,
    error_free,
    penalty,
    per_100_words,
)
from scoring.stats.spans.marks import Mark


def marks(*names):
    return tuple(Mark(0, 1, category, severity) for category, severity in names)


MAJOR, MINOR = ("Accuracy/Mistranslation", "Major"), ("Style/Awkward", "Minor")


@pytest.mark.parametrize(
    "names, expected",
    [
        ([], 0),
        ([MINOR], 1),
        ([MAJOR, MINOR], 6),
        ([("Accuracy", "neutral")], 0),
        ([("Fluency/Punctuation", "minor")], 0.1),
        ([("Punctuation", "Minor")], 0.1),
        ([("Fluency/Punctuation", "Major")], 5),
        ([("Source issue", "Major")], 0),
        ([("Source error", "Minor")], 1),
        ([("Non-translation!", "Major")], 25),
        ([("Non-translation", "Major"), MAJOR, MAJOR], 25),
        ([MAJOR] * 7, 25),
        ([MINOR] * 4 + [MAJOR] * 2, 13),
    ],
)
def test_mqm_of_a_text(names, expected):
    assert penalty(marks(*names), MQM) == pytest.approx(expected)


def test_in_newer_files_all_errors_add_up():
    names = [("non-translation!", "major"), MAJOR, *[MINOR] * 6]
    assert penalty(marks(*names), MQM_SUM) == 36


def test_esa_knows_minor_and_major_alone():
    assert penalty(marks(("", "minor"), ("", "major")), ESA) == 6
    with pytest.raises(ValueError, match='severity "neutral"'):
        penalty(marks(("", "neutral")), ESA)


@given(
    st.lists(st.sampled_from([MAJOR, MINOR, ("Fluency/Punctuation", "Minor")])),
    st.randoms(),
)
def test_no_more_than_the_five_dearest_errors_count(names, random):
    cost = {MAJOR: 5, MINOR: 1}
    dearest = sorted((cost.get(name, 0.1) for name in names), reverse=True)[:5]
    random.shuffle(names)
    assert penalty(marks(*names), MQM) == pytest.approx(sum(dearest))


def test_a_text_without_words_has_no_penalty_per_word():
    assert per_100_words(6, 50) == 12
    assert per_100_words(0, 0) is None


def test_a_text_is_free_of_errors_with_a_high_score_and_no_mark():
    assert error_free(85, ())
    assert not error_free(84, ())
    assert not error_free(100, marks(MINOR))


def test_names_of_a_study_may_have_capitals():
    weights = Weights({"Major": 3.0}, {("A/B", "Major"): 7.0}, other=1.0)
    assert penalty(marks(("x", "Major"), ("A/B", "Major"), ("x", "?")), weights) == 11


def test_the_examples_are_true():
    ran = doctest.testmod(penalties)
    assert ran.attempted and not ran.failed
