"""How a text looks: as code or as prose, from which side, and whether it is long."""

from __future__ import annotations

import pytest

from annotation.crowd import looks
from annotation.crowd.looks import Look
from annotation.models import Study

CODE = "def f():\n    a = 1\n    b = 2\n    return a + b"
PROSE = "A story.\n\nIt goes on.\nAnd ends."


@pytest.mark.parametrize(
    ("text", "is_code"),
    [
        (CODE, True),
        ("if:\n\ta\n\tb\n\tc", True),
        (PROSE, False),
        ("  One line.\nAnother.", False),
        ("No line at all.", False),
        ("a\n" * 20 + "  b\n  c\n  d", False),
    ],
)
def test_text_with_many_indented_lines_looks_like_code(text: str, is_code) -> None:
    assert looks.is_preformatted(text) is is_code


@pytest.mark.parametrize(
    ("monospaced", "text", "look"),
    [
        ("automatic", CODE, Look(monospaced=True, scrolls=True)),
        ("automatic", PROSE, Look()),
        ("always", PROSE, Look(monospaced=True, scrolls=True, direction="ltr")),
        ("never", CODE, Look()),
    ],
)
def test_the_study_says_what_is_shown_as_code(monospaced, text, look) -> None:
    assert looks.of(text, Study(monospaced=monospaced)) == look


def test_a_list_in_a_list_with_whole_sentences_does_not_scroll() -> None:
    text = "- One\n" + ("  - " + "a sentence of some length " * 5 + "\n") * 3
    assert looks.of(text, Study()) == Look(monospaced=True)


@pytest.mark.parametrize(
    ("monospaced", "looks_like_code"),
    [("automatic", True), ("always", True), ("never", False)],
)
def test_a_prompt_is_wrapped_and_words_stay_words(monospaced, looks_like_code) -> None:
    study = Study(monospaced=monospaced)
    assert looks.of_source("Write a loop.", study) == Look()
    assert looks.of_source(CODE, study) == Look(monospaced=looks_like_code)


@pytest.mark.parametrize(
    ("text", "language", "is_long"),
    [
        ("a" * 2_000, "en", False),
        ("a" * 2_001, "en", True),
        ("a" * 1_000, "ja", False),
        ("a" * 1_001, "ja", True),
        ("line\n" * 29, "en", False),
        ("line\n" * 30, "en", True),
    ],
)
def test_a_text_is_long_by_characters_or_lines(text, language, is_long) -> None:
    assert looks.is_long(text, language) is is_long


def test_its_names_are_those_of_the_style_sheet() -> None:
    assert Look().classes == "text"
    every = Look(monospaced=True, scrolls=True, long=True)
    assert every.classes == "text preformatted scrolls long"
