"""Bars of words and answers, from the parts that a metric keeps."""

import numpy as np

from scoring.metrics import Series
from scoring.results import charted_parts
from scoring.results.charted_parts import Bar

MOMENTUM = Series("m", "Momentum", "nats", ends="m.ends")
TEXT = "Good day,  sir"


def bars(numbers, ends, text=TEXT):
    return charted_parts.bars(MOMENTUM, np.array(numbers), ends, text)


def test_the_tokens_of_a_word_are_summed():
    # "Go", "od", " day", ",", "  ", "sir", and what padding leaves.
    ends = np.array([2, 4, 8, 9, 10, 14, np.nan])
    assert bars([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, np.nan], ends) == [
        Bar("Good", 3.0, 2),
        Bar("day,", 12.0, 2),
        Bar("sir", 48.0, 2),
    ]


def test_a_mark_that_closes_the_text_counts_as_its_last_words():
    assert bars([1.0, 2.0], np.array([14.0, 14.0])) == [Bar("sir", 3.0, 2)]


def test_without_places_tokens_have_numbers():
    assert bars([1.0, np.nan], None) == [Bar("token 1", 1.0, 1)]
    (section,) = charted_parts.sections([MOMENTUM], {"m": np.array([1.0])}, TEXT)
    assert section.after == charted_parts.NO_PIECES


def test_answers_have_their_own_names():
    series = Series("quality.p", "Quality", "probability", names=("1", "2"))
    rows = {"quality.p": np.array([0.25, 0.5])}
    (section,) = charted_parts.sections([series], rows, TEXT)
    (table,) = section.tables.values()
    assert table.header == ["Answer", "Probability"]
    assert [(row[0], row[1].value) for row in table.rows] == [("1", 0.25), ("2", 0.5)]
    assert list(section.chart.data[0].y) == [0.25, 0.5]


def test_what_was_not_kept_is_not_drawn():
    rows = {"m": np.array([np.nan, np.nan])}
    assert charted_parts.sections([MOMENTUM], {}, TEXT) == []
    assert charted_parts.sections([MOMENTUM], rows, TEXT) == []
