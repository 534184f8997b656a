"""Raters: how strict each is, what that does to systems, and who is careless."""

from __future__ import annotations

from functools import partial

import plotly.graph_objects as go

from scoring.analyses.needs import RATINGS, Need
from scoring.analyses.raters.result import OfAspect, Result
from scoring.analyses.shared.page_words import n_of, percent, with_tables
from scoring.drawing.ladders import AGREES, Panel, Rung, ladder
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value
from scoring.stats.severity import points

LEAD = "Is one of your raters too strict or too lenient, and does it matter?"
NEED = Need(
    lambda facts: facts.rated,
    RATINGS._replace(
        sentence="Needs single ratings by two or more people who can be told apart."
        " Open the study, or import ratings by person."
    ),
)
MOST_RUNGS = 40  # of the strictest and the most lenient, half each
MARK = {"color": AGREES, "symbol": "circle"}
NO_ASPECT = "The study has no aspects."
NO_RATER = "No rater with a known identity has rated these texts."


def sections(result: Result) -> list[Section]:
    if not result["aspects"]:
        return [
            Section("severity", "No aspects", NO_ASPECT, tables={"raters": _none()})
        ]
    found = []
    for one in result["aspects"]:
        found += [_severity(one), _systems(one)]
    return [*found, *(_answers(one) for one in result["aspects"])]


def _none() -> Table:
    return Table(["Rater"], [], NO_ASPECT, empty=NO_ASPECT)


# Raters -------------------------------------------------------------------------------


def _severity(one: OfAspect) -> Section:
    return Section(
        f"severity-{one['key']}",
        one["title"],
        f"{one['sentence']}{_left_out(one)}{_unlinked(one)}",
        partial(_chart, one),
        alt=f"How strict each rater is on {one['title']}, with interval, the strictest"
        f" first. {one['sentence']}",
        tables={f"raters-{one['key']}": raters_table(one)},
        after=_rater_notes(one),
        folded=one["reason"] is None,
        answers=True,
    )


def _left_out(one: OfAspect) -> str:
    n = one["n_unknown"]
    if not n:
        return ""
    return (
        f" {n_of(n, 'rating')} by unknown raters {'is' if n == 1 else 'are'} left out."
    )


def _unlinked(one: OfAspect) -> str:
    """Where nothing but the model's assumption compares some raters with others."""
    if one["n_groups"] < 2:
        return ""
    return (
        f" Raters fall into {one['n_groups']} groups that share no texts: the corrected"
        " means assume that the groups are equally strict on average."
    )


def _chart(one: OfAspect) -> go.Figure | None:
    rows = [row for row in one["raters"] if row["severity"]["value"] is not None]
    if not rows:
        return None
    if len(rows) > MOST_RUNGS:
        half = MOST_RUNGS // 2
        rows = [*rows[:half], *rows[-half:]]
    return ladder(
        [Rung(row["rater"], MARK) for row in rows],
        [Panel([row["severity"] for row in rows])],
        x_title="Points stricter than the average rater",
        digits=2,
    )


def raters_table(one: OfAspect) -> Table:
    """Without the column that nothing can be said in: `_rater_notes` says why."""
    with_right = _knows_right(one)
    rows: list[list[Value]] = [
        [
            row["rater"],
            row["n"],
            Cell.of(row["mean"], digits=2),
            Cell.of(row["severity"], digits=2),
            Cell.of(row["spread"], digits=2),
            *([percent(row["right"])] if with_right else []),
        ]
        for row in one["raters"]
    ]
    likely = "; share of ratings that equal the most likely answer (Dawid and Skene)"
    return Table(
        [
            *("Rater", "Ratings", "Mean", "Stricter by", "Spread"),
            *(["Most likely answer (%)"] if with_right else []),
        ],
        rows,
        f"Raters on {one['title']}: mean of their ratings; by how many points of the"
        " scale they are stricter than the average rater (below 0: more lenient) and"
        " spread (above 1: uses more of the scale), both from an ordinal mixed model"
        f" with 95 % intervals{likely if with_right else ''}.",
        title=f"Raters on {one['title']}, the strictest first",
        empty=NO_RATER,
    )


def _knows_right(one: OfAspect) -> bool:
    return any(row["right"]["value"] is not None for row in one["raters"])


def _most_likely(one: OfAspect) -> str:
    """What the column says, or why there is none."""
    if _knows_right(one):
        return (
            " Most likely answer: low for raters who often differ from the answer that"
            " the ratings together make most likely. It counts 4 instead of 5 as an"
            " error, so take it only as a hint that somebody is careless."
        )
    reasons = {row["right"]["reason"] for row in one["raters"]} - {None}
    if len(reasons) != 1:
        return ""
    of_each = "" if one["why_no_answers"] else "every rater has "
    return (
        " How often raters give the most likely answer is left out:"
        f" {of_each}{reasons.pop()}."
    )


def _rater_notes(one: OfAspect) -> str:
    if one["reason"] is not None:
        return _most_likely(one).strip()
    low = (
        ""
        if one["higher_is_better"]
        else " Lower is better here, so a strict rater gives higher ratings."
    )
    rows = len(one["raters"])
    cut = (
        f" The chart shows the {MOST_RUNGS // 2} strictest and the {MOST_RUNGS // 2}"
        f" most lenient of {rows:,} raters."
        if rows > MOST_RUNGS
        else ""
    )
    return (
        "Raters have the same pseudonyms as in exports. Stricter by: how many points"
        " lower this rater would rate the same texts than the average rater; unlike the"
        " mean, it allows for which texts the rater got. With few ratings, it comes out"
        " closer to 0. Spread: how far apart this rater's answers lie, relative to the"
        " average rater's; below 1, the rater keeps to the middle of the scale. Its"
        " intervals are too narrow where a rater has few ratings."
        f"{_ends(one)}{_most_likely(one)}{low}{cut} Standard deviation of"
        f" raters {_sd(one, 'rater_sd')}, of texts {_sd(one, 'text_sd')} (log odds)."
    )


def _ends(one: OfAspect) -> str:
    """How the spread of raters without a finite one comes about."""
    reasons = {row["spread"]["reason"] for row in one["raters"]}
    if points.NO_MOST not in reasons:
        return ""
    return (
        " For a rater who never gives a point between the ends, the model counts half"
        f" a rating there, and a spread above {points.MOST_SPREAD:g} is shown as"
        f" {points.MOST_SPREAD:g}: read it as that or more."
    )


def _sd(one: OfAspect, key: str) -> str:
    value = one["rater_sd" if key == "rater_sd" else "text_sd"]["value"]
    return "—" if value is None else f"{value:.2f}"


# Systems ------------------------------------------------------------------------------


def _systems(one: OfAspect) -> Section:
    title = f"{one['title']}: corrected means"
    return Section(
        f"systems-{one['key']}",
        title,
        "The mean that each system would get if the average rater had rated all of its"
        " texts.",
        tables={f"systems-{one['key']}": systems_table(one)},
        after="Corrected: expected rating by the average of these raters, from an"
        " ordinal mixed model (cumulative logit; systems, texts within systems,"
        " raters). Its interval is for other texts of these systems, rated by these"
        " raters; it treats texts of one prompt as independent, so it may be too narrow"
        " where prompts matter. Intervals on the Systems page are over prompts. Mean:"
        " each text counts once.",
    )


def systems_table(one: OfAspect) -> Table:
    rows: list[list[Value]] = [
        [
            row["system"],
            row["n_texts"],
            Cell.of(row["mean"], digits=2),
            _rank(row["rank"], one),
            Cell.of(row["corrected"], digits=2),
            _rank(row["corrected_rank"], one),
            Cell.of(row["change"], digits=2),
        ]
        for row in one["systems"]
    ]
    return Table(
        ["System", "Texts", "Mean", "Rank", "Corrected", "Corrected rank", "Change"],
        rows,
        f"Systems on {one['title']}: mean rating and rank, the expected rating by the"
        " average rater with its 95 % interval and rank, and the change.",
        title=f"Systems on {one['title']}",
        empty=NO_RATER,
    )


def _rank(value: float | None, one: OfAspect) -> Cell:
    digits = 0 if value is None or value % 1 == 0 else 1
    return Cell(value, reason=one["reason"] or "", digits=digits)


# What raters answer -------------------------------------------------------------------


def _answers(one: OfAspect) -> Section:
    """Tables of errors; folded, as they are for a closer look."""
    return Section(
        f"answers-{one['key']}",
        f"{one['title']}: careless raters",
        "What each rater answers, by the answer that is most likely true. An accurate"
        " rater has high numbers where the two are the same. A careless rater has about"
        " the same numbers in every row, whichever answer is true.",
        tables={f"answers-{one['key']}": answers_table(one)},
        after="By the method of Dawid and Skene (1979), which ignores the order of the"
        " answers and estimates the true ones from all raters together.",
        folded=True,
    )


def answers_table(one: OfAspect) -> Table:
    rows: list[list[Value]] = [
        [
            row["rater"],
            row["truth"],
            Cell.of(row["n"], digits=1),
            *(percent(share) for share in row["shares"]),
        ]
        for row in one["answers"]
    ]
    values = [str(value) for value in one["values"]]
    why = one["why_no_answers"]
    return Table(
        ["Rater", "Most likely true", "Expected ratings", *values],
        rows,
        f"What raters answer on {one['title']} (%), by the answer that is most likely"
        " true.",
        groups=[("", 3), ("Share of answers (%)", len(values))] if values else [],
        title=f"Answers on {one['title']}",
        empty=f"This table is empty: {why}."
        if why
        else "No rater has enough ratings for this table.",
    )


def as_text(result: Result) -> list[str]:
    """For each aspect the sentence, then its tables."""
    return [
        text
        for aspect in result["aspects"]
        for text in with_tables(
            aspect["sentence"], [raters_table(aspect), systems_table(aspect)]
        )
    ]
