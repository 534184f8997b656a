"""How much people changed (HTER), and which references make metrics agree with them."""

from __future__ import annotations

from functools import partial

import plotly.graph_objects as go

from scoring.analyses.needs import Missing, Need
from scoring.analyses.references.result import ByKind, Effort, Result, Spread
from scoring.analyses.shared.page_basis import compared, why
from scoring.analyses.shared.page_metrics import INTERVALS, link
from scoring.analyses.shared.page_words import coefficient, n_of
from scoring.drawing.charts import AXIS, COLOURS, LAYOUT, plain
from scoring.drawing.ladders import Panel, Rung, ladder
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value

LEAD = (
    "How much did people have to change, and do metrics agree with people better if"
    " they read these corrections?"
)
NEED = Need(
    lambda facts: facts.corrected,
    Missing(
        "Needs corrections: texts as people edited them until they were right.",
        "Import texts",
        "study_import",
    ),
)
KINDS = {
    "prewritten": "Written for the prompt",
    "targeted": "The text's own corrections",
    "all": "Both",
}
NO_HTER = (
    "When TER has scored the texts against their own corrections, this page shows how"
    " much people changed. Choose the metric TER, and under its options the references"
    " “the text's own corrections”."
)
NO_KINDS = (
    "No metric has scored this study with two kinds of reference yet. Run a metric that"
    " reads references twice: once with those written for the prompt, once with the"
    " text's own corrections."
)


def sections(result: Result) -> list[Section]:
    effort = [_effort(result, one, k) for k, one in enumerate(result["effort"])]
    return [
        *(effort or [Section("hter", "HTER of the texts", NO_HTER)]),
        _kinds(result),
    ]


# How much people changed -------------------------------------------------------------


def _effort(result: Result, found: Effort, k: int) -> Section:
    key = f"hter-{k}" if k else "hter"
    variant = found["output"]["variant"]
    without = found["without"]
    left_out = (
        f" {n_of(without, 'text has', 'texts have')} no correction and"
        f" {'is' if without == 1 else 'are'} left out."
        if without
        else ""
    )
    return Section(
        key,
        f"HTER of the texts ({variant})" if k else "HTER of the texts",
        "Edits that turn a text into its own correction, per 100 words of the"
        " correction. 0: nothing had to be changed. A text is compared with no other"
        " text's correction.",
        partial(_histogram, result, found["rows"]),
        alt="How many texts needed how many edits per 100 words.",
        tables={
            key: _by_system(found, variant),
            f"{key}-bins": _bins_table(result, found),
        },
        after=(
            "An edit inserts, deletes or replaces a word, or moves a run of words (TER,"
            f" Snover et al. 2006). {INTERVALS}{left_out}"
        ),
    )


def bins(result: Result) -> list[str]:
    """Names of the bins: 0 alone, then ranges that leave out their lower end."""
    ends = [f"{end:g}" for end in result["ends"]]
    between = [f"{low}–{high}" for low, high in zip(ends, ends[1:], strict=False)]
    return [ends[0], *between, f"over {ends[-1]}"]


def _histogram(result: Result, rows: list[Spread]) -> go.Figure:
    figure = go.Figure(layout=LAYOUT)
    figure.add_trace(
        go.Bar(
            x=bins(result),
            y=rows[0]["counts"],
            marker={"color": COLOURS[0]},
            hovertemplate="<b>%{x}</b> edits per 100 words<br>%{y:,} texts"
            "<extra></extra>",
        )
    )
    margin = {**LAYOUT["margin"], "b": 84}
    figure.update_layout(bargap=0.08, height=340, showlegend=False, margin=margin)
    figure.update_xaxes(
        **{**AXIS, "showgrid": False},
        title={"text": "Edits per 100 words (HTER)", "standoff": 12},
        type="category",
    )
    figure.update_yaxes(**AXIS, title="Texts")
    return figure


def _name(row: Spread) -> str:
    return row["system"] or "All texts"


def _by_system(found: Effort, variant: str) -> Table:
    rows: list[list[Value]] = [
        [
            _name(row),
            row["mean"]["n"],
            Cell.of(row["mean"], digits=1),
            Cell(row["median"], digits=1, reason=row["mean"]["reason"] or ""),
            row["untouched"],
        ]
        for row in found["rows"]
    ]
    about = f" ({variant})" if variant else ""
    return Table(
        ["System", "Texts", "Mean HTER", "Median", "Nothing changed"],
        rows,
        f"HTER of the texts of each system{about}: mean with its 95 % interval of t"
        " over prompts, median, and texts in which nothing was"
        " changed.",
        title="HTER by system",
    )


def _bins_table(result: Result, found: Effort) -> Table:
    names = bins(result)
    return Table(
        ["System", *names],
        [[_name(row), *row["counts"]] for row in found["rows"]],
        "Texts by HTER, in edits per 100 words of the correction. Each range leaves out"
        " its lower end.",
        title="Texts by HTER",
    )


# Which references agree with people --------------------------------------------------


def _kinds(result: Result) -> Section:
    title = "Which references make which metric agree with people"
    alone = result["alone"]
    missing = (
        f" Scored with one kind of reference only: {', '.join(alone)}." if alone else ""
    )
    if not result["rows"]:
        return Section("kinds", title, NO_KINDS + missing)
    return Section(
        "kinds",
        title,
        "Each metric with references written for the prompt, with corrections of the"
        " very text, and with both; on the same texts.",
        partial(_chart, result),
        alt=f"{coefficient(result)} of each metric, by the kind of reference.",
        tables={"kinds": _values(result), "kinds-differences": _differences(result)},
        after=(
            f"{INTERVALS} A difference has its interval and its p over the same"
            " prompts (Student's t). Adjusted p: by Holm, for the"
            f" {n_of(result['family'], 'test')} of this table.{missing}"
        ),
    )


def _chart(result: Result) -> go.Figure:
    rows = result["rows"]
    panels = [
        Panel([row["values"][k] for row in rows], KINDS[kind])
        for k, kind in enumerate(result["kinds"])
        if any(row["values"][k]["value"] is not None for row in rows)
    ]
    rungs = [Rung(row["output"]["label"]) for row in rows]
    aspects = list(dict.fromkeys(row["aspect"] for row in rows))
    about = aspects[0] if len(aspects) == 1 else "the matching aspect"
    return ladder(rungs, panels, x_title=f"{coefficient(result)} with {plain(about)}")


def _values(result: Result) -> Table:
    rows: list[list[Value]] = [
        [
            link(row["output"]),
            row["aspect"],
            row["n"],
            *(Cell.of(value, heat=True) for value in row["values"]),
        ]
        for row in result["rows"]
    ]
    return Table(
        ["Metric", "Aspect", "Texts", *(KINDS[kind] for kind in result["kinds"])],
        rows,
        f"{coefficient(result)} between human scores and each metric, by the references"
        f" that it reads, {compared(result)}; of these, those that have a score with"
        " each kind; 95 % intervals of t over prompts.",
        notes=why(result),
        title=f"{coefficient(result)} by kind of reference",
    )


def _differences(result: Result) -> Table:
    rows: list[list[Value]] = [
        line for row in result["rows"] for line in _lines(result, row)
    ]
    return Table(
        ["Metric", "References", "Compared with", "Difference", "p", "Adjusted p"],
        rows,
        f"Differences of {coefficient(result)} between kinds of reference, on the same"
        f" texts, {compared(result)}, with 95 % intervals and p of t over prompts, and"
        f" p adjusted by Holm for {result['family']} tests.",
        title=f"Differences of {coefficient(result)}",
    )


def _lines(result: Result, row: ByKind) -> list[list[Value]]:
    """One for each kind but the first that there is."""
    base, *others = row["scored"]
    found: list[list[Value]] = []
    for k in others:
        one = row["differences"][k]
        why = one["reason"] or ""
        found.append(
            [
                link(row["output"]),
                KINDS[result["kinds"][k]],
                KINDS[result["kinds"][base]],
                Cell.of(one["difference"], heat=True),
                Cell(one["p"], reason=why),
                Cell(one["adjusted"], reason=why),
            ]
        )
    return found
