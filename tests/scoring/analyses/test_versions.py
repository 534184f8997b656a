"""Who changes what an analysis gives, raises its version: kept results are old then."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from scoring import analyses
from tests.golden.analyses import FILE, results

# Machines differ in the last digits.
CLOSE = {"rel": 1e-6, "abs": 1e-9}
REWRITE = "python -m tests.golden.analyses"


def differences(kept: Any, found: Any, at: str = "") -> Iterator[str]:
    """Where the two are not the same, and what stands there."""
    if isinstance(kept, dict) and isinstance(found, dict):
        if list(kept) != list(found):
            yield f"{at}: keys {list(kept)} became {list(found)}"
            return
        kept, found = list(kept.items()), list(found.items())
        for (key, one), (_, other) in zip(kept, found, strict=True):
            yield from differences(one, other, f"{at}/{key}")
    elif isinstance(kept, list) and isinstance(found, list) and len(kept) == len(found):
        for number, (one, other) in enumerate(zip(kept, found, strict=True)):
            yield from differences(one, other, f"{at}/{number}")
    elif not same(kept, found):
        yield f"{at}: {kept!r} became {found!r}"


def same(kept: Any, found: Any) -> bool:
    if {type(kept), type(found)} <= {int, float}:
        return found == pytest.approx(kept, **CLOSE)
    return type(kept) is type(found) and kept == found


@pytest.fixture(scope="module")
def golden() -> dict[str, Any]:
    return json.loads(FILE.read_text(encoding="utf-8"))


def test_every_analysis_has_its_numbers_kept(golden):
    assert tuple(golden) == analyses.names(), f"run {REWRITE}"


@pytest.mark.parametrize("name", analyses.names())
def test_other_results_have_another_version(name, golden):
    kept, version = golden[name], analyses.get(name).VERSION
    changed = list(differences(kept["results"], results(name)))
    shown = "\n".join(changed[:10])
    assert not changed or version != kept["version"], (
        f"The results of {name!r} changed in {len(changed)} places. If they should,"
        f" raise VERSION in scoring/analyses/{name}/numbers.py, so that kept results"
        f" are computed again, and run {REWRITE}:\n{shown}"
    )
    assert version == kept["version"] and not changed, (
        f"{name!r} has version {version}, its numbers are kept of {kept['version']}:"
        f" run {REWRITE}\n{shown}"
    )


@pytest.mark.parametrize(
    ("kept", "found", "where"),
    [
        ({"a": [1.0, None]}, {"a": [1.0 + 1e-9, None]}, []),
        ({"a": [1.0, 2]}, {"a": [1.0, 3]}, ["/a/1: 2 became 3"]),
        ({"a": 1}, {"b": 1}, [": keys ['a'] became ['b']"]),
        ([1], [1, 2], [": [1] became [1, 2]"]),
        ([None], [0.0], ["/0: None became 0.0"]),
    ],
)
def test_a_difference_is_told_by_its_place(kept, found, where):
    assert list(differences(kept, found)) == where
