"""What a judge may mark, and what the errors of a text cost."""

from __future__ import annotations

import json
from typing import Any

import pytest

from annotation.kinds.spans.scheme import PRESETS
from scoring.errors import OptionError
from scoring.metrics.judge import error_scheme
from scoring.metrics.judge.error_scheme import ESA
from scoring.penalties import penalty
from scoring.stats.spans.marks import Mark

OF_PEOPLE = ("needed_below", "each")


def written(preset: str) -> str:
    fields = PRESETS[preset].as_json()
    return json.dumps({k: v for k, v in fields.items() if k not in OF_PEOPLE})


@pytest.mark.parametrize("preset", PRESETS)
def test_the_schemes_of_people_are_schemes_of_judges(preset):
    scheme = error_scheme.parse(written(preset))
    keys = [kind.key for kind in PRESETS[preset].categories]
    assert [kind.key for kind in scheme.categories] == keys


@pytest.mark.parametrize("preset", PRESETS)
def test_a_judge_counts_as_people_do(preset):
    scheme, people = error_scheme.parse(written(preset)), PRESETS[preset]
    kinds = [kind.key for kind in people.categories] or [""]
    grades = [grade.key for grade in people.severities] or [""]
    pairs = [(kind, grade) for kind in kinds for grade in grades][:5]
    for end in range(len(pairs) + 1):
        marks = [Mark(0, 1, *pair) for pair in pairs[:end]]
        assert scheme.penalty(pairs[:end]) == penalty(tuple(marks), people.costs)


def test_of_too_many_errors_the_dearest_count():
    scheme = error_scheme.parse(json.dumps({**ESA_FIELDS, "most": 2}))
    assert scheme.penalty([("", "minor"), ("", "major"), ("", "minor")]) == 6


def test_one_category_may_stand_for_the_whole_text():
    scheme = error_scheme.parse(written("mqm"))
    assert scheme.penalty([("non-translation", "major"), ("style", "major")]) == 25


def test_without_a_scheme_it_is_that_of_esa():
    assert error_scheme.parse(" ") == ESA


def test_other_contents_have_another_digest():
    assert error_scheme.parse(written("mqm")).digest != ESA.digest


ESA_FIELDS: dict[str, Any] = {
    "severities": [
        {"key": "minor", "name": "Minor", "weight": 1},
        {"key": "major", "name": "Major", "weight": 5},
    ]
}


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "3",
        '{"colours": []}',
        '{"categories": [{"key": "a"}]}',
        '{"categories": [{"key": "", "name": "A"}]}',
        '{"categories": [{"key": "a", "name": "A"}, {"key": "a", "name": "B"}]}',
        '{"severities": [{"key": "a", "name": "A", "weight": -1}]}',
        '{"severities": [{"key": "a", "name": "A", "weight": true}]}',
        '{"weights": [["a", "b"]]}',
        '{"most": 0}',
        '{"missing": "yes"}',
        '{"categories": [{"key": "a\\u0000", "name": "A"}]}',
    ],
)
def test_anything_else_is_refused(text):
    with pytest.raises(OptionError, match="scheme"):
        error_scheme.parse(text)
