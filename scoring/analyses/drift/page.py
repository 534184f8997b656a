"""Model drift and quality drift (figures 2 and 3 of the paper on CTRLEval)."""

from __future__ import annotations

from functools import partial

import plotly.graph_objects as go

from scoring.analyses.drift.result import OverDraws, Result, Spread
from scoring.analyses.needs import JUDGED
from scoring.analyses.shared.page_basis import WITHIN, compared, why
from scoring.analyses.shared.page_metrics import INTERVALS, link, rung
from scoring.analyses.shared.page_words import coefficient
from scoring.drawing.charts import AXIS, COLOURS, LAYOUT, plain
from scoring.drawing.heatmaps import heatmap
from scoring.drawing.ladders import Panel, Rung, best_first, ladder
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value
from scoring.stats.counts import DRAWS
from scoring.stats.estimates import Number

LEAD = (
    "Does a metric agree with people on every system's texts, and on good and poor"
    " texts alike?"
)
NEED = JUDGED
MOST_PANELS = 6  # side by side; more systems are a heat map
SUBSETS = {"text": "Quality subset", "standoff": 10}
QUARTERS = ("0, lowest", "1", "2", "3, highest")
SPREAD = (
    "Chance alone makes correlations differ. The interval is for the spread that would"
    " remain with an unlimited number of texts: it starts at 0 where chance alone may"
    " explain the spread, and may lie below the number itself."
)
NO_METRIC = "No metric has scores of these texts."


def sections(result: Result) -> list[Section]:
    result = _ordered(result)
    return [*_model(result), *_quality(result)]


def _ordered(result: Result) -> Result:
    """Metrics that agree best with people first, in every part of the page."""
    model, quality = result["model"], result["quality"]
    if model["rows"]:
        order = best_first([[row["pooled"] for row in model["rows"]]])
    elif quality["rows"]:
        subsets = range(len(QUARTERS))
        rows = quality["rows"]
        order = best_first(
            [[row["subsets"][k]["mean"] for row in rows] for k in subsets]
        )
    else:
        return result
    return {
        **result,
        "outputs": [result["outputs"][k] for k in order],
        "model": {**model, "rows": [model["rows"][k] for k in order if model["rows"]]},
        "quality": {
            **quality,
            "rows": [quality["rows"][k] for k in order if quality["rows"]],
        },
    }


# Texts of each system ----------------------------------------------------------------


def _model(result: Result) -> list[Section]:
    found, title = result["model"], "Model drift"
    if found["reason"]:
        words = f"No numbers by system: {found['reason']}."
        return [Section("model", title, words)]
    words = (
        "How well a metric agrees with people on one system's texts at a time. A metric"
        " that only tells systems apart does worse here than among texts of all."
    )
    rows = found["rows"]
    chart = partial(_model_chart, result) if rows else None
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
            "If people see little difference between texts, every metric agrees less"
            " with them. So compare metrics within one system first.",
            tables={"systems": _systems_table(result)},
        ),
    ]


def _model_chart(result: Result) -> go.Figure:
    found = result["model"]
    title = f"{coefficient(result)} with {plain(result['aspect'])}"
    names = [one["name"] for one in found["systems"]]
    columns = [[row["pooled"] for row in found["rows"]]]
    columns += [[row["within"][k] for row in found["rows"]] for k in range(len(names))]
    titles = [_all(result), *names]
    if len(titles) > MOST_PANELS:
        values = [[cells[k]["value"] for cells in columns] for k in _places(result)]
        rows = [rung(output).name for output in result["outputs"]]
        return heatmap(rows, titles, values, middle=0, ends=(-1, 1))
    panels = [Panel(*both) for both in zip(columns, titles, strict=True)]
    return ladder(_rungs(result), panels, x_title=title)


def _rungs(result: Result) -> list[Rung]:
    return [rung(output) for output in result["outputs"]]


def _places(result: Result) -> range:
    return range(len(result["outputs"]))


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
        ["Metric", *(one["name"] for one in found["systems"]), _all(result), "SD"],
        rows,
        f"{coefficient(result)} between metrics and human scores of {result['aspect']}"
        " among all texts of each system, with 95 % intervals by the jackknife over"
        f" prompts; {_all(result)}: {compared(result)}; SD of the"
        f" correlations over the systems. Rated texts: {sizes}.",
        notes=[f"{_all(result)}: {one}" for one in why(result)],
        title=f"{coefficient(result)} with {result['aspect']} by system",
        empty=NO_METRIC,
    )


def _all(result: Result) -> str:
    """Of what the number of other pages is, beside those of single systems."""
    by_prompt = result["grouping"] == "item"
    return "All systems, by prompt" if by_prompt else "All systems"


def _model_notes(result: Result) -> str:
    left = result["model"].get("unnamed", 0)
    texts = "text has" if left == 1 else "texts have"
    unnamed = f" {left} {texts} no system and are left out." if left else ""
    return (
        "A column of one system compares all texts of that system, whatever the prompt."
        f" {INTERVALS} SD is the standard deviation of a metric's correlations over the"
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
            "Texts are sorted by human score (ties in random order) and cut into four"
            " quarters. Subset j takes a text of quarter i with probability"
            " 1 / (|j − i| + 1), so subset 0 has more poor texts and subset 3 more good"
            " ones.",
            partial(_histogram, result),
            alt="How many texts of each score the first draw of each subset has.",
            tables={"subsets": _subsets_table(result)},
            after=_subsets_notes(result),
        ),
        Section(
            "quality",
            f"{title}: agreement in each set",
            "How well a metric agrees with people on each of these subsets.",
            partial(_quality_chart, result) if found["rows"] else None,
            alt=f"{coefficient(result)} of each metric in each quality subset.",
            tables={"quality": _quality_table(result)},
            after=_quality_notes(result),
        ),
        Section(
            "first-draw",
            "One draw of the subsets",
            "The first draw only: what a single draw would have shown.",
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
    """Figure 3, with a panel for each subset: lines of many metrics hide each other."""
    panels = [
        Panel(
            [_with_spread(row["subsets"][k]) for row in result["quality"]["rows"]],
            f"Subset {name}",
        )
        for k, name in enumerate(QUARTERS)
    ]
    title = f"{coefficient(result)} with {plain(result['aspect'])}, bars: SD over draws"
    return ladder(_rungs(result), panels, x_title=title)


def _with_spread(found: OverDraws) -> Number:
    """The mean over draws with one SD either way in the place of its interval."""
    mean, std = found["mean"], found["std"]
    if mean["value"] is None or std is None:
        return mean
    return {**mean, "low": mean["value"] - std, "high": mean["value"] + std}


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
        f" in quality subsets, {_in_each(result)}: mean and standard deviation over"
        f" {found['repeats']} draws; standard deviation of the four means, with 95 %"
        f" interval from {DRAWS} resamples of prompts.",
        groups=[("", 1), *((f"Subset {q}", 2) for q in QUARTERS), ("Over subsets", 1)],
        notes=[] if result["model"]["rows"] else why(result),
        title=f"{coefficient(result)} with {result['aspect']} by quality",
        empty=NO_METRIC,
    )


def _in_each(result: Result) -> str:
    """Which texts of a subset are compared: it has fewer of a prompt than the study."""
    return WITHIN[result["grouping"]] or "over all texts of each"


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
        f" in the first draw of each quality subset, {_in_each(result)}.",
        title="The first draw alone",
        empty=NO_METRIC,
    )
