"""Ratings inside objects keep who gave them, and of what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from annotation import imports
from tests.annotation.imports import given
from tests.annotation.imports.people.test_asking import codes
from tests.annotation.imports.people.test_people import checked, unused
from tests.annotation.imports.people.test_wide import text


def of(first: Mapping[str, Any], second: Mapping[str, Any]) -> bytes:
    return given.jsonl(
        *({"text": text("x", n), **one} for n, one in enumerate((first, second)))
    )


def rated(sheet: imports.Sheet) -> list[list[tuple[str, str, int]]]:
    return [[(r.aspect, r.rater, r.value) for r in row.ratings] for row in sheet]


RIGHT = [[("coherence", "ann", 4), ("coherence", "ben", 5)], [("coherence", "ann", 1)]]


@pytest.mark.parametrize("holder", ["ratings", "scores", "human", "annotations"])
def test_a_rater_may_stand_inside_the_aspect(holder):
    content = of(
        {holder: {"coherence": {"ann": 4, "ben": 5}}},
        {holder: {"coherence": {"ann": 1}}},
    )
    sheet = checked(content)
    assert (rated(sheet), sheet.questions, unused(sheet)) == (RIGHT, [], {})


def test_an_aspect_may_stand_inside_the_rater():
    content = of(
        {"ratings": {"ann": {"coherence": 4}, "ben": {"coherence": 5}}},
        {"ratings": {"ann": {"coherence": 1}}},
    )
    sheet = checked(content)
    assert (rated(sheet), sheet.questions) == (RIGHT, [])


def test_an_aspect_that_nobody_knows_is_asked_about_once():
    ratings = {"warmth": {"ann": 4, "ben": 5}, "depth": {"ann": 2, "ben": 1}}
    sheet = checked(of({"ratings": ratings}, {"ratings": ratings}))
    [question] = sheet.questions
    assert question.code == "ratings"
    assert question.sentence.endswith("ratings of “warmth” by the rater “ann”?")
    assert rated(sheet)[0] == [
        *(("warmth", "ann", 4), ("warmth", "ben", 5)),
        *(("depth", "ann", 2), ("depth", "ben", 1)),
    ]


@pytest.mark.parametrize("names", [("rater 1", "rater 2"), ("1", "2"), ("A1", "A2")])
@pytest.mark.parametrize("is_inside", [True, False])
def test_numbered_raters_are_raters_beside_any_aspect(names, is_inside):
    one, two = names
    ratings = {"warmth": {one: 4, two: 5}}
    if not is_inside:
        ratings = {one: {"warmth": 4}, two: {"warmth": 5}}
    sheet = checked(of({"ratings": ratings}, {"ratings": ratings}))
    assert sheet.questions == []
    assert rated(sheet)[0] == [("warmth", one, 4), ("warmth", two, 5)]


def test_the_outer_name_is_none_of_what_is_rated():
    sheet = checked(
        of(
            {"ratings": {"warmth": 4}, "scores": {"bleu": 0.5, "rouge": {"f1": 0.25}}},
            {"ratings": {"warmth": 5}, "scores": {"bleu": 0.1, "rouge": {"f1": 0.75}}},
        )
    )
    assert rated(sheet) == [[("warmth", "", 4)], [("warmth", "", 5)]]
    assert [row.scores for row in sheet] == [
        {"bleu": 0.5, "rouge.f1": 0.25},
        {"bleu": 0.1, "rouge.f1": 0.75},
    ]


def test_a_mean_inside_an_aspect_is_no_rater():
    rating = {"coherence": {"mean": 4.5, "sd": 0.7}}
    sheet = checked(of({"ratings": rating}, {"ratings": rating}))
    assert [[tuple(m) for m in row.means] for row in sheet] == [
        [("coherence", 4.5, None)]
    ] * 2
    assert unused(sheet) == {"ratings.coherence.sd": 2}


def test_half_points_inside_are_asked_about():
    content = of(
        {"ratings": {"coherence": {"ann": 4.5}}}, {"ratings": {"coherence": {"ann": 1}}}
    )
    assert codes(checked(content)) == [("steps", "coherence")]


def test_a_model_inside_an_object_is_no_rater():
    scores = {"scores": {"gpt4": {"coherence": 4}}}
    sheet = checked(of(scores, scores))
    assert sheet.counts.ratings == 0
    assert sheet.counts.metrics == {"scores.gpt4.coherence": 2}


def test_a_rating_of_explanations_is_no_comment():
    answers = ["Agree", "Disagree", "Strongly agree", "Agree"]
    lines = [
        {"text": text("x", n), "explanation_quality": answer, "fluency_comment": "ok"}
        for n, answer in enumerate(answers)
    ]
    sheet = checked(given.jsonl(*lines))
    assert codes(sheet) == [("words", "explanation_quality")]
    assert unused(sheet) == {"fluency_comment": 4}
