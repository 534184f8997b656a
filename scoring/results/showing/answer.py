"""The answer for each aspect: a sentence, a ladder of all metrics, and how it came."""

from __future__ import annotations

from functools import partial
from typing import cast

from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value
from scoring.results.showing import _paper
from scoring.results.showing._correlating import WITHIN, link, why
from scoring.results.showing._ladder import ladder
from scoring.results.showing._metrics import COEFFICIENTS
from scoring.results.showing._words import n_of
from scoring.stats.analyses.results.answer import (
    Against,
    OfAspect,
    Result,
    Row,
    Undirected,
)
from scoring.stats.analyses.results.common import Number
from scoring.stats.answer.verdicts import TITLES
from scoring.stats.correlation import CoefficientName

LEAD = "Can a metric stand in for people here?"
NO_METRIC = "No metric has scored these texts yet."
NOTHING_OPEN = "decided: more prompts would not change this"
NOBODY = "the difference is too small for any realistic number of prompts"
NO_DIRECTION = "no direction: neither end of its scale is better"


def sections(result: Result) -> list[Section]:
    found = []
    for one in result["aspects"]:
        found += [card(result, one), how(result, one)]
    return [*found, _paper.section(result)] if result["aspects"] else found


def card(result: Result, one: OfAspect) -> Section:
    """The sentence, the ladder and its table."""
    words = f"{one['sentence']} {one['more_words']}".strip()
    title = f"{coefficient(result)} with {one['title']}"
    return Section(
        f"answer-{one['key']}",
        one["title"],
        words,
        partial(ladder, one, title) if one["rows"] else None,
        alt=f"{coefficient(result)} of each metric with people, the highest first."
        f" {one['sentence']}",
        tables={f"metrics-{one['key']}": _metrics_table(result, one)},
        after=_small_print(result, one),
    )


def how(result: Result, one: OfAspect) -> Section:
    """The rules and every number that they looked at."""
    return Section(
        f"how-{one['key']}",
        f"{one['title']}: how was this decided?",
        rules(result, one),
        tables={
            f"bounds-{one['key']}": _bounds_table(result, one),
            f"differences-{one['key']}": _differences_table(result, one),
        },
        folded=True,
    )


def coefficient(result: Result) -> str:
    return COEFFICIENTS[cast(CoefficientName, result["coefficient"])]


def rules(result: Result, one: OfAspect) -> str:
    """The rules in words."""
    use = result["rules"]
    metrics = n_of(one["family"], "metric")
    return (
        "Trivial predictors see nothing of a text's quality: its number of words; a"
        " regression on its surface (length, sentences, punctuation, repeated words);"
        " the prompt's mean rating (of the prompt's other texts); the system's mean"
        " rating (of the system's other texts). They are fitted on other prompts or"
        " texts only. A metric is better than"
        " trivial only if it agrees with people significantly better than each of them"
        f" (p < {use['alpha']}, paired bootstrap over prompts, adjusted for {metrics}"
        " by Holm's method). It is as good as a single rater if the 95 % interval rules"
        f" out that its correlation is more than {use['margin']} lower; both are"
        " compared with the mean of the other raters. We call it “too early to say”"
        " when the study could have missed a gain of"
        f" {use['medium']} over the trivial predictor that is hardest to beat (its"
        f" power is less than {use['power'] * 100:.0f} %) and its interval does not"
        " rule out a gain; “too few texts to say” when there are fewer than"
        f" {use['min_prompts']} prompts. More prompts: how many would decide it with a"
        f" power of {use['power'] * 100:.0f} %, because standard errors fall with the"
        " square root of the number of prompts. No number is given where it is already"
        " decided."
    )


def _metrics_table(result: Result, one: OfAspect) -> Table:
    rater, more = _has_rater(one), _is_open(one)
    rows: list[list[Value]] = [
        [
            link(row["output"]),
            Cell.of(row["r"], heat=True),
            Cell.of(_to(row["floor"], row["hardest"] or row["floor"][0]["key"])),
            *([Cell.of(row["ceiling"]["difference"])] if rater else []),
            row["words"],
            *([_more(row)] if more else []),
        ]
        for row in one["rows"]
    ]
    to_rater = (
        "; difference from a single rater, both measured against the mean of the other"
        " raters"
    )
    open_still = "; additional prompts needed to decide what is still open"
    without = [_without_direction(row, rater, more) for row in one["undirected"]]
    size = (
        " At the end, metrics without direction: the size of the coefficient, without"
        " its sign."
    )
    return Table(
        [
            *("Metric", coefficient(result), "Minus best trivial"),
            *(["Minus single rater"] if rater else []),
            "Verdict",
            *(["More prompts"] if more else []),
        ],
        rows + without,
        f"{coefficient(result)} of metrics with human scores of {one['title']}"
        f"{_within(result)}, the highest first, with 95 % intervals; difference from"
        " the trivial predictor that is hardest to beat, or that beats it most surely"
        f"{to_rater if rater else ''}{open_still if more else ''}."
        f"{size if without else ''}",
        notes=why(result),
        title=f"Metrics and {one['title']}",
        empty=NO_METRIC,
        foot=len(without),
    )


def _has_rater(one: OfAspect) -> bool:
    """Whether a single rater can be compared with: else a column has only dashes."""
    return one["ceiling"]["one"]["value"] is not None


def _is_open(one: OfAspect) -> bool:
    return any(row["more_words"] for row in one["rows"])


def _without_direction(row: Undirected, rater: bool, more: bool) -> list[Value]:
    """Its row below the others: how large the coefficient is, and why no more."""
    size = Cell.of(row["size"])
    nothing = Cell(None, reason=NO_DIRECTION)
    words = "No direction: closeness to human text counts"
    return [
        *(link(row["output"]), size, nothing),
        *([nothing] if rater else []),
        words,
        *([nothing] if more else []),
    ]


def _to(floor: list[Against], key: str) -> Number:
    return next(one["difference"] for one in floor if one["key"] == key)


def _more(row: Row) -> Cell:
    """Prompts that would decide it, or why there is no such number."""
    return Cell(row["more"], reason=NOBODY if row["more_words"] else NOTHING_OPEN)


def _bounds_table(result: Result, one: OfAspect) -> Table:
    rows: list[list[Value]] = [
        [f"Trivial: {TITLES[row['key']]}", Cell.of(row["r"], heat=True)]
        for row in one["sentinels"]
    ]
    top = one["ceiling"]
    rows.append(["People: a single rater", Cell.of(top["one"], heat=True)])
    rows += [
        [f"People: the mean of {row['raters']} raters", Cell.of(row["r"], heat=True)]
        for row in top["several"]
    ]
    return Table(
        ["Floor and ceiling", coefficient(result)],
        rows,
        f"What trivial predictors and people reach on {one['title']}, with 95 %"
        " intervals. A trivial predictor counts as at least 0: where its correlation is"
        " negative, so that it knows nothing, 0 stands here, as do limits below 0."
        " Other tables show that correlation itself. People are compared with the mean"
        " of the other raters of each text; several raters by the"
        " Spearman-Brown formula.",
        title=f"Floor and ceiling of {one['title']}",
    )


def _differences_table(result: Result, one: OfAspect) -> Table:
    keys = [row["key"] for row in one["sentinels"] if row["reason"] is None]
    rater = _has_rater(one)
    rows: list[list[Value]] = [
        [
            link(row["output"]),
            *(Cell.of(_to(row["floor"], key)) for key in keys),
            Cell(row["beats"], reason="no test"),
            *(_with_rater(row) if rater else []),
        ]
        for row in one["rows"]
    ]
    and_rater = "; and with the targets of a single rater"
    return Table(
        [
            *("Metric", *(TITLES[key].capitalize() for key in keys), "p"),
            *((coefficient(result), "Difference", "p") if rater else ()),
        ],
        rows,
        f"Each metric minus each trivial predictor on {one['title']}, with the p-value"
        f" that it beats all of them{and_rater if rater else ''}. p-values are adjusted"
        " by Holm's method.",
        groups=[
            *(("", 1), ("Minus", len(keys)), ("All", 1)),
            *([("A single rater", 3)] if rater else []),
        ],
        title=f"Differences on {one['title']}",
        empty=NO_METRIC,
    )


def _with_rater(row: Row) -> list[Value]:
    return [
        Cell.of(row["same"], heat=True),
        Cell.of(row["ceiling"]["difference"]),
        Cell(row["apart"], reason="no test"),
    ]


def _within(result: Result) -> str:
    within = WITHIN[result["grouping"]]
    return f" {within}" if within else ""


def _small_print(result: Result, one: OfAspect) -> str:
    prompts = n_of(one["n_prompts"], "prompt")
    parts = [
        f"{n_of(one['n_texts'], 'rated text')} of {prompts}. Intervals from"
        f" {result['draws']:,} resamples of whole prompts."
    ]
    top = one["ceiling"]
    if top["one"]["value"] is None:
        parts.append(f"No single rater to compare with: {top['one']['reason']}.")
    elif top["was_sorted"]:
        parts.append(
            "The ratings of each text are sorted, so their order does not show who gave"
            " which. Raters count as unknown, and ratings are drawn at random."
        )
    if names := result["undirected"]:
        one_name = len(names) == 1
        parts.append(
            f"{n_of(len(names), 'metric')} {'has' if one_name else 'have'} no"
            f" direction: {', '.join(names)}. Neither end of the scale is better, so"
            f" the chart leaves {'it' if one_name else 'them'} out. The table has the"
            " size of each coefficient."
        )
    return " ".join(parts)
