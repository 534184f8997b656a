"""What the page of a comparison of pairs draws."""

from __future__ import annotations

import pytest

from scoring.drawing.charts import drawn
from scoring.judging import pair_sections

NONE = {"value": None, "low": None, "high": None, "n": 0, "reason": "no pair"}


def result(share: dict, bias: dict) -> dict:
    counts = {"n_first": 1, "n_second": 0, "n_half": 0}
    return {"inconsistency": share, "bias": bias, **counts}


@pytest.mark.parametrize(
    ("low", "high", "symbol"),
    [(-0.05, 0.25, "circle"), (0.02, 0.25, "diamond"), (None, None, "circle")],
)
def test_both_checks_are_drawn_in_percent_with_their_intervals(low, high, symbol):
    share = {"value": 0.2, "low": 0.1, "high": 0.3, "n": 40}
    bias = {"value": 0.1, "low": low, "high": high, "n": 40}
    section = pair_sections._order(result(share, bias))
    (dots, *_) = section.chart.data
    assert list(dots.x) == [20, 10]
    assert list(dots.marker.symbol) == ["circle", symbol]
    assert section.alt and section.tables["order"].rows


def test_without_a_verdict_no_axes_are_drawn():
    section = pair_sections._order(result(NONE, NONE))
    assert drawn(section.chart) is None
    assert section.words.strip() == "No pair has a verdict in both orders."
