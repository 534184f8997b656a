from __future__ import annotations

import json
from dataclasses import replace

import pytest

from annotation.kinds.spans.scheme import (
    MQM,
    PRESETS,
    Category,
    SchemeError,
    Severity,
    check,
    of_json,
)


@pytest.mark.parametrize("scheme", PRESETS.values())
def test_a_scheme_comes_back_from_json(scheme) -> None:
    check(scheme)
    assert of_json(json.loads(json.dumps(scheme.as_json()))) == scheme


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
