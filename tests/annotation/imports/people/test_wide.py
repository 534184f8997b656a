"""A row with texts of several systems: each with its system, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from annotation import imports
from tests.annotation.imports import given
from tests.annotation.imports.people.test_asking import codes
from tests.annotation.imports.people.test_people import checked, unused

WIDE = "wide_by_system"
Row = Mapping[str, Any]


def text(system: str, n: int) -> str:
    return f"The {system} writes one sentence about lake {n}."


def prompt(n: int) -> str:
    return f"What is lake {n}?"


def table(header: Sequence[str], row: Callable[[int], Sequence[Any]]) -> bytes:
    return given.table(header, [row(n) for n in range(6)])


def ratings(sheet: imports.Sheet) -> set[tuple[str, str, str, str, int]]:
    """Text, system, aspect, rater, number."""
    return {
        (row.text, row.system, r.aspect, r.rater, r.value)
        for row in sheet
        for r in row.ratings
    }


def texts(sheet: imports.Sheet) -> set[tuple[str, str, str]]:
    return {(row.text, row.system, row.source) for row in sheet}


def test_ratings_stand_at_the_text_whose_name_they_share():
    header = ("gpt4_output", "gpt4_coherence", "llama_output", "llama_coherence")
    sheet = checked(
        table(header, lambda n: (text("A", n), n % 5 + 1, text("B", n), 5 - n % 5))
    )
    assert (sheet.preset, sheet.questions, unused(sheet)) == (WIDE, [], {})
    assert ratings(sheet) == {
        *((text("A", n), "gpt4", "coherence", "", n % 5 + 1) for n in range(6)),
        *((text("B", n), "llama", "coherence", "", 5 - n % 5) for n in range(6)),
    }


def test_raters_may_stand_behind_the_system_and_the_aspect():
    header = ("prompt", "gpt4_output", "llama_output")
    rated = [f"{s}_coherence_rater{k}" for s in ("gpt4", "llama") for k in (1, 2)]

    def row(n: int) -> Sequence[Any]:
        return (prompt(n), text("A", n), text("B", n), 1 + n % 5, 2, 3, 1 + n % 4)

    sheet = checked(table([*header, *rated], row))
    assert sheet.questions == []
    assert ratings(sheet) == {
        *((text("A", n), "gpt4", "coherence", "rater1", 1 + n % 5) for n in range(6)),
        *((text("A", n), "gpt4", "coherence", "rater2", 2) for n in range(6)),
        *((text("B", n), "llama", "coherence", "rater1", 3) for n in range(6)),
        *((text("B", n), "llama", "coherence", "rater2", 1 + n % 4) for n in range(6)),
    }


def test_columns_called_after_systems_are_asked_about():
    header = ("prompt", "ours", "baseline", "gpt4")
    content = table(
        header, lambda n: (prompt(n), text("A", n), text("B", n), text("C", n))
    )
    sheet = checked(content)
    [question] = sheet.questions
    assert question.sentence == (
        "Each row has texts of 3 systems: ours, baseline and gpt4. Is that so?"
    )
    assert texts(sheet) == {
        (text(letter, n), system, prompt(n))
        for letter, system in (("A", "ours"), ("B", "baseline"), ("C", "gpt4"))
        for n in range(6)
    }
    assert checked(content, yes=True).questions == []
    assert checked(content, preset=WIDE).questions == []
    assert codes(checked(content, preset=""))[0] == ("texts", "ours")


@pytest.mark.parametrize(
    ("header", "aspect"),
    [
        (("output_a", "output_b", "score_a", "score_b"), "score"),
        (("response a", "response b", "rating a", "rating b"), "rating"),
        (("outputA", "outputB", "fluencyA", "fluencyB"), "fluency"),
    ],
)
def test_letters_may_be_places_and_are_asked_about(header, aspect):
    sheet = checked(
        table(header, lambda n: (text("A", n), text("B", n), 1 + n % 5, 5 - n % 5))
    )
    assert codes(sheet) == [("shape", WIDE)]
    assert {(s.lower(), a, v) for _, s, a, _, v in ratings(sheet)} == {
        *(("a", aspect, v) for v in range(1, 6)),
        *(("b", aspect, v) for v in range(1, 6)),
    }


@pytest.mark.parametrize("again", [("text", "score"), ("text.1", "score.1")])
def test_a_header_that_repeats_is_that_of_another_text(again):
    sheet = checked(
        table(
            ("text", "score", *again),
            lambda n: (text("A", n), 1 + n % 5, text("B", n), 5 - n % 5),
        )
    )
    assert codes(sheet) == [("shape", WIDE)]
    assert ratings(sheet) == {
        *((text("A", n), "1", "score", "", 1 + n % 5) for n in range(6)),
        *((text("B", n), "2", "score", "", 5 - n % 5) for n in range(6)),
    }


def test_systems_may_be_named_in_the_cells():
    header = ("id", "model_a", "response_a", "rating_a")
    header = (*header, "model_b", "response_b", "rating_b")
    sheet = checked(
        table(header, lambda n: (n, "x", text("A", n), 1, "y", text("B", n), 1 + n % 5))
    )
    assert sheet.questions == []
    assert {(row.key, row.system) for row in sheet} == {
        *((f"{n}-x", "x") for n in range(6)),
        *((f"{n}-y", "y") for n in range(6)),
    }


def test_numbered_outputs_of_one_system_are_samples():
    header = ("prompt", "system", "output_1", "output_2", "output_3")
    sheet = checked(
        table(
            header, lambda n: (prompt(n), "x", text("A", n), text("B", n), text("C", n))
        )
    )
    assert {(row.system, row.sample) for row in sheet} == {("x", k) for k in (1, 2, 3)}
    assert sheet.counts.texts == 18


def test_a_longer_name_is_another_system():
    header = ("llama_output", "llama_2_output", "llama_fluency", "llama_2_fluency")
    sheet = checked(
        table(header, lambda n: (text("A", n), text("B", n), 1 + n % 5, 5 - n % 5))
    )
    assert ratings(sheet) == {
        *((text("A", n), "llama", "fluency", "", 1 + n % 5) for n in range(6)),
        *((text("B", n), "llama_2", "fluency", "", 5 - n % 5) for n in range(6)),
    }


def test_a_rating_of_no_system_is_asked_about_and_not_copied():
    header = ("gpt4_output", "llama_output", "coherence")
    sheet = checked(table(header, lambda n: (text("A", n), text("B", n), 1 + n % 5)))
    [question] = sheet.questions
    assert question.sentence.endswith("which of them “coherence” is about.")
    assert (sheet.counts.ratings, unused(sheet)) == (0, {"coherence": 6})


def test_systems_may_be_keys_of_an_object():
    lines = [
        {
            "prompt": prompt(n),
            "outputs": {"gpt4": text("A", n), "llama": text("B", n)},
            "scores": {"gpt4": {"bleu": 0.5}, "llama": {"bleu": n / 8}},
        }
        for n in range(6)
    ]
    sheet = checked(given.jsonl(*lines))
    assert sheet.questions == []
    assert {(row.text, row.system, row.scores["bleu"]) for row in sheet} == {
        *((text("A", n), "gpt4", 0.5) for n in range(6)),
        *((text("B", n), "llama", n / 8) for n in range(6)),
    }


def test_a_system_may_turn_up_late():
    lines = [
        {"prompt": prompt(n), "outputs": {"gpt4": text("A", n), "llama": text("B", n)}}
        for n in range(300)
    ]
    lines[-1]["outputs"]["t5"] = text("C", 300)
    sheet = checked(given.jsonl(*lines))
    assert sheet.counts.systems == {"gpt4", "llama", "t5"}


def test_short_answers_are_texts_by_the_names_of_their_columns():
    answers = ["Paris", "yes", "Rome", "42 m", "no", "Bonn"]
    header = ("question", "gpt4_answer", "llama_answer", "gpt4_correctness")
    sheet = checked(
        table(
            (*header, "llama_correctness"),
            lambda n: (prompt(n), answers[n], answers[5 - n], n % 2, 1),
        )
    )
    assert texts(sheet) == {
        *((answers[n], "gpt4", prompt(n)) for n in range(6)),
        *((answers[5 - n], "llama", prompt(n)) for n in range(6)),
    }
    assert sheet.counts.ratings == 12


@pytest.mark.parametrize(
    "header",
    [
        ("input_text", "output_text"),
        ("source text", "summary text"),
        ("src", "mt", "ref"),
        ("prompt", "text", "explanation_text"),
        ("text", "edited_text"),
        ("question", "answer", "reference_answer"),
        ("text", "system_prompt_text"),
        ("output", "expert_reference_output"),
        ("story_prompt", "story"),
    ],
)
def test_what_a_text_answers_is_of_no_system(header):
    row = [f"A sentence about {name} {{}}." for name in header]
    sheet = checked(table(header, lambda n: [one.format(n) for one in row]))
    assert (sheet.preset, sheet.counts.texts) == ("", 6)


def test_two_sentences_under_other_names_are_for_a_person():
    content = table(
        ("prompt", "alpha", "beta"),
        lambda n: (prompt(n), text("A", n), text("B", n)),
    )
    assert codes(checked(content, yes=True)) == [("shape", WIDE)]


def test_a_table_of_titles_and_texts_has_no_systems():
    content = table(("title", "body"), lambda n: (text("A", n), text("B", n)))
    assert codes(checked(content)) == [("texts", "title"), ("unplaced", "body")]


def test_a_rating_of_no_system_is_never_dropped_by_saying_yes():
    header = ("human_summary", "model_summary", "coherence")
    content = table(header, lambda n: (text("A", n), text("B", n), 1 + n % 5))
    assert codes(checked(content, yes=True)) == [("shape", WIDE)]


def test_words_for_systems_may_stand_beside_their_letters():
    header = ("Model A Output", "Model A Rating", "Model B Output", "Model B Rating")
    sheet = checked(table(header, lambda n: (text("A", n), 1 + n % 5, text("B", n), 2)))
    assert ratings(sheet) == {
        *((text("A", n), "A", "rating", "", 1 + n % 5) for n in range(6)),
        *((text("B", n), "B", "rating", "", 2) for n in range(6)),
    }


def test_the_first_of_two_texts_may_have_no_name():
    header = ("output", "coherence", "output_baseline", "coherence_baseline")
    sheet = checked(table(header, lambda n: (text("A", n), 1 + n % 5, text("B", n), 2)))
    assert codes(sheet) == [("shape", WIDE)]
    assert ratings(sheet) == {
        *((text("A", n), "output", "coherence", "", 1 + n % 5) for n in range(6)),
        *((text("B", n), "baseline", "coherence", "", 2) for n in range(6)),
    }


@pytest.mark.parametrize("named", [True, False])
def test_scores_beside_a_choice_are_of_their_texts(named):
    header = ("prompt", "output_a", "output_b", "score_a", "score_b", "winner", "rater")
    header = (*header, "model_a", "model_b") if named else header

    def row(n: int) -> Sequence[Any]:
        pair = n // 2
        cells = (prompt(pair), text("A", pair), text("B", pair), 1 + n % 5, 2)
        cells = (*cells, "ab"[n % 2], ("ann", "ben")[n % 2])
        return (*cells, "m1", "m2") if named else cells

    sheet = checked(table(header, row))
    assert (sheet.preset, sheet.questions, unused(sheet)) == (
        *("pairs", []),
        {"rater": 6, "winner": 6},
    )
    systems = ("m1", "m2") if named else ("", "")
    who = ("ann", "ben")
    assert ratings(sheet) == {
        *(
            (text("A", n // 2), systems[0], "score", who[n % 2], 1 + n % 5)
            for n in range(6)
        ),
        *((text("B", n // 2), systems[1], "score", who[n % 2], 2) for n in range(6)),
    }


@pytest.mark.parametrize("beside", [("prompt",), ()])
def test_systems_may_stand_above_their_columns(beside):
    blank = [""] * len(beside)
    upper = [*beside, "gpt4", "", "llama", ""]
    lower = [*blank, "output", "coherence", "output", "coherence"]
    rows = [
        [*(prompt(n) for _ in beside), text("A", n), 1 + n % 5, text("B", n), 2]
        for n in range(6)
    ]
    sheet = checked(given.table(upper, [lower, *rows]))
    assert ratings(sheet) == {
        *((text("A", n), "gpt4", "coherence", "", 1 + n % 5) for n in range(6)),
        *((text("B", n), "llama", "coherence", "", 2) for n in range(6)),
    }


def test_what_texts_are_compared_with_and_what_was_asked_are_no_systems():
    """As pairs of summaries are annotated: target, A, B, and a long question."""
    asked = "Which of A or B more accurately reflects the content? (Choices: A, B)"
    rows = [(text("T", n), text("A", n), text("B", n), "AB"[n % 2]) for n in range(6)]
    sheet = checked(given.table(("target", "A", "B", asked), rows))
    assert {row.system for row in sheet.rows} == {"A", "B"}
