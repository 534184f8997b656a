from __future__ import annotations

from scoring.judging.stress_sections import verdict


def effect(
    experiment: str,
    key: str,
    value: float | None,
    low: float | None,
    high: float | None,
):
    return {
        **{"experiment": experiment, "key": key, "value": value},
        **{"low": low, "high": high, "reason": None, "n": 40},
    }


ORDER = effect("order", "position", 0.3, 0.1, 0.5)
LONGER = effect("longer", "longer_shift", 0.4, 0.2, 0.6)
NO_LONGER = effect("longer", "longer_shift", 0.1, -0.1, 0.3)
UNKNOWN = effect("damage", "damage_shift", None, None, None)


def test_faults_are_counted_and_named() -> None:
    said = verdict([ORDER, LONGER, UNKNOWN])
    assert said.startswith("2 of 2 tests show a fault: order of two texts and padded")
    assert verdict([ORDER, NO_LONGER]).startswith("1 of 2 tests shows a fault: order")


def test_no_fault_is_no_proof() -> None:
    said = verdict([NO_LONGER])
    assert said.startswith("None of 1 test shows a fault. A wide interval can still")


def test_without_results_nothing_is_said_about_the_judge() -> None:
    assert verdict([UNKNOWN]) == (
        "No test has a result, so nothing can be said about this judge."
    )
