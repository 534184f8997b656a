"""What the rating page keeps once rendered."""

from __future__ import annotations

from django.utils import translation

from annotation.crowd.forms.pages import Choice, Row
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
