"""Words on how metrics were correlated with people, for the small print."""

from __future__ import annotations

from dataclasses import replace

from scoring.analyses.shared import page_metrics
from scoring.analyses.shared.result import Basis, Compared, MeantOutput
from scoring.drawing.tables import Link

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
# What a locked plan, or a result, compares texts within.
WITHIN = {
    "none": "",
    "item": "within each prompt, then averaged",
    "system": "within each system, then averaged",
}
PAIRS = {
    "prompt": "one prompt",
    "system": "one system",
}
FEW_UNITS = 20
FEW_SYSTEMS = 20


def link(output: MeantOutput) -> Link:
    """The name of an output, with what it is meant for below it."""
    found = page_metrics.link(output)
    meant = f"for {output['meant_for'].lower()}" if output["meant_for"] else ""
    small = " · ".join(filter(None, [output["variant"], meant]))
    return replace(found, small=small)


def basis(result: Basis) -> str:
    """Over what coefficients were computed, for captions."""
    if result["level"] == "systems":
        return f"over the means of {result['n_systems']} systems"
    return compared(result)


def compared(result: Compared) -> str:
    """Over which texts, for captions: as the sentence of the page says it."""
    return over(result["grouping"], result["compared"])


def over(grouping: str, texts: str) -> str:
    """The same from its parts, as the rows of a table have them."""
    within = WITHIN[grouping]
    if not within:
        return f"over {texts or 'all texts'}"
    averaged = f" ({texts})" if texts else ""
    return f"over single texts, {within}{averaged}"


def why(result: Compared) -> list[str]:
    """Which texts are compared, and why: notes of a table; none if nothing is rated."""
    return [result["grouping_why"]] if result["grouping_why"] else []


def _method(result: Basis) -> str:
    if result["grouping"] == "item" and result["resample"] in ("prompts", "prefixes"):
        return "Student's t on Fisher's z (with a longer tail where prompts are skewed)"
    return "the jackknife"


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
        f"Below each number is its 95 % interval, by {_method(result)} over"
        f" {drawn}, for {speaks_for}."
    )
    if 0 < result["n_units"] < FEW_UNITS:
        words += f" There are only {result['n_units']}."
    return words
