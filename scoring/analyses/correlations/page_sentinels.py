"""Predictors that know nothing of quality, below the metrics that should beat them."""

from __future__ import annotations

from collections.abc import Mapping

from scoring.analyses.answer.result import Sentinel
from scoring.analyses.correlations.result import Result
from scoring.analyses.shared.page_metrics import SHORT
from scoring.drawing.ladders import Rung
from scoring.drawing.tables import Cell, Value
from scoring.stats.answer.sentences import TITLES
from scoring.stats.estimates import Number

NOT_ASKED = "only the main coefficient was computed"


def rungs(result: Result) -> list[Rung]:
    """Their rows in the chart, grey."""
    return [Rung(_title(key), aside=True) for key in _keys(result)]


def cells(result: Result, at: int) -> list[Number | None]:
    """What they reach on one aspect."""
    found = _of_aspect(result, at)
    return [found[key]["r"] if key in found else None for key in _keys(result)]


def rows(result: Result, one_n: bool) -> list[list[Value]]:
    """Their rows in the table: the main coefficient, as the answer has it."""
    return [[_title(key), *_row(result, key, one_n)] for key in _keys(result)]


def _keys(result: Result) -> list[str]:
    """Those that the answer has, in its order; chance reaches 0 by definition."""
    found = {one["key"] for aspect in result.get("sentinels", []) for one in aspect}
    return [key for key in TITLES if key in found and key != "chance"]


def _row(result: Result, key: str, one_n: bool) -> list[Value]:
    row: list[Value] = []
    other = f"{NOT_ASKED}, {SHORT[result['primary']]}"
    for at in range(len(result["aspects"])):
        one = _of_aspect(result, at).get(key)
        for coefficient in result["coefficients"]:
            if coefficient != result["primary"]:
                row.append(Cell(None, reason=other))
            elif one is None:
                row.append(Cell(None, reason="the answer does not cover this aspect"))
            else:
                row.append(Cell.of(_with_reason(one), heat=True))
        row += [] if one_n else [None if one is None else one["r"]["n"]]
        row += [""]  # the column of what the answer says of metrics
    return row


def _with_reason(one: Sentinel) -> Mapping[str, object]:
    return {**one["r"], "reason": one["r"]["reason"] or one["reason"]}


def _of_aspect(result: Result, at: int) -> dict[str, Sentinel]:
    return {one["key"]: one for one in result.get("sentinels", [[]] * (at + 1))[at]}


def _title(key: str) -> str:
    return f"Guess: {TITLES[key]}"
