from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.kinds.spans import damage
from scoring.stats.spans.marks import Mark

BEFORE = "The ferry left the old harbour at seven"


def mark(text: str, words: str) -> Mark:
    start = text.index(words)
    return Mark(start, start + len(words))


class TestFind:
    def test_changed_and_new_words_are_damage(self) -> None:
        after = "The ferry left the new harbour not at seven"
        found = damage.find(BEFORE, after)
        words = [after[slice(*found.places[n])] for n in found.words]
        assert words == ["new", "not"]
        assert found.gaps == ()

    def test_words_that_are_gone_are_a_gap(self) -> None:
        assert damage.find(BEFORE, "The ferry left at seven").gaps == (3,)
        assert damage.find(BEFORE, "The ferry left the old").gaps == (5,)

    def test_damaged_words_that_stand_together_are_one_span(self) -> None:
        after = "The ferry left a very new harbour seven"
        spans = damage.find(BEFORE, after).spans
        assert [after[start:end] for start, end in spans] == ["a very new", ""]
        assert spans[1][0] == after.index("seven")

    def test_words_that_are_gone_at_the_end_are_behind_the_last(self) -> None:
        after = "The ferry left the old"
        assert damage.find(BEFORE, after).spans == [(len(after), len(after))]

    def test_the_opening_is_never_damage(self) -> None:
        found = damage.find("a b c", "x y c", start=2)
        assert found.words == (1,)

    def test_equal_texts_have_none(self) -> None:
        assert damage.find(BEFORE, BEFORE).n == 0


class TestHit:
    AFTER = "The ferry left the new harbour at seven"

    def test_who_marks_the_damage_alone_has_all_of_it(self) -> None:
        found = damage.find(BEFORE, self.AFTER)
        assert damage.hit(found, [mark(self.AFTER, "new")]) == 1

    def test_who_marks_nothing_or_everything_has_nothing(self) -> None:
        found = damage.find(BEFORE, self.AFTER)
        assert damage.hit(found, []) == 0
        assert damage.hit(found, [Mark(0, len(self.AFTER))]) == 0

    def test_who_marks_another_place_has_less_than_nothing(self) -> None:
        found = damage.find(BEFORE, self.AFTER)
        assert damage.hit(found, [mark(self.AFTER, "ferry left")]) < 0

    @pytest.mark.parametrize("words", ["left", "at", "left at"])
    def test_a_gap_is_marked_at_a_word_beside_it(self, words) -> None:
        after = "The ferry left at seven"
        found = damage.find(BEFORE, after)
        assert damage.hit(found, [mark(after, words)]) == 1

    def test_a_gap_is_marked_at_its_place(self) -> None:
        after = "The ferry left at seven"
        found = damage.find(BEFORE, after)
        at = after.index(" at")
        assert damage.hit(found, [Mark(at, at)]) == 1
        assert damage.hit(found, [Mark(1, 1)]) == 0


@given(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=14),
    st.lists(st.sampled_from("abcd"), min_size=1, max_size=14),
    st.sampled_from([0.1, 0.25, 0.5, 1.0]),
)
def test_chance_is_the_share_of_all_spans_that_pass(old, new, share) -> None:
    before, after = " ".join(old), " ".join(new)
    found = damage.find(before, after)
    n = len(found.places)
    spans = [
        Mark(found.places[low][0], found.places[high][1])
        for low, high in itertools.combinations_with_replacement(range(n), 2)
        if high - low < damage.SPAN
    ]
    right = sum(damage.hit(found, [span]) >= share for span in spans)
    expected = right / len(spans) if found.n else 0
    assert damage.by_chance(found, share) == pytest.approx(expected)
