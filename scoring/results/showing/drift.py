"""Model drift and quality drift (figures 2 and 3 of the paper on CTRLEval)."""

from __future__ import annotations

import plotly.graph_objects as go

from scoring.drawing.charts import AXIS, COLOURS, LAYOUT, UNKNOWN, plain
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value
from scoring.results.showing._dots import Series, dots
from scoring.results.showing._metrics import (
    INTERVALS,
    ZERO,
    full,
    link,
    mark,
    mark_of,
    short,
)
from scoring.results.showing._words import coefficient
from scoring.stats.analyses.results.common import OutputName
from scoring.stats.analyses.results.drift import OfQuality, OverDraws, Result, Spread
from scoring.stats.counts import DRAWS

LEAD = (
    "Does a metric agree with people on the texts of every system, and on good and poor"
    " texts alike?"
)
SUBSETS = {"text": "Quality subset", "standoff": 10}
QUARTERS = ("0, lowest", "1", "2", "3, highest")
SPREAD = (
    "Chance alone makes correlations differ. The interval is of the spread that would"
    " be left with any number of texts: it begins at 0 where chance may be all there"
    " is, and may lie below the number itself."
)
NO_METRIC = "No metric has scores of these texts."


def sections(result: Result) -> list[Section]:
    return [*_model(result), *_quality(result)]


# Texts of each system ----------------------------------------------------------------


def _model(result: Result) -> list[Section]:
    found, title = result["model"], "Model drift"
    if found["reason"]:
        words = f"No numbers by system: {found['reason']}."
        return [Section("model", title, words)]
    words = (
        "How well a metric agrees with people on the texts of one system at a time. A"
        " metric that is only good at telling systems apart does worse here than over"
        " all texts."
    )
    rows = found["rows"]
    chart = _model_chart(result) if rows else None
    return [
        Section(
            "model",
            title,
            words,
            chart,
            alt=f"{coefficient(result)} of each metric within each system.",
            tables={"model": _model_table(result)},
            after=_model_notes(result),
        ),
        Section(
            "systems",
            "How people rated each system",
            "Where people see little difference between texts, any metric agrees less"
            " with them: compare numbers of one system across metrics first.",
            tables={"systems": _systems_table(result)},
        ),
    ]


def _model_chart(result: Result) -> go.Figure:
    found = result["model"]
    series = [
        Series(
            one["name"], [row["within"][k] for row in found["rows"]], mark(one["place"])
        )
        for k, one in enumerate(found["systems"])
    ]
    grey = {"color": UNKNOWN, "symbol": "circle-open"}
    pooled = [row["pooled"] for row in found["rows"]]
    rows = [short(output) for output in result["outputs"]]
    title = f"{coefficient(result)} with {plain(result['aspect'])}"
    return dots(rows, [*series, Series("all texts", pooled, grey)], x_title=title)


def _model_table(result: Result) -> Table:
    found = result["model"]
    rows: list[list[Value]] = [
        [
            link(output),
            *(Cell.of(one, heat=True) for one in row["within"]),
            Cell.of(row["pooled"], heat=True),
            Cell.of(row["std"]),
        ]
        for output, row in zip(result["outputs"], found["rows"], strict=True)
    ]
    sizes = ", ".join(f"{one['name']} {one['n']}" for one in found["systems"])
    return Table(
        ["Metric", *(one["name"] for one in found["systems"]), "All texts", "SD"],
        rows,
        f"{coefficient(result)} between metrics and human scores of {result['aspect']}"
        f" within the texts of each system, with 95 % intervals from {DRAWS:,}"
        " resamples of prompts; SD of the correlations over the systems. Rated texts:"
        f" {sizes}.",
        title=f"{coefficient(result)} with {result['aspect']} by system",
        empty=NO_METRIC,
    )


def _model_notes(result: Result) -> str:
    left = result["model"].get("unnamed", 0)
    texts = "text has" if left == 1 else "texts have"
    unnamed = f" {left} {texts} no system and are left out." if left else ""
    return (
        f"{INTERVALS} SD is the standard deviation of a metric's correlations over the"
        f" systems: smaller is steadier. {SPREAD}{unnamed}"
    )


def _systems_table(result: Result) -> Table:
    rows: list[list[Value]] = [
        [one["name"], one["n"], _mean(one), _std(one)]
        for one in result["model"]["systems"]
    ]
    return Table(
        ["System", "Rated texts", "Mean", "SD"],
        rows,
        f"Human scores of {result['aspect']} by system: mean and standard deviation"
        " over texts.",
        title=f"Human scores of {result['aspect']} by system",
    )


def _mean(one: Spread) -> Cell:
    return Cell(one["mean"], reason="" if one["mean"] is not None else "no rated text")


def _std(one: Spread) -> Cell:
    return Cell(
        one["std"], reason="" if one["std"] is not None else "fewer than 2 texts"
    )


# Texts of each quality ---------------------------------------------------------------


def _quality(result: Result) -> list[Section]:
    found, title = result["quality"], "Quality drift"
    if found["reason"]:
        return [Section("quality", title, f"No numbers by quality: {found['reason']}.")]
    return [
        Section(
            "subsets",
            f"{title}: four sets of texts",
            "Texts are put in order of their human score, equal scores by lot, and cut"
            " into four quarters. Subset j takes a text of quarter i with probability"
            " 1 / (|j − i| + 1): subset 0 leans to poor texts, subset 3 to good ones.",
            _histogram(result),
            alt="How many texts of each score the first draw of each subset has.",
            tables={"subsets": _subsets_table(result)},
            after=_subsets_notes(result),
        ),
        Section(
            "quality",
            f"{title}: agreement in each set",
            "How well a metric agrees with people on each of these subsets.",
            _quality_chart(result) if found["rows"] else None,
            alt=f"{coefficient(result)} of each metric in each quality subset.",
            tables={"quality": _quality_table(result)},
            after=_quality_notes(result),
        ),
        Section(
            "first-draw",
            "One draw of the subsets",
            "The first draw alone: what a figure of a single draw would show.",
            tables={"first-draw": _first_table(result)},
            folded=True,
        ),
    ]


def _bins(edges: list[float]) -> list[str]:
    """What the bars count: all but the last leave out their upper end."""
    pairs = zip(edges, edges[1:], strict=False)
    return [f"{low:.2f} to {high:.2f}" for low, high in pairs]


def _histogram(result: Result) -> go.Figure:
    found = result["quality"]
    figure = go.Figure(layout=LAYOUT)
    bins = _bins(found["edges"])
    for k, name in enumerate(bins):
        figure.add_trace(
            go.Bar(
                x=list(QUARTERS),
                y=[subset["counts"][k] for subset in found["subsets"]],
                name=name,
                marker={"color": _shade(k / max(1, len(bins) - 1))},
                hovertemplate=f"score {name}: %{{y}} texts<extra></extra>",
            )
        )
    figure.update_layout(barmode="group", bargap=0.25, bargroupgap=0.05)
    figure.update_xaxes(**AXIS, title=SUBSETS, type="category")
    figure.update_yaxes(**AXIS, title="Texts in the first draw")
    return figure


def _shade(share: float) -> str:
    """A paler first colour for a lower score."""
    red, green, blue = (int(COLOURS[0][at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {0.3 + 0.7 * share:.2f})"


def _subsets_table(result: Result) -> Table:
    found = result["quality"]
    bins = _bins(found["edges"])
    rows: list[list[Value]] = [
        [name, Cell(one["n"], digits=1), _mean(one), _std(one), *one["counts"]]
        for name, one in zip(QUARTERS, found["subsets"], strict=True)
    ]
    return Table(
        ["Subset", "Texts", "Mean", "SD", *bins],
        rows,
        f"The four quality subsets by {result['aspect']}: size, mean and standard"
        f" deviation of the human scores, means over {found['repeats']} draws; texts by"
        " human score in the first draw.",
        groups=[("", 1), ("All draws", 3), ("First draw, texts by score", len(bins))],
        title=f"Human scores of {result['aspect']} in each subset",
    )


def _subsets_notes(result: Result) -> str:
    return (
        "Bars have equal widths from the lowest to the highest human score; each but"
        " the last leaves out its upper end. The subsets are the same for all metrics"
        f" and depend on the seed. Of {result['n']} rated texts."
    )


def _quality_chart(result: Result) -> go.Figure:
    """Figure 3: lines over the subsets, a little apart where bars would hide bars."""
    figure = go.Figure(layout=LAYOUT)
    rows = list(zip(result["outputs"], result["quality"]["rows"], strict=True))
    for k, (output, row) in enumerate(rows):
        shift = (k - (len(rows) - 1) / 2) * min(0.4 / len(rows), 0.06)
        figure.add_trace(_line(output, row, shift))
    figure.update_xaxes(
        **AXIS,
        title=SUBSETS,
        tickvals=list(range(len(QUARTERS))),
        ticktext=list(QUARTERS),
        range=[-0.4, len(QUARTERS) - 0.6],
    )
    title = f"{coefficient(result)} with {plain(result['aspect'])}"
    figure.update_yaxes(**ZERO, title=title)
    # On a phone, each name in the legend takes a line.
    legend = sum(full(output).count("<br>") + 1 for output, _ in rows)
    figure.update_layout(height=380 + 20 * legend)
    return figure


def _line(output: OutputName, row: OfQuality, shift: float) -> go.Scatter:
    shown = [
        j for j, one in enumerate(row["subsets"]) if one["mean"]["value"] is not None
    ]
    stds = [row["subsets"][j]["std"] or 0.0 for j in shown]
    look, name = mark_of(output), full(output)
    return go.Scatter(
        x=[j + shift for j in shown],
        y=[row["subsets"][j]["mean"]["value"] for j in shown],
        mode="lines+markers",
        name=name,
        marker={**look, "size": 8},
        line={
            "color": look["color"],
            "width": 1.5,
            "dash": "dot" if output["baseline"] else "solid",
        },
        error_y={"type": "data", "array": stds, "thickness": 1.5, "width": 0},
        customdata=[[QUARTERS[j], stds[k]] for k, j in enumerate(shown)],
        hovertemplate=(
            f"<b>{name}</b><br>subset %{{customdata[0]}}: "
            "%{y:.3f} ± %{customdata[1]:.3f}<extra></extra>"
        ),
    )


def _quality_table(result: Result) -> Table:
    found = result["quality"]
    rows: list[list[Value]] = []
    for output, row in zip(result["outputs"], found["rows"], strict=True):
        line: list[Value] = [link(output)]
        for one in row["subsets"]:
            line += [Cell.of(one["mean"], heat=True), _draws_std(one, found["repeats"])]
        rows.append([*line, Cell.of(row["stability"])])
    return Table(
        ["Metric", *(["Mean", "SD"] * len(QUARTERS)), "SD"],
        rows,
        f"{coefficient(result)} between metrics and human scores of {result['aspect']}"
        f" in quality subsets: mean and standard deviation over {found['repeats']}"
        " draws; standard deviation of the four means, with 95 % interval from"
        f" {DRAWS} resamples of prompts.",
        groups=[("", 1), *((f"Subset {q}", 2) for q in QUARTERS), ("Over subsets", 1)],
        title=f"{coefficient(result)} with {result['aspect']} by quality",
        empty=NO_METRIC,
    )


def _draws_std(one: OverDraws, repeats: int) -> Cell:
    if one["std"] is not None or one["mean"]["value"] is None:
        return Cell(one["std"], reason=one["mean"]["reason"] or "")
    return Cell(
        None, reason="only one draw" if repeats == 1 else "one draw has a value"
    )


def _quality_notes(result: Result) -> str:
    return (
        "Bars and SD within a subset say how much the draw matters, not how sure the"
        " number is. The last column is the standard deviation over the four subsets,"
        f" with its interval from {DRAWS:,} resamples of whole prompts: smaller is"
        f" steadier. {SPREAD} Subsets whose human scores differ less give smaller"
        " correlations whatever the metric does: the table of subsets has their SD."
    )


def _first_table(result: Result) -> Table:
    rows: list[list[Value]] = [
        [link(output), *(Cell.of(one["first"], heat=True) for one in row["subsets"])]
        for output, row in zip(
            result["outputs"], result["quality"]["rows"], strict=True
        )
    ]
    return Table(
        ["Metric", *(f"Subset {name}" for name in QUARTERS)],
        rows,
        f"{coefficient(result)} between metrics and human scores of {result['aspect']}"
        " in the first draw of each quality subset.",
        title="The first draw alone",
        empty=NO_METRIC,
    )
