"""What is correlated, how, and over which units: shared by several analyses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from scoring.analyses.shared.grouping import Grouped, Within, within
from scoring.analyses.shared.result import Basis, MeantOutput
from scoring.stats import jackknife, signature
from scoring.stats.by_prompt import once
from scoring.stats.correlation import Names, fisher
from scoring.stats.counts import Draws
from scoring.stats.data import NONE, Aspect, Data, Filters, Output
from scoring.stats.estimates import Estimate, Number, number
from scoring.stats.groups import GroupedCoefficient, Undefined, correlate
from scoring.stats.jackknife import (
    Jackknifed,
    LeaveOut,
    jackknifed,
    leave_out,
    leave_out_both,
)
from scoring.stats.option import option
from scoring.stats.systems import system_level, system_replicates

NAMES = ("metric scores", "human scores")
UNITS = {
    "prompts": "prompts",
    "prefixes": "prefixes",
    "systems": "systems",
    "both": "prompts and systems",
    "samples": "texts",
}
# With fewer systems Fisher's interval covers better than one over prompts does.
MANY_SYSTEMS = 20


@dataclass(frozen=True)
class Correlating(Grouped):
    """How metrics are correlated with people."""

    level: str = option(
        "texts",
        "Level",
        choices=(("texts", "single texts"), ("systems", "means of systems")),
    )
    resample: str = option(
        "prompts",
        "Intervals for new",
        choices=(
            ("prompts", "prompts"),
            ("prefixes", "prefixes"),
            ("systems", "systems"),
            ("both", "prompts and systems"),
            ("samples", "single texts"),
        ),
        help="The units that are left out in turn",
    )
    min_ratings: int = option(1, "Minimum ratings per text", min=1)


@dataclass(frozen=True)
class Setting:
    """The scores of a study and what the options make of them.

    Its options name the grouping that is in force, never "auto".
    """

    data: Data
    options: Correlating
    x: np.ndarray  # (n, M), higher is better
    y: np.ndarray  # (n, A), higher is better
    left: LeaveOut
    within: Within
    words: np.ndarray | None = None  # (n,), of each text; None = not counted

    @property
    def of_systems(self) -> bool:
        return self.options.level == "systems"

    @property
    def groups(self) -> np.ndarray | None:
        """What texts are compared within: (n,), None = all with all."""
        return self.within.groups

    def value(
        self, coefficient: str, x: np.ndarray, y: np.ndarray, names: Names = NAMES
    ) -> GroupedCoefficient:
        """The coefficient of two columns of scores."""
        if self.of_systems:
            systems = self.data.texts.system
            one = system_level(x, y, systems, coefficient=coefficient, names=names)
            reason = one.reason and one.reason.replace("pairs of scores", "systems")
            return GroupedCoefficient(one.value, reason, one.n)
        options = {
            "coefficient": coefficient,
            "groups": self.groups,
            "undefined": self.options.undefined,
        }
        return correlate(x, y, names=names, **options)  # type: ignore[arg-type]

    def jackknifed(
        self, coefficient: str, x: np.ndarray | None = None, y: np.ndarray | None = None
    ) -> Jackknifed:
        """The same without each unit in turn, (M, A)."""
        x, y = self.x if x is None else x, self.y if y is None else y
        if self.of_systems:
            return self._of_systems(coefficient, x, y)
        return self.within.jackknifed(coefficient, x, y, self.left)

    def _of_systems(self, coefficient: str, x: np.ndarray, y: np.ndarray) -> Jackknifed:
        def found(draws: Draws) -> np.ndarray:
            systems = self.data.texts.system
            return system_replicates(x, y, systems, draws, coefficient=coefficient)

        value = found(once(len(x)))[0]
        return jackknifed(value, found(self.left.draws), self.left, "fisher")

    def estimate(
        self, coefficient: str, found: GroupedCoefficient, made: Jackknifed
    ) -> Estimate:
        """The coefficient with its interval; Fisher's where systems are few.

        Args:
            coefficient: Its name.
            found: The coefficient.
            made: The same of one output and aspect, from `jackknifed`.
        """
        if not self.of_systems or found.n >= MANY_SYSTEMS or found.value is None:
            one = jackknife.estimate(made, n=found.n, reason=found.reason)
            return jackknife.over(one, UNITS[self.options.resample])
        ends = fisher(found.value, found.n, coefficient)
        if ends is None:
            reason = "too few systems for an interval"
            return Estimate(found.value, n=found.n, reason=reason)
        return Estimate(found.value, *ends, found.n)

    @property
    def interval(self) -> str:
        """What the intervals of this setting are, in a word of a signature."""
        return "jackknife-t" if self.of_systems else self.within.interval(self.left)

    def signature(self, statistic: str, **more: signature.Part) -> str:
        """How a number of this setting was made; `more` adds parts or replaces them."""
        chosen = self.options
        parts: dict[str, signature.Part] = {
            "level": chosen.level,
            **self.within.signed(),
            "raters": "mean",
            "min_ratings": chosen.min_ratings,
            "interval": self.interval,
            "unit": chosen.resample,
            "seed": chosen.seed,
            **filtered(chosen, self.data.policy),
        }
        return signature.text(statistic, **{**parts, **more})

    def cell(
        self,
        coefficient: str,
        found: GroupedCoefficient,
        jackknifed: Jackknifed,
        *,
        output: Output,
        aspect: str,
    ) -> Number:
        """The coefficient of one output and aspect, ready to be shown."""
        made = self.estimate(coefficient, found, jackknifed)
        if found.n == 0 and output.reason:
            made = replace(made, reason=output.reason)
        by_fisher = self.of_systems and found.n < MANY_SYSTEMS
        of_fisher = {"unit": None, "seed": None, "interval": "fisher"}
        made_of = self.signature(
            coefficient_name(coefficient),
            aspect=aspect,
            metric=output.id,
            n=found.n,
            **(of_fisher if by_fisher else {}),
        )
        return number(made.with_signature(made_of))

    def about(self) -> Basis:
        """What the words of a page say of it."""
        chosen, texts = self.options, self.data.texts
        known = texts.system[texts.system != NONE]
        return {
            **self.within.about(),
            "level": chosen.level,
            "resample": chosen.resample,
            "min_ratings": chosen.min_ratings,
            "n_units": self.left.n_units,
            "n_texts": len(texts),
            "n_systems": len(np.unique(known)),
        }


def setting(
    data: Data,
    options: Correlating,
    rng: np.random.Generator,
    *,
    columns: list[int] | None = None,
) -> Setting:
    """Take what the options leave of a study.

    Args:
        data: With filters applied.
        options: How to correlate.
        rng: For groups of units, where there are many.
        columns: Which outputs, in which order; None = all.
    """
    data, compared = _within(data, options)
    options = replace(options, grouping=compared.grouping)
    words = _words(data)
    if columns is not None:
        scores = data.scores[:, columns] if data.scores.size else data.scores
        data = replace(
            data, outputs=[data.outputs[at] for at in columns], scores=scores
        )
    shape = len(data.texts), len(data.outputs)
    return Setting(
        data,
        options,
        data.metric_scores().reshape(shape),
        human(data, options.min_ratings),
        left_out(data, options.resample, rng),
        compared,
        words,
    )


def _within(data: Data, options: Correlating) -> tuple[Data, Within]:
    """Which texts are compared; of whole systems there is nothing to group."""
    if options.level == "texts":
        return within(data, options, human(data, options.min_ratings))
    known = data.only(data.texts.system != NONE)
    return known, Within("none", cast(Undefined, options.undefined))


def _words(data: Data) -> np.ndarray | None:
    for place, output in enumerate(data.outputs):
        if output.baseline and output.key == "words":
            return data.scores[:, place]
    return None


def human(data: Data, min_ratings: int) -> np.ndarray:
    """Human scores of the texts with so many ratings, (n, A), NaN = none.

    A mean from a file that does not say of how many ratings counts as one.
    """
    scores = data.human_scores()
    _, n = data.human_means()
    return np.where(np.maximum(n, 1) < min_ratings, np.nan, scores)


def left_out(data: Data, resample: str, rng: np.random.Generator) -> LeaveOut:
    """The texts without each unit in turn."""
    texts = data.texts
    if resample == "both":
        return leave_out_both(texts.prompt, texts.system, rng=rng)
    return leave_out(units(data, resample), rng=rng)


def units(data: Data, resample: str) -> np.ndarray:
    """The unit of each text, (n,); prompts where it is a product of two."""
    texts = data.texts
    named = {
        "prefixes": texts.prefix,
        "systems": texts.system,
        "samples": np.arange(len(texts)),
    }
    return named.get(resample, texts.prompt)


def filtered(options: Filters, policy: str) -> dict[str, signature.Part]:
    """Parts of a signature that say which texts and ratings count."""
    return {
        "qc": "none" if options.with_discarded else policy or None,
        "systems": ",".join(options.systems) or None,
        "labels": ",".join(options.labels) or None,
        "prompts": options.prompts.replace(" ", "") or None,
        "excluded": "in" if options.with_excluded else None,
        "informed": "in" if options.with_informed else None,
    }


def coefficient_name(coefficient: str) -> str:
    """With its variant, for signatures."""
    return "kendall-b" if coefficient == "kendall" else coefficient


def is_asked(signature: str) -> bool:
    """Whether these scores are of a judge over the network, which may cost money."""
    return "endpoint:" in signature


def about_output(output: Output, place: int, aspects: list[Aspect]) -> MeantOutput:
    """What a table says of an output, and where its name leads.

    Args:
        output: Which one.
        place: In the study, which gives it its colour.
        aspects: Of the study: it leads to the one it is meant for, or to the first.
    """
    badges = {
        "baseline": output.baseline,
        "no direction": output.higher_is_better is None,
        "small model": output.small_model,
    }
    titles = {aspect.key: aspect.title for aspect in aspects}
    first = next(iter(titles), "")
    return {
        "id": output.id,
        "place": place,
        "label": output.label,
        "variant": output.variant,
        "key": output.key,
        "signature_id": output.signature_id,
        "aspect": output.measures if output.measures in titles else first,
        "meant_for": titles.get(output.measures or "", ""),
        "baseline": output.baseline,
        "badges": [badge for badge, holds in badges.items() if holds],
    }


def in_order(outputs: list[Output], ids: tuple[str, ...] = ()) -> list[int]:
    """Outputs meant for an aspect first, lengths last; only those asked for, if any."""
    known = [at for at, output in enumerate(outputs) if output.id in ids]
    return sorted(
        known or range(len(outputs)),
        key=lambda at: (outputs[at].baseline, outputs[at].measures is None),
    )
