"""What metrics make of damaged texts, beside what people made of them."""

from __future__ import annotations

from functools import partial

import plotly.graph_objects as go

from scoring.analyses.diagnosis.page_negatives import unseen
from scoring.analyses.diagnosis.result import Part, Result
from scoring.analyses.needs import Missing, Need
from scoring.analyses.shared.page_metrics import link, rung
from scoring.analyses.shared.page_words import n_of
from scoring.drawing.charts import UNKNOWN
from scoring.drawing.heatmaps import heatmap
from scoring.drawing.ladders import Panel, Rung, best_first, ladder
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value
from scoring.stats.estimates import Number

LEAD = "Which damage to a text do metrics notice, and which do only people notice?"
PEOPLE, SINGLE = "People, mean", "People, one rater"
NEED = Need(
    lambda facts: facts.negatives,
    Missing(
        "Needs damaged texts, which are made when the study opens.",
        "Set up the study",
        "study_setup",
    ),
)
SAME = "on average the same as for the means"
FEW_TEXTS = "each rater sees a few of the texts only"
INTERVALS = (
    "Below each number is its 95 % interval. For differences it uses the t distribution"
    " over prompts, for shares Wilson's method, and negatives of the same prompt count"
    " as one where they are alike. It needs five prompts, for shares three."
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
    return n_of(n, "negative")


# All negatives ------------------------------------------------------------------------


def _overall(result: Scored) -> Section:
    return Section(
        "overall",
        "Overall",
        f"The study has {n_of(result['n'], 'damaged text')} (negatives): one on each"
        " page that people rate. A metric that notices the damage scores it below the"
        " undamaged text. Always doing so is 1, chance is 0.5. Blue: notices. Orange:"
        f" prefers the damaged text.{_waiting(result)}",
        partial(_overall_chart, result),
        alt="Share of negatives that each metric, and people, put below their source.",
        tables={"overall": _overall_table(result)},
        after=_overall_notes(result),
    )


def _scored(result: Result) -> Scored:
    """Metrics with scores of negatives; first those that notice most."""
    rows = result["rows"]
    shares = [row["parts"][-1]["share"] if row["scored"] else None for row in rows]
    kept = [k for k in best_first([shares]) if rows[k]["scored"]]
    return {
        **result,
        "outputs": [result["outputs"][k] for k in kept],
        "rows": [rows[k] for k in kept],
        "seen": [result["seen"][k] for k in kept],
        "waiting": len(rows) - len(kept),
    }


def _waiting(result: Scored) -> str:
    n = result["waiting"]
    if not n:
        return ""
    verb = "is" if n == 1 else "are"
    return f" {n_of(n, 'metric')} {verb} not shown: no damaged text is scored yet."


def _overall_chart(result: Scored) -> go.Figure:
    people = result["people"]["judged"][-1]
    shares = [row["parts"][-1]["share"] for row in result["rows"]]
    ours = {"color": UNKNOWN, "symbol": "square"}
    rungs = [Rung(PEOPLE, ours), Rung(SINGLE, ours)]
    return ladder(
        [*rungs, *(rung(output) for output in result["outputs"])],
        [Panel([people["share"], people["single"], *shares])],
        x_title="Share of damaged texts below their undamaged text (0.5 is chance)",
        zero=0.5,
        ends=(0, 1),
    )


def _fall(part: Part) -> Cell:
    """Blue below zero: people rate damaged texts lower, so this agrees with them."""
    return Cell.of(part["sds"], heat=True, falls=True)


def _overall_table(result: Scored) -> Table:
    people = result["people"]["judged"][-1]
    none = Cell(None, reason=FEW_TEXTS)
    rows: list[list[Value]] = [
        [
            PEOPLE,
            Cell.of(people["share"]),
            _fall(people),
            none,
        ],
        [SINGLE, Cell.of(people["single"]), Cell(None, reason=SAME), none],
    ]
    rows += [
        [
            link(output),
            Cell.of(row["parts"][-1]["share"]),
            _fall(row["parts"][-1]),
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
        f" texts differ. Its interval is that of the jackknife over"
        f" prompts. {INTERVALS} A metric without a direction is taken as it is."
    )


# Each kind of damage ------------------------------------------------------------------


def _header(result: Scored) -> list[str]:
    return ["Who", *(kind["name"] for kind in result["kinds"]), "All"]


def _kinds(result: Scored) -> Section:
    return Section(
        "kinds",
        "By kind of damage",
        "The same share for each kind of damage. Blue: damaged texts score lower, as"
        " they should. Orange: they score higher.",
        partial(_heat_chart, result),
        alt="Share of negatives below their source, by metric and perturbation.",
        tables={"kinds": _shares_table(result)},
        after="Each cell rests on few damaged texts: check its interval. The last table"
        " of this page lists the aspects that each kind of damage should lower. A"
        " metric of another aspect need not notice it.",
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
    rows = [cells for _, cells in _shares(result)]
    return heatmap(
        [PEOPLE, SINGLE, *(rung(output).name for output in result["outputs"])],
        _header(result)[1:],
        [[cell["value"] for cell in cells] for cells in rows],
        middle=0.5,
        ends=(0, 1),
        said=[[f", n = {cell['n']}" for cell in cells] for cells in rows],
    )


def _distances(result: Scored) -> Section:
    rows: list[list[Value]] = [
        [
            PEOPLE,
            *(_fall(one) for one in result["people"]["judged"]),
        ]
    ]
    rows += [
        [
            link(output),
            *(_fall(part) for part in row["parts"]),
        ]
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
        "Blue: damaged texts score lower, as they should. Orange: they score higher.",
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
        title="How people rated the damaged texts",
    )
    return Section(
        "people",
        "What people notice",
        "You can only expect a metric to notice what people notice. Damage that does"
        " not change their ratings does not test whether they pay attention either.",
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
