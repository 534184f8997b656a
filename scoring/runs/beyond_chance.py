"""A metric's excess over chance, and its differences between systems, as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from annotation.models import System
from scoring.drawing.tables import Cell, Table, Value
from scoring.metrics import Output
from scoring.scores.systems import Given
from scoring.stats.compare import holm

NONE = "the metric gives none for this system"
SIGNIFICANT = 0.05
BY_CHANCE = (
    "By chance: the mean over 999 random permutations, which exchange texts between"
    " people and the system, within prompts that both have. Excess: the value minus"
    " this mean; you can compare it between different numbers of texts. p: how often a"
    " permutation is at least as far from human texts."
)
DEVIATIONS = (
    "SD over texts: how much the value varies with other texts, by a bootstrap of"
    " prompts. SD over seeds: how much it varies by chance in the metric itself."
)
TESTED = (
    "Difference: the first minus the second. p is two-sided, from 999 random"
    " permutations of the texts of both, within prompts that both have. Adjusted p is"
    " corrected for all pairs of an output (Holm’s method)."
)

OfSystems = Mapping[int, Given]


def by_chance(
    systems: Sequence[System], found: Sequence[tuple[Output, OfSystems]]
) -> Table:
    """A row for each output and system, for outputs that come with a deviation."""
    rows: list[list[Value]] = [
        [output.title, system.name, *_cells(given[system.pk])]
        for output, given in found
        if any(one.spread is not None for one in given.values())
        for system in systems
        if system.pk in given
    ]
    header = ["Output", "System", "Value", "SD over texts", "SD over seeds"]
    tested = any(one.p is not None for _, given in found for one in given.values())
    header += ["By chance", "Excess", "p"] if tested else []
    return Table(
        header,
        [row[: len(header)] for row in rows],
        "Each value with its deviations, and its value by chance with as many texts."
        if tested
        else "Each value with its deviations.",
        notes=[*([BY_CHANCE] if tested else []), DEVIATIONS],
        title="Beyond chance" if tested else "Deviations",
    )


def _cells(given: Given) -> list[Value]:
    value, chance = given.mean, given.chance
    excess = None if value is None or chance is None else value - chance
    why = given.reason or NONE
    bold = given.p is not None and given.p < SIGNIFICANT
    return [
        Cell(value, reason=given.reason),
        *(
            Cell(number, reason="" if number is not None else why)
            for number in (given.spread, given.std, chance, excess)
        ),
        Cell(given.p, reason="" if given.p is not None else why, bold=bold),
    ]


def pairs(
    systems: Sequence[System], found: Sequence[tuple[Output, OfSystems]]
) -> Table:
    """A row for each output and tested pair of systems."""
    at = {system.name: system for system in systems}
    rows: list[list[Value]] = []
    for output, given in found:
        tested = [
            (system, at[name], p)
            for system in systems
            if system.pk in given
            for name, p in given[system.pk].pairs.items()
            if name in at and at[name].pk in given
        ]
        adjusted = holm(np.array([p for _, _, p in tested], float))
        rows += [
            [
                output.title,
                f"{one.name} – {other.name}",
                Cell(_difference(given[one.pk], given[other.pk]), reason=NONE),
                Cell(p),
                Cell(float(corrected), bold=bool(corrected < SIGNIFICANT)),
            ]
            for (one, other, p), corrected in zip(tested, adjusted, strict=True)
        ]
    return Table(
        ["Output", "Systems", "Difference", "p", "Adjusted p"],
        rows,
        "Differences between systems, with p from random permutations of their texts.",
        notes=[TESTED],
        title="Differences between systems",
    )


def _difference(one: Given, other: Given) -> float | None:
    if one.mean is None or other.mean is None:
        return None
    return one.mean - other.mean
