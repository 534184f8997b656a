"""What is the same question for several columns is asked once."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from annotation import imports
from tests.annotation.imports import given
from tests.annotation.imports.people.test_people import checked

AGREE = ("Agree", "Disagree", "Neutral")


def sheet_with(names: Sequence[str], high: int = 5, **options: object) -> imports.Sheet:
    rows = [
        (f"A text with number {n}.", *((n + k) % high + 1 for k in range(len(names))))
        for n in range(14)
    ]
    return checked(given.table(("text", *names), rows), **options)


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (
            ["评委1", "评委2"],
            "Columns “评委1” and “评委2” have whole numbers from 1 to 5. Are they"
            " ratings of “rating” by the raters “评委1” and “评委2”?",
        ),
        (
            ["ann", "ben", "cat"],
            "Columns “ann”, “ben” and “cat” have whole numbers from 1 to 5. Are they"
            " ratings of “ann”, “ben” and “cat”?",
        ),
        (
            [f"Q{n}" for n in range(1, 13)],
            "Columns “Q1” to “Q12” (12) have whole numbers from 1 to 5. Are they"
            " ratings of “Q1” to “Q12” (12)?",
        ),
        (
            ["coherence_ann", "coherence_ben"],
            "Columns “coherence_ann” and “coherence_ben” have whole numbers from 1 to"
            " 5. Are they ratings of “coherence” by the raters “ann” and “ben”?",
        ),
    ],
)
def test_alike_columns_are_one_question(names, told):
    sheet = sheet_with(names)
    [question] = sheet.questions
    assert question.sentence == told
    assert list(question.alike) == names
    roles = {"text": "text", **dict.fromkeys(names, "ignore")}
    assert sheet_with(names, map=roles).questions == []
    del roles[names[-1]]
    assert len(sheet_with(names, map=roles, guess=True).questions) == 1
    assert sheet_with(names, yes=True).questions == []


def test_columns_of_other_schemes_are_other_questions():
    sheet = sheet_with(["wit", "style", "Q1"])
    assert [list(one.words) for one in sheet.questions] == [["wit", "style"], ["Q1"]]


def in_words(*aspects: str, words: Sequence[str] = AGREE) -> bytes:
    rows = [
        (
            f"A text with number {n}.",
            *(words[(n + k) % 3] for k, _ in enumerate(aspects)),
        )
        for n in range(9)
    ]
    return given.table(("text", *aspects), rows)


def test_aspects_on_one_scale_of_words_are_one_question():
    table = in_words("coherence", "fluency", "quality")
    [question] = checked(table).questions
    assert question.sentence == (
        '“coherence”, “fluency” and “quality” have answers in words: "Disagree",'
        ' "Neutral", "Agree". Which number is each?'
    )
    assert question.counts == {"Disagree": 9, "Neutral": 9, "Agree": 9}
    assert question.option == "--ratings Disagree=2,Neutral=3,Agree=4"
    for_all = {"": {"Agree": 4, "Neutral": 3, "Disagree": 1}}
    sheet = checked(table, values=for_all)
    assert (sheet.questions, sheet.counts.low) == ([], 1)
    one = {"fluency": for_all[""]}
    assert len(checked(table, values=one).questions) == 1


def test_each_aspect_keeps_the_answers_that_it_has():
    rows = [
        (f"A text with number {n}.", ("Agree", "Disagree")[n % 2], AGREE[n % 3])
        for n in range(9)
    ]
    sheet = checked(given.table(("text", "coherence", "fluency"), rows))
    [question] = sheet.questions
    assert question.table == {"Disagree": 2, "Neutral": 3, "Agree": 4}
    assert sheet.tables["coherence"] == {"Disagree": 2, "Agree": 4}


def test_other_words_are_another_question():
    rows = [
        (f"A text with number {n}.", AGREE[n % 3], ("yes", "no")[n % 2])
        for n in range(9)
    ]
    sheet = checked(given.table(("text", "coherence", "fluency"), rows))
    assert [one.about for one in sheet.questions] == ["coherence", "fluency"]


def test_columns_that_are_not_used_for_one_reason_are_one_sentence():
    names = ("text", "memo", "when", "coherence", "place")
    rows = [(f"A text with number {n}.", "a b", "2025", 4, "here") for n in range(3)]
    sheet = checked(given.table(names, rows))
    assert imports.not_used(sheet.account) == [
        "“memo”, “when” and “place”: 9 filled cells not used, because nothing says"
        " what the column is."
    ]


def test_the_heading_of_qualtrics_is_not_in_the_account():
    names = ("ResponseId", "Finished", "text_shown", "coherence")
    rows = [
        ("Response ID", "Finished", "The text", "How coherent?"),
        tuple(f'{{"ImportId":"{name}"}}' for name in names),
        *((f"R_{n}", "True", f"A text with number {n}.", n + 1) for n in range(3)),
    ]
    sheet = checked(given.table(names, rows))
    assert sheet.notes == ["Lines 2 and 3 are headings of Qualtrics and were not read."]
    assert imports.not_used(sheet.account) == [
        "“Finished”: 3 filled cells not used, because it is about the survey, not about"
        " the text."
    ]
