"""What the rating page keeps once rendered."""

from __future__ import annotations

from django.utils import translation

from annotation.page_kinds.content import ReportBox
from annotation.page_kinds.questions import Choice, Question
from annotation.templatetags import rating

QUESTION = "annotation/crowd/_question.html"


def row(question: str) -> Question:
    choices = Choice(1, "No", True), Choice(2, "", False)
    return Question("a-1-whole", question, choices)


def test_the_same_values_give_the_same_words_and_others_their_own() -> None:
    first, second = (rating.kept(QUESTION, row=row("Whole?")) for _ in range(2))
    assert first is second
    assert "Nice?" in rating.kept(QUESTION, row=row("Nice?"))


def test_a_question_is_escaped() -> None:
    assert "&lt;b&gt;" in rating.kept(QUESTION, row=row("<b>"))


def test_each_language_has_its_own() -> None:
    report = "annotation/crowd/_report.html"
    box = ReportBox("A", 1, "A problem", reported=False, unsaid=False)
    with translation.override("en"):
        english = rating.kept(report, report=box)
    with translation.override("de"):
        assert rating.kept(report, report=box) is not english
