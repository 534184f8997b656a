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
from scoring.models import Chunk, MetricRun
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
DRAWN_APART = ("curve", "seconds")
NOT_SCORED = "not scored"
SEEDED = (
    "A number ± its standard deviation over seeds, wherever chance has a part in it."
)
MOST_NUMBERS = 10  # of a list that still is a fact


@dataclass(frozen=True, slots=True)
class SystemRun:
    """All that the page of such a run shows; empty where it gave nothing."""

    tables: dict[str, Table]  # by slug
    curves: list[Curve]
    seconds: dict[str, float]  # of each stage, over all systems


def of(run: MetricRun) -> SystemRun:
    """What there is so far. Eight queries at most, whatever the number of systems."""
    systems = list(System.objects.filter(study=run.study_id))
    details = _details(run)
    found = [details.get(system.pk, {}) for system in systems]
    curves = [
        Curve(system.name, place, points)
        for place, (system, one) in enumerate(zip(systems, found, strict=True))
        if (points := _points(one.get("curve")))
    ]
    stages = [_stages(one.get("seconds")) for one in found]
    tables = {
        "systems": _numbers(run, systems, found),
        "curves": _curve_table(curves),
        "stages": _stage_table(systems, stages),
    }
    kept = {key: table for key, table in tables.items() if table.rows}
    return SystemRun(kept, curves, _total(stages))


def _details(run: MetricRun) -> dict[int, dict[str, object]]:
    """By system; of several chunks the last one done."""
    done = run.chunks.filter(state=Chunk.State.DONE).exclude(system=None)
    return dict(done.order_by("finished_at", "pk").values_list("system", "details"))


# Numbers -----------------------------------------------------------------------------


def _numbers(
    run: MetricRun, systems: list[System], details: Sequence[Mapping[str, object]]
) -> Table:
    """A row for each system: outputs over their seeds, then what there was to count."""
    signature = run.signature
    if signature is None:
        return Table([], [])
    given = system_scores.read(study=run.study, signature=signature).given
    outputs = [o for o in outputs_of(signature) if (signature.pk, o.key) in given]
    facts = [_facts(one) for one in details]
    said = {name for one in facts for name in one}
    known = [name for name in FACTS.values() if name in said]
    names = [*known, *sorted(said - set(known))]
    rows: list[list[Value]] = [
        [
            system.name,
            *(
                _cell(given[signature.pk, output.key].get(system.pk))
                for output in outputs
            ),
            *(one.get(name) for name in names),
        ]
        for system, one in zip(systems, facts, strict=True)
    ]
    units = "; ".join(f"{o.title}: {unit(o.unit)}" for o in outputs if o.unit)
    return Table(
        ["System", *(output.title for output in outputs), *names],
        rows if outputs else [],
        f"What {run.metric} gave each system, mean ± standard deviation over seeds"
        f" where there is chance. {units}",
        title="Scores of each system",
        notes=[SEEDED] if any(map(_seeded, rows)) else [],
    )


def _seeded(row: list[Value]) -> bool:
    return any(isinstance(value, Cell) and value.seeds for value in row)


def _cell(given: Given | None) -> Cell:
    if given is None:
        return Cell(None, reason=NOT_SCORED)
    n = int(given.over_seeds.n)
    seeds = n if len(given.values) > 1 else None
    return Cell(given.mean, reason=given.reason, std=given.std, seeds=seeds)


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
    return dict(total.most_common())


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
