"""How metrics of systems agree with numbers of people that were imported as such."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from scoring.drawing.tables import Cell, Table, Value
from scoring.metrics import Output
from scoring.models import MetricRun
from scoring.runs.uploaded_systems import INTERVALS, PEOPLE
from scoring.scores import systems as system_scores
from scoring.scores.outputs import label, outputs_of
from scoring.stats import correlation

FEW = 15  # systems
NOTES = (
    "Signs are turned so that a positive coefficient means agreement, also where lower"
    " is better. A system counts where it has both numbers.",
)
FEW_SYSTEMS = (
    "With so few systems even a high coefficient may be chance: other systems could"
    " give quite another one."
)


class _Column(NamedTuple):
    """One number of each system."""

    name: str
    output: Output
    is_people: bool
    values: dict[int, float]  # by system


def tables(run: MetricRun) -> dict[str, Table]:
    """Correlations and intervals of an import of people's numbers; else empty."""
    if run.metric != PEOPLE or run.signature is None:
        return {}
    return {"people": _correlations(run), "intervals": _intervals(run)}


def _correlations(run: MetricRun) -> Table:
    columns = list(_columns(run))
    rows: list[list[Value]] = []
    n_systems = 0
    for people in (one for one in columns if one.is_people):
        for metric in (one for one in columns if not one.is_people):
            both = sorted(people.values.keys() & metric.values.keys())
            if not both:
                continue  # say, a metric of systems that people did not compare
            x = np.array([metric.values[pk] for pk in both]) * _sign(metric.output)
            y = np.array([people.values[pk] for pk in both]) * _sign(people.output)
            found = [
                by(x, y, (metric.name, people.name))
                for by in (
                    correlation.spearman,
                    correlation.kendall,
                    correlation.pearson,
                )
            ]
            cells = [Cell(one.value, reason=one.reason or "") for one in found]
            rows.append([people.name, metric.name, len(both), *cells])
            n_systems = max(n_systems, len(both))
    few = (FEW_SYSTEMS,) if n_systems < FEW else ()
    title = "Agreement of metrics with these numbers"
    return Table(
        ["People", "Metric of systems", "Systems", "Spearman", "Kendall", "Pearson"],
        rows,
        f"{title}.",
        title=title,
        notes=[*NOTES, *few],
    )


def _columns(run: MetricRun) -> Iterator[_Column]:
    """The people's numbers of this run, and those of each metric of systems."""
    found = system_scores.read(study=run.study)
    for (pk, key), given in found.given.items():
        signature = found.signatures[pk]
        is_people = signature.metric == PEOPLE
        if is_people and pk != run.signature_id:
            continue
        for output in outputs_of(signature):
            # Closeness to human text has a row of its own where that has a direction.
            if output.key == key and output.higher_is_better is not None:
                means = {system: one.mean for system, one in given.items()}
                values = {s: mean for s, mean in means.items() if mean is not None}
                name = output.title
                if not is_people:
                    name = label(signature.metric, output.title)
                yield _Column(name, output, is_people, values)


def _sign(output: Output) -> int:
    return -1 if output.higher_is_better is False else 1


def _intervals(run: MetricRun) -> Table:
    rows: list[list[Value]] = []
    for details in run.chunks.values_list("details", flat=True):
        # By name: PostgreSQL does not keep the order of the file.
        for output, of_systems in sorted(details.get(INTERVALS, {}).items()):
            for system, (low, high) in sorted(of_systems.items()):
                rows.append([output.replace("_", " "), system, Cell(low), Cell(high)])
    title = "Intervals as imported"
    return Table(["Number", "System", "Low", "High"], rows, f"{title}.", title=title)
