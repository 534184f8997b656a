from __future__ import annotations

import pytest

from annotation.kinds.spans.marks import Mark
from annotation.kinds.spans.penalty import penalty, per_100_words
from annotation.kinds.spans.scheme import ESA, FACTS, MQM


@pytest.mark.parametrize(
    ("kinds", "total"),
    [
        ([], 0),
        ([("accuracy", "major"), ("style", "minor")], 6),
        ([("fluency", "neutral")], 0),
        ([("punctuation", "minor"), ("punctuation", "major")], 5.1),
        ([("style", "minor"), ("non-translation", "minor")], 25),
        ([("non-translation", "major")] * 2, 25),
    ],
)
def test_weights_of_mqm_are_those_of_freitag(kinds, total) -> None:
    marks = [Mark(0, 1, *kind) for kind in kinds]
    assert penalty(marks, MQM) == pytest.approx(total)


def test_without_severities_each_error_weighs_one() -> None:
    assert penalty([Mark(0, 1, "number"), Mark(2, 3, "name")], FACTS) == 2


def test_esa_has_severities_alone() -> None:
    assert penalty([Mark(0, 1, "", "major")], ESA) == 5


def test_per_100_words_is_of_the_words_of_the_text() -> None:
    assert per_100_words(5, "one two three four") == 125
    assert per_100_words(0, "") == 0
