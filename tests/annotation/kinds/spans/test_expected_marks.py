from __future__ import annotations

from annotation.kinds.spans.expected_marks import compared
from annotation.kinds.spans.marks import TEXT, Placed
from scoring.stats.spans.marks import Mark

WORDS = "The ferry left at seven and came back."
FERRY, SEVEN = (4, 9), (18, 23)


def mark(start: int, end: int, severity: str = "") -> Placed:
    return Placed(Mark(start, end, severity=severity), WORDS[start:end])


def of(own: list[Placed], expected: list[Placed]):
    return compared(own, expected, {TEXT: WORDS})


def test_half_of_each_expected_mark_is_enough():
    expected = [mark(*FERRY), mark(*SEVEN)]
    assert of([mark(6, 9), mark(18, 21)], expected).is_met
    assert not of([mark(7, 9), mark(18, 21)], expected).is_met
    assert [met.is_met for met in of([mark(*FERRY)], expected).expected] == [
        True,
        False,
    ]


def test_marks_of_two_that_touch_cover_together():
    assert of([mark(4, 6), mark(6, 8)], [mark(*FERRY)]).is_met


def test_one_mark_more_passes_and_two_do_not():
    expected = [mark(*FERRY)]
    assert of([mark(*FERRY), mark(*SEVEN)], expected).is_met
    found = of([mark(*FERRY), mark(*SEVEN), mark(0, 3)], expected)
    assert not found.is_met and len(found.extra) == 2


def test_who_marks_everything_does_not_pass():
    found = of([mark(0, len(WORDS))], [mark(*FERRY)])
    assert found.marks_too_much and not found.is_met and found.expected[0].is_met


def test_another_severity_is_shown_and_passes():
    found = of([mark(*FERRY, "minor")], [mark(*FERRY, "major")])
    assert found.is_met and found.expected[0].as_other.severity == "minor"
    same = of([mark(*FERRY, "minor"), mark(*FERRY, "major")], [mark(*FERRY, "major")])
    assert same.expected[0].as_other is None


def test_what_is_missing_is_met_there_or_on_a_word_beside_it():
    gap = [mark(9, 9)]
    assert of([mark(9, 9)], gap).is_met
    assert of([mark(10, 14)], gap).is_met
    assert not of([mark(*SEVEN)], gap).is_met


def test_where_nothing_is_expected_one_mark_is_allowed():
    assert of([], []).is_met
    assert of([mark(*FERRY)], []).is_met
    assert not of([mark(*FERRY), mark(*SEVEN)], []).is_met
