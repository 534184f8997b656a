"""Rankings of systems, by people and by metrics, and how they compare."""

from __future__ import annotations

from functools import partial

import plotly.graph_objects as go

from scoring.analyses.needs import Missing, Need
from scoring.analyses.shared import page_systems
from scoring.analyses.shared.page_basis import link
from scoring.analyses.shared.page_metrics import mark, rung
from scoring.analyses.shared.page_words import n_of
from scoring.analyses.systems.page_beyond_chance import beyond_chance
from scoring.analyses.systems.page_levels import levels
from scoring.analyses.systems.result import (
    Aspect,
    Metric,
    Result,
    System,
    Target,
)
from scoring.drawing.charts import AXIS, LAYOUT, NAMES, plain
from scoring.drawing.ladders import ROW, Panel, Rung, best_first, ladder
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value

LEAD = "Which system writes best, and do metrics agree?"
NEED = Need(
    lambda facts: facts.systems > 1,
    Missing(
        "Needs texts of two or more systems: name the system of each text in the"
        " file that you import.",
        "Import texts",
        "study_import",
    ),
)
MOST_RANKINGS = 12  # metrics in the chart of ranks
FRAME = 120  # pixels around the rows
UNDIRECTED = "closeness to human text is what counts"
NO_DIRECTION = f"{UNDIRECTED}: no system is first"


def sections(result: Result) -> list[Section]:
    if not result["systems"]:
        words = (
            "This page ranks systems by human scores and by metrics. No text names its"
            " system, or your options exclude all systems."
        )
        return [Section("people", "No systems", words)]
    result, left_out = _with_numbers(result)
    return [
        _people(result),
        *_differences(result),
        _metrics(result, left_out),
        *beyond_chance(result),
        *levels(result),
    ]


def _with_numbers(result: Result) -> tuple[Result, list[str]]:
    """The result without metrics of systems that have no number, and their names.

    A metric of whole systems gives some of its numbers with a corpus only.
    """
    empty = {
        one["id"]: one["label"]
        for one in result["metrics"]
        if one.get("of_system") and all(c["value"] is None for c in one["means"])
    }
    metrics = [m for m in result["metrics"] if m["id"] not in empty]
    targets: list[Target] = [
        {**target, "rows": [row for row in target["rows"] if row["id"] not in empty]}
        for target in result["targets"]
    ]
    kept: Result = {**result, "metrics": metrics, "targets": targets}
    return kept, sorted(set(empty.values()))


# People ------------------------------------------------------------------------------


def _people(result: Result) -> Section:
    rated = [one for one in result["aspects"] if _has(one)]
    return Section(
        "people",
        "Ranked by people",
        _tested(result),
        partial(_people_chart, result, rated) if rated else None,
        alt="Mean human score of each system on each aspect, with intervals.",
        tables={"people": _people_table(result)},
        after=_people_notes(result),
    )


def _has(aspect: Aspect) -> bool:
    return any(row["mean"]["value"] is not None for row in aspect["rows"])


def _tested(result: Result) -> str:
    """What may be concluded at all."""
    systems, units = len(result["systems"]), result["n_units"]
    unknown = result["n_unknown"]
    left = f" {n_of(unknown, 'text')} without a system left out." if unknown else ""
    said = f"{n_of(systems, 'system')} on {n_of(units, 'prompt')}.{left}"
    if systems < 2:
        return f"{said} With one system there is nothing to rank."
    rated = [one for one in result["aspects"] if _has(one)]
    if not rated:
        return f"{said} Nobody has rated these texts yet."
    if not all(one["testable"] for one in rated):
        return (
            f"{said} Differences are tested only with 5 or more rated prompts, so every"
            " rank is possible."
        )
    return said


def _people_chart(result: Result, rated: list[Aspect]) -> go.Figure:
    """A panel for each aspect; systems by the mean of their ranks, first is best."""
    systems = result["systems"]
    ranks: list[list[dict[str, float | None]]] = [
        [{"value": row["rank_of_mean"]} for row in one["rows"]] for one in rated
    ]
    order = best_first(ranks, lowest=True)
    rungs = [
        Rung(systems[k]["system"], mark(systems[k]["place"]), aside=False)
        for k in order
    ]
    panels = [
        Panel(
            [one["rows"][k]["mean"] for k in order],
            one["title"] + ("" if one["higher_is_better"] else " (lower is better)"),
            unit=one["unit"],
        )
        for one in rated
    ]
    return ladder(rungs, panels, x_title="Mean human score", zero=None)


def _aspect_name(aspect: Aspect) -> str:
    backwards = "" if aspect["higher_is_better"] else " (lower is better)"
    return f"{plain(aspect['title'])}{backwards}"


def _people_table(result: Result) -> Table:
    aspects = result["aspects"]
    order = aspects[0]["order"] if aspects else range(len(result["systems"]))
    failed = _n_no_output(result) > 0
    about = ["System", "Texts", *(["No output"] if failed else [])]
    rows: list[list[Value]] = []
    for k in order:
        system = result["systems"][k]
        row: list[Value] = [page_systems.named(system), system["n_texts"]]
        row += [system["n_no_output"]] if failed else []
        for one in aspects:
            found = one["rows"][k]
            best, worst = found["range"] or (None, None)
            why = found["mean"]["reason"] or ""
            rank = found["rank"]
            row += [
                Cell.of(found["mean"], bold=_is_best(one, k)),
                page_systems.rank(best, worst, why),
                rank if rank is not None else Cell(None, reason=why),
            ]
        rows.append(row)
    lower = [one["title"] for one in aspects if not one["higher_is_better"]]
    backwards = f" Lower is better: {', '.join(lower)}." if lower else ""
    return Table(
        [*about, *["Mean", "Rank", "Cluster"] * len(aspects)],
        rows,
        "Mean human scores of systems, with 95 % intervals of t over prompts (CR2),"
        f" ranges of ranks and clusters.{backwards}",
        groups=[("", len(about)), *((one["title"], 3) for one in aspects)],
        title="Human scores of each system",
    )


def _is_best(aspect: Aspect, system: int) -> bool:
    """Significantly better than every other one."""
    return aspect["rows"][system]["range"] == [1, 1] and len(aspect["rows"]) > 1


def _people_notes(result: Result) -> str:
    return (
        "Each text counts once, however many ratings it has. Intervals are for new"
        " prompts to these systems. Every pair of systems is compared over the"
        " same prompts (Student's t), which allows for prompts that are hard for all."
        " So two systems can differ significantly even if their intervals overlap."
        " Rank: the best and worst rank that the tests allow, at 5 % for all pairs of"
        " an aspect together (Holm's correction). Cluster: from the best system down, a"
        " new cluster begins when some system of the current one is significantly"
        " better. Bold: significantly better than all others."
    )


# Differences -------------------------------------------------------------------------


def _differences(result: Result) -> list[Section]:
    tables = {
        f"differences-{number}": _difference_table(result, one)
        for number, one in enumerate(result["aspects"], 1)
        if one["differences"]
    }
    if not tables:
        return []
    after = (
        "Difference: mean of the first minus mean of the second, with its 95 %"
        " interval. p is two-sided, of Student's t over prompts. Adjusted p allows for"
        " all pairs of the aspect (Holm's method)."
    )
    title = "Differences between systems"
    return [Section("differences", title, tables=tables, after=after, folded=True)]


def _difference_table(result: Result, aspect: Aspect) -> Table:
    names = [system["system"] for system in result["systems"]]
    rows: list[list[Value]] = [
        [
            f"{names[one['first']]} – {names[one['second']]}",
            Cell.of(one["difference"]),
            Cell.of(one["p"]),
            Cell.of(one["adjusted"], bold=(one["adjusted"]["value"] or 1) < 0.05),
        ]
        for one in aspect["differences"]
    ]
    return Table(
        ["Systems", "Difference", "p", "Adjusted p"],
        rows,
        f"Differences of mean {aspect['title']} between systems, with 95 % intervals"
        " and p of t over prompts (CR2, Satterthwaite's degrees of freedom);"
        f" p adjusted for {n_of(aspect['family'], 'test')}.",
        title=f"{aspect['title']}: differences",
    )


# Metrics -----------------------------------------------------------------------------


def _metrics(result: Result, left_out: list[str]) -> Section:
    chart = partial(_rank_chart, result) if len(result["systems"]) > 1 else None
    lead = "The same systems, ranked by the mean score of each metric."
    cut = ""
    if len(_ranking(result)) > MOST_RANKINGS:
        cut = f" The chart shows the first {MOST_RANKINGS} metrics, the table all."
    return Section(
        "metrics",
        "Ranked by metrics",
        f"{lead} Lines cross where two rankings order systems differently.{cut}"
        if chart
        else lead,
        chart,
        alt="Rank of each system by people and by each metric.",
        tables={"metrics": _metrics_table(result)},
        after=(
            "Below each mean is its 95 % interval of t over prompts, and beside it the"
            " rank by this mean alone. Differences between means are not tested here."
            " If a metric scores whole systems and involves chance, its value is the"
            " mean over seeds ± a standard deviation: over seeds, or over texts if the"
            " metric gives one. Metrics that measure"
            " closeness to human text rank no system."
            f"{_said_of(left_out)}{_said_of_no_output(result)}"
        ),
    )


def _said_of(left_out: list[str]) -> str:
    if not left_out:
        return ""
    names = ", ".join(left_out)
    return f" Left out, because no system has a score (see their runs): {names}."


def _n_no_output(result: Result) -> int:
    return sum(system["n_no_output"] for system in result["systems"])


def _said_of_no_output(result: Result) -> str:
    """What an empty text does to a mean, if there is one."""
    if not (n := _n_no_output(result)):
        return ""
    without = [m["label"] for m in result["metrics"] if m.get("n_without")]
    names = ", ".join(dict.fromkeys(without))
    gains = (
        f" Metrics that give some of them no score, so that a system gains: {names}."
        if names
        else ""
    )
    return (
        f" {n_of(n, 'text')} {'is' if n == 1 else 'are'} empty, as the system gave no"
        " output. They count in these means, and in metrics of whole systems. People"
        " rate no such text, so correlations with people leave them out; metrics of"
        f" whole systems have them there, too.{gains}"
    )


def _ranking(result: Result) -> list[Metric]:
    """Metrics that the chart could have, had it room for all."""
    return [m for m in result["metrics"] if any(m["ranks"]) and not m["baseline"]]


def _rank_chart(result: Result) -> go.Figure | None:
    """Rankings down, ranks across, a line for each system."""
    metrics = _ranking(result)[:MOST_RANKINGS]
    rankings = [
        (
            f"<b>People: {_aspect_name(one)}</b>",
            [row["rank_of_mean"] for row in one["rows"]],
        )
        for one in result["aspects"]
        if _has(one)
    ]
    rankings += [(plain(rung(one).name), one["ranks"]) for one in metrics]
    if len(rankings) < 2:
        return None
    names = [name for name, _ in rankings]
    figure = go.Figure(layout=LAYOUT)
    for k, system in enumerate(result["systems"]):
        figure.add_trace(_line(system, [ranks[k] for _, ranks in rankings], names))
    n = len(result["systems"])
    figure.update_xaxes(
        **{**AXIS, "showgrid": True},
        title={"text": "Rank by the mean, 1 = best", "standoff": 10},
        range=[0.6, n + 0.4],
        dtick=max(1, n // 10),
        tick0=1,
    )
    figure.update_yaxes(
        **NAMES,
        tickvals=list(range(len(names))),
        ticktext=names,
        range=[len(names) - 0.5, -0.6],
    )
    return figure.update_layout(height=FRAME + ROW * len(names))


def _line(
    system: System,
    ranks: list[float | None],
    names: list[str],
) -> go.Scatter:
    look, name = mark(system["place"]), plain(system["system"])
    return go.Scatter(
        x=ranks,
        y=list(range(len(names))),
        mode="lines+markers",
        name=name,
        line={"color": look["color"], "width": 2},
        marker={**look, "size": 9},
        customdata=names,
        hovertemplate=f"<b>{name}</b><br>%{{customdata}}: rank %{{x}}<extra></extra>",
    )


def _metrics_table(result: Result) -> Table:
    systems = result["systems"]
    rows: list[list[Value]] = []
    for one in result["metrics"]:
        row: list[Value] = [link(one)]
        near = one.get("closeness")
        unranked = f"{UNDIRECTED}: see {near}" if near else NO_DIRECTION
        unranked = one.get("unranked", unranked)
        for mean, rank in zip(one["means"], one["ranks"], strict=True):
            why = mean["reason"] if mean["value"] is None else unranked
            ranked = Cell(rank, digits=0 if rank is None or rank % 1 == 0 else 1)
            row += [
                Cell.of(mean),
                ranked if rank is not None else Cell(None, reason=why or unranked),
            ]
        rows.append(row)
    return Table(
        ["Metric", *["Mean", "Rank"] * len(systems)],
        rows,
        "Mean score of each system by each metric, with 95 % intervals of t over"
        " prompts (CR2), and its rank.",
        groups=[("", 1), *((system["system"], 2) for system in systems)],
        title="Means and ranks by each metric",
        empty="No metric has scored these texts.",
    )
