"""What the rating page keeps once rendered."""

from __future__ import annotations

import pytest
from django.utils import translation

from annotation.crowd.forms.pages import Choice, Row, is_preformatted
from annotation.templatetags import rating

QUESTION = "annotation/crowd/_question.html"


def row(question: str) -> Row:
    return Row(
        "a-1-whole", "A", question, (Choice(1, "No", True), Choice(2, "", False))
    )


def test_the_same_values_give_the_same_words_and_others_their_own() -> None:
    first, second = (rating.kept(QUESTION, row=row("Whole?")) for _ in range(2))
    assert first is second
    assert "Nice?" in rating.kept(QUESTION, row=row("Nice?"))


def test_a_question_is_escaped() -> None:
    assert "&lt;b&gt;" in rating.kept(QUESTION, row=row("<b>"))


def test_each_language_has_its_own() -> None:
    report = "annotation/crowd/_report.html"
    values = {"letter": "A", "position": 1, "reported": False, "unsaid": False}
    with translation.override("en"):
        english = rating.kept(report, **values)
    with translation.override("de"):
        assert rating.kept(report, **values) is not english


@pytest.mark.parametrize(
    ("text", "is_code"),
    [
        ("def f():\n    a = 1\n    b = 2\n    return a + b", True),
        ("if:\n\ta\n\tb\n\tc", True),
        ("A story.\n\nIt goes on.\nAnd ends.", False),
        ("  One line.\nAnother.", False),
        ("No line at all.", False),
        ("a\n" * 20 + "  b\n  c\n  d", False),
    ],
)
def test_text_with_many_indented_lines_looks_like_code(text: str, is_code) -> None:
    assert is_preformatted(text) is is_code
