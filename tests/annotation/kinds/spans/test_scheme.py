from __future__ import annotations

import json
from dataclasses import replace

import pytest

from annotation.kinds.spans.scheme import (
    ESA,
    FACTS,
    MQM,
    PRESETS,
    Category,
    Scheme,
    SchemeError,
    Severity,
    check,
    of_json,
)
from scoring.penalties import penalty
from scoring.stats.spans.marks import Mark


@pytest.mark.parametrize("scheme", PRESETS.values())
def test_a_scheme_comes_back_from_json(scheme) -> None:
    check(scheme)
    assert of_json(json.loads(json.dumps(scheme.as_json()))) == scheme


@pytest.mark.parametrize("scheme", PRESETS.values())
def test_each_name_of_a_preset_has_a_meaning_of_one_sentence(scheme) -> None:
    for entry in (*scheme.categories, *scheme.severities):
        assert entry.meaning.endswith(".")
        assert len(entry.meaning.split()) < 25


def test_a_scheme_of_before_there_were_meanings_is_read() -> None:
    values = MQM.as_json()
    for entry in (*values["categories"], *values["severities"]):
        del entry["meaning"]
    assert not any(grade.meaning for grade in of_json(values).severities)


@pytest.mark.parametrize(
    "change",
    [
        {"categories": (Category("a", "A"), Category("a", "B"))},
        {"categories": (Category("a", "A", "pink"),)},
        {"categories": (Category("", ""),)},
        {"categories": tuple(Category(f"{n}", f"{n}") for n in range(99))},
        {"severities": (Severity("a", "A", -1),)},
        {"severities": (Severity("a", "A", float("nan")),)},
        {"severities": (Severity("a", "A" * 99, 1),)},
        {"severities": (Severity("a", "A", 1, "A" * 999),)},
    ],
)
def test_what_nobody_could_choose_from_is_none(change) -> None:
    with pytest.raises(SchemeError):
        check(replace(MQM, **change))


@pytest.mark.parametrize(
    "values",
    [{}, {"categories": 3}, MQM.as_json() | {"categories": [{"name": 3}]}],
)
def test_any_other_json_is_refused(values) -> None:
    with pytest.raises(SchemeError):
        of_json(values)


@pytest.mark.parametrize(
    ("kinds", "total"),
    [
        ([], 0),
        ([("accuracy", "major"), ("style", "minor")], 6),
        ([("fluency", "neutral")], 0),
        ([("punctuation", "minor"), ("punctuation", "major")], 5.1),
        ([("style", "minor"), ("non-translation", "minor")], 25),
        ([("non-translation", "major")] * 2, 25),
        ([("style", "major")] * 6, 25),
    ],
)
def test_weights_of_mqm_are_those_of_freitag(kinds, total) -> None:
    marks = [Mark(0, 1, *kind) for kind in kinds]
    assert penalty(marks, MQM.costs) == pytest.approx(total)


def test_without_severities_each_error_weighs_one() -> None:
    assert penalty([Mark(0, 1, "number"), Mark(2, 3, "name")], FACTS.costs) == 2


def test_a_severity_that_a_study_does_not_have_weighs_one() -> None:
    assert penalty([Mark(0, 1, "", "unheard of")], ESA.costs) == 1


def test_a_name_of_the_study_is_compared_as_it_stands() -> None:
    names = (Category("so!", "So!", alone=9), Category("a/b", "A/b", alone=7))
    costs = Scheme(categories=names).costs
    assert [penalty([Mark(0, 1, name)], costs) for name in ("so!", "a/b")] == [9, 7]
