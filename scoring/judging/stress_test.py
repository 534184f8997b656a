"""The stress lab: what is asked about each text, and what the answers say.

No query and no network: whoever knows how to ask passes it in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypedDict

import numpy as np

from annotation import perturbations
from scoring.judging import stress_wording
from scoring.metrics import Example
from scoring.metrics.judge import variants
from scoring.stats import both_orders, stress
from scoring.stats.estimates import Estimate

OWN, REWORDED, EXCHANGED = "own", "reworded", "exchanged"  # prompts
REPEAT, ORDER, WORDS, ENDS = "repeat", "order", "words", "ends"
LONGER, DAMAGE, ORDERS, FAMILY = "longer", "damage", "orders", "family"
EXPERIMENTS = (REPEAT, ORDER, WORDS, ENDS, LONGER, DAMAGE, ORDERS, FAMILY)
TITLES = {
    REPEAT: "The same question again",
    ORDER: "Order of two texts",
    WORDS: "Reworded question",
    ENDS: "Reversed scale",
    LONGER: "Padded with filler sentences",
    DAMAGE: "Damaged texts",
    ORDERS: "Instructions hidden in the text",
    FAMILY: "The judge’s own family",
}
SHARE, POINTS = "share", "points"


class Subject(NamedTuple):
    """A text of the sample."""

    example: Example
    unit: int  # the prompt
    human: float = np.nan  # mean of people, on the judge's scale
    own: bool = False  # by a system of the judge's family


class Way(NamedTuple):
    """How a text is asked about."""

    prompt: str = OWN
    again: int = 0  # 0: the first time, whose kept answers may be used


FIRST = Way()


class Setting(NamedTuple):
    """What an experiment needs to know of the question and of the texts."""

    low: int
    high: int
    language: str = "en"
    own_prompt: bool = False  # a prompt of the researcher's own
    ends: bool = True  # the ends of the scale can be exchanged in it
    family: str = ""  # names of systems
    experiments: tuple[str, ...] = EXPERIMENTS


class Effect(TypedDict):
    """One number of the result."""

    key: str
    experiment: str
    title: str
    unit: str  # SHARE or POINTS
    value: float | None
    low: float | None
    high: float | None
    reason: str | None
    n: int | None
    sentence: str


More = Callable[[int], None]  # told how many more are done, also 0
Ask = Callable[[Sequence[Example], Way, More], np.ndarray]
# Verdicts on pairs in both orders, and points of the text shown first, both (n, 2) and
# as `both_orders.compare` takes them.
AskPairs = Callable[
    [Sequence[tuple[Example, Example]], More], tuple[np.ndarray, np.ndarray]
]
Told = Callable[[int, int], None]


class StressTest:
    """Asks one question about a sample of texts in all ways that a setting wants."""

    def __init__(
        self,
        subjects: Sequence[Subject],
        setting: Setting,
        ask: Ask,
        *,
        seed: int,
        ask_pairs: AskPairs | None = None,
        told: Told = lambda done, total: None,
    ) -> None:
        self.subjects, self.setting = list(subjects), setting
        self._ask, self._ask_pairs, self._told = ask, ask_pairs, told
        self._seed, self._done = seed, 0
        self._units = np.array([subject.unit for subject in subjects])
        self._texts = [subject.example for subject in subjects]
        self.asked = self.missing = 0  # answers
        self.left_out: list[str] = []

    def run(self) -> list[Effect]:
        """All effects, in the order of EXPERIMENTS. Deterministic but for the judge."""
        first = self._scores(self._texts)
        again = self._scores(self._texts, Way(again=1))
        effects = [*self._repeat(first, again)]
        done: dict[str, Callable[[], list[Effect]]] = {
            ORDER: self._order,
            WORDS: lambda: self._other_prompt(WORDS, REWORDED, first, again),
            ENDS: lambda: self._other_prompt(ENDS, EXCHANGED, first, again),
            LONGER: lambda: self._longer(first),
            DAMAGE: lambda: self._damage(first),
            ORDERS: self._orders,
            FAMILY: lambda: self._family(first),
        }
        for key, experiment in done.items():
            if key in self.setting.experiments:
                if why := self._impossible(key):
                    self.left_out.append(f"{TITLES[key]}: {why}.")
                else:
                    effects += experiment()
        return effects

    def _impossible(self, key: str) -> str:
        setting = self.setting
        if key == ORDER and self._ask_pairs is None:
            return "this judge was not asked to compare texts"
        if key == WORDS and setting.own_prompt:
            return "EvalApp has other words for its built-in prompt only"
        if key == ENDS and not setting.ends:
            return "the prompt names the ends of the scale in its own words"
        if key == LONGER and setting.language != "en":
            return "the filler sentences are in English, the texts are not"
        if key == FAMILY and not setting.family:
            return "you named no system of the judge’s family"
        return ""

    # Asking ---------------------------------------------------------------------------

    @property
    def total(self) -> int:
        """Questions about single texts; a pair counts as two."""
        return n_questions(len(self.subjects), self.setting)

    def _scores(self, texts: Sequence[Example], way: Way = FIRST) -> np.ndarray:
        end = self._done + len(texts)
        scores = self._ask(texts, way, partial(self._tell, end))
        self._tell(end, end)
        self._count(scores)
        return scores

    def _tell(self, end: int, more: int) -> None:
        """Some of what ends at a number is done; whoever asks may keep silent."""
        self._done = min(self._done + more, end)
        self._told(self._done, self.total)

    def _count(self, answers: np.ndarray) -> None:
        self.asked += len(answers)
        self.missing += int(np.isnan(answers).sum())

    def _rng(self, key: str) -> np.random.Generator:
        """Of its own for each experiment: leaving one out changes no other."""
        return np.random.default_rng([self._seed, EXPERIMENTS.index(key)])

    # Experiments ----------------------------------------------------------------------

    def _repeat(self, first: np.ndarray, again: np.ndarray) -> list[Effect]:
        flips = stress.flips(first, again, self._units)
        change = stress.change(first, again, self._units)
        return [
            effect("repeat_flips", REPEAT, SHARE, flips),
            effect("repeat_change", REPEAT, POINTS, change),
        ]

    def _order(self) -> list[Effect]:
        pairs = pairs_of(self._units, self._rng(ORDER))
        assert self._ask_pairs is not None
        pairs_ = [(self._texts[first], self._texts[second]) for first, second in pairs]
        end = self._done + 2 * len(pairs)
        verdicts, points = self._ask_pairs(
            pairs_, lambda more: self._tell(end, 2 * more)
        )
        self._tell(end, end)
        self._count(verdicts.ravel())
        units = np.array([self._units[first] for first, _ in pairs])
        order = both_orders.compare(verdicts, points, units)
        return [
            effect("position", ORDER, SHARE, order.bias),
            effect("order_flips", ORDER, SHARE, order.inconsistency),
        ]

    def _other_prompt(
        self, key: str, prompt: str, first: np.ndarray, again: np.ndarray
    ) -> list[Effect]:
        scores = self._scores(self._texts, Way(prompt))
        if key == ENDS:
            low, high = self.setting.low, self.setting.high
            scores = stress.reversed_scale(scores, low, high)
        more = stress.beyond_repeats(first, again, scores, self._units)
        return [
            effect(f"{key}_flips", key, SHARE, more),
            effect(
                f"{key}_shift", key, POINTS, stress.shift(first, scores, self._units)
            ),
        ]

    def _longer(self, first: np.ndarray) -> list[Effect]:
        starts = self._rng(LONGER).integers(len(variants.FILLERS), size=len(first))
        longer = [
            variants.longer(text, int(start))
            for text, start in zip(self._texts, starts, strict=True)
        ]
        moved = stress.shift(first, self._scores(longer), self._units)
        return [effect("longer_shift", LONGER, POINTS, moved)]

    def _damage(self, first: np.ndarray) -> list[Effect]:
        rng, names = self._rng(DAMAGE), usable(self.setting.language)
        damaged = [damage(text, names, rng) for text in self._texts]
        places = [k for k, text in enumerate(damaged) if text is not None]
        scores = np.full(len(damaged), np.nan)
        scores[places] = self._scores([text for text in damaged if text is not None])
        noticed = stress.notices(first, scores, self._units)
        fall = stress.shift(first, scores, self._units)
        return [
            effect("damage_noticed", DAMAGE, SHARE, noticed),
            effect("damage_shift", DAMAGE, POINTS, fall),
        ]

    def _orders(self) -> list[Effect]:
        low, high = self.setting.low, self.setting.high
        down, up = (
            self._scores([variants.ordering(text, n) for text in self._texts])
            for n in (low, high)
        )
        obeyed = stress.obedience(down, up, self._units, low=low, high=high)
        return [effect("orders_obeyed", ORDERS, SHARE, obeyed)]

    def _family(self, first: np.ndarray) -> list[Effect]:
        human = np.array([subject.human for subject in self.subjects])
        of_family = np.array([subject.own for subject in self.subjects])
        favour = stress.favour(first, human, of_family, self._units)
        return [effect("family_favour", FAMILY, POINTS, favour, self.setting.family)]


def effect(
    key: str, experiment: str, unit: str, estimate: Estimate, names: str = ""
) -> Effect:
    """A number with its sentence, ready for JSON."""
    return {
        "key": key,
        "experiment": experiment,
        "title": stress_wording.TITLES[key],
        "unit": unit,
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "reason": estimate.reason,
        "n": estimate.n,
        "sentence": stress_wording.sentence(key, estimate, names),
    }


def n_questions(texts: int, setting: Setting) -> int:
    """How many questions about `texts` texts a lab asks, at most."""
    each = {ORDER: 2 * (texts // 2), WORDS: texts, ENDS: texts, LONGER: texts}
    each |= {DAMAGE: texts, ORDERS: 2 * texts}
    return 2 * texts + sum(each.get(key, 0) for key in setting.experiments)


def pairs_of(units: np.ndarray, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Each row at most once with another, of its own unit where there is one."""
    order = rng.permutation(len(units))
    waiting: dict[Any, int] = {}
    pairs: list[tuple[int, int]] = []
    for row in order.tolist():
        other = waiting.pop(units[row], None)
        if other is None:
            waiting[units[row]] = row
        else:
            pairs.append((other, row))
    rest = list(waiting.values())
    return pairs + list(zip(rest[::2], rest[1::2], strict=False))


def damage(
    example: Example, names: Sequence[str], rng: np.random.Generator
) -> Example | None:
    """A text damaged in one way by chance; None where none can change it."""
    prefix = example.prefix if example.text.startswith(example.prefix) else ""
    for name in rng.permutation(np.array(names)).tolist():
        perturbation = perturbations.PERTURBATIONS[name]
        text = perturbation.behind(prefix, example.text, rng)
        if text is not None and text != example.text:
            return Example(text, example.prefix, example.label, example.source)
    return None


def usable(language: str) -> list[str]:
    """Those that are damage wherever the text stands."""
    return [
        name
        for name in perturbations.of_language(language)
        if not perturbations.PERTURBATIONS[name].from_elsewhere
    ]
