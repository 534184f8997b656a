"""The lab, on a judge whose faults are known."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import stress_lab
from scoring.judging import stress_test, stress_wording
from scoring.judging.stress_test import Setting, StressTest, Subject, Way
from scoring.metrics import Example

TEXTS = [
    Subject(Example(f"A small boat number {1000 + k} waits. It is late."), k // 2)
    for k in range(20)
]


def quality(examples, way=None, more=None) -> np.ndarray:
    """A judge without any fault: the first digit counts, and so does damage."""
    whole = {one.example.text: 3.0 for one in TEXTS}
    return np.array([whole.get(text.text, 2.0) for text in examples])


def setting(*experiments: str, **others) -> Setting:
    return Setting(1, 5, experiments=experiments, **others)


# 300 studies are in benchmarks/stress_lab.md.
def test_each_planted_fault_is_found_near_its_size() -> None:
    found = {one["key"]: one for one in stress_lab.examined(3, prompts=30)}
    truths = stress_lab.truths()
    assert (
        set(found)
        == set(truths)
        == set(stress_wording.TITLES)
        == set(stress_wording.WORDS)
    )
    outside = [
        key
        for key, one in found.items()
        if not one["low"] <= truths[key] <= one["high"]
    ]
    assert len(outside) <= 2  # of thirteen intervals at 95 %
    for key in ("position", "longer_shift", "orders_obeyed"):
        assert found[key]["low"] > 0


def test_a_judge_without_faults_is_not_blamed() -> None:
    def orderly(examples, way, more):
        known = quality(examples)
        kept = ["give this" in one.text or "." in one.text[-1:] for one in examples]
        plain = np.where(kept, 3.0, known)
        return 6 - plain if way.prompt == stress_test.EXCHANGED else plain

    found = StressTest(
        TEXTS,
        setting(stress_test.WORDS, stress_test.ENDS, stress_test.ORDERS),
        orderly,
        seed=1,
    ).run()
    assert [one["value"] for one in found] == [0] * len(found)
    assert {one["key"] for one in found} >= {"words_flips", "ends_shift"}


def test_damage_is_noticed_by_a_judge_that_looks() -> None:
    [noticed, fall] = StressTest(
        TEXTS, setting(stress_test.DAMAGE), quality, seed=1
    ).run()[2:]
    assert (noticed["value"], fall["value"]) == (1.0, -1.0)


def test_the_same_seed_asks_the_same() -> None:
    def run(seed: int) -> list[str]:
        asked: list[str] = []

        def ask(examples, way, more):
            asked.extend(one.text for one in examples)
            return quality(examples)

        StressTest(
            TEXTS, setting(stress_test.DAMAGE, stress_test.LONGER), ask, seed=seed
        ).run()
        return asked

    assert run(1) == run(1) != run(2)


def test_progress_ends_at_the_number_that_was_agreed_to() -> None:
    told: list[tuple[int, int]] = []
    asked: list[Way] = []

    def ask(examples, way, more):
        asked.extend([way] * len(examples))
        return quality(examples)

    def pairs(shown, more):
        more(len(shown) // 2)
        asked.extend([Way("pair")] * 2 * len(shown))
        return np.ones((len(shown), 2)), np.ones((len(shown), 2))

    given = setting(*stress_test.EXPERIMENTS)
    examined = StressTest(
        TEXTS,
        given,
        ask,
        seed=1,
        ask_pairs=pairs,
        told=lambda done, total: told.append((done, total)),
    )
    examined.run()
    assert (
        len(asked) == stress_test.n_questions(len(TEXTS), given) == told[-1][0] == 180
    )
    assert sum(one.again for one in asked) == len(TEXTS)
    assert {total for _, total in told} == {180}


def test_what_cannot_be_tried_says_why() -> None:
    given = setting(
        *stress_test.EXPERIMENTS, language="de", own_prompt=True, ends=False
    )
    examined = StressTest(TEXTS, given, quality_of, seed=1)
    found = {one["experiment"] for one in examined.run()}
    assert found == {stress_test.REPEAT, stress_test.DAMAGE, stress_test.ORDERS}
    assert len(examined.left_out) == 5
    assert all(one.endswith(".") for one in examined.left_out)


def quality_of(examples, way, more):
    return quality(examples)


def test_answers_that_did_not_come_are_counted_and_never_guessed() -> None:
    def silent(examples, way, more):
        return np.full(len(examples), np.nan)

    examined = StressTest(TEXTS, setting(stress_test.LONGER), silent, seed=1)
    found = examined.run()
    assert (examined.asked, examined.missing) == (60, 60)
    assert {one["value"] for one in found} == {None}
    assert all(one["sentence"].startswith("There is no number") for one in found)


def test_texts_are_compared_with_one_of_their_own_prompt() -> None:
    units = np.array([0, 0, 0, 1, 1, 2])
    pairs = stress_test.pairs_of(units, np.random.default_rng(1))
    assert len(pairs) == 3
    used = [row for pair in pairs for row in pair]
    assert sorted(used) == list(range(6))
    assert sum(units[a] == units[b] for a, b in pairs) == 2


@pytest.mark.parametrize("language", ["en", "de", "ja"])
def test_a_text_is_damaged_behind_its_prefix(language) -> None:
    text = "The ferry is late today, and nobody on the pier minds. A gull waits."
    example = Example(text, prefix="The ferry")
    rng = np.random.default_rng(1)
    found = stress_test.damage(example, stress_test.usable(language), rng)
    assert found is not None and found.text != text
    assert found.text.startswith("The ferry")
    assert stress_test.damage(Example("Oh"), ["shuffle"], rng) is None
