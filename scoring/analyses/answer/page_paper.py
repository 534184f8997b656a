"""The answer as a paper prints it: a sentence for each aspect, one table over all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from scoring.analyses.answer.result import Against, OfAspect, Result, Row
from scoring.analyses.shared.page_basis import compared, why
from scoring.analyses.shared.page_metrics import COEFFICIENTS
from scoring.analyses.shared.page_words import n_of
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value
from scoring.stats.answer.chips import USEFUL
from scoring.stats.answer.evidence import CHANCE
from scoring.stats.answer.sentences import TITLES
from scoring.stats.correlation import CoefficientName
from scoring.stats.estimates import Number

SMALL = "small model"  # the badge
MARK = "\N{DAGGER}"
SMALL_MODEL = (
    "The scores are those of a small model that comes with EvalApp; larger models"
    " usually agree better with people."
)


def section(result: Result) -> Section:
    """The table, to be downloaded: what a page shows of it are the cards."""
    return Section(
        "paper",
        "One table for the paper",
        tables={"paper": table(result)},
        folded=True,
    )


def sentence(result: Result, one: OfAspect, *, planned: str) -> str:
    """What a paper says of one aspect, with all that a reader needs to judge it.

    Args:
        result: The answer.
        one: The aspect.
        planned: "exploratory", or else what the plan says.
    """
    row = next((row for row in one["rows"] if row["output"]["id"] == one["lead"]), None)
    if row is None or row["r"]["value"] is None:
        return ""
    parts = [
        _verdict(one, row),
        _of_metric(result, row, one["n_prompts"]),
        *_compared(one, row),
        *_of_raters(one, row),
    ]
    if SMALL in row["output"]["badges"]:
        parts.append(SMALL_MODEL)
    parts.append(f"This analysis is {planned}.")
    return " ".join(parts)


def _verdict(one: OfAspect, row: Row) -> str:
    """The conclusion, so that nobody draws another one from the numbers."""
    aspect, name = one["title"].lower(), row["name"]
    scored = [other for other in one["rows"] if other["r"]["value"] is not None]
    highest = f"the highest of {len(scored)} was {name}" if len(scored) > 1 else ""
    if row["code"] in USEFUL:
        return f"On {aspect}, {name} agreed with people better than simple guesses."
    if row["code"] in ("few", "hardly"):
        return one["sentence"]
    if row["code"] == "unclear":
        said = f"On {aspect}, this study cannot tell whether a metric agrees with"
        said += " people better than simple guesses"
    elif not highest:
        return f"On {aspect}, {name} added little to simple guesses."
    else:
        said = f"On {aspect}, no metric was shown to say more than simple guesses"
    return f"{said}; {highest}." if highest else f"{said}."


def _of_metric(result: Result, row: Row, n_prompts: int) -> str:
    return (
        f"{row['name']} correlated with the mean human"
        f" score of a text{_where(result)} at {_coefficient(result)} ="
        f" {_number(row['r'])}{_interval(row['r'])} (n ="
        f" {n_of(row['r']['n'] or 0, 'text')} of {n_of(n_prompts, 'prompt')} that"
        " tell texts apart;"
        " intervals and tests over whole prompts)."
    )


def _where(result: Result) -> str:
    return f", {compared(result)},"


def _compared(one: OfAspect, row: Row) -> Iterator[str]:
    """The difference from the guess that agrees most with people."""
    found = next((gap for gap in row["floor"] if gap["key"] == row["hardest"]), None)
    if found is None or found["difference"]["value"] is None:
        return
    reached = {other["key"]: other["r"] for other in one["sentinels"]}[found["key"]]
    p, claim = row["claims"]["beats"], "it is better than every simple guess"
    if row["code"] == "worse":
        p, claim = row["claims"]["worse"], "a simple guess is better"
    yield (
        f"The difference from {TITLES[found['key']]}, a simple guess"
        f" ({_number(reached)}), was {_difference(found)}"
        f"{_p(p, row['family'], claim)}."
    )


def _of_raters(one: OfAspect, row: Row) -> Iterator[str]:
    top, gap = one["ceiling"]["one"], row["ceiling"]
    if top["value"] is None or gap["difference"]["value"] is None:
        return
    better = gap["difference"]["value"] > 0
    p = row["claims"]["better" if better else "below"]
    claim = "it is better" if better else "it is below"
    yield (
        f"One rater reached {_number(top)}{_interval(top)}; the metric's difference"
        " from it, with the same targets, was"
        f" {_difference(gap)}{_p(p, row['family'], claim)}."
    )


def _difference(gap: Against) -> str:
    return f"{_number(gap['difference'])}{_interval(gap['difference'])}"


def _p(p: float | None, family: int, claim: str) -> str:
    if p is None:
        return ""
    adjusted = f", Holm-adjusted for {family} metrics" if family > 1 else ""
    said = "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
    return f" (test that {claim}{adjusted}: {said})"


def _number(found: Number) -> str:
    return f"{found['value'] or 0.0:.3f}".replace("-", "\N{MINUS SIGN}")


def _interval(found: Number) -> str:
    if found["low"] is None or found["high"] is None:
        return ""
    ends = f"{found['low']:.3f}, {found['high']:.3f}"
    return f", 95 % interval [{ends}]".replace("-", "\N{MINUS SIGN}")


def _coefficient(result: Result) -> str:
    return COEFFICIENTS[cast(CoefficientName, result["coefficient"])]


# The table ----------------------------------------------------------------------------


def table(result: Result) -> Table:
    """Metrics, simple guesses and people by aspects, with signatures as notes."""
    aspects = [one for one in result["aspects"] if one["rows"]]
    names, small = _names(aspects)
    rows: list[list[Value]] = [
        [f"{name}{MARK if name in small else ''}", *_metric(aspects, name)]
        for name in names
    ]
    for key, title in TITLES.items():
        if key == CHANCE:  # 0 by definition
            continue
        rows += _aside(f"Guess: {title}", [_sentinel(one, key) for one in aspects])
    people = [one["ceiling"]["one"] for one in aspects]
    rows += _aside("People: one rater", people)
    width = ("r", "minus guess")
    return Table(
        ["", *(width * len(aspects))],
        rows,
        f"{_coefficient(result)} of metrics with the mean human score of a"
        f" text{_where(result) or ','} with"
        " 95 % intervals, and the difference from the simple guess that agrees most"
        f" with people. {_sizes(aspects)}{_about_small(small)}",
        groups=[("", 1), *((one["title"], len(width)) for one in aspects)],
        notes=[*why(result), *result["signatures"]],
        title="Metrics and people by aspect",
        empty="No metric has scored these texts yet.",
    )


def _names(aspects: list[OfAspect]) -> tuple[list[str], set[str]]:
    """Of all metrics, as the first aspect orders them; and of those of small models."""
    found: dict[str, None] = {}
    small = set()
    for one in aspects:
        for row in one["rows"]:
            found[row["name"]] = None
            if SMALL in row["output"]["badges"]:
                small.add(row["name"])
    return list(found), small


def _metric(aspects: list[OfAspect], name: str) -> list[Value]:
    cells: list[Value] = []
    for one in aspects:
        row = next(row for row in one["rows"] if row["name"] == name)
        gaps = {gap["key"]: gap["difference"] for gap in row["floor"]}
        nothing = Cell(None, reason="not compared")
        to = gaps.get(row["hardest"])
        cells += [Cell.of(row["r"]), Cell.of(to) if to else nothing]
    return cells


def _sentinel(one: OfAspect, key: str) -> Number:
    return next(row["r"] for row in one["sentinels"] if row["key"] == key)


def _aside(name: str, found: list[Number]) -> list[list[Value]]:
    """A row of what is no metric; none where it would have only dashes.

    It has no difference from itself: that cell stays empty.
    """
    if all(one["value"] is None for one in found):
        return []
    row: list[Value] = [name]
    for one in found:
        row += [Cell.of(one), ""]
    return [row]


def _sizes(aspects: list[OfAspect]) -> str:
    sizes = {(one["n_texts"], one["n_prompts"]) for one in aspects}
    if len(sizes) == 1:
        texts, prompts = sizes.pop()
        return f"n = {n_of(texts, 'text')} of {n_of(prompts, 'prompt')}."
    each = (f"{one['title']} {n_of(one['n_texts'], 'text')}" for one in aspects)
    return f"n: {', '.join(each)}."


def _about_small(small: set[str]) -> str:
    return f" {MARK} Scored by a small model." if small else ""
