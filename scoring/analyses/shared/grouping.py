"""Which texts are compared with each other: one option, and one meaning, for all pages.

Every analysis that correlates texts takes its coefficients from `Within`, so that a
metric has the same number wherever it is shown.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from scoring.analyses.shared.result import Compared as ComparedTexts
from scoring.stats import grouping, signature
from scoring.stats.by_prompt import correlations, holds_whole
from scoring.stats.correlation import Coefficient, Names
from scoring.stats.data import NONE, Data, Filters
from scoring.stats.grouping import AUTO, UNITS, Grouping
from scoring.stats.groups import NAMES, Undefined, correlate
from scoring.stats.jackknife import Jackknifed, LeaveOut
from scoring.stats.option import option

# As forms, plans, commands and the API have them.
GROUPINGS: dict[str, str] = {
    "none": "all with each other",
    "item": "of one prompt",
    "system": "of one system",
}


# Options that say it, wherever numbers are asked for.
COMPARING = ("grouping", "undefined")


@dataclass(frozen=True)
class Compared(Filters):
    """Which texts and ratings count, and which texts are compared with each other."""

    grouping: str = option(
        AUTO,
        "Compare texts",
        choices=(
            (AUTO, "of the same prompt, if enough are rated (automatic)"),
            *GROUPINGS.items(),
        ),
        help="Coefficients of groups are averaged. A locked plan has its own choice",
    )


@dataclass(frozen=True)
class Grouped(Compared):
    """The same where published recipes may want ties otherwise."""

    undefined: str = option(
        "zero",
        "A group in which a metric gives all texts the same score",
        choices=(("zero", "counts as 0"), ("drop", "is left out")),
    )


@dataclass(frozen=True, slots=True)
class Within:
    """What texts are compared within, in force: never "auto"."""

    grouping: Grouping
    undefined: Undefined
    groups: np.ndarray | None = None  # (n,) of the texts; None = all with all
    why: str = ""
    compared: str = ""

    def correlate(
        self, coefficient: str, x: np.ndarray, y: np.ndarray, names: Names = NAMES
    ) -> Coefficient:
        """The coefficient of two columns, (n,)."""
        found = correlate(x, y, coefficient=coefficient, names=names, **self.how)
        return Coefficient(found.value, found.reason, found.n)

    def jackknifed(
        self, coefficient: str, x: np.ndarray, y: np.ndarray, left: LeaveOut
    ) -> Jackknifed:
        """The same of all pairs of columns without each unit, (M, A)."""
        return correlations(x, y, left, coefficient=coefficient, **self.how)

    def interval(self, left: LeaveOut) -> str:
        """What the intervals are, in a word of a signature."""
        return "skewed-t" if holds_whole(left, self.groups) else "jackknife-t"

    def only(self, rows: np.ndarray) -> Within:
        """The same for some of the texts."""
        groups = None if self.groups is None else self.groups[rows]
        return replace(self, groups=groups)

    @property
    def how(self) -> dict[str, Any]:
        """The same for functions that correlate many columns by themselves."""
        return {"groups": self.groups, "undefined": self.undefined}

    def signed(self) -> dict[str, signature.Part]:
        """Parts of the signature of every number that comes from here."""
        grouped = self.grouping != "none"
        return {
            "group": UNITS.get(self.grouping, "none"),
            "average": "macro" if grouped else None,
            "undefined": self.undefined if grouped else None,
        }

    def about(self) -> ComparedTexts:
        """What a page says of it."""
        return {
            "grouping": self.grouping,
            "grouping_why": self.why,
            "compared": self.compared,
            "undefined": self.undefined,
        }


def within(
    data: Data, options: Compared, y: np.ndarray | None = None
) -> tuple[Data, Within]:
    """What was asked for, or else what the rule finds, and the texts that count.

    Those of unknown systems do not where texts of one system are compared.

    Args:
        data: With filters applied.
        options: Of the analysis.
        y: Human scores of its texts, (n, A), NaN = none; None = those of the data.
    """
    texts, undefined = data.texts, _undefined(options)
    y = data.human_scores() if y is None else y
    columns = {"prompt": texts.prompt, "system": texts.system}
    found = grouping.choose(options.grouping, y, **columns)
    if found.grouping == "none":
        return data, Within("none", undefined, None, found.why, found.compared)
    if found.grouping == "system":
        data = data.only(texts.system != NONE)
    groups = data.texts.prompt if found.grouping == "item" else data.texts.system
    left_out = _left_out(found.grouping, groups, data) if found.why else ""
    why = f"{found.why} {left_out}".strip()
    return data, Within(found.grouping, undefined, groups, why, found.compared)


def _left_out(by: Grouping, groups: np.ndarray, data: Data) -> str:
    """What comparing within these groups cannot show, where they have one label each.

    In controlled generation the label is part of the prompt: within a prompt nothing is
    left of what a metric of the label is for.
    """
    if not grouping.one_label(groups, data.texts.label):
        return ""
    return (
        f"All texts of a {UNITS[by]} have the same label, so comparing within"
        f" {UNITS[by]}s leaves out how well a metric tells labels apart."
    )


def _undefined(options: Compared) -> Undefined:
    """Verdicts know one way: who ties a prompt that people do not learns nothing."""
    if isinstance(options, Grouped):
        return cast(Undefined, options.undefined)
    return "zero"
