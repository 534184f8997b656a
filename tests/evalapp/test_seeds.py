"""Numbers that were drawn once must be drawn again, on any machine and for good."""

from __future__ import annotations

import pytest

from evalapp import seeds
from evalapp.seeds import OfStudy, OfSurvey
from tests.test_architecture import MODULES, inside


def test_the_keys_stay_as_they_were_dealt_out() -> None:
    assert {one.name: one.value for one in OfStudy} == {
        "PAGES": 0,
        "SURVEYS": 1,
        "NEGATIVES": 2,
        "SYSTEM_SCORES": 3,
        "PROBES": 4,
        "MORE_PAIRS": 5,
        "JUDGED_PAIRS": 6,
        "STRESS": 7,
        "ANCHORS": 8,
        "PROMPT_ORDER": 9,
        "PART": 10,
        "ERRORS": 11,
    }
    assert {one.name: one.value for one in OfSurvey} == {"PLACES": 3}


@pytest.mark.parametrize("purposes", [OfStudy, OfSurvey])
def test_no_key_of_a_seed_is_dealt_out_twice(purposes: type) -> None:
    values = [one.value for one in purposes.__members__.values()]
    assert len(set(values)) == len(values)


@pytest.mark.parametrize(
    ("seed", "key", "child"),
    [
        (20, (OfStudy.PAGES,), 7745581642136200308),
        (20, (OfStudy.PAGES, 7), 8895195761170601313),
        (20, (OfStudy.SURVEYS, 1), 5997563642560043987),
        (20, (OfStudy.NEGATIVES, 1), 2212664888071584506),
        (5, (OfSurvey.PLACES,), 6615001363955155475),
        (20, (OfStudy.PROMPT_ORDER, 17, 4), 3754240439528841069),
    ],
)
def test_children_stay_as_they_were(seed: int, key: tuple, child: int) -> None:
    assert seeds.child(seed, *key) == child


@pytest.mark.parametrize(
    ("key", "numbers"),
    [
        ((OfStudy.SYSTEM_SCORES, 3904355907, 0), [885750973, 123898336]),
        ((OfStudy.PROBES, 0), [712731623, 648268451]),
    ],
)
def test_chance_stays_as_it_was(key: tuple, numbers: list[int]) -> None:
    assert seeds.rng(20, *key).integers(10**9, size=2).tolist() == numbers


def test_nobody_else_deals_out_keys() -> None:
    """A metric's own training draws from seeds of its own: `scoring.metrics`."""
    dealers = {
        name
        for name, path in MODULES.items()
        if "SeedSequence" in path.read_text() and not inside(name, "scoring.metrics")
    }
    assert dealers == {"evalapp.seeds"}
