from __future__ import annotations

import doctest

import numpy as np
import pytest

from scoring.stats.answer import surface


def of(text: str) -> dict[str, float]:
    return dict(zip(surface.NAMES, surface.features(text), strict=True))


def test_the_example_in_the_docstring_holds():
    assert doctest.testmod(surface).failed == 0


def test_an_empty_text_has_nothing_of_anything():
    assert set(surface.features("")) == {0.0}


def test_counts_and_shares_are_as_counted_by_hand():
    found = of('He said: "Go!" 12 times.')
    assert (found["characters"], found["words"], found["sentences"]) == (24, 5, 2)
    assert found["punctuation"] == pytest.approx(5 / 24)  # : " ! " .
    assert found["digits"] == pytest.approx(2 / 24)
    assert found["capitals"] == pytest.approx(2 / 24)


def test_different_words_do_not_count_capitals():
    assert of("The the THE cat")["different words"] == 0.5


def test_repeated_grams_are_the_share_that_was_there_before():
    assert of("a b c d a b c d")["repeated 4-grams"] == pytest.approx(1 / 5)
    assert of("a b c")["repeated 4-grams"] == 0


def test_a_word_of_closing_marks_ends_no_sentence():
    assert of('" ) word')["sentences"] == 0


def test_no_text_gives_a_table_without_rows():
    assert surface.table([]).shape == (0, len(surface.NAMES))


def test_every_text_gives_finite_numbers():
    texts = ["", "\u200f", "语言。", "🙂🙂", "<b>x</b>\n\t1/2"]
    assert np.isfinite(surface.table(texts)).all()
