"""The answer for each aspect: a sentence, a ladder of all metrics, and how it came."""

from __future__ import annotations

from functools import partial
from typing import cast

from scoring.analyses.answer import page_paper
from scoring.analyses.answer.page_ladder import ladder
from scoring.analyses.answer.result import (
    Against,
    OfAspect,
    Result,
    Row,
    Sentinel,
    Undirected,
)
from scoring.analyses.shared.page_basis import compared, link, why
from scoring.analyses.shared.page_metrics import COEFFICIENTS
from scoring.analyses.shared.page_words import n_of, with_tables
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value
from scoring.stats.answer.sentences import TITLES
from scoring.stats.correlation import CoefficientName
from scoring.stats.estimates import Number

LEAD = "Can a metric stand in for people here?"
NO_METRIC = "No metric has scored these texts yet."
NOTHING_OPEN = "decided: more prompts would not change this"
NOBODY = "more prompts will not settle it"
NO_TEST = "no test"
# Claims about one rater, as headers of p.
CLAIMS = {
    "better": "p better",
    "like": "p like",
    "below": "p below",
    "little": "p little",
}
NO_DIRECTION = "no direction: neither end of its scale is better"


def sections(result: Result) -> list[Section]:
    found = []
    for one in result["aspects"]:
        found += [card(result, one), how(result, one)]
    return [*found, page_paper.section(result)] if result["aspects"] else found


def card(result: Result, one: OfAspect) -> Section:
    """The sentence, the ladder and its table."""
    words = " ".join([one["sentence"], *one["notes"], one["more_words"]]).strip()
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
    metrics = n_of(max((row["family"] for row in one["rows"]), default=0), "metric")
    keeps, little = f"{100 * use['keeps']:.0f} %", "a third"
    return (
        "Simple guesses ignore a text's quality. They are its number of words, a"
        " regression on its surface (length, sentences, punctuation, repeated words;"
        " squares and logarithms too), and chance. They learn from other prompts only."
        " One rater is compared with the mean of the other raters. A metric, the"
        " guesses and one rater are compared on the same texts, with the same targets."
        " A metric is better than a simple guess if it agrees with people significantly"
        " better than every simple guess does. It is better than one rater, or below"
        " one rater, if the difference is significant. It is like one rater if it"
        f" clearly reaches {keeps} of one rater's agreement. It adds little if its gain"
        f" over the guess is clearly less than {little} of one rater's agreement. Tests"
        f" are over prompts (t; p < {use['alpha']} in all), adjusted for {metrics} by"
        " Holm's method. A metric that was chosen before any result was shown is"
        " adjusted only for those chosen with it. A prompt in which people rate all"
        " texts the same says nothing. One in which only the metric scores them the"
        " same counts as 0. Fewer than"
        f" {use['min_prompts']} prompts that tell good from bad are too few. Where one"
        " rater's agreement with the others is clearly below"
        f" {use['hardly']:.2f}, no metric is judged. Where knowing the system beats one"
        " rater, texts are compared within systems. Questions are not adjusted for each"
        " other."
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
        "; difference from one rater, both compared with the mean of the other raters"
    )
    open_still = "; additional prompts that would settle what is open"
    without = [_without_direction(row, rater, more) for row in one["undirected"]]
    size = (
        " At the end, metrics without direction: the size of the coefficient, without"
        " its sign."
    )
    return Table(
        [
            *("Metric", coefficient(result), "Minus best guess"),
            *(["Minus one rater"] if rater else []),
            "Verdict",
            *(["More prompts"] if more else []),
        ],
        rows + without,
        f"{coefficient(result)} of metrics with human scores of {one['title']},"
        f" {compared(result)}, the highest first, with 95 % intervals; difference from"
        " the simple guess that agrees most with people"
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
        [_guess(row), Cell.of(row["r"], heat=True)] for row in one["sentinels"]
    ]
    top = one["ceiling"]
    rows.append(["People: one rater", Cell.of(top["one"], heat=True)])
    rows += [
        [f"People: the mean of {row['raters']} raters", Cell.of(row["r"], heat=True)]
        for row in top["several"]
    ]
    return Table(
        ["Simple guesses and people", coefficient(result)],
        rows,
        f"What simple guesses and people reach on {one['title']}, {compared(result)},"
        " with 95 % intervals. Guesses from ratings know what people think of other"
        " texts: no metric is compared with them. People are compared with the mean of"
        " the other raters of each text; several raters by the Spearman-Brown formula.",
        title=f"Simple guesses and people on {one['title']}",
    )


def _differences_table(result: Result, one: OfAspect) -> Table:
    keys = _free(one)
    rater = _has_rater(one)
    rows: list[list[Value]] = [
        [
            link(row["output"]),
            *(Cell.of(_to(row["floor"], key)) for key in keys),
            Cell(row["claims"]["beats"], reason=NO_TEST),
            *(_with_rater(row) if rater else []),
        ]
        for row in one["rows"]
    ]
    and_rater = "; with the targets of one rater, and p-values of the claims about it"
    return Table(
        [
            *("Metric", *(TITLES[key].capitalize() for key in keys), "p"),
            *((coefficient(result), "Difference", *CLAIMS.values()) if rater else ()),
        ],
        rows,
        f"Each metric minus each simple guess on {one['title']}, {compared(result)},"
        f" with the p-value that it beats all of them{and_rater if rater else ''}."
        " p-values are one-sided, doubled where they are tested at 0.025, and adjusted"
        " by Holm's method.",
        groups=[
            *(("", 1), ("Minus", len(keys)), ("All", 1)),
            *([("One rater", 2 + len(CLAIMS))] if rater else []),
        ],
        title=f"Differences on {one['title']}",
        empty=NO_METRIC,
    )


def _with_rater(row: Row) -> list[Value]:
    claims = dict(row["claims"])
    return [
        Cell.of(row["same"], heat=True),
        Cell.of(row["ceiling"]["difference"]),
        *(Cell(cast(float | None, claims[key]), reason=NO_TEST) for key in CLAIMS),
    ]


def _free(one: OfAspect) -> list[str]:
    """Guesses that metrics are held against."""
    return [
        row["key"] for row in one["sentinels"] if row["free"] and row["reason"] is None
    ]


def _guess(row: Sentinel) -> str:
    kind = "Guess" if row["free"] else "From ratings"
    return f"{kind}: {TITLES[row['key']]}"


def _small_print(result: Result, one: OfAspect) -> str:
    n = one["n_prompts"]
    prompts = f"{n_of(n, 'prompt')} {'tells' if n == 1 else 'tell'}"
    parts = [
        f"{n_of(one['n_texts'], 'rated text')}; {prompts} good from bad. Intervals and"
        " tests are over whole prompts."
    ]
    top = one["ceiling"]
    if top["one"]["value"] is None:
        parts.append(f"There is no rater to compare with: {top['one']['reason']}.")
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


def as_text(result: Result) -> list[str]:
    """For each aspect the sentence, then its table."""
    sections = [card(result, aspect) for aspect in result["aspects"]]
    return [
        text
        for section in sections
        for text in with_tables(section.words, section.tables.values())
    ]
