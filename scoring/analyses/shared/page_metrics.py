"""Metrics in tables and charts: one name, one colour and one link everywhere."""

from __future__ import annotations

import re
import textwrap

from scoring.analyses.shared.result import OutputName
from scoring.drawing.charts import AXIS, SYMBOLS, UNKNOWN, mark, plain
from scoring.drawing.ladders import Rung
from scoring.drawing.tables import Link
from scoring.stats.correlation import CoefficientName

COEFFICIENTS: dict[CoefficientName, str] = {
    "pearson": "Pearson r",
    "spearman": "Spearman ρ",
    "kendall": "Kendall τ-b",
}
SHORT: dict[CoefficientName, str] = {"pearson": "r", "spearman": "ρ", "kendall": "τ-b"}
ZERO = {**AXIS, "zeroline": True, "zerolinecolor": UNKNOWN}  # seen on a dark page, too
# Characters that a phone has room for beside a chart, and above it.
LINE, LEGEND = 24, 38
PIXELS = 16  # that a line of a name needs
INTERVALS = (
    "Below each number is its 95 % interval, of t over prompts, for new"
    " prompts to these systems."
)


def link(output: OutputName) -> Link:
    """The name of an output, leading to its points where a run gave them."""
    badges, small = tuple(output["badges"]), brief(output["variant"])
    if output["signature_id"] is None or not output["aspect"]:
        return Link(output["label"], badges=badges, small=small)
    args = (output["signature_id"], output["aspect"], output["key"])
    return Link(output["label"], "scatter", args, badges=badges, small=small)


def short(output: OutputName) -> str:
    """Its name in a chart, on short lines; safe for plotly."""
    metric, _, rest = output["label"].partition(": ")
    parts = [f"{metric}:" if rest else metric, rest, brief(output["variant"])]
    return "<br>".join(wrapped(part) for part in parts if part)


def rung(output: OutputName) -> Rung:
    """Its row in a ladder: one line, and grey where it only counts."""
    variant = brief(output["variant"])
    name = f"{output['label']} · {variant}" if variant else output["label"]
    return Rung(name, aside=output["baseline"])


def full(output: OutputName) -> str:
    """Its name in a legend, on lines that a phone can show; safe for plotly."""
    variant = f" ({brief(output['variant'])})" if output["variant"] else ""
    return wrapped(f"{output['label']}{variant}", LEGEND)


def brief(variant: str) -> str:
    """Six digits of a hash are enough to tell models of one study apart."""
    return re.sub(r"sha256:([0-9a-f]{6})[0-9a-f]+", r"\1…", variant)


def wrapped(text: str, width: int = LINE) -> str:
    """Words in a chart on short lines; safe for plotly."""
    lines = textwrap.wrap(text, width, break_on_hyphens=False)
    return "<br>".join(map(plain, lines))


def row_height(name: str, least: int) -> int:
    """Pixels for a row of a chart, so that its name does not stand on the next."""
    return max(least, PIXELS * (name.count("<br>") + 2))


def centres(heights: list[int]) -> list[float]:
    """Where rows of a chart are, each in the middle of its height, from the top."""
    return [sum(heights[:k]) + height / 2 for k, height in enumerate(heights)]


def mark_of(output: OutputName) -> dict[str, str]:
    """Of a metric: those that only count are grey."""
    if output["baseline"]:
        return {"color": UNKNOWN, "symbol": SYMBOLS[output["place"] % len(SYMBOLS)]}
    return mark(output["place"])
