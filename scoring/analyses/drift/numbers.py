"""Does a metric agree with people on texts of every system, and of every quality?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from scoring.analyses.drift.result import (
    InSystem,
    Model,
    OfQuality,
    OfSystems,
    OverDraws,
    Quality,
    Result,
    Spread,
    System,
)
from scoring.analyses.shared import choice
from scoring.analyses.shared.grouping import Grouped, Within, within
from scoring.stats import counts, drift, jackknife, signature
from scoring.stats.correlation import CoefficientName
from scoring.stats.data import NONE, Data
from scoring.stats.estimates import Estimate, Number, number
from scoring.stats.option import option

TITLE = "Drift"
VERSION = 4
PLACE = 40
GROUP = "Systems"
NEEDS = frozenset({"ratings", "scores"})
ALL = {"group": "none"}  # in the signature: all of a system's texts
NO_SYSTEMS = "no text names the system that wrote it"


@dataclass(frozen=True)
class Options(Grouped):
    """Which metrics, against which aspect."""

    coefficient: CoefficientName = option("pearson", "Coefficient", of="coefficients")
    aspect: str = option("", "Aspect", of="aspects", none="the first")
    outputs: tuple[str, ...] = option(
        (),
        "Metrics",
        of="outputs",
        help="Leave empty for text lengths and the metrics that are meant for this"
        " aspect or for no aspect.",
    )
    repeats: int = option(
        drift.REPEATS,
        "Draws of each quality subset",
        min=1,
        max=100,
        help="How often subsets are drawn. Means and SDs are over the draws.",
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """One run of the analysis. Every metric gets the same replicates: `rng()`."""

    data: Data
    options: Options
    aspect: str
    human: np.ndarray  # (n,)
    scores: np.ndarray  # (n, outputs), higher is better
    places: list[int]  # of the outputs that are shown
    within: Within
    rng: Callable[[], np.random.Generator]

    def signed(self, place: int, **parts: signature.Part) -> str:
        return choice.signed(
            self.data,
            self.options,
            self.options.coefficient,
            aspect=self.aspect,
            output=self.data.outputs[place].id,
            level="texts",
            unit="prompts",
            **{**_interval(parts.get("average")), **parts},
        )


def _interval(average: signature.Part) -> dict[str, str | int]:
    """A spread of correlations is resampled; each of them has the jackknife."""
    if average == "std":
        return {"interval": "percentile", "draws": counts.DRAWS}
    return {"interval": "jackknife-t"}


def compute(data: Data, options: Options, rng: np.random.Generator) -> Result:
    """Correlations within each system, and within subsets of different quality."""
    data, compared = within(options.apply(data), options)
    at = choice.aspect_place(data, options.aspect)
    aspect = data.aspects[at] if at is not None else None
    key = aspect.key if aspect else ""
    seed = int(rng.integers(2**32))
    asked = _Asked(
        data=data,
        options=options,
        aspect=key,
        human=choice.human_of(data, at),
        scores=data.metric_scores(),
        places=choice.for_aspect(data, key, options.outputs),
        within=compared,
        rng=lambda: np.random.default_rng(seed),
    )
    return {
        **compared.about(),
        "coefficient": options.coefficient,
        "aspect": aspect.title if aspect else "",
        "n": int(np.isfinite(asked.human).sum()),
        "reason": None if aspect else choice.NO_ASPECT,
        "outputs": [choice.described(data, place, key) for place in asked.places],
        "model": _model(asked),
        "quality": _quality(asked),
    }


# Texts of each system ----------------------------------------------------------------


def _model(asked: _Asked) -> Model:
    known = asked.data.texts.system != NONE
    places = np.unique(asked.data.texts.system[known]).tolist()
    if not places:
        return {"reason": NO_SYSTEMS, "systems": [], "rows": []}
    return {
        "reason": None,
        "unnamed": int((~known).sum()),
        "systems": [_system(asked, place) for place in places],
        "rows": [_within(asked, place, known, places) for place in asked.places],
    }


def _system(asked: _Asked, place: int) -> System:
    """How people rated the texts of one system."""
    human = asked.human[asked.data.texts.system == place]
    name = asked.data.systems[place].name
    return {"name": name, "place": place, **_spread(human)}


def _within(
    asked: _Asked, place: int, known: np.ndarray, systems: list[int]
) -> OfSystems:
    texts = asked.data.texts
    found = drift.by_system(
        asked.scores[known, place],
        asked.human[known],
        texts.system[known],
        rng=asked.rng(),
        coefficient=asked.options.coefficient,
        unit=texts.prompt[known],
    )
    why = asked.data.outputs[place].reason
    names = [asked.data.systems[one].name for one in systems]
    of_each: list[InSystem] = [
        {
            **_cell(one.value, why, asked.signed(place, **ALL, texts=f"system={name}")),
            "human_std": one.human_std,
        }
        for one, name in zip(found.within, names, strict=True)
    ]
    std = asked.signed(place, **ALL, texts="by system", average="std")
    return {
        "within": of_each,
        "pooled": _pooled(asked, place, known),
        "std": _cell(found.std, why, std),
    }


def _pooled(asked: _Asked, place: int, known: np.ndarray) -> Number:
    """All systems together: what the other pages show."""
    metric, human = asked.scores[known, place], asked.human[known]
    name, why = asked.options.coefficient, asked.data.outputs[place].reason
    among = asked.within.only(known)
    found = among.correlate(name, metric, human)
    left = jackknife.leave_out(asked.data.texts.prompt[known], rng=asked.rng())
    without = among.jackknifed(name, metric, human, left).at(0, 0)
    made = jackknife.estimate(without, n=found.n, reason=found.reason)
    how = {**among.signed(), "interval": among.interval(left)}
    return _cell(made, why, asked.signed(place, **how))


# Texts of each quality ---------------------------------------------------------------


def _quality(asked: _Asked) -> Quality:
    human = asked.human
    if not np.isfinite(human).any():
        return {"reason": "no text has a human score", "rows": [], "subsets": []}
    chosen = drift.quality_subsets(
        human, rng=asked.rng(), repeats=asked.options.repeats
    )
    bars = drift.histogram(human, chosen[0])
    return {
        "reason": None,
        "repeats": len(chosen),
        "edges": bars.edges.tolist(),
        "subsets": [
            {"counts": row, **_over_draws(human, chosen[:, j])}
            for j, row in enumerate(bars.counts)
        ],
        "rows": [_by_quality(asked, place, chosen) for place in asked.places],
    }


def _by_quality(asked: _Asked, place: int, chosen: np.ndarray) -> OfQuality:
    found = drift.by_quality(
        asked.scores[:, place],
        asked.human,
        chosen,
        rng=asked.rng(),
        coefficient=asked.options.coefficient,
        unit=asked.data.texts.prompt,
        **asked.within.how,
    )
    why, repeats = asked.data.outputs[place].reason, asked.options.repeats
    subsets: list[OverDraws] = []
    for j, one in enumerate(found.subsets):
        part = {**asked.within.signed(), "texts": f"quality={j}"}
        where = asked.signed(place, **part, repeats=repeats)
        first = asked.signed(place, **part, repeats=1)
        subsets.append(
            {
                "mean": number(
                    Estimate(
                        one.mean,
                        n=round(one.size),
                        reason=one.reason and (why or one.reason),
                        signature=where,
                    )
                ),
                "std": one.std,
                "first": number(
                    Estimate(
                        one.first.value,
                        n=one.first.n,
                        reason=one.first.reason and (why or one.first.reason),
                        signature=first,
                    )
                ),
                "human_std": one.human_std,
            }
        )
    part = {**asked.within.signed(), "texts": "by quality", "average": "std"}
    std = asked.signed(place, **part, repeats=repeats)
    return {"subsets": subsets, "stability": _cell(found.stability, why, std)}


def _over_draws(human: np.ndarray, chosen: np.ndarray) -> Spread:
    """Size, mean and SD of the human scores of one subset, means over its draws."""
    each = [_spread(human[texts]) for texts in chosen]
    return {
        "n": float(np.mean([one["n"] for one in each])),
        "mean": _mean([one["mean"] for one in each]),
        "std": _mean([one["std"] for one in each]),
    }


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def _spread(human: np.ndarray) -> Spread:
    rated = human[np.isfinite(human)]
    return {
        "n": len(rated),
        "mean": float(rated.mean()) if len(rated) else None,
        "std": float(rated.std(ddof=1)) if len(rated) > 1 else None,
    }


def _cell(found: Estimate, why: str, signature: str) -> Number:
    """An estimate; a metric without any score says why itself."""
    if found.value is None and why:
        found = replace(found, reason=why)
    return number(found.with_signature(signature))
