"""What is correlated, how, and in which replicates: shared by several analyses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, cast

import numpy as np

from scoring.stats import signature
from scoring.stats.analyses._cells import of_estimate
from scoring.stats.analyses._grouping import Grouped, chosen
from scoring.stats.analyses.results.common import Basis, MeantOutput, Number
from scoring.stats.analyses.results.correlations import Groups
from scoring.stats.compare import all_pairs, replicates_needed
from scoring.stats.correlation import Names, fisher
from scoring.stats.counts import (
    DRAWS,
    TESTABLE,
    Draws,
    Estimate,
    draw,
    draw_both,
    estimate,
)
from scoring.stats.data import NONE, Aspect, Data, Filters, Output
from scoring.stats.grouping import AUTO
from scoring.stats.groups import Undefined, correlate, replicates
from scoring.stats.option import option
from scoring.stats.systems import system_level, system_replicates

NAMES = ("metric scores", "human scores")
# With fewer systems Fisher's interval covers better than one from resampling does.
MANY_SYSTEMS = 20
# Where tests of each two metrics would need more replicates, they are not worth the
# wait: then as many as a test of each single metric needs.
MAX_DRAWS, MAX_SINGLE = 25_000, 5000
# Texts x outputs x aspects x replicates: half a minute on one core.
WORK = 2_000_000_000
FEW_TO_TEST = f"fewer than {TESTABLE} units to draw from: no test"


@dataclass(frozen=True)
class Correlating(Grouped):
    """How metrics are correlated with people."""

    level: str = option(
        "texts",
        "Level",
        choices=(("texts", "single texts"), ("systems", "means of systems")),
    )
    undefined: str = option(
        "drop",
        "A group in which a metric gives all texts the same score",
        choices=(("drop", "is left out"), ("zero", "counts as 0")),
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
        help="The units that each resample draws",
    )
    min_ratings: int = option(1, "Minimum ratings per text", min=1)


class Value(NamedTuple):
    """A coefficient as reported, or why there is none, and its basis."""

    value: float | None
    reason: str | None
    n: int  # texts, or systems
    n_groups: int = 1  # that count
    n_undefined_metric: int = 0
    n_undefined_human: int = 0
    n_small: int = 0

    def accounts(self) -> Groups:
        """How many groups have a coefficient, and how many have none and why."""
        return {
            "n_groups": self.n_groups,
            "n_undefined_metric": self.n_undefined_metric,
            "n_undefined_human": self.n_undefined_human,
            "n_small": self.n_small,
        }


@dataclass(frozen=True)
class Setting:
    """The scores of a study and what the options make of them.

    Its options name the grouping that is in force, never "auto".
    """

    data: Data
    options: Correlating
    x: np.ndarray  # (n, M), higher is better
    y: np.ndarray  # (n, A), higher is better
    draws: Draws
    words: np.ndarray | None = None  # (n,), of each text; None = not counted
    why: str = ""  # the rule chose what texts are compared within; "" = someone did

    @property
    def of_systems(self) -> bool:
        return self.options.level == "systems"

    @property
    def groups(self) -> np.ndarray | None:
        """What texts are compared within: (n,), None = all with all."""
        texts = self.data.texts
        named = {"item": texts.slot, "system": texts.system}
        return named.get(self.options.grouping)

    def value(
        self, coefficient: str, x: np.ndarray, y: np.ndarray, names: Names = NAMES
    ) -> Value:
        """The coefficient of two columns of scores."""
        if self.of_systems:
            systems = self.data.texts.system
            one = system_level(x, y, systems, coefficient=coefficient, names=names)
            reason = one.reason and one.reason.replace("pairs of scores", "systems")
            return Value(one.value, reason, one.n)
        options = {
            "coefficient": coefficient,
            "groups": self.groups,
            "undefined": self.options.undefined,
        }
        return Value(*correlate(x, y, names=names, **options))  # type: ignore[arg-type]

    def replicates(
        self, coefficient: str, x: np.ndarray | None = None, y: np.ndarray | None = None
    ) -> np.ndarray:
        """The same in each replicate, (B, M, A)."""
        x, y = self.x if x is None else x, self.y if y is None else y
        if self.of_systems:
            systems = self.data.texts.system
            return system_replicates(x, y, systems, self.draws, coefficient=coefficient)
        return replicates(
            x,
            y,
            self.draws,
            coefficient=coefficient,
            groups=self.groups,
            undefined=cast(Undefined, self.options.undefined),
        )

    def estimate(
        self, coefficient: str, found: Value, in_replicates: np.ndarray
    ) -> Estimate:
        """The coefficient with its interval; Fisher's where systems are few."""
        if not self.of_systems or found.n >= MANY_SYSTEMS or found.value is None:
            return estimate(
                found.value,
                in_replicates,
                n=found.n,
                n_units=self.draws.n_units,
                reason=found.reason,
            )
        ends = fisher(found.value, found.n, coefficient)
        if ends is None:
            reason = "too few systems for an interval"
            return Estimate(found.value, None, None, reason, found.n)
        return Estimate(found.value, *ends, None, found.n)

    def p_values(self, in_replicates: np.ndarray) -> np.ndarray:
        """Paired bootstrap of each two metrics, (B, M) -> (M, M); NaN = no test."""
        if self.draws.n_units < TESTABLE:
            return np.full((in_replicates.shape[1],) * 2, np.nan)
        return all_pairs(in_replicates)

    def signature(self, statistic: str, **more: signature.Part) -> str:
        """How a number of this setting was made; `more` adds parts or replaces them."""
        chosen = self.options
        grouped = chosen.grouping != "none" and not self.of_systems
        parts: dict[str, signature.Part] = {
            "level": chosen.level,
            "group": chosen.grouping if grouped else "none",
            "average": "macro" if grouped else None,
            "undefined": chosen.undefined if grouped else None,
            "raters": "mean",
            "min_ratings": chosen.min_ratings,
            "draws": len(self.draws),
            "unit": chosen.resample,
            "seed": chosen.seed,
            **filtered(chosen, self.data.policy),
        }
        return signature.text(statistic, **{**parts, **more})

    def cell(
        self,
        coefficient: str,
        found: Value,
        in_replicates: np.ndarray,
        *,
        output: Output,
        aspect: str,
    ) -> Number:
        """The coefficient of one output and aspect, ready to be shown."""
        made = self.estimate(coefficient, found, in_replicates)
        if found.n == 0 and output.reason:
            made = made._replace(reason=output.reason)
        by_fisher = self.of_systems and found.n < MANY_SYSTEMS
        of_draws = {"draws": None, "unit": None, "seed": None, "interval": "fisher"}
        made_of = self.signature(
            coefficient_name(coefficient),
            aspect=aspect,
            metric=output.id,
            n=found.n,
            **(of_draws if by_fisher else {}),
        )
        return of_estimate(made, made_of)

    def about(self) -> Basis:
        """What the words of a page say of it."""
        chosen, texts = self.options, self.data.texts
        known = texts.system[texts.system != NONE]
        return {
            "level": chosen.level,
            "grouping": chosen.grouping,
            "grouping_why": self.why,
            "undefined": chosen.undefined,
            "resample": chosen.resample,
            "min_ratings": chosen.min_ratings,
            "draws": len(self.draws),
            "n_units": self.draws.n_units,
            "n_texts": len(texts),
            "n_systems": len(np.unique(known)),
        }


def setting(
    data: Data,
    options: Correlating,
    rng: np.random.Generator,
    *,
    draws: int = DRAWS,
    columns: list[int] | None = None,
) -> Setting:
    """Take what the options leave of a study.

    Args:
        data: With filters applied.
        options: How to correlate.
        rng: Draws the replicates.
        draws: How many.
        columns: Which outputs, in which order; None = all.
    """
    options, why = _with_grouping(data, options)
    if options.level == "systems" or options.grouping == "system":
        data = data.only(data.texts.system != NONE)
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
        draws_of(data, options.resample, rng, draws),
        words,
        why,
    )


def _with_grouping(data: Data, options: Correlating) -> tuple[Correlating, str]:
    """The options with the grouping that is in force, and why it was chosen."""
    if options.level == "systems":  # there is nothing to group
        none = "none" if options.grouping == AUTO else options.grouping
        return replace(options, grouping=none), ""
    found = chosen(data, options, human(data, options.min_ratings))
    return replace(options, grouping=found.grouping), found.why


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


def n_draws(data: Data, n_outputs: int) -> int:
    """So many that a difference of two metrics can be significant among all of them.

    The same for every page of a study, so that a number has one interval everywhere.
    """
    needed = replicates_needed(n_outputs * (n_outputs - 1) // 2) + 1
    work = len(data.texts) * n_outputs * len(data.aspects) * needed
    if needed > MAX_DRAWS or work > WORK:
        needed = min(MAX_SINGLE, replicates_needed(n_outputs) + 1)
    return max(DRAWS, needed)


def draws_of(data: Data, resample: str, rng: np.random.Generator, draws: int) -> Draws:
    """Replicates of the texts by what is drawn whole."""
    texts = data.texts
    if resample == "both":
        return draw_both(texts.prompt, texts.system, rng=rng, draws=draws)
    return draw(units(data, resample), rng=rng, draws=draws)


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
