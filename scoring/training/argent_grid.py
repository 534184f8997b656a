"""4. ARGENT's grid: many ways to damage texts, the best one chosen on texts of its own.

Shuffling and inflection are trained for each p, then both together for the best two of
each (section 4 of the paper). What is best is decided on *validation* texts, and told
for the other half, the *test* texts, of which only the chosen model is shown any. To
choose by the results on the test texts, as the paper's tables do, is optimistic.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from annotation.models import Study
from annotation.perturbations import PERTURBATIONS
from scoring.drawing.tables import Cell, Table, Value
from scoring.metrics import corruptions, hygiene
from scoring.stats import pickup
from scoring.stats.counts import Estimate

VALUES = (0.2, 0.4, 0.6, 0.8, 1.0)
# Words that mean something change places over the whole text. No model of the grid
# learns from it: they shuffle neighbours, or change forms.
FAMILY = "swap"
ALIKE = ("inflect", "scramble", "transplant")  # are what is learned, or no damage
FAMILIES = tuple(name for name in PERTURBATIONS if name not in ALIKE)
MOST = 300  # real texts of a half
OPTIMISTIC = (
    "Chosen by the area on validation texts only. The result is reported for the test"
    " texts, on which no model was compared. Choosing on the test texts, as the paper's"
    " tables do, is optimistic."
)


class Trial(NamedTuple):
    """One model of the grid; 0 where its method does not do that."""

    method: str
    p_shuffle: float = 0.0
    p_inflect: float = 0.0

    @property
    def options(self) -> dict[str, object]:
        """Of a training of ARGENT."""
        return {name: value for name, value in self._asdict().items() if value}

    @property
    def name(self) -> str:
        """Of its checkpoint, behind a prefix: "shuffle-0_8"."""
        parts = [f"{p:g}".replace(".", "_") for p in self[1:] if p]
        return "-".join([self.method, *parts])


class Texts(NamedTuple):
    """Texts to tell apart. Arrays of shape (n,)."""

    texts: list[str]
    real: np.ndarray  # bool
    unit: np.ndarray  # what is drawn together: a document with its damaged copy


class Halves(NamedTuple):
    validation: Texts
    test: Texts
    about: str  # what is real and what is not, in words


@dataclass
class Row:
    """What came of one model."""

    trial: Trial
    checkpoint: str  # key
    correlation: float | None  # with the quality of held-out texts, damaged its own way
    validation: Estimate  # area of the pick-up curve
    test: Estimate | None = None  # of the chosen one alone

    @property
    def rank(self) -> float:
        """The higher, the better; a model without a number is the worst."""
        value = self.validation.value
        return -1.0 if value is None else value


Train = Callable[[Trial], tuple[str, dict[str, Any]]]  # gives key and card
Score = Callable[[str, Sequence[str]], np.ndarray]  # of a key and texts


def search(
    values: Sequence[float], halves: Halves, train: Train, score: Score
) -> list[Row]:
    """Train and compare all models of the grid, the best one first.

    Args:
        values: p of each method.
        halves: What models are chosen by, and what the chosen one is reported for.
        train: Makes a model, or finds the one that was made before.
        score: Quality of texts by a model, (n,), NaN = none.
    """

    def tried(trial: Trial) -> Row:
        key, card = train(trial)
        found = area(halves.validation, score(key, halves.validation.texts))
        return Row(trial, key, card.get("figures", {}).get("pearson"), found)

    rows = [tried(trial) for trial in first(values)]
    rows += [tried(trial) for trial in second({row.trial: row.rank for row in rows})]
    rows.sort(key=lambda row: -row.rank)
    chosen = rows[0]
    chosen.test = area(halves.test, score(chosen.checkpoint, halves.test.texts))
    return rows


def first(values: Sequence[float]) -> list[Trial]:
    """Each method alone."""
    shuffled = [Trial("shuffle", p_shuffle=p) for p in values]
    return shuffled + [Trial("inflect", p_inflect=p) for p in values]


def second(ranks: Mapping[Trial, float]) -> list[Trial]:
    """Both together, with each of the best two p of either: 2 x 2; ties: smaller p."""

    def best_two(method: str) -> list[float]:
        ours = [one for one in ranks if one.method == method]
        ours.sort(key=lambda one: (-ranks[one], one.p_shuffle + one.p_inflect))
        return [one.p_shuffle + one.p_inflect for one in ours[:2]]

    pairs = itertools.product(best_two("shuffle"), best_two("inflect"))
    return [Trial("shufflection", *pair) for pair in pairs]


def area(texts: Texts, scores: np.ndarray) -> Estimate:
    """Area of the pick-up curve, 0 to 100, with an interval that draws whole units."""
    rng = np.random.default_rng(0)
    return pickup.area_by_unit(scores, texts.real, texts.unit, rng=rng)


# What is compared ---------------------------------------------------------------------


def of_corpus(
    texts: Iterable[str], *, held_out: float, family: str = FAMILY, seed: int = 0
) -> Halves:
    """Documents of a corpus that no model learns from, and damaged copies of them.

    Which half one is in depends on its words alone, as does that it is held out.

    Raises:
        ValueError: If there are too few.
    """
    out = [text for text in texts if hygiene.is_held_out(text, held_out)]
    # Files are often sorted, and of many texts the first are taken.
    out.sort(key=hygiene.place)
    test = [text for text in out if hygiene.is_held_out(text, held_out / 2)]
    validation = [text for text in out if not hygiene.is_held_out(text, held_out / 2)]
    about = f"held-out texts of the corpus, and copies damaged by {family}"
    return Halves(
        _with_copies(validation, family, seed, "validation"),
        _with_copies(test, family, seed, "test"),
        about,
    )


def _with_copies(texts: Sequence[str], family: str, seed: int, half: str) -> Texts:
    damage = PERTURBATIONS[family].apply
    pairs = []
    for index, text in enumerate(texts[:MOST]):
        copy = damage(text, corruptions.rng_of(seed, index))
        if copy is not None and copy != text:
            pairs.append((text, copy))
    if len(pairs) < 2:
        raise ValueError(
            f"only {len(pairs)} of the corpus' texts are held out for {half} and can be"
            f" damaged by {family}: give a larger corpus, or a larger held_out"
        )
    n = len(pairs)
    both = [text for pair in pairs for text in pair]
    return Texts(both, np.tile([True, False], n), np.repeat(np.arange(n), 2))


def of_systems(study: Study, real: Sequence[str], synthetic: Sequence[str]) -> Halves:
    """Texts of a study by people and by generators, all of a prompt in one half.

    Raises:
        ValueError: If a half lacks one of the two.
    """
    rows = study.generations.filter(
        system__name__in=[*real, *synthetic], excluded_at=None
    )
    rows = rows.select_related("system", "prompt").order_by("pk")
    found = [
        (row.prompt_id, row.full_text, row.system.name in real, _coin(row.prompt))
        for row in rows
        if row.system
    ]
    about = f"real: {', '.join(real)}; synthetic: {', '.join(synthetic)}"
    return Halves(_half(found, False, "validation"), _half(found, True, "test"), about)


def _coin(prompt: Any) -> bool:
    """The same for a prompt at all times."""
    return bool(hashlib.sha256(prompt.digest.encode()).digest()[0] & 1)


def _half(found: Sequence[tuple[int, str, bool, bool]], side: bool, half: str) -> Texts:
    ours = [one for one in found if one[3] == side]
    real = np.array([one[2] for one in ours], bool)
    if not real.any() or real.all():
        raise ValueError(
            f"the {half} half, by prompt, needs real and synthetic texts: it has"
            f" {int(real.sum())} and {int((~real).sum())}"
        )
    return Texts([one[1] for one in ours], real, np.array([one[0] for one in ours]))


# Shown --------------------------------------------------------------------------------


def table(rows: Sequence[Row], halves: Halves) -> Table:
    """All models, best first."""
    lines: list[list[Value]] = [
        [
            row.trial.method,
            row.trial.p_shuffle or None,
            row.trial.p_inflect or None,
            Cell(row.correlation),
            _cell(row.validation, bold=place == 0),
            _cell(row.test, bold=True) if row.test else None,
            row.checkpoint,
        ]
        for place, row in enumerate(rows)
    ]
    header = ["method", "p shuffle", "p inflect", "r, own damage"]
    header += ["area, validation", "area, test", "checkpoint"]
    caption = (
        "ARGENT's grid: area of the pick-up curve (%, 50 is chance) with 95 %"
        f" intervals; {halves.about}. r: Pearson correlation of predicted quality with"
        " the label, for held-out texts that are damaged as in training."
        f" {OPTIMISTIC}"
    )
    return Table(header, lines, caption)


def _cell(found: Estimate, *, bold: bool) -> Cell:
    return Cell(
        found.value,
        found.low,
        found.high,
        reason=found.reason or "",
        n=found.n,
        bold=bold,
        digits=1,
    )
