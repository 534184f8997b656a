"""What metrics make of damaged texts, beside what people made of them."""

from __future__ import annotations

import plotly.graph_objects as go

from scoring.drawing.charts import COLOURS, LAYOUT, NAMES, UNKNOWN, plain
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value
from scoring.results.showing._dots import Series, dots
from scoring.results.showing._metrics import link, short
from scoring.results.showing._noticing import unseen
from scoring.stats.analyses.results.common import Number
from scoring.stats.analyses.results.diagnosis import Result

LEAD = "Which damage to a text do metrics notice, and which do only people notice?"
PEOPLE, SINGLE = "People, mean", "People, one rater"
SAME = "the same on average as of the means"
FEW_TEXTS = "each rater sees a few of the texts only"
INTERVALS = (
    "Below each number stands its 95 % interval. Negatives are few, so it is not from"
    " resampling: of differences it is that of the t distribution over prompts, of"
    " shares that of Wilson, and negatives of one prompt count as one where they are"
    " alike. It needs three prompts."
)


class Scored(Result):
    """A result of the metrics alone that have scores of the negatives."""

    waiting: int  # so many others


def sections(result: Result) -> list[Section]:
    if not result["n"]:
        return [Section("overall", "Nothing to compare", _nothing(result))]
    scored = _scored(result)
    return [
        _overall(scored),
        _kinds(scored),
        _distances(scored),
        unseen(scored),
        _people(scored),
    ]


def _nothing(result: Result) -> str:
    if result["n_negatives"]:
        return "No negative was made of the texts that are chosen."
    return (
        "The study has no negatives: texts damaged on purpose, one on each page, that"
        " are made when its surveys are drawn."
    )


def _negatives(n: int) -> str:
    return f"{n} negative{'' if n == 1 else 's'}"


# All negatives ------------------------------------------------------------------------


def _overall(result: Scored) -> Section:
    return Section(
        "overall",
        "Overall",
        f"The study has {_negatives(result['n'])}: a text of the study, damaged, on"
        " each page that people rate. Who notices the damage puts a negative below the"
        f" undamaged text: always would be 1, by chance 0.5.{_waiting(result)}",
        _overall_chart(result),
        alt="Share of negatives that each metric, and people, put below their source.",
        tables={"overall": _overall_table(result)},
        after=_overall_notes(result),
    )


def _scored(result: Result) -> Scored:
    kept = [k for k, row in enumerate(result["rows"]) if row["scored"]]
    return {
        **result,
        "outputs": [result["outputs"][k] for k in kept],
        "rows": [result["rows"][k] for k in kept],
        "seen": [result["seen"][k] for k in kept],
        "waiting": len(result["rows"]) - len(kept),
    }


def _waiting(result: Scored) -> str:
    n = result["waiting"]
    if not n:
        return ""
    numbers = f"{n} number{'' if n == 1 else 's'} of metrics"
    verb = "is" if n == 1 else "are"
    return f" {numbers} of this study {verb} not here: no negative has it yet."


def _overall_chart(result: Scored) -> go.Figure:
    people = result["people"]["judged"][-1]
    rows = [PEOPLE, SINGLE, *(short(output) for output in result["outputs"])]
    shares = [row["parts"][-1]["share"] for row in result["rows"]]
    blue, orange = COLOURS[:2]
    ours = [people["share"], people["single"], *(None for _ in shares)]
    figure = dots(
        rows,
        [
            Series("people", ours, {"color": orange, "symbol": "diamond"}),
            Series("metrics", [None, None, *shares], {"color": blue}),
        ],
        x_title="Share of negatives<br>below undamaged text",
    )
    for trace, shift in zip(figure.data, (0.125, -0.125), strict=True):
        trace.y = [y + shift for y in trace.y]  # one dot in each row: in its middle
    figure.add_vline(x=0.5, line={"color": UNKNOWN, "width": 1, "dash": "dash"})
    figure.update_xaxes(range=[-0.02, 1.02], zeroline=False)
    return figure


def _overall_table(result: Scored) -> Table:
    people = result["people"]["judged"][-1]
    none = Cell(None, reason=FEW_TEXTS)
    rows: list[list[Value]] = [
        [PEOPLE, Cell.of(people["share"]), Cell.of(people["sds"], heat=True), none],
        [SINGLE, Cell.of(people["single"]), Cell(None, reason=SAME), none],
    ]
    rows += [
        [
            link(output),
            Cell.of(row["parts"][-1]["share"]),
            Cell.of(row["parts"][-1]["sds"], heat=True),
            Cell.of(row["auc"]),
        ]
        for output, row in zip(result["outputs"], result["rows"], strict=True)
    ]
    return Table(
        ["Who", "Share below", "Difference in SD", "AUC"],
        rows,
        "Damaged texts against the undamaged texts they were made of: share that is"
        " scored lower, mean difference in standard deviations of the texts' scores,"
        " and area under the ROC curve of all texts against all negatives, with 95 %"
        f" intervals. {_negatives(result['n'])}, {result['n_texts']} texts.",
        title="All negatives",
    )


def _overall_notes(result: Scored) -> str:
    return (
        "Share below: of the negatives, ties count half. People, mean: the mean of all"
        " ratings of a negative, on the aspects that its damage should lower, against"
        " the mean of the ratings that others gave its undamaged text. People, one"
        " rater: the same of each rater alone. Difference: damaged minus undamaged, in"
        " standard deviations (SD) of a metric's scores, or of the mean ratings, over"
        " the texts; it should be negative. AUC: how well one threshold tells all texts"
        " from all negatives, 0.5 by chance; it also depends on how much the undamaged"
        f" texts differ. Its interval is from {result['draws']:,} resamples of whole"
        f" prompts. {INTERVALS} A metric without a direction is taken as it is."
    )


# Each kind of damage ------------------------------------------------------------------


def _header(result: Scored) -> list[str]:
    return ["Who", *(kind["name"] for kind in result["kinds"]), "All"]


def _kinds(result: Scored) -> Section:
    return Section(
        "kinds",
        "By perturbation",
        "The same share for each kind of damage. Orange: damaged texts are below their"
        " undamaged texts, as they should be; blue: they are above.",
        _heat_chart(result),
        alt="Share of negatives below their source, by metric and perturbation.",
        tables={"kinds": _shares_table(result)},
        after="Each cell rests on a few negatives only: its interval says how little it"
        " may mean. The aspects that a perturbation should lower stand in the last"
        " table of this page: a metric of another aspect need not notice it.",
    )


def _shares(result: Scored) -> list[tuple[Value, list[Number]]]:
    """Rows of the heat map and its table: who, and a cell for each column."""
    people = result["people"]["judged"]
    rows: list[tuple[Value, list[Number]]] = [
        (PEOPLE, [part["share"] for part in people]),
        (SINGLE, [part["single"] for part in people]),
    ]
    return rows + [
        (link(output), [part["share"] for part in row["parts"]])
        for output, row in zip(result["outputs"], result["rows"], strict=True)
    ]


def _shares_table(result: Scored) -> Table:
    rows: list[list[Value]] = [
        [who, *(Cell.of(one) for one in cells)] for who, cells in _shares(result)
    ]
    sizes = ", ".join(f"{kind['name']} {kind['n']}" for kind in result["kinds"])
    return Table(
        _header(result),
        rows,
        "Share of damaged texts below the undamaged text they were made of, ties half,"
        f" with 95 % Wilson intervals. Negatives: {sizes}.",
        title="Share of negatives below their undamaged text",
    )


def _heat_chart(result: Scored) -> go.Figure:
    rows = _shares(result)
    names = [PEOPLE, SINGLE, *(short(output) for output in result["outputs"])]
    columns = [plain(name) for name in _header(result)[1:]]
    values = [[cell["value"] for cell in cells] for _, cells in rows]
    figure = go.Figure(layout=LAYOUT)
    figure.add_trace(
        go.Heatmap(
            z=values,
            x=columns,
            y=list(range(len(names))),
            zmin=0,
            zmax=1,
            colorscale=[
                [0, "rgba(0, 114, 178, 0.75)"],
                [0.5, "rgba(140, 140, 140, 0.15)"],
                [1, "rgba(230, 159, 0, 0.75)"],
            ],
            xgap=2,
            ygap=2,
            colorbar={
                "orientation": "h",
                **{"y": 1, "yanchor": "bottom", "thickness": 10, "len": 0.6},
                **{"x": 0, "xanchor": "left", "tickvals": [0, 0.5, 1]},
            },
            customdata=[
                [[name.replace("<br>", " "), cell["n"]] for cell in cells]
                for name, (_, cells) in zip(names, rows, strict=True)
            ],
            hovertemplate=(
                "<b>%{customdata[0]}</b> · %{x}<br>%{z:.3f}, n = %{customdata[1]}"
                "<extra></extra>"
            ),
        )
    )
    figure.update_xaxes(**NAMES, title="Perturbation", type="category", tickangle=-45)
    figure.update_yaxes(
        **NAMES,
        tickvals=list(range(len(names))),
        ticktext=names,
        range=[len(names) - 0.5, -0.5],
    )
    lines = max(name.count("<br>") + 1 for name in names)
    figure.update_layout(height=150 + len(names) * max(28, 19 * lines))
    return figure


def _distances(result: Scored) -> Section:
    rows: list[list[Value]] = [
        [
            PEOPLE,
            *(Cell.of(one["sds"], heat=True) for one in result["people"]["judged"]),
        ]
    ]
    rows += [
        [link(output), *(Cell.of(part["sds"], heat=True) for part in row["parts"])]
        for output, row in zip(result["outputs"], result["rows"], strict=True)
    ]
    table = Table(
        _header(result),
        rows,
        "Mean difference between damaged texts and the undamaged texts they were made"
        " of, in standard deviations of the scores over the texts, with 95 %"
        " intervals.",
        title="Damaged minus undamaged, in standard deviations",
    )
    return Section(
        "distances",
        "How far scores fall",
        "Orange: damaged texts score lower, as they should; blue: they score higher.",
        tables={"distances": table},
        after="People: the mean of all ratings on the aspects that the damage should"
        " lower, in standard deviations of the texts' mean ratings.",
    )


# People -------------------------------------------------------------------------------


def _people(result: Scored) -> Section:
    names = ["Points", "Mean", "One rater"]
    groups = [("", 3), ("All judged pages", 3)]
    columns = [result["people"]["judged"]]
    if result["n_discarded"]:
        groups.append(("Valid pages only", 3))
        columns.append(result["people"]["valid"])
    rows: list[list[Value]] = []
    hurts = [", ".join(kind["hurts"]) for kind in result["kinds"]]
    sizes = [kind["n"] for kind in result["kinds"]]
    for at, name in enumerate(_header(result)[1:]):
        line: list[Value] = [name, [*hurts, ""][at], [*sizes, result["n"]][at]]
        for column in columns:
            one = column[at]
            line.append(Cell.of(one["points"], digits=2))
            line += [Cell.of(one["share"]), Cell.of(one["single"])]
        rows.append(line)
    table = Table(
        ["Perturbation", "Should lower", "Negatives", *(names * len(columns))],
        rows,
        "Ratings of damaged texts against those that others gave the undamaged texts:"
        " mean difference in points of the scale, and share below of the means and of"
        " single raters, with 95 % intervals.",
        groups=groups,
        title="What people made of the negatives",
    )
    return Section(
        "people",
        "What people notice",
        "A metric can only be asked to notice what people notice. A perturbation that"
        " leaves their ratings as they were is no test of care either.",
        tables={"people": table},
        after=_people_notes(result),
    )


def _people_notes(result: Scored) -> str:
    of, n = result["n_discarded"], result["n_pages"]
    discarded = (
        f" {of} of {n} pages with a negative were discarded, mostly for what their"
        " negative got: among valid pages alone people seem to notice more than they"
        " do, so the numbers above this table are of all pages."
        if of
        else ""
    )
    return (
        "Points: negative minus undamaged text on the aspects that the damage should"
        " lower, turned so that higher is better; it should be negative. Mean and One"
        " rater: share of negatives, and of single pages, that are below."
        f"{discarded} {INTERVALS}"
    )
