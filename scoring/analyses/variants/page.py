"""Variants of metrics (tables 5, 6 and 7 of the paper on CTRLEval)."""

from __future__ import annotations

from functools import partial

import plotly.graph_objects as go

from scoring.analyses.needs import Missing, Need
from scoring.analyses.shared.page_basis import compared, why
from scoring.analyses.shared.page_metrics import INTERVALS, SHORT
from scoring.analyses.shared.page_words import coefficient
from scoring.analyses.variants.result import (
    Column,
    Difference,
    Result,
    Runs,
    Weights,
)
from scoring.analyses.variants.result import Table as Compared
from scoring.drawing.charts import plain
from scoring.drawing.ladders import Panel, Rung, ladder
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Link, Table, Value
from scoring.scores import option_words

LEAD = (
    "What makes a metric agree with people: its model, its options, or how its parts"
    " are combined?"
)
NEED = Need(
    lambda facts: facts.variants or facts.parts,
    Missing(
        "Needs one metric that has scored the texts with two sets of options.",
        "Choose a metric",
        "runs",
    ),
)
WAYS = {
    "weighted": "weighted sum",
    "mean": "mean, without weights",
    "max": "largest, without weights",
    "min": "smallest, without weights",
    "learned": "weights learned from ratings",
}
LONG = 40  # characters of an option's value that a table has room for
NONE = (
    "No metric has scored this study with two sets of options or two models yet. When"
    " one has, this page compares its variants."
)
TESTS = (
    "A difference is on the texts that both have scored, with its interval and its p"
    " over the same prompts (Student's t). Adjusted p: by Holm, for"
    " the {family} tests of this table."
)


def sections(result: Result) -> list[Section]:
    runs = [
        section
        for k, found in enumerate(result["runs"])
        for section in _runs(result, found, k)
    ]
    weights = [_weights(result, found, k) for k, found in enumerate(result["weights"])]
    return [*(runs or [Section("runs", "Variants", NONE)]), *weights]


# Several runs of one metric ----------------------------------------------------------


def _runs(result: Result, found: Runs, k: int) -> list[Section]:
    names = _names(found)
    key, metric = f"runs-{k}", found["metric"]
    words = (
        "Each run of the metric, compared with people. The reference run names every"
        " option that differs; the others name only what they change."
    )
    return [
        Section(
            key,
            f"Variants of {metric}",
            words,
            partial(_chart, result, found, names),
            alt=f"{coefficient(result)} of each variant of {metric}.",
            tables={
                key: _values(result, found, names, metric),
                f"{key}-differences": _differences(result, found, names, metric),
            },
            after=f"{INTERVALS} {TESTS.format(family=found['family'])}",
        )
    ]


def _names(found: Runs) -> list[Value]:
    """What a variant changes; the reference says what all of them are about."""
    reference = found["rows"][found["reference"]]
    names: list[Value] = []
    for k, row in enumerate(found["rows"]):
        changed = {
            name: value
            for name, value in row["options"].items()
            if k == found["reference"] or value != reference["options"][name]
        }
        badges = ("small model",) if row["small_model"] else ()
        text = _said(found["metric"], changed) or row["variant"] or row["signature"]
        names.append(Link(text, badges=badges))
    return names


def _said(metric: str, options: dict[str, object]) -> str:
    worded = option_words.in_words(metric, options)
    return ", ".join(f"{name}: {_shown(value)}" for name, value in worded.items())


def _shown(value: str) -> str:
    """Without the note that a model is bundled, which a badge says."""
    text = value.removesuffix(option_words.NOTE)
    return text if len(text) <= LONG else f"{text[: LONG - 1]}…"


def _values(result: Result, found: Runs, names: list[Value], metric: str) -> Table:
    sizes: list[Value] = [row.get("parameters") for row in found["rows"]]
    if not any(sizes):
        return _table(result, found, [[name] for name in names], ["Variant"], metric)
    rows: list[list[Value]] = [list(both) for both in zip(names, sizes, strict=True)]
    return _table(result, found, rows, ["Variant", "Parameters"], metric)


# Weights of evaluators ---------------------------------------------------------------


def _weights(result: Result, found: Weights, k: int) -> Section:
    names: list[Value] = [WAYS[way] for way in found["ways"]]
    key, metric = f"weights-{k}", found["metric"]
    said = _said(metric, found["options"])
    run = f"{metric}, {said}" if said else metric
    return Section(
        key,
        f"Weights of evaluators: {run}",
        f"What the score of {metric} would be if its evaluators were combined in other"
        " ways. Computed from the stored parts, without scoring again.",
        partial(_chart, result, found, names),
        alt=f"{coefficient(result)} of each way to combine the evaluators.",
        tables={
            key: _table(result, found, [[name] for name in names], ["Evaluators"], run),
            f"{key}-differences": _differences(result, found, names, run),
        },
        after=(
            "Weighted sum: each evaluator's score times its weight, over the sum of the"
            " weights. Learned: a ridge regression adds to the paper’s weights what"
            " explains the ratings of the other prompts; no text is scored with weights"
            " from its own prompt. Intervals take these scores as they are, and leave"
            f" out the chance in learning. {TESTS.format(family=found['family'])}"
        ),
    )


# Both --------------------------------------------------------------------------------


def _title(column: Column) -> str:
    label = column["label"].partition(": ")[2] or column["label"]
    return label if column["meant"] else f"{label} with {column['aspect']}"


def _chart(result: Result, found: Compared, names: list[Value]) -> go.Figure:
    panels = [
        Panel(
            [cells[result["coefficient"]] for cells in column["values"]],
            _title(column),
        )
        for column in found["columns"]
    ]
    aspects = list(dict.fromkeys(column["aspect"] for column in found["columns"]))
    aspect = aspects[0] if len(aspects) == 1 else "the matching aspect"
    title = f"{coefficient(result)} with {plain(aspect)}"
    return ladder([Rung(_text(name)) for name in names], panels, x_title=title)


def _text(name: Value) -> str:
    return name.text if isinstance(name, Link) else str(name)


def _table(
    result: Result,
    found: Compared,
    rows: list[list[Value]],
    header: list[str],
    what: str,
) -> Table:
    columns = found["columns"]
    lines: list[list[Value]] = []
    for k, row in enumerate(rows):
        cells = [
            Cell.of(column["values"][k][name], heat=True)
            for column in columns
            for name in SHORT
        ]
        lines.append([*row, *cells])
    return Table(
        [*header, *(list(SHORT.values()) * len(columns))],
        lines,
        f"Variants of {what}: correlations with human scores (Pearson r, Spearman ρ,"
        f" Kendall τ-b), {compared(result)}, with 95 % intervals of t over prompts.",
        groups=[("", len(header)), *((_title(one), len(SHORT)) for one in columns)],
        notes=why(result),
        title=f"Correlation with human scores: {what}",
    )


def _differences(
    result: Result, found: Compared, names: list[Value], what: str
) -> Table:
    reference, columns = found["reference"], found["columns"]
    lines: list[list[Value]] = [
        [name, *(cell for one in columns for cell in _test(one["differences"][k]))]
        for k, name in enumerate(names)
        if k != reference
    ]
    return Table(
        ["Variant", *(["Difference", "p", "Adjusted p"] * len(columns))],
        lines,
        f"Difference of {coefficient(result)} from that of {_text(names[reference])},"
        f" {what}, {compared(result)}, with 95 % intervals and p of t over prompts, and"
        f" p adjusted by Holm for {found['family']} tests.",
        groups=[("", 1), *((_title(one), 3) for one in columns)],
        title=f"Difference of {coefficient(result)} from {_text(names[reference])}",
    )


def _test(found: Difference) -> list[Value]:
    why = found["reason"] or ""
    return [
        Cell.of(found["difference"], heat=True),
        Cell(found["p"], reason=why),
        Cell(found["adjusted"], reason=why),
    ]
