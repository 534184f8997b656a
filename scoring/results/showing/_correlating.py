"""Words on how metrics were correlated with people, for the small print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from scoring.drawing.tables import Link
from scoring.results.showing import _metrics
from scoring.stats.analyses.results.common import Basis, MeantOutput

DRAWN = {
    "prompts": ("whole prompts", "new prompts to these systems"),
    "prefixes": ("whole prefixes", "new prefixes given to these systems"),
    "systems": ("whole systems", "other systems on these prompts"),
    "both": ("prompts and, separately, systems", "new prompts to other systems"),
    "samples": (
        "single texts",
        "new texts, but it is too narrow if texts share a prompt",
    ),
}
WITHIN = {
    "none": "",
    "item": "within each prompt and sample number, then averaged",
    "system": "within each system, then averaged",
}
PAIRS = {
    "prompt": "one prompt",
    "item": "one prompt and sample",
    "system": "one system",
}
FEW_UNITS = 20
FEW_SYSTEMS = 20


def link(output: MeantOutput) -> Link:
    """The name of an output, with what it is meant for below it."""
    found = _metrics.link(output)
    meant = f"for {output['meant_for'].lower()}" if output["meant_for"] else ""
    small = " · ".join(filter(None, [output["variant"], meant]))
    return replace(found, small=small)


def basis(result: Basis) -> str:
    """Over what coefficients were computed, for captions."""
    if result["level"] == "systems":
        return f"over the means of {result['n_systems']} systems"
    within = WITHIN[result["grouping"]]
    return f"over single texts, {within}" if within else "over single texts"


def why(result: Mapping[str, Any]) -> list[str]:
    """What the rule says that chose the grouping: notes of a table, none if nobody."""
    return [result["grouping_why"]] if result["grouping_why"] else []


def intervals(result: Basis) -> str:
    """What the limits below a number are."""
    drawn, speaks_for = DRAWN[result["resample"]]
    if result["level"] == "systems" and result["n_systems"] < FEW_SYSTEMS:
        return (
            "Below each number is its 95 % interval by Fisher's z. There are too few"
            f" systems ({result['n_systems']}) to rely on these numbers, however large"
            " they are."
        )
    words = (
        f"Below each number is its 95 % interval, from {result['draws']:,}"
        f" resamples of {drawn}, for {speaks_for}."
    )
    if 0 < result["n_units"] < FEW_UNITS:
        words += f" It is approximate, with only {result['n_units']} to draw from."
    return words
