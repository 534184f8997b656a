"""4. What a run of a metric of systems gave: numbers, curves and seconds of each."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.models import System
from scoring.drawing.curves import Curve, Point
from scoring.drawing.tables import Cell, Table, Value, unit
from scoring.metrics import Output
from scoring.models import Chunk, MetricRun
from scoring.runs import beyond_chance, published
from scoring.scores import systems as system_scores
from scoring.scores.outputs import outputs_of
from scoring.scores.systems import Given

# What metrics tell beside numbers, in words; other names are shown as they are.
FACTS = {
    "n_texts": "Texts",
    "n_corpus": "Corpus texts",
    "clusters": "Clusters",
    "dimensions": "Dimensions",
}
DRAWN_APART = ("curve", "seconds", system_scores.N_STUDY, *system_scores.BESIDE)
NOT_SCORED = "not scored"
SEEDED = "A number ± its standard deviation over seeds, if the metric involves chance."
SPREAD = (
    "A number ± the standard deviation that other texts would cause, by a bootstrap of"
    " prompts."
)
MOST_NUMBERS = 10  # of a list that still is a fact

# For each system its name, its place in the study, a mean and its SD over seeds.
Ladder = list[tuple[str, int, float | None, float | None]]


@dataclass(frozen=True, slots=True)
class SystemRun:
    """All that the page of such a run shows; empty where it gave nothing."""

    tables: dict[str, Table]  # by slug
    curves: list[Curve]
    bars: list[
        tuple[str, Ladder]
    ]  # of outputs that do not rank systems: title, numbers
    seconds: dict[str, float]  # of each stage, over all systems


def of(run: MetricRun) -> SystemRun:
    """What there is so far. Nine queries at most, whatever the number of systems."""
    systems = list(System.objects.filter(study=run.study_id))
    details = _details(run)
    found = [details.get(system.pk, {}) for system in systems]
    curves = [
        Curve(system.name, place, points)
        for place, (system, one) in enumerate(zip(systems, found, strict=True))
        if (points := _points(one.get("curve")))
    ]
    stages = [_stages(one.get("seconds")) for one in found]
    given = _given(run)
    tables = {
        "systems": _numbers(run, systems, found, given),
        "chance": beyond_chance.by_chance(systems, given),
        "pairs": beyond_chance.pairs(systems, given),
        "curves": _curve_table(curves),
        "stages": _stage_table(systems, stages),
        **published.tables(run),
    }
    kept = {key: table for key, table in tables.items() if table.rows}
    return SystemRun(kept, curves, _bars(systems, given), _total(stages))


def _details(run: MetricRun) -> dict[int, dict[str, object]]:
    """By system; of several chunks the last one done."""
    done = run.chunks.filter(state=Chunk.State.DONE).exclude(system=None)
    return dict(done.order_by("finished_at", "pk").values_list("system", "details"))


# Numbers -----------------------------------------------------------------------------


def _given(run: MetricRun) -> list[tuple[Output, dict[int, Given]]]:
    """Outputs, and the numbers of each by system."""
    signature = run.signature
    if signature is None:
        return []
    given = system_scores.read(study=run.study, signature=signature).given
    return [
        (output, given[signature.pk, output.key])
        for output in outputs_of(signature)
        if (signature.pk, output.key) in given
    ]


def _bars(
    systems: list[System], given: Sequence[tuple[Output, dict[int, Given]]]
) -> list[tuple[str, Ladder]]:
    """Each output that says nothing about quality, with its SD over seeds."""
    return [
        (
            output.title,
            [
                (system.name, place, found[system.pk].mean, found[system.pk].std)
                for place, system in enumerate(systems)
                if system.pk in found
            ],
        )
        for output, found in given
        if not output.quality
    ]


def _numbers(
    run: MetricRun,
    systems: list[System],
    details: Sequence[Mapping[str, object]],
    given: Sequence[tuple[Output, dict[int, Given]]],
) -> Table:
    """A row for each system: outputs over their seeds, then what there was to count."""
    outputs = [output for output, _ in given]
    facts = [_facts(one) for one in details]
    said = {name for one in facts for name in one}
    known = [name for name in FACTS.values() if name in said]
    names = [*known, *sorted(said - set(known))]
    rows: list[list[Value]] = [
        [
            system.name,
            *(_cell(found.get(system.pk)) for _, found in given),
            *(one.get(name) for name in names),
        ]
        for system, one in zip(systems, facts, strict=True)
    ]
    units = "; ".join(f"{o.title}: {unit(o.unit)}" for o in outputs if o.unit)
    return Table(
        ["System", *(output.title for output in outputs), *names],
        rows if outputs else [],
        f"Scores of each system by {run.metric}, mean ± standard deviation over seeds"
        f" if the metric involves chance. {units}",
        title="Scores of each system",
        notes=_notes([v for row in rows for v in row if isinstance(v, Cell)]),
    )


def _notes(cells: list[Cell]) -> list[str]:
    """What ± is."""
    spread = any(cell.spread is not None for cell in cells)
    seeded = any(cell.seeds and cell.spread is None for cell in cells)
    return [*([SPREAD] if spread else []), *([SEEDED] if seeded else [])]


def _cell(given: Given | None) -> Cell:
    if given is None:
        return Cell(None, reason=NOT_SCORED)
    n = int(given.over_seeds.n)
    seeds = n if len(given.values) > 1 else None
    return Cell(
        given.mean,
        reason=given.reason,
        std=given.std,
        seeds=seeds,
        spread=given.spread,
    )


def _facts(details: Mapping[str, object]) -> dict[str, Value]:
    """What is one word or number, or a few numbers, by its name on the page."""
    found = {
        FACTS.get(key, key.replace("_", " ")): _fact(value)
        for key, value in details.items()
        if key not in DRAWN_APART
    }
    return {name: value for name, value in found.items() if value is not None}


def _fact(value: Any) -> Value:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (str, int)):
        return value
    if isinstance(value, float):
        return value if _is_number(value) else None
    few = value if isinstance(value, list) and len(value) <= MOST_NUMBERS else []
    numbers = all(map(_is_number, few))
    return ", ".join(f"{one:g}" for one in few) if few and numbers else None


# Curves and stages -------------------------------------------------------------------


def _points(given: Any) -> list[Point]:
    """Pairs of numbers; whatever else a metric wrote is no curve."""
    pairs = given if isinstance(given, list) else []
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        return []
    return [(x, y) for x, y in pairs if _is_number(x) and _is_number(y)]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value)


def _curve_table(curves: list[Curve]) -> Table:
    return Table(
        ["System", "exp(-s KL(p || r))", "exp(-s KL(q || r))"],
        [[curve.system, x, y] for curve in curves for x, y in curve.points],
        "Points of the divergence curves: p of human texts, q of the system, r of their"
        " mixtures.",
        title="Points of the curves",
    )


def _stages(given: Any) -> dict[str, float]:
    pairs = given.items() if isinstance(given, dict) else []
    return {str(k): float(v) for k, v in pairs if _is_number(v)}


def _total(stages: list[dict[str, float]]) -> dict[str, float]:
    """Over all systems, what took longest first."""
    total: Counter[str] = Counter()
    for of_system in stages:
        total.update(of_system)
    return dict(sorted(total.items(), key=lambda one: (-one[1], one[0])))


def _stage_table(systems: list[System], stages: list[dict[str, float]]) -> Table:
    names = list(_total(stages))
    rows: list[list[Value]] = [
        [system.name, *(_seconds(one.get(name)) for name in names)]
        for system, one in zip(systems, stages, strict=True)
        if one
    ]
    title = "Seconds of each stage"
    return Table(["System", *names], rows, f"{title}.", title=title)


def _seconds(seconds: float | None) -> Cell:
    reason = "" if seconds is not None else "no such stage"
    return Cell(seconds, digits=1, reason=reason)
