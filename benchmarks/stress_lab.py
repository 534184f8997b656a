"""Whether the stress lab finds planted faults of a judge, and anchors a planted drift.

python -m benchmarks.stress_lab [--runs 300] [--drifts 1000]

A simulated judge reads texts of a simulated study: 60 prompts with two texts each, on a
scale from 1 to 9. It flips 15 % of its verdicts, prefers the text shown first by 0.2,
gives 0.3 points for length and 0.5 for its own family, follows 40 % of the instructions
in texts and takes off 0.8 points for damage. Prompts differ in how much length and
instructions count there. The lab sees the texts and the answers alone.

The anchors are 200 texts of 200 prompts. Paired differences between two askings have an
SD of 0.6. There are 12 looks, after each asking of a year of months. Either nothing
changes, or the judge's mean changes by 0.2 before one of the looks.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter
from collections.abc import Sequence
from itertools import product

import numpy as np

from scoring.judging import stress_test, stress_wording
from scoring.judging.stress_test import EXCHANGED, Setting, StressTest, Subject, Way
from scoring.metrics import Example
from scoring.metrics.judge import variants
from scoring.stats import anchors
from scoring.stats.votes import FIRST, SECOND

PROMPTS, LOW, HIGH = 60, 1, 9
FLIPS, POSITION, LENGTH, FAMILY, OBEYS, DAMAGE = 0.15, 0.2, 0.3, 0.5, 0.4, 0.8
# With the chance a an answer is one off, up or down: two differ with 2a - 1.5a^2.
ONE_OFF = (2 - (4 - 6 * FLIPS) ** 0.5) / 3
NUMBER = re.compile(r"[0-9]{4}")
ORDERED = re.compile(r"give this a ([0-9])")
WORDS = "the river rises while a small boat carries two quiet people to an old town"
DRIFT, SD, ANCHORS, LOOKS = 0.2, 0.6, 200, 12


class SimulatedJudge:
    """A judge with planted faults, each of which needs nothing but the text."""

    def __init__(self, subjects: Sequence[Subject], rng: np.random.Generator) -> None:
        self._rng = rng
        self._known = {_named(one.example): (k, one) for k, one in enumerate(subjects)}
        self._quality = rng.integers(4, 7, len(subjects))
        # Once for each text, or it would be another flip.
        own = np.array([one.own for one in subjects])
        self._favour = own & (rng.random(len(subjects)) < FAMILY)
        prompts = max((one.unit for one in subjects), default=0) + 1
        # Most prompts pull the judge along a little, some a lot.
        self._length = rng.beta(1.5, 1.5 / LENGTH - 1.5, prompts)
        self._obeys = rng.beta(2, 2 / OBEYS - 2, prompts)

    def __call__(
        self, examples: Sequence[Example], way: Way, more: object = None
    ) -> np.ndarray:
        found = np.array([self._score(one) for one in examples])
        return LOW + HIGH - found if way.prompt == EXCHANGED else found

    def _score(self, example: Example) -> float:
        k, subject = self._known[_named(example)]
        rng, unit = self._rng, subject.unit
        order = ORDERED.search(example.text)
        if order and rng.random() < self._obeys[unit]:
            return float(order[1])
        score = float(self._quality[k] + self._favour[k])
        longer = any(one in example.text for one in variants.FILLERS)
        if longer:
            score += rng.random() < self._length[unit]
        elif not order and example.text != subject.example.text:
            score -= rng.random() < DAMAGE
        chances = (1 - ONE_OFF, ONE_OFF / 2, ONE_OFF / 2)
        return score + float(rng.choice((0, -1, 1), p=chances))

    def compare(
        self, pairs: Sequence[tuple[Example, Example]], more: object = None
    ) -> tuple[np.ndarray, np.ndarray]:
        shown = [(self._wins(a, b), self._wins(b, a)) for a, b in pairs]
        won = np.array(shown).reshape(-1, 2)
        return np.where(won, FIRST, SECOND), won.astype(float)

    def _wins(self, first: Example, second: Example) -> bool:
        """Whether the text shown first wins."""
        if self._rng.random() < POSITION:
            return True
        one, other = (self._known[_named(text)][0] for text in (first, second))
        # No ties: of equal texts the one with the lower number is better.
        return bool((self._quality[one], -one) > (self._quality[other], -other))

    def human(self, k: int) -> float:
        return float(self._quality[k] + self._rng.normal(0, 0.5))


def _named(example: Example) -> str:
    """The number that most of its sentences have: damage leaves some of them."""
    [(number, _)] = Counter(NUMBER.findall(example.text)).most_common(1)
    return str(number)


def study(rng: np.random.Generator, prompts: int = PROMPTS) -> list[Subject]:
    """Two texts for each prompt, of four sentences; the first is by the family."""
    found = []
    for unit, system in product(range(prompts), range(2)):
        number, words = 1000 + 2 * unit + system, WORDS.split()
        lines = []
        for _ in range(4):
            part = rng.permutation(words)[:8].tolist()
            lines.append(f"{' '.join(part).capitalize()} number {number} by then.")
        found.append(Subject(Example(" ".join(lines)), unit, own=system == 0))
    return found


def truths() -> dict[str, float]:
    """What the effects of the simulated judge are, over all texts and answers."""
    a, steps = ONE_OFF, {0: 1 - ONE_OFF, 1: ONE_OFF / 2, -1: ONE_OFF / 2}
    lower = sum(
        p * q * r * (1.0 if d < s else 0.5 if d == s else 0.0)
        for (n, p), (m, q), (off, r) in product(
            steps.items(), steps.items(), {0: 1 - DAMAGE, 1: DAMAGE}.items()
        )
        for d, s in [(n - off, m)]
    )
    nothing = ("words_flips", "words_shift", "ends_flips", "ends_shift")
    return {
        **{"repeat_flips": FLIPS, "repeat_change": 2 * a * (1 - a) + a * a},
        **{"position": POSITION, "order_flips": POSITION},
        **dict.fromkeys(nothing, 0.0),
        **{"longer_shift": LENGTH, "damage_noticed": lower, "damage_shift": -DAMAGE},
        **{"orders_obeyed": OBEYS, "family_favour": FAMILY},
    }


def examined(seed: int, prompts: int = PROMPTS) -> list[stress_test.Effect]:
    """One simulated study, judge and lab."""
    rng = np.random.default_rng(seed)
    texts = study(rng, prompts)
    judge = SimulatedJudge(texts, rng)
    subjects = [one._replace(human=judge.human(k)) for k, one in enumerate(texts)]
    setting = Setting(LOW, HIGH, family="A")
    return StressTest(
        subjects, setting, judge, seed=seed, ask_pairs=judge.compare
    ).run()


def drifts(
    rng: np.random.Generator, change: float, *, looks: int = LOOKS, before: int = 1
) -> list[bool]:
    """Whether each look finds a drift, of a judge that changes before a look.

    Each asking adds noise of its own, so that two askings differ with an SD of 0.6.
    """
    quality = rng.normal(3, 0.8, ANCHORS)
    human = quality + rng.normal(0, 0.5, ANCHORS)
    unit = np.arange(ANCHORS)
    first = quality + rng.normal(0, SD / 2**0.5, ANCHORS)
    found = []
    for look in range(1, looks + 1):
        now = quality + rng.normal(0, SD / 2**0.5, ANCHORS) + change * (look >= before)
        found.append(anchors.look(first, now, human, unit, looks=looks).drifted)
    return found


def _lab(runs: int) -> None:
    all_found = [examined(seed) for seed in range(runs)]
    print("| effect | planted | mean found | inside, % | told, % | mean width |")
    print("| --- | --- | --- | --- | --- | --- |")
    for key, truth in truths().items():
        cells = [one for found in all_found for one in found if one["key"] == key]
        value = np.array([one["value"] for one in cells], float)
        low = np.array([one["low"] for one in cells], float)
        high = np.array([one["high"] for one in cells], float)
        inside = 100 * ((low <= truth) & (truth <= high)).mean()
        nothing = stress_wording.NOTHING.get(key)
        said = ""
        if nothing is not None:
            said = f"{100 * ((low > nothing) | (high < nothing)).mean():.1f}"
        print(
            f"| {stress_wording.TITLES[key]} | {truth:.3f} | {value.mean():.3f} |"
            f" {inside:.1f} | {said} | {(high - low).mean():.2f} |"
        )


def _drift(times: int) -> None:
    rng = np.random.default_rng(0)
    alarms = np.array([drifts(rng, 0.0) for _ in range(times)])
    print(
        f"\nFalse alarms within {LOOKS} looks: {100 * alarms.any(axis=1).mean():.1f} %"
    )
    for before in (1, 6, 12):
        found = np.array([drifts(rng, DRIFT, before=before) for _ in range(times)])
        once = 100 * found[:, before - 1].mean()
        second = 100 * found[:, before - 1 : before + 1].any(axis=1).mean()
        print(
            f"Changed before look {before}: found at this look {once:.1f} %,"
            f" by the next {second:.1f} %"
        )
    print(
        f"Computed power at one look: {100 * anchors.power(DRIFT, SD, ANCHORS):.1f} %"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--drifts", type=int, default=1000)
    given = parser.parse_args()
    start = time.process_time()
    _lab(given.runs)
    _drift(given.drifts)
    print(f"\n{time.process_time() - start:.0f} s of CPU")


if __name__ == "__main__":
    main()
