from __future__ import annotations

from dataclasses import replace

import pytest

from annotation.kinds.spans.scheme import MQM, PRESETS, Scheme, SchemeError
from annotation.kinds.spans.scheme_lines import Lines, in_words, read, written


@pytest.mark.parametrize("scheme", PRESETS.values())
def test_lines_bring_back_the_lists_of_each_preset(scheme):
    lists = replace(
        Scheme(),
        categories=scheme.categories,
        severities=scheme.severities,
        weights=scheme.weights,
    )
    assert read(written(scheme)) == lists


def test_what_mqm_holds_names_its_25_and_its_tenth():
    words = " ".join(in_words(MQM))
    assert "Punctuation, minor: 0.1" in words
    assert "Non-translation: 25 for the whole text" in words
    assert "Minor 1, Major 5" in words and "At most 5 marks" in words


@pytest.mark.parametrize(
    "lines",
    [
        Lines(categories="Style = x"),
        Lines(severities="Minor = ?"),
        Lines("Style", "Minor = 1", "Style = 2"),
        Lines("Style", "Minor = 1", "Style, Major = 2"),
    ],
)
def test_a_line_that_is_none_is_named(lines):
    with pytest.raises(SchemeError):
        read(lines)
