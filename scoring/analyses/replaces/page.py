"""Whether a metric may replace a rater: a sentence, a ladder, and the tests behind."""

from __future__ import annotations

from functools import partial

import plotly.graph_objects as go

from scoring.analyses.needs import RATINGS, Need
from scoring.analyses.replaces.result import OfAspect, Result, Row
from scoring.analyses.shared.page_metrics import brief
from scoring.analyses.shared.page_metrics import link as link_of
from scoring.analyses.shared.page_words import n_of, with_tables
from scoring.drawing.charts import mark
from scoring.drawing.ladders import Line, Panel, Rung, ladder
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Link, Table, Value
from scoring.stats.replacing.clustered import LEAST_PROMPTS
from scoring.stats.replacing.published import PASSES, Q

LEAD = "May a metric replace one of your raters?"
NEED = Need(
    lambda facts: facts.rated,
    RATINGS._replace(
        sentence="Needs single ratings by two or more people. Open the study, or"
        " import ratings by person; means alone do not show what each rater does."
    ),
)
NO_ROW = "No metric has scored these texts yet."
NO_RATER = "No rater could be compared."
REFUSED = "no test: too few prompts"
MARKS = "Solid: passes. Hollow: does not. Grey: simple guesses."
THIRDS = ("People agree", "In between", "People disagree")
# In a chart, where there is less room than in a sentence.
TRIVIAL = {
    "length": "word count",
    "surface": "surface features",
    "prompt": "prompt's mean rating",
    "system": "system's mean rating",
}
CLOSENESS = {
    "rmse": "root mean squared distance to the other raters' ratings",
    "equal": "share of the other raters whose rating is the same",
}
DRAWN = {
    "unnamed": "The ratings do not show who gave which.",
    "few": "No rater rated {least} of them or more.",
}
AT_RANDOM = (
    "So each “rater” here is made of one rating per text, drawn at random, and the"
    " answer is about the raters as a group."
)
METHODS = {
    "CR2": "t",
    "CR2, skewness": "t, adjusted for many ties",
    "exact": "count of prompts",
    "none": REFUSED,
}


def sections(result: Result) -> list[Section]:
    """The answers of all aspects first; what stands behind them comes below."""
    aspects = result["aspects"]
    found = [_card(result, one) for one in aspects]
    for one in aspects:
        found += [_certainty(one), _raters(result, one)]
    return [*found, _how(result)] if found else []


def _card(result: Result, one: OfAspect) -> Section:
    """The sentence, the ladder and its table."""
    drawn = [row for row in _all(one) if row["n_raters"]]
    return Section(
        f"replaces-{one['key']}",
        one["title"],
        f"{one['sentence']} {one['why']}".strip(),
        partial(_chart, one, drawn) if drawn else None,
        alt="Share of the raters that each metric and each simple guess matches,"
        f" and share of the texts. {one['sentence']}",
        tables={f"replaces-{one['key']}": _table(result, one)},
        after=_small_print(result, one),
        folded=bool(drawn),
        answers=True,
    )


def _all(one: OfAspect) -> list[Row]:
    return [*one["rows"], *one["trivial"]]


def _chart(one: OfAspect, rows: list[Row]) -> go.Figure:
    rungs = [_rung(row) for row in rows]
    panels = [
        Panel(
            [row["winning"] for row in rows],
            "Raters that it matches",
            [Line(PASSES, "passes")],
        ),
        Panel([row["advantage"] for row in rows], "Texts that it matches"),
    ]
    title = "Share of all raters, and of all texts"
    return ladder(rungs, panels, x_title=title, zero=None, ends=(0, 1), digits=2)


def _rung(row: Row) -> Rung:
    if row["output"] is None:
        return Rung(_trivial(row), aside=True)
    variant = row["output"]["variant"]
    name = row["output"]["label"] + (f" · {brief(variant)}" if variant else "")
    return Rung(
        name, mark(0) if row["passes"] else {**mark(0), "symbol": "circle-open"}
    )


def _trivial(row: Row) -> str:
    name = TRIVIAL.get(row["key"], row["name"].rstrip(","))
    return name[:1].upper() + name[1:]


def _name(row: Row) -> Value:
    return Link(_trivial(row)) if row["output"] is None else link_of(row["output"])


def _table(result: Result, one: OfAspect) -> Table:
    rows: list[list[Value]] = [
        [
            _name(row),
            row["words"] or _verdict(row),
            row["n_raters"],
            Cell.of(row["winning"], digits=2),
            Cell.of(row["published"], digits=2),
            Cell.of(row["advantage"], digits=2),
            "fitted" if row["mapped"] else "as it is",
        ]
        for row in _all(one)
    ]
    return Table(
        [
            *("Metric", "May it replace a rater?", "Raters", "By prompt"),
            *("As published", "Advantage probability", "Scale"),
        ],
        rows,
        f"The alternative annotator test on {one['title']}, epsilon"
        f" {result['epsilon']:g}: raters tested; winning rate, the share of the raters"
        " that a metric matches (by whole prompts, which decides, and as published,"
        " with texts treated as independent); advantage probability, the share of the"
        " texts on which it comes at least as close to the other raters as the rater"
        " does (mean over raters, with 95 % interval over prompts); whether its scores"
        " were fitted to the scale of the question. Below the metrics: simple"
        " guesses, which know nothing about a text's quality.",
        groups=[("", 3), ("Winning rate", 2), ("", 2)],
        title=f"Metrics as raters of {one['title']}",
        empty=NO_ROW,
        foot=len(one["trivial"]),
    )


def _verdict(row: Row) -> str:
    """Of a simple guess: it should not pass."""
    passes = row["passes"] or (row["published"]["value"] or 0.0) >= PASSES
    if not row["n_raters"]:
        return "No number"
    return "Passes the test, too" if passes else "Does not pass"


def _small_print(result: Result, one: OfAspect) -> str:
    least = result["least_texts"]
    parts = [f"{n_of(one['n_texts'], 'text')} with two ratings or more."]
    if any(row["n_raters"] for row in _all(one)):
        parts.insert(0, MARKS)
    if one["drawn"]:
        parts.append(f"{DRAWN[one['drawn']].format(least=least)} {AT_RANDOM}")
    else:
        parts.append(
            f"{n_of(one['n_raters'], 'rater')} rated at least {least} of them."
        )
        if one["n_few"]:
            few = "counts" if one["n_few"] == 1 else "count"
            others = n_of(one["n_few"], "rater")
            parts.append(f"{others} who rated fewer {few} only as other raters.")
    if one["undirected"]:
        names = ", ".join(one["undirected"])
        parts.append(f"Left out, as neither end of their scale is better: {names}.")
    return " ".join(parts)


def _certainty(one: OfAspect) -> Section:
    """Where a metric comes close, and whether it uses the scale as people do."""
    return Section(
        f"certainty-{one['key']}",
        f"{one['title']}: where people agree",
        "Texts are split into three parts by how much their ratings differ. A metric"
        " that comes close only where people disagree has shown little. The last column"
        " compares how often each point of the scale is used: 0 means as often as"
        " people use it; 1 means that people and the metric share no point.",
        tables={f"certainty-{one['key']}": _certainty_table(one)},
        folded=True,
    )


def _certainty_table(one: OfAspect) -> Table:
    rows: list[list[Value]] = []
    for row in _all(one):
        line: list[Value] = [_name(row)]
        for part in row["parts"]:
            line += [
                Cell.of(part["advantage"], digits=2),
                Cell.of(part["r"], digits=2, heat=True),
            ]
        rows.append([*line, Cell.of(row["distance"], digits=2)])
    return Table(
        ["Metric", *(["Advantage", "Pearson r"] * len(THIRDS)), "Distance"],
        rows,
        f"Advantage probability, and Pearson r with the mean rating of {one['title']},"
        " on texts whose ratings have a low (people agree), middle or high (people"
        " disagree) variance; Jensen-Shannon distance of the distribution of scores,"
        " on the points of the scale, from that of the ratings.",
        groups=[("", 1), *((name, 2) for name in THIRDS), ("Ratings", 1)],
        title=f"{one['title']}: by how much people agree",
        empty=NO_ROW,
        foot=len(one["trivial"]),
    )


def _raters(result: Result, one: OfAspect) -> Section:
    """The tests of the metric that the sentence speaks of."""
    row = next((row for row in one["rows"] if row["raters"]), None)
    named = row["name"] if row else "no metric"
    return Section(
        f"raters-{one['key']}",
        f"{one['title']}: rater by rater",
        f"The tests behind the answer: {named} in place of each rater.",
        tables={f"raters-{one['key']}": _raters_table(result, one, row)},
        folded=True,
    )


def _raters_table(result: Result, one: OfAspect, row: Row | None) -> Table:
    epsilon = f"{result['epsilon']:g}"
    rows: list[list[Value]] = [
        [
            *(rater["name"], rater["n_texts"], rater["n_prompts"]),
            Cell(rater["ties"], digits=2),
            Cell(rater["d"], digits=2),
            Cell(rater["p_published"], reason=REFUSED),
            "matches" if rater["wins_published"] else "does not",
            Cell(rater["p"], reason=REFUSED),
            "matches" if rater["wins"] else "does not",
            METHODS[rater["method"]],
        ]
        for rater in (row["raters"] if row else [])
    ]
    return Table(
        [
            *("Rater", "Texts", "Prompts", "Ties", "Rater closer"),
            *("p", "Metric", "p", "Metric", "Test"),
        ],
        rows,
        f"{row['name'] if row else 'A metric'} against each rater of {one['title']}:"
        " share of texts on which both are equally close; share on which the rater is"
        " closer minus share on which the metric is; one-sided p of the hypothesis"
        f" that this is {epsilon} or more; whether the metric matches the rater, by"
        f" the Benjamini-Yekutieli procedure at {Q:g} over the raters.",
        groups=[("", 5), ("As published", 2), ("By prompt", 3)],
        title=f"{one['title']}: rater by rater",
        empty=NO_RATER,
    )


def _how(result: Result) -> Section:
    """The rule in words."""
    kinds = sorted({one["closeness"] for one in result["aspects"]})
    close = " or ".join(CLOSENESS[kind] for kind in kinds)
    return Section(
        "how",
        "How was this decided?",
        "Each rater is left out in turn. On every text we ask who comes closer to the"
        f" other raters, the metric or the rater ({close}). Take the share of texts on"
        " which the rater is closer, minus the share on which the metric is closer. The"
        " metric matches the rater if this difference is significantly below epsilon,"
        f" {result['epsilon']:g} (one-sided test; Benjamini-Yekutieli procedure at"
        f" {Q:g} over the raters). Epsilon allows for the higher cost of raters: 0.1"
        " for crowdworkers, 0.15 for skilled raters, 0.2 for experts. A metric may"
        " replace a rater on two conditions. The answer on Results calls it “like one"
        " rater” or “better than one rater”. And it matches at least half of the named"
        " raters, of whom there are at least three. It may not if the answer calls it"
        " “below one rater” or “worse than a simple guess”, or says that it adds"
        " little. Otherwise this study cannot tell."
        " Matching raters alone decides nothing: where raters differ by more than texts"
        " do, giving every text the same answer matches them, too. The published test"
        " (Calderon and others, ACL 2025) treats texts"
        " as independent. Texts of one prompt are not, so the decision is by prompt: a"
        " t-test with cluster-robust standard errors (CR2, Satterthwaite's degrees of"
        " freedom), adjusted for skewness where most texts are ties, and replaced by a"
        " count of prompts where, in addition, few prompts decide. With fewer than"
        f" {LEAST_PROMPTS} prompts there is no test. Scores on a scale other than the"
        " question's are fitted to it by isotonic regression on the ratings of other"
        " prompts.",
        folded=True,
    )


def records(result: Result) -> list[dict[str, object]]:
    """One for each aspect and metric or simple guess; metrics first."""
    return [
        _record(result, aspect, row)
        for aspect in result["aspects"]
        for row in (*aspect["rows"], *aspect["trivial"])
    ]


def _record(result: Result, aspect: OfAspect, row: Row) -> dict[str, object]:
    advantage = row["advantage"]
    return {
        "metric": row["name"],
        "signature": row["signature"],
        "aspect": aspect["key"],
        "epsilon": result["epsilon"],
        "closeness": aspect["closeness"],
        "n_raters": row["n_raters"],
        "winning_rate": row["published"]["value"],
        "advantage_probability": advantage["value"],
        "clustered": {
            "winning_rate": row["winning"]["value"],
            "advantage_probability": advantage["value"],
            "low": advantage["low"],
            "high": advantage["high"],
            "methods": row["methods"],
            "n_refused": row["n_refused"],
        },
        "trivial": row["output"] is None,
        "mapped": row["mapped"],
        "verdict": row["code"] if row["output"] else None,
        "reason": row["winning"]["reason"],
    }


def as_text(result: Result) -> list[str]:
    """For each aspect the sentence, then its table."""
    return [
        text
        for section in sections(result)
        if section.key.startswith("replaces-")
        for text in (
            *with_tables(section.words, section.tables.values()),
            section.after,
        )
    ]
