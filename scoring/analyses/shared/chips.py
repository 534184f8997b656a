"""What may be claimed of each metric of a study, for every page that says it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from scoring.analyses.shared.grouping import Compared, Within, within
from scoring.analyses.shared.rated import of_aspect
from scoring.analyses.shared.setting import in_order
from scoring.stats.answer import ceiling, chips, floor, forecast, question
from scoring.stats.answer.chips import Adjusted
from scoring.stats.answer.evidence import Evidence, Measure, gather
from scoring.stats.answer.margins import MIN_PROMPTS
from scoring.stats.answer.question import Question
from scoring.stats.answer.sentences import Verdict
from scoring.stats.by_prompt import telling
from scoring.stats.correlation import CoefficientName
from scoring.stats.data import NONE, Data, Output
from scoring.stats.grouping import AUTO
from scoring.stats.option import option

UNREAD = "the texts themselves are not at hand"


@dataclass(frozen=True)
class Judging(Compared):
    """How metrics are compared with people."""

    coefficient: CoefficientName = option("pearson", "Coefficient", of="coefficients")


@dataclass(frozen=True, slots=True)
class Asked:
    """One run of the analysis."""

    data: Data
    options: Judging
    places: list[int]  # of the metrics
    x: np.ndarray  # (n, M), higher is better
    measure: Measure
    within: Within
    others: list[tuple[int, np.ndarray]]  # places of those without direction, scores

    @property
    def outputs(self) -> list[Output]:
        return [self.data.outputs[place] for place in self.places]

    @property
    def by_system(self) -> bool:
        return self.within.grouping == "system"


class Judged(NamedTuple):
    """One metric, with the p that decided."""

    verdict: Verdict
    p: Adjusted
    family: int  # metrics that p is adjusted for


class Examined(NamedTuple):
    """One aspect."""

    question: Question
    judged: list[Judged]  # of each metric
    panel: ceiling.Panel
    human: np.ndarray  # (n,) higher is better, NaN = not rated
    guesses: list[floor.Sentinel]  # those that metrics are held against
    free: dict[str, np.ndarray]  # those that exist


def study(data: Data, options: Judging) -> Asked:
    """The metrics of a study, and what texts they are compared on.

    Args:
        data: With filters applied.
        options: Of the analysis.
    """
    data, compared = within(data, options)
    return _asked(data, *_of_pairs(data, options, compared))


def _of_pairs(data: Data, options: Judging, compared: Within) -> tuple[Judging, Within]:
    """Two texts a prompt have no correlation, but an order: Kendall's tau within it.

    Only where nobody chose, and enough prompts tell their two texts apart.
    """
    y, prompt = data.human_scores(), data.texts.prompt
    rated = np.isfinite(y).any(axis=1)
    most = np.bincount(prompt[rated]).max(initial=0) if rated.any() else 0
    tell = telling(y, prompt, least=2) if y.size else np.zeros(0)
    if options.grouping != AUTO or compared.grouping == "item" or most != 2:
        return options, compared
    if not (tell[np.isfinite(y).any(axis=0)] >= MIN_PROMPTS).all():
        return options, compared
    why = (
        "Prompts have two rated texts each, so it counts how often a metric orders the"
        " two as people do: Kendall's tau of one prompt is 1, 0 or −1."
    )
    paired = Within("item", "zero", prompt, why, "2 texts of a prompt")
    return replace(options, coefficient="kendall"), paired


def _asked(data: Data, options: Judging, compared: Within) -> Asked:
    metrics = [k for k in in_order(data.outputs) if not data.outputs[k].baseline]
    places = [k for k in metrics if data.outputs[k].higher_is_better is not None]
    n = len(data.texts)
    _, prompt = np.unique(data.texts.prompt, return_inverse=True)
    groups = {
        "item": None,
        "none": np.zeros(n, np.intp),
        "system": data.texts.system,
    }[compared.grouping]
    x = data.metric_scores().reshape(n, len(data.outputs))
    measure = Measure(options.coefficient, prompt.reshape(-1), groups, options.seed)
    others = [(k, x[:, k]) for k in metrics if k not in places]
    return Asked(data, options, places, x[:, places], measure, compared, others)


def examine(asked: Asked, k: int, rng: np.random.Generator) -> Examined:
    """Whether metrics can be judged on an aspect, and each of them."""
    data, aspect = asked.data, asked.data.aspects[k]
    y = data.human_scores()[:, k]
    rated = of_aspect(data, k)
    sign = 1 if aspect.higher_is_better else -1
    panel = ceiling.panel(rated.text, rated.raters, sign * rated.value, rng=rng)
    sentinels = guesses(data, y)
    free = {one.key: one.scores for one in sentinels if one.reason is None}
    system = np.full(len(y), NONE) if asked.by_system else data.texts.system
    found = question.examine(
        asked.measure, panel.picks, y, free, system, n_rest=panel.n_rest
    )
    evidence = gather(found.measure, found.picks, y, asked.x, free)
    judged = _judged(asked, found, evidence)
    return Examined(found, judged, panel, y, sentinels, free)


def _judged(asked: Asked, found: Question, evidence: list[Evidence]) -> list[Judged]:
    """The chip of each metric, with p corrected for the family that it is in."""
    outputs = asked.outputs
    planned = [output.chosen == "before" for output in outputs]
    n_ever = max(asked.data.tried, len(outputs))
    adjusted = chips.adjust(evidence, planned, n_ever)
    judged = []
    for output, of, p, early in zip(outputs, evidence, adjusted, planned, strict=True):
        family = sum(planned) if early else n_ever
        chip = chips.chip_of(found, of, p)
        verdict = Verdict(
            output.name,
            chip,
            of,
            more=forecast.prompts_more(chip, of, family),
            starred=bool(output.chosen),
            late=output.chosen == "after",
            why_none=output.reason or "it gives all these texts the same score",
        )
        judged.append(Judged(verdict, p, family))
    return judged


def guesses(data: Data, y: np.ndarray) -> list[floor.Sentinel]:
    """Free ones: they do not need ratings of the texts they are about."""
    surface, prompt = data.surface, data.texts.prompt
    if len(surface) != len(y) or not surface.size:
        nothing = np.full(len(y), np.nan)
        return [floor.Sentinel(key, nothing, UNREAD) for key in ("length", "surface")]
    return [
        floor.length(surface[:, floor.WORDS], y, prompt),
        floor.surface(surface, y, prompt),
    ]
