"""ARGENT's grid: many ways to damage texts, the best one chosen on texts of its own.

Shuffling and inflection are trained for each p, then both together for the best two of
each (section 4 of the paper). What is best is decided on *validation* texts, and told
for the other half, the *test* texts, of which only the chosen model is shown any. To
choose by the results on the test texts, as the paper's tables do, is optimistic.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from annotation.models import Generation, Study, System
from annotation.perturbations import PERTURBATIONS
from scoring.contrib.argent_grid import grid_choice, grid_votes
from scoring.contrib.argent_grid.grid_choice import Criterion, Texts
from scoring.drawing.tables import Cell, Table, Value
from scoring.metrics import corruptions, hygiene
from scoring.stats.estimates import Estimate

VALUES = (0.2, 0.4, 0.6, 0.8, 1.0)
# Words that mean something change places over the whole text. No model of the grid
# learns from it: they shuffle neighbours, or change forms.
FAMILY = "swap"
ALIKE = ("inflect", "scramble", "transplant")  # are what is learned, or no damage
FAMILIES = tuple(name for name in PERTURBATIONS if name not in ALIKE)
MOST = 300  # real texts of a half
AREA = grid_choice.CRITERIA["area"]
OPTIMISTIC = (
    "Chosen on validation texts only. The result is reported for the test"
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
    validation: Estimate  # by the criterion
    labels: str = ""  # what its quality was learned from; empty: the only one
    test: Estimate | None = None  # of the chosen one alone

    @property
    def rank(self) -> float:
        """The higher, the better; a model without a number is the worst."""
        value = self.validation.value
        return -math.inf if value is None else value


Train = Callable[[Trial], tuple[str, dict[str, Any]]]  # gives key and card
Score = Callable[[str, Sequence[str]], np.ndarray]  # of a key and texts


def search(
    values: Sequence[float],
    halves: Halves,
    sources: Mapping[str, Train],
    score: Score,
    by: Criterion = AREA,
) -> list[Row]:
    """Train and compare all models of the grid, the best one first.

    Args:
        values: p of each method.
        halves: What models are chosen by, and what the chosen one is reported for.
        sources: By the name of what labels the texts, what makes a model, or finds the
            one that was made before. Each has a grid of its own.
        score: Quality of texts by a model, (n,), NaN = none.
        by: What the best one has most of.
    """
    rows = []
    for labels, train in sources.items():
        rows += _grid(values, halves.validation, labels, train, score, by)
    rows.sort(key=lambda row: -row.rank)
    chosen = rows[0]
    chosen.test = by.measure(halves.test, score(chosen.checkpoint, halves.test.texts))
    return rows


def _grid(
    values: Sequence[float],
    texts: Texts,
    labels: str,
    train: Train,
    score: Score,
    by: Criterion,
) -> list[Row]:
    def tried(trial: Trial) -> Row:
        key, card = train(trial)
        found = by.measure(texts, score(key, texts.texts))
        return Row(trial, key, card.get("figures", {}).get("pearson"), found, labels)

    rows = [tried(trial) for trial in first(values)]
    return rows + [tried(one) for one in second({row.trial: row.rank for row in rows})]


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
    unit = np.repeat(np.arange(n), 2)
    return Texts(both, np.tile([True, False], n), unit, pair=unit)


def of_study(
    study: Study,
    by: Criterion,
    *,
    real: Sequence[str] = (),
    synthetic: Sequence[str] = (),
    aspect: str = "",
    question: str = "",
) -> Halves:
    """Texts of a study, all of a prompt in one half.

    Args:
        study: Whose texts.
        by: What they must be fit for.
        real: Systems of people; empty: as the study has it.
        synthetic: Generators; both empty: all systems.
        aspect: Key of what was rated; empty: the first.
        question: What votes were asked for; empty: the first by name.

    Raises:
        ValueError: If a half lacks what is needed.
    """
    rows = study.generations.filter(excluded_at=None, system__isnull=False)
    if real or synthetic:
        rows = rows.filter(system__name__in=[*real, *synthetic])
    found = list(rows.select_related("system", "prompt").order_by("pk"))
    kinds = {one.name: one.kind == System.Kind.HUMAN for one in study.systems.all()}
    if real or synthetic:
        kinds = {name: name in real for name in kinds}
    known = _Known(
        kinds,
        grid_votes.strengths(study, question) if by.name == "votes" else {},
        grid_votes.ratings(study, aspect) if by.name == "ratings" else {},
    )
    sides = [_coin(row.prompt) for row in found]
    halves = []
    for side, half in ((False, "validation"), (True, "test")):
        ours = [row for row, one in zip(found, sides, strict=True) if one == side]
        halves.append(_half(ours, known))
        if why := grid_choice.problem(by.name, halves[-1], half):
            raise ValueError(why)
    names = [
        sorted(n for n, is_real in kinds.items() if is_real == one) for one in (1, 0)
    ]
    if real or synthetic:
        names = [list(real), list(synthetic)]
    about = "; ".join(
        f"{kind}: {', '.join(of_kind)}"
        for kind, of_kind in zip(("real", "synthetic"), names, strict=True)
        if of_kind
    )
    return Halves(halves[0], halves[1], about)


class _Known(NamedTuple):
    """What is known of systems and texts."""

    real: Mapping[str, bool]  # by name of the system
    strength: Mapping[int, float]  # by id of the system
    human: Mapping[int, float]  # by id of the text


def _coin(prompt: Any) -> bool:
    """The same for a prompt at all times."""
    return bool(hashlib.sha256(prompt.digest.encode()).digest()[0] & 1)


def _half(rows: Sequence[Generation], known: _Known) -> Texts:
    names = [row.system.name if row.system else "" for row in rows]
    twins = sorted({row.pair for row in rows if row.pair})
    return Texts(
        [row.full_text for row in rows],
        np.array([known.real[name] for name in names], bool),
        np.array([row.prompt_id for row in rows]),
        np.array([twins.index(row.pair) if row.pair else -1 for row in rows]),
        np.array(names),
        np.array([known.strength.get(row.system_id or 0, np.nan) for row in rows]),
        np.array([known.human.get(row.pk, np.nan) for row in rows]),
    )


# Shown --------------------------------------------------------------------------------


def table(rows: Sequence[Row], halves: Halves, by: Criterion = AREA) -> Table:
    """All models, best first."""
    several, digits = any(row.labels for row in rows), 3 if by.of_study else 1
    lines: list[list[Value]] = [
        [
            *([row.labels] if several else []),
            row.trial.method,
            row.trial.p_shuffle or None,
            row.trial.p_inflect or None,
            Cell(row.correlation),
            Cell.of(row.validation, bold=place == 0, digits=digits),
            Cell.of(row.test, bold=True, digits=digits) if row.test else None,
            row.checkpoint,
        ]
        for place, row in enumerate(rows)
    ]
    header = [*(["labels"] if several else []), "method", "p shuffle", "p inflect"]
    header += ["r, own damage", f"{by.title}, validation", f"{by.title}, test"]
    caption = (
        f"ARGENT's grid: {by.words}, with 95 % intervals; {halves.about}. r: Pearson"
        " correlation of predicted quality with the label, for held-out texts that are"
        f" damaged as in training. {OPTIMISTIC}"
    )
    return Table([*header, "checkpoint"], lines, caption)
