"""Metrics in tables and charts: one name, one colour and one link everywhere."""

from __future__ import annotations

from typing import Any

from scoring.charts import COLOURS, SYMBOLS, UNKNOWN, _plain
from scoring.tables import Link

COEFFICIENTS = {
    "pearson": "Pearson r",
    "spearman": "Spearman ρ",
    "kendall": "Kendall τ-b",
}
INTERVALS = (
    "Below each number stands its 95 % interval, from 1000 resamples of whole prompts:"
    " it speaks for new prompts to these systems."
)


def link(output: dict[str, Any]) -> Link:
    """The name of an output, leading to its points where a run gave them."""
    badges, small = tuple(output["badges"]), output["variant"]
    if output["signature_id"] is None or not output["aspect"]:
        return Link(output["label"], badges=badges, small=small)
    args = (output["signature_id"], output["aspect"], output["key"])
    return Link(output["label"], "scatter", args, badges=badges, small=small)


def short(output: dict[str, Any]) -> str:
    """Its name in a chart, on two lines where it is long; safe for plotly."""
    metric, _, rest = output["label"].partition(": ")
    label = f"{_plain(metric)}:<br>{_plain(rest)}" if rest else _plain(metric)
    return f"{label}<br>{_plain(output['variant'])}" if output["variant"] else label


def mark(place: int) -> dict[str, str]:
    """Colour and symbol of the n-th system, or metric, of a study."""
    return {
        "color": COLOURS[place % len(COLOURS)],
        "symbol": SYMBOLS[place // len(COLOURS) % len(SYMBOLS)],
    }


def mark_of(output: dict[str, Any]) -> dict[str, str]:
    """Of a metric: those that only count are grey."""
    found = mark(output["place"])
    return {**found, "color": UNKNOWN} if output["baseline"] else found
