"""The verdicts of a judge on pairs, in words and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any

import plotly.graph_objects as go

from annotation import storable
from annotation.models import Generation
from scoring.drawing.ladders import Panel, Rung, ladder
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value
from scoring.drawing.words import capitalized
from scoring.judging.pairs import MODES, Verdict
from scoring.metrics.judge import prompts
from scoring.models import JudgeTrial

ROWS_A_PAGE = 50
BIASED = {"color": "#d55e00", "symbol": "diamond"}
USUAL = {"color": "#0072b2", "symbol": "circle"}


def facts(trial: JudgeTrial) -> list[tuple[str, str]]:
    """What was chosen."""
    setup, n = trial.setup, len(trial.setup["pairs"])
    of = setup["n_possible"]
    drawn = f"{n:,}" if n == of else f"{n:,} of {of:,}, drawn by the study’s seed"
    which = " that people have voted on" if setup["voted"] else ""
    return [
        ("Question", prompts.in_general(setup["question"])),
        ("Pairs", f"{drawn}{which}; each in both orders"),
        ("Answers", _mode(trial.options)),
    ]


def _mode(options: Mapping[str, Any]) -> str:
    mode, n = options["mode"], options["samples"]
    words = capitalized(MODES[mode])
    return f"{words}: {n} for each order" if mode == "samples" else words


def sections(trial: JudgeTrial, whole: bool) -> list[Section]:
    result = trial.result
    systems = dict(trial.study.systems.values_list("pk", "name"))
    verdicts: list[Verdict] = result["verdicts"]
    return [
        _order(result),
        _systems(verdicts, systems),
        _each(trial, verdicts, systems, whole),
    ]


# Does the order decide? ---------------------------------------------------------------


def _order(result: Mapping[str, Any]) -> Section:
    share, bias = result["inconsistency"], result["bias"]
    rows: list[list[Value]] = [
        [
            "Inconsistency",
            Cell.of(share),
            "Share of pairs whose orders disagree: 0 is best",
        ],
        [
            "Position bias",
            Cell.of(bias),
            "P(first wins) − P(second wins): 0 is no bias, 1 is always the first",
        ],
    ]
    table = Table(
        ["Check", "Value", "Meaning"],
        rows,
        f"Inconsistency and position bias of {share['n']:,} pairs with verdicts in both"
        " orders; 95 % intervals over prompts.",
        title="Inconsistency and position bias",
    )
    return Section(
        "order",
        "Does the order decide?",
        f"{_of_share(share)} {_of_bias(bias)}",
        partial(_chart, share, bias),
        alt="Inconsistency in percent of pairs, and position bias in percentage points,"
        " each with its interval.",
        tables={"order": table},
        after=_how(result),
    )


def _chart(share: Mapping[str, Any], bias: Mapping[str, Any]) -> go.Figure:
    """Both are shares of pairs, and 0 is best of both: they have one axis."""
    return ladder(
        [
            Rung("Inconsistency", USUAL),
            Rung("Position bias", BIASED if _is_bias(bias) else USUAL),
        ],
        [Panel([_hundredfold(share), _hundredfold(bias)])],
        x_title="percent of pairs",
        digits=0,
    )


def _is_bias(bias: Mapping[str, Any]) -> bool:
    """Whether the interval is all on one side of 0."""
    low, high = bias["low"], bias["high"]
    return low is not None and not low <= 0 <= high


def _hundredfold(estimate: Mapping[str, Any]) -> dict[str, Any]:
    ends = {key: estimate[key] for key in ("value", "low", "high")}
    return {
        "n": estimate["n"],
        **{key: None if x is None else 100 * x for key, x in ends.items()},
    }


def _of_share(share: Mapping[str, Any]) -> str:
    if share["value"] is None:
        return "No pair has a verdict in both orders."
    return (
        f"In {_percent(share['value'])} of the pairs{_between_ends(share, _percent)}"
        " the verdict changed when the two texts changed places. Such a pair counts as"
        " a tie."
    )


def _of_bias(bias: Mapping[str, Any]) -> str:
    value, low, high = bias["value"], bias["low"], bias["high"]
    if value is None:
        return ""
    where = "first" if value > 0 else "second"
    if low is None and value == 0:  # all prompts are alike, so nothing says how sure
        return "The text shown first won as often as the text shown second."
    if low is not None and low <= 0 <= high:
        return (
            "There is no sign that position matters: P(first wins) − P(second wins) is"
            f" {_signed(value)}{_between_ends(bias, _signed)}."
        )
    ends = {**bias, "low": low, "high": high}
    if low is not None and value < 0:
        ends = {**bias, "low": -high, "high": -low}
    return (
        f"The text shown {where} wins {_points(abs(value))} percentage points more"
        f" often{_between_ends(ends, _points)}."
    )


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _points(share: float) -> str:
    return f"{100 * share:.0f}"


def _signed(value: float) -> str:
    # Never "-0.00".
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "\N{MINUS SIGN}")


def _between_ends(estimate: Mapping[str, Any], form: Callable[[float], str]) -> str:
    if estimate["low"] is None:
        return ""
    return f" (95 % interval: {form(estimate['low'])} to {form(estimate['high'])})"


def _how(result: Mapping[str, Any]) -> str:
    return (
        "Of the pairs whose orders disagree, the text shown first won both times in"
        f" {result['n_first']:,}, the text shown second in {result['n_second']:,}, and"
        f" one of the two orders was a tie in {result['n_half']:,}. Each text is shown"
        " first once, so a better text cannot be mistaken for a better position. In the"
        " chart, the dot is the value and the line its 95 % interval over prompts; an"
        " orange diamond marks a position bias whose interval leaves out 0."
    )


# Verdicts -----------------------------------------------------------------------------


def _systems(verdicts: Sequence[Verdict], systems: Mapping[int, str]) -> Section:
    rows: list[list[Value]] = []
    for first, second in combinations(sorted(systems, key=lambda pk: systems[pk]), 2):
        of_pair = [v for v in verdicts if _between(v) == {first, second}]
        if not of_pair:
            continue
        outcomes = [_winner(v) for v in of_pair]
        rows.append(
            [
                *(systems[first], systems[second]),
                *(outcomes.count(first), outcomes.count(second), outcomes.count(0)),
                sum(_disagrees(v) for v in of_pair),
                outcomes.count(None),
            ]
        )
    header = ["System", "Against", "Won", "Lost", "Tied", "Orders disagree", "Missing"]
    table = Table(
        header,
        rows,
        "Verdicts of the judge by pair of systems; ties include pairs whose orders"
        " disagree.",
        title="Verdicts by pair of systems",
        empty="No verdicts.",
    )
    return Section(
        "systems",
        "Verdicts by pair of systems",
        "A pair whose orders disagree counts as a tie.",
        tables={"systems": table},
    )


def _between(verdict: Verdict) -> set[int]:
    return {verdict["first_system"], verdict["second_system"]}


def _winner(verdict: Verdict) -> int | None:
    """The id of a system, 0 for a tie, None without a verdict."""
    sides = {1: verdict["first_system"], 2: verdict["second_system"], 0: 0}
    outcome = verdict["outcome"]
    return None if outcome is None else sides[outcome]


def _disagrees(verdict: Verdict) -> bool:
    here, turned = verdict["winner"], verdict["winner_turned"]
    if here is None or turned is None:
        return False
    return here != {1: 2, 2: 1, 0: 0}[turned]


def _each(
    trial: JudgeTrial,
    verdicts: Sequence[Verdict],
    systems: Mapping[int, str],
    whole: bool,
) -> Section:
    listed = verdicts if whole else verdicts[:ROWS_A_PAGE]
    ids = {pk for verdict in listed for pk in (verdict["first"], verdict["second"])}
    texts = Generation.objects.filter(study=trial.study, pk__in=ids)
    keys = dict(texts.values_list("pk", "key"))
    header = [
        *("Text 1", "System", "Text 2", "System"),
        *("Text 1 shown first", "Text 2 shown first", "Verdict"),
        *("Judge’s reason", "Why no verdict"),
    ]
    table = Table(
        header,
        [_row(verdict, keys, systems) for verdict in listed],
        "Verdicts of the judge on each pair of texts, in both orders.",
        title="Each pair",
        empty="No verdicts.",
    )
    n = len(verdicts)
    cut = (
        f" The page shows the first {len(listed)} of {n:,}; downloads have all of them."
    )
    return Section(
        "verdicts",
        "Each pair",
        _missing(trial.result["reasons"], n),
        tables={"verdicts": table},
        after=cut.strip() if len(listed) < n else "",
        folded=not whole,
    )


def _row(
    verdict: Verdict, keys: Mapping[int, str], systems: Mapping[int, str]
) -> list[Value]:
    here, turned = verdict["winner"], verdict["winner_turned"]
    why = verdict["reason"] or verdict["reason_turned"]
    outcome = {None: None, 0: "tie", 1: "text 1", 2: "text 2"}[verdict["outcome"]]
    return [
        *(
            keys.get(verdict["first"], "deleted"),
            systems.get(verdict["first_system"], ""),
        ),
        *(
            keys.get(verdict["second"], "deleted"),
            systems.get(verdict["second_system"], ""),
        ),
        _named(here, ("text 1", "text 2"), verdict["reason"]),
        _named(turned, ("text 2", "text 1"), verdict["reason_turned"]),
        outcome or Cell(None, reason=why),
        # Older trials kept what the judge said as it came.
        storable.cleaned(verdict["said"] or verdict["said_turned"]),
        why,
    ]


def _named(winner: int | None, sides: tuple[str, str], reason: str) -> Value:
    if winner is None:
        return Cell(None, reason=reason)
    return {1: sides[0], 2: sides[1], 0: "tie"}[winner]


def _missing(reasons: Mapping[str, int], n: int) -> str:
    if not reasons:
        return f"All {n:,} pairs have a verdict." if n != 1 else "It has a verdict."
    total = sum(reasons.values())
    most = sorted(reasons.items(), key=lambda entry: (-entry[1], entry[0]))[:3]
    listed = "; ".join(f"{why} ({times:,})" for why, times in most)
    more = "; and others" if len(reasons) > len(most) else ""
    return f"{total:,} of {n:,} pairs have no verdict: {listed}{more}."
