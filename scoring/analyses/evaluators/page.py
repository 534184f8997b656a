"""The number of evaluators (figure 4 of the paper on CTRLEval), and ensembles."""

from __future__ import annotations

from functools import partial

from scoring.analyses.evaluators import page_by_reference as by_reference
from scoring.analyses.evaluators.page_curves import Line, curves
from scoring.analyses.evaluators.page_questions import questions
from scoring.analyses.evaluators.result import Point, Result, Row
from scoring.analyses.needs import Missing, Need
from scoring.analyses.shared.page_basis import compared, why
from scoring.analyses.shared.page_metrics import full, mark_of
from scoring.analyses.shared.page_words import coefficient
from scoring.drawing.charts import COLOURS, plain
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value

LEAD = "How many questions must a metric ask a model before its score is stable?"
NEED = Need(
    lambda facts: facts.parts,
    Missing(
        "Needs scores of a metric that asks several evaluators, such as CTRLEval.",
        "Choose a metric",
        "runs",
    ),
)
WEIGHTS = {
    "metric": "weighted by the metric's own weights",
    "none": "weighted equally",
}
NONE = (
    "Some metrics combine many small scores. CTRLEval, for example, asks a model about"
    " attribute relevance with each of its prompts and words. No metric of this study"
    " has such evaluators that are the same for all texts."
)


def sections(result: Result) -> list[Section]:
    found = []
    if result["rows"]:
        found += [_number(result), _single(result)]
    else:
        found.append(Section("number", "Number of evaluators", NONE))
    if result["left_out"]:
        found.append(_left_out(result))
    if result["references"]:
        found.append(by_reference.section(result))
    return [*found, _ensemble(result)]


# The curve ---------------------------------------------------------------------------


def _number(result: Result) -> Section:
    rows = result["rows"]
    lines = [
        Line(full(row["output"]), row["curve"], mark_of(row["output"])) for row in rows
    ]
    return Section(
        "number",
        "Number of evaluators",
        "We draw k of a metric's evaluators at random and average them, many times. If"
        " the curve is flat well before its end, fewer evaluators are enough. If the"
        " bars are long, the result depends on which ones are picked.",
        partial(
            curves,
            lines,
            x_title="Number of evaluators (k)",
            y_title=f"{coefficient(result)} with {plain(_aspects(rows))}",
        ),
        alt=f"{coefficient(result)} by the number of evaluators.",
        tables={"number": _number_table(result)},
        after=(
            f"Evaluators are {WEIGHTS[result['weights']]}, within the set drawn. SD is"
            " over the sets: it shows how much the choice of evaluators matters, not"
            " how certain the number is. The largest k has one set, of all evaluators."
        ),
    )


def _aspects(rows: list[Row]) -> str:
    names = list(dict.fromkeys(row["aspect"] for row in rows))
    return names[0] if len(names) == 1 else "the matching aspect"


def _number_table(result: Result) -> Table:
    rows = result["rows"]
    curves = [{point["k"]: point for point in row["curve"]} for row in rows]
    sizes = sorted({k for curve in curves for k in curve})
    lines: list[list[Value]] = [
        [k, *(cell for curve in curves for cell in _cells(curve.get(k), max(curve)))]
        for k in sizes
    ]
    sets = result["repeats"]
    return Table(
        ["Evaluators", *(["Mean", "SD", "Sets"] * len(rows))],
        lines,
        f"{coefficient(result)} between human scores and the mean of k evaluators,"
        f" {WEIGHTS[result['weights']]}, {compared(result)}: mean and standard"
        f" deviation over at most {sets} different sets of evaluators.",
        groups=[("", 1), *((_title(row), 3) for row in rows)],
        notes=why(result),
        title=f"{coefficient(result)} by number of evaluators",
    )


def _title(row: Row) -> str:
    output = row["output"]
    variant = f" ({output['variant']})" if output["variant"] else ""
    meant = "meant for it" in output["badges"]
    return f"{output['label']}{variant}{'' if meant else ' with ' + row['aspect']}"


def _cells(point: Point | None, most: int) -> list[Value]:
    if point is None:
        why = f"it has {most} evaluators"
        return [Cell(None, reason=why), Cell(None, reason=why), None]
    mean = Cell.of(point["mean"], heat=True)
    why = mean.reason or (
        "" if point["std"] is not None else "only one set has a value"
    )
    return [mean, Cell(point["std"], reason=why), point["n_subsets"]]


# Each alone --------------------------------------------------------------------------


def _single(result: Result) -> Section:
    tables = {
        f"single-{k}" if k else "single": _single_table(result, row)
        for k, row in enumerate(result["rows"])
    }
    return Section(
        "single",
        "Each evaluator alone",
        "Which questions help, and which add nothing.",
        tables=tables,
        after=(
            "In a prompt, … stands for the text and […] for the gap that the words"
            " fill, one for each label. Share: the evaluator's part of all weights,"
            " averaged over texts."
        ),
        folded=True,
    )


def _single_table(result: Result, row: Row) -> Table:
    asked = questions(
        row["metric"],
        row["options"],
        row["output"]["key"],
        result["labels"],
        row["n_evaluators"],
    )
    lines: list[list[Value]] = []
    for j, one in enumerate(row["single"]):
        words: list[Value] = list(asked[j]) if asked else []
        share = Cell(
            one["share"], reason="" if one["share"] is not None else "no weights"
        )
        lines.append([j + 1, *words, Cell.of(one["r"], heat=True), share])
    columns = ["Prompt", "Words"] if asked else []
    return Table(
        ["Evaluator", *columns, coefficient(result), "Share"],
        lines,
        f"{coefficient(result)} of each single evaluator of {_title(row)},"
        f" {compared(result)}, and its mean share of the weights.",
        title=_title(row),
    )


def _left_out(result: Result) -> Section:
    rows: list[list[Value]] = [
        [one["name"], one["reason"]] for one in result["left_out"]
    ]
    return Section(
        "left-out",
        "Left out",
        "Metrics whose evaluators are stored but cannot be drawn at random.",
        tables={
            "left-out": Table(
                ["Metric", "Why"], rows, "Metrics left out.", title="Left out"
            )
        },
    )


# Ensembles ---------------------------------------------------------------------------


def _ensemble(result: Result) -> Section:
    found, title = result["ensemble"], "Ensembles of metrics"
    if found["reason"]:
        return Section("ensemble", title, f"No numbers: {found['reason']}.")
    names = "; ".join(found["metrics"])
    rows: list[list[Value]] = [
        [point["k"], *_cells(point, len(found["metrics"]))] for point in found["curve"]
    ]
    line = Line(
        "mean of k metrics", found["curve"], {"color": COLOURS[0], "symbol": "circle"}
    )
    return Section(
        "ensemble",
        title,
        "The same with whole metrics: each is standardised to mean 0 and SD 1, and k of"
        " them are averaged with equal weights.",
        partial(
            curves,
            [line],
            x_title="Number of metrics (k)",
            y_title=f"{coefficient(result)} with {plain(found['aspect'])}",
        ),
        alt=f"{coefficient(result)} by the number of metrics averaged.",
        tables={
            "ensemble": Table(
                ["Metrics", "Mean", "SD", "Sets"],
                rows,
                f"{coefficient(result)} between human scores of {found['aspect']} and"
                f" the mean of k standardised metrics, {compared(result)}: mean and"
                f" standard deviation over at most {result['repeats']} different sets.",
                notes=[] if result["rows"] else why(result),
                title=f"{coefficient(result)} with {found['aspect']} by number of"
                " metrics",
            )
        },
        after=f"Metrics averaged (text lengths are left out): {names}.",
    )
