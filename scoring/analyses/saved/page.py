"""How many ratings a metric saves, and what the means are with its help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import plotly.graph_objects as go

from scoring.analyses.needs import JUDGED
from scoring.analyses.saved.result import (
    OfAspect,
    Result,
    SystemRow,
)
from scoring.analyses.shared import page_systems
from scoring.analyses.shared.page_basis import link
from scoring.analyses.shared.page_dots import Series, dots
from scoring.analyses.shared.page_metrics import wrapped
from scoring.analyses.shared.page_words import n_of
from scoring.drawing.charts import COLOURS, UNKNOWN, plain
from scoring.drawing.ladders import AGREES, Panel, Rung, ladder
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value
from scoring.drawing.tables import as_text as text_of
from scoring.stats.estimates import Number

LEAD = "How many ratings can you save with a metric?"
NEED = JUDGED
ALL = "All texts"
MOST_RUNGS = 30  # metrics in the chart; the table has all
MARK = {"color": AGREES, "symbol": "circle"}
TARGETS = {
    "prompts": "for new prompts like these",
    "texts": "for these texts only",
}
DRAWN = {"simple": "all texts together", "system": "the texts of each system"}
NOT_KNOWN = "there is no interval to compare"
NO_PAIR = "no other system to compare with"


def sections(result: Result) -> list[Section]:
    found = [_card(result, one) for one in result["aspects"]]
    tried = [one for one in result["aspects"] if one["kind"] == "tried"]
    found += [_example(result, one) for one in tried if one["systems"] and _helps(one)]
    with_pairs = [
        one
        for one in result["aspects"]
        if one["differences"] and (one["kind"] == "drawn" or _helps(one))
    ]
    if with_pairs:
        found.append(_differences(result, with_pairs))
    return [*found, _how(result)] if found else found


def _card(result: Result, one: OfAspect) -> Section:
    """The sentence; what each metric saves, or the means of a part that was drawn."""
    drawn, helps = one["kind"] == "drawn" and bool(one["systems"]), _helps(one)
    tables = {f"means-{one['key']}": _means(result, one)} if drawn else {}
    if helps:
        tables[f"metrics-{one['key']}"] = _metrics(result, one)
    chart = partial(_chart, result, one) if drawn else partial(_savings, one)
    return Section(
        f"saved-{one['key']}",
        one["title"],
        one["sentence"],
        chart if tables else None,
        alt="Mean rating of each system with its interval, by people alone and with"
        f" {_lead(one)}."
        if drawn
        else "Share of the ratings that each metric would save.",
        tables=tables,
        after=_small_print(result, one) if tables else "",
        folded=bool(tables) and not drawn,
        answers=True,
    )


def _helps(one: OfAspect) -> bool:
    return any(row["weight"] for row in one["metrics"])


def _savings(one: OfAspect) -> go.Figure:
    """What each metric would save, in percent; the means of a try are no result."""
    rows = one["metrics"][:MOST_RUNGS]
    return ladder(
        [Rung(row["name"], MARK) for row in rows],
        [Panel([_in_percent(row["saved"]) for row in rows])],
        x_title="Ratings saved (%)",
        digits=0,
    )


def _example(result: Result, one: OfAspect) -> Section:
    """The means of one draw, folded: they are an example, and no result."""
    return Section(
        f"example-{one['key']}",
        f"{one['title']}: one of the draws as an example",
        f"What you would have seen if people had rated only {result['share']} % of the"
        " texts. Do not report these means: here, all texts are rated.",
        tables={f"means-{one['key']}": _means(result, one)},
        folded=True,
    )


def _lead(one: OfAspect) -> str:
    names = [
        row["name"] for row in one["metrics"] if row["output"]["id"] == one["lead"]
    ]
    return names[0] if names else "a metric"


def _names(result: Result) -> list[str]:
    return [system["system"] for system in result["systems"]] or [ALL]


def _order(one: OfAspect) -> list[int]:
    """Places of systems, the best corrected mean first."""
    sign = -1 if one["higher_is_better"] else 1
    values = [row["corrected"]["value"] for row in one["systems"]]
    return sorted(
        range(len(values)),
        key=lambda s: (values[s] is None, sign * (values[s] or 0.0)),
    )


def _chart(result: Result, one: OfAspect) -> go.Figure:
    names, order = _names(result), _order(one)
    rows = [one["systems"][s] for s in order]
    alone = {"color": UNKNOWN, "symbol": "circle-open"}
    helped = {"color": COLOURS[0], "symbol": "circle"}
    figure = dots(
        [wrapped(names[s]) for s in order],
        [
            Series("People alone", [row["people"] for row in rows], alone),
            Series(f"With {_lead(one)}", [row["corrected"] for row in rows], helped),
        ],
        x_title=f"Mean rating: {plain(one['title'])}",
    )
    return figure.update_xaxes(zeroline=False)


def _means(result: Result, one: OfAspect) -> Table:
    names = _names(result)
    rows: list[list[Value]] = [
        _row(result, one["systems"][s], s, names[s]) for s in _order(one)
    ]
    tried = one["kind"] == "tried"
    of = (
        " in one of the draws; ratings saved are the mean of all draws" if tried else ""
    )
    return Table(
        ["System", "Texts", "Mean", "Rank", "Mean", "Rank", "Weight", "Ratings saved"],
        rows,
        f"Mean {one['title']} of each system {TARGETS[result['target']]}, with 95 %"
        f" intervals{of}. Weight: how much {_lead(one)} counts, from 0 to 1.",
        groups=[
            *(("", 1), ("Rated", 1), ("People alone", 2)),
            *((f"With {_lead(one)}", 2), ("", 2)),
        ],
        title=f"Means of {one['title']}" + (", in one of the draws" if tried else ""),
    )


def _row(result: Result, row: SystemRow, s: int, name: str) -> list[Value]:
    systems, why = result["systems"], row["corrected"]["reason"] or NOT_KNOWN
    return [
        page_systems.named(systems[s]) if systems else name,
        row["n"],
        Cell.of(row["people"], digits=2),
        _rank(row["rank"], row["people"]["reason"]),
        Cell.of(row["corrected"], digits=2),
        _rank(row["corrected_rank"], row["corrected"]["reason"]),
        Cell(row["weight"], digits=2, reason=why),
        _percent({**row["corrected"], "value": row["saved"], "low": None}, why),
    ]


def _rank(ends: Sequence[int] | None, why: str | None) -> Cell | str:
    best, worst = ends or (None, None)
    return page_systems.rank(best, worst, why or NO_PAIR)


def _percent(share: Number, why: str) -> Cell:
    """A share as whole percent, with its interval if it has one."""
    found = _in_percent(share)
    why = share["reason"] or why
    return replace(Cell.of(found, digits=0, unit=" %"), reason=_why(found, why))


def _why(found: Number, why: str) -> str:
    return why if found["value"] is None else ""


def _in_percent(share: Number) -> Number:
    """Without a minus before 0, which nobody can read anything from."""
    value, low, high = (
        None if share[end] is None else 100 * (share[end] or 0.0)
        for end in ("value", "low", "high")
    )
    value, low, high = (
        0.0 if end is not None and abs(end) < 0.5 else end for end in (value, low, high)
    )
    if low is None or value is None:
        low = high = None
    return {**share, "value": value, "low": low, "high": high}


def _metrics(result: Result, one: OfAspect) -> Table:
    rows: list[list[Value]] = [
        [
            link(row["output"]),
            _percent(row["saved"], NOT_KNOWN),
            one["n_ratings"],
            Cell(row["like"], digits=0, reason=row["saved"]["reason"] or NOT_KNOWN),
            Cell(row["weight"], digits=2),
        ]
        for row in one["metrics"]
    ]
    over = (
        f"; ranges hold 95 % of {n_of(result['tries'], 'draw')}"
        if one["kind"] == "tried"
        else ""
    )
    return Table(
        ["Metric", "Ratings saved", "Ratings with it", "Without it", "Weight"],
        rows,
        f"Share of the ratings that each metric saves on {one['title']}{over}; ratings"
        " needed with it, and without it for a mean that is as certain (as narrow a 95"
        " % interval); weight, how much the metric counts, from 0 to 1.",
        title=f"What each metric saves on {one['title']}",
    )


def _small_print(result: Result, one: OfAspect) -> str:
    prompts = n_of(one["n_prompts"], "prompt")
    texts = f"{one['n_rated']:,} of the {n_of(one['n_texts'], 'text')}"
    if one["kind"] == "tried":
        said = (
            f"Tried {result['tries']} times. In each try, {texts} were drawn at random"
            f" from those of each system and counted as rated (about {prompts})."
        )
    else:
        said = (
            f"{texts} are rated, from {prompts}. EvalApp drew them at random from"
            f" {DRAWN[result['drawn']]}."
        )
    several = len(one["metrics"]) > 1
    chosen = (
        " The metric that saves most was chosen with these same ratings, which makes it"
        " look better than it is: next time, choose one before you collect ratings."
    )
    return said + (chosen if several else "")


def _differences(result: Result, aspects: list[OfAspect]) -> Section:
    tables = {f"differences-{one['key']}": _pairs(result, one) for one in aspects}
    return Section(
        "differences",
        "Differences between systems",
        tables=tables,
        after="Each difference has its own weight for the metric, so that what two"
        " systems have in common cancels out. It may therefore not be exactly the"
        " difference between the two means.",
        folded=True,
    )


def _pairs(result: Result, one: OfAspect) -> Table:
    names = _names(result)
    rows: list[list[Value]] = [
        [
            f"{names[row['first']]} – {names[row['second']]}",
            Cell.of(row["people"], digits=2),
            Cell.of(row["corrected"], digits=2),
        ]
        for row in one["differences"]
    ]
    return Table(
        ["Systems", "People alone", f"With {_lead(one)}"],
        rows,
        f"Differences in mean {one['title']} {TARGETS[result['target']]}, with 95 %"
        " intervals.",
        title=f"{one['title']}: differences"
        + (", in one of the draws" if one["kind"] == "tried" else ""),
    )


def _how(result: Result) -> Section:
    least = result["least_prompts"]
    return Section(
        "how",
        "How is this computed?",
        "A metric scores all texts; people rate a random part of them. Scores are first"
        " turned into expected ratings (by isotonic regression on other prompts)."
        " Corrected mean = mean rating + weight × (mean expected rating of all texts −"
        " that of the rated texts). The ratings keep it right: whatever the metric"
        " gets wrong on the rated texts is subtracted. So a poor metric does not make"
        " the means wrong; it just saves nothing (prediction-powered inference,"
        " Angelopoulos et al. 2023 and 2024). The weight, from 0 to 1, makes the"
        f" interval as narrow as possible; it is 0 if fewer than {least} prompts have a"
        f" rating. Intervals are {TARGETS[result['target']]}. They allow for texts that"
        " share a prompt, and for ratings that pile up at one end of the scale. There"
        " are no intervals if nearly all ratings are equal. Where a metric hardly ever"
        " differs from people, the interval for these texts allows for the most errors"
        " that the others may hide (hypergeometric limits). Several ratings of a text"
        " count as their mean, so all of this holds for these raters.",
        folded=True,
    )


def as_text(result: Result) -> list[str]:
    """For each aspect the sentence, then its tables."""
    return [
        text
        for section in sections(result)
        if section.key.startswith("saved-")
        for text in (
            f"{section.title}: {section.words}",
            *(text_of(_with_intervals(table)) for table in section.tables.values()),
        )
    ]


def _with_intervals(table: Table) -> Table:
    """Numbers with their intervals behind them, as one text."""
    rows: list[list[Value]] = [
        [_in_full(v) if isinstance(v, Cell) else v for v in row] for row in table.rows
    ]
    return replace(table, rows=rows)


def _in_full(cell: Cell) -> Value:
    if cell.value is None or cell.low is None or cell.high is None:
        return cell
    ends = (f"{end:.{cell.digits}f}" for end in (cell.value, cell.low, cell.high))
    return "{}{unit} [{}, {}]".format(*ends, unit=cell.unit)
