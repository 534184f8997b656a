"""Which system is best: by people, by each metric, and whether the two agree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from scoring.analyses.shared.setting import about_output, filtered, in_order
from scoring.analyses.systems import beyond_chance
from scoring.analyses.systems.levels import Levels
from scoring.analyses.systems.result import (
    Aspect,
    Difference,
    Metric,
    Result,
    System,
)
from scoring.analyses.systems.seeds import closeness_of
from scoring.stats import cluster_t, signature
from scoring.stats.cluster_t import ALIKE, FEW_TO_TEST, LEAST
from scoring.stats.data import NONE, Data, Filters
from scoring.stats.estimates import Estimate, number
from scoring.stats.option import option
from scoring.stats.standings import (
    Standing,
    difference,
    standing,
)

TITLE = "Systems"
VERSION = 7
PLACE = 70
GROUP = "Systems"
NEEDS = frozenset({"ratings", "scores", "systems", "votes"})
# Of more systems not every difference is listed.
MOST_LISTED = 15


@dataclass(frozen=True)
class Options(Filters):
    """Which texts count, and whether people compete with the systems."""

    without_people: bool = option(False, "Leave out texts written by people")


def compute(data: Data, options: Options, rng: np.random.Generator) -> Result:
    """Rankings by people and by metrics, and how well they agree.

    Where a system gave no output, the scores of the empty text count in its means by
    metrics: else it would gain by it. People rate no empty text: in what is compared
    with them it is left out.
    """
    rated = _with_systems_only(options.apply(data), options)
    data = options.apply(data, with_no_output=True)
    n_unknown = int((data.texts.system == NONE).sum())
    data = _with_systems_only(data, options)
    human = _human(data, options)
    places = [n for n in range(len(data.systems)) if (data.texts.system == n).any()]
    at = np.full(len(data.systems) + 1, NONE)
    at[places] = np.arange(len(places))
    system = at[data.texts.system]  # of each text, among those shown
    return {
        "systems": [_about(data, place) for place in places],
        "n_units": len(np.unique(data.texts.prompt)),
        "n_unknown": n_unknown,
        "aspects": [
            _aspect(data, options, n, human[:, n], system, len(places))
            for n in range(len(data.aspects))
        ],
        "metrics": [
            *_metrics(data, options, system, len(places)),
            *_of_systems(data, options, places),
        ],
        "targets": Levels(rated, options, places).targets(rng),
    }


def _with_systems_only(data: Data, options: Options) -> Data:
    kept = data.texts.system != NONE
    if options.without_people:
        human = [n for n, one in enumerate(data.systems) if one.kind == "human"]
        kept &= ~np.isin(data.texts.system, human)
    return data.only(kept)


def _human(data: Data, options: Options) -> np.ndarray:
    """Human scores of the texts, (n, aspects); NaN for those that are excluded."""
    counts = ~data.texts.excluded | options.with_excluded
    return np.where(counts[:, np.newaxis], data.human_scores(), np.nan)


def _about(data: Data, place: int) -> System:
    rows = data.texts.system == place
    empty = int(data.no_output[rows].sum()) if len(data.no_output) else 0
    return {
        "place": place,
        "system": data.systems[place].name,
        "kind": data.systems[place].kind,
        "n_texts": int(rows.sum()) - empty,
        "n_no_output": empty,
        "n_prompts": len(np.unique(data.texts.prompt[rows])),
    }


# People ------------------------------------------------------------------------------


def _aspect(
    data: Data,
    options: Options,
    place: int,
    human: np.ndarray,
    system: np.ndarray,
    n_systems: int,
) -> Aspect:
    """The ranking by people on one aspect. Means are as given: low may be better."""
    aspect = data.aspects[place]
    sign = 1 if aspect.higher_is_better else -1
    found = standing(human, system, n_systems, data.texts.prompt)

    def signed(statistic: str, **more: signature.Part) -> str:
        return signature.text(
            statistic,
            aspect=aspect.key,
            level="systems",
            raters="mean",
            unit="prompts",
            **filtered(options, data.policy),
            **{"interval": "cr2-hall-t", **more},
        )

    values = [found.means[s].value for s in range(n_systems)]
    oriented = [-np.inf if value is None else value for value in values]
    by_mean = _ranks(values, True)
    best_first = sorted(range(n_systems), key=lambda s: -oriented[s])
    listed = n_systems <= MOST_LISTED
    return {
        "key": aspect.key,
        "title": aspect.title,
        "higher_is_better": aspect.higher_is_better,
        "unit": _unit(aspect.key, *data.ends_of(place)),
        "order": best_first,
        "rows": [
            {
                "mean": number(
                    _as_rated(found.means[s], sign).with_signature(signed("mean"))
                ),
                "rank": found.ranks[s],
                "rank_of_mean": by_mean[s],
                "range": found.ranges[s],
            }
            for s in range(n_systems)
        ],
        "family": found.family,
        "n_units": found.n_units,
        "testable": found.n_units >= LEAST,
        "differences": _differences(found, best_first, sign, signed) if listed else [],
    }


def _as_rated(estimate: Estimate, sign: int) -> Estimate:
    """As people gave it, where lower is better."""
    return estimate if sign > 0 else estimate.negated()


def _differences(
    found: Standing, best_first: list[int], sign: int, signed: Callable[..., str]
) -> list[Difference]:
    """Each two systems, the better one first."""
    rows: list[Difference] = []
    plain = signed("difference of means", test="cr2-t", interval="cr2-t")
    holm = signed(
        "difference of means",
        test="cr2-t",
        interval="cr2-t",
        correction="holm",
        family=found.family,
    )
    ranked = [s for s in best_first if found.means[s].value is not None]
    for one, other in combinations(ranked, 2):
        made = _as_rated(difference(found, one, other), sign)
        p, adjusted = found.p[one, other], found.adjusted[one, other]
        rows.append(
            {
                "first": one,
                "second": other,
                "difference": number(made.with_signature(plain)),
                "p": number(_p(p, found, one, other).with_signature(plain)),
                "adjusted": number(
                    _p(adjusted, found, one, other).with_signature(holm)
                ),
            }
        )
    return rows


def _p(p: float, found: Standing, one: int, other: int) -> Estimate:
    if np.isfinite(p):
        return Estimate(float(p))
    few = found.between.n_prompts[one, other] < LEAST
    return Estimate(None, reason=FEW_TO_TEST if few else ALIKE)


# Metrics -----------------------------------------------------------------------------


def _metrics(
    data: Data, options: Options, system: np.ndarray, n_systems: int
) -> list[Metric]:
    """Mean score of each system, as the metric gives it, and its rank."""
    found: list[Metric] = []
    scores = data.scores.reshape(len(data.texts), len(data.outputs))
    alike = data.of_one_level(np.isfinite(_human(data, options)).any(axis=1))
    scores = np.where(alike[:, np.newaxis], scores, np.nan)
    for place in in_order(data.outputs):
        one = data.outputs[place]
        made_of = signature.text(
            "mean",
            metric=one.id,
            level="systems",
            interval="cr2-hall-t",
            unit="prompts",
            **{**filtered(options, ""), "qc": None},
        )
        column = np.where(np.isfinite(scores[:, place]), scores[:, place], np.nan)
        means = cluster_t.estimates(
            cluster_t.means(column, system, n_systems, data.texts.prompt),
            reason=one.reason or cluster_t.NO_SCORE,
        )
        found.append(
            {
                **about_output(one, place, data.aspects),
                "higher_is_better": one.higher_is_better,
                "unit": one.unit,
                "means": [{**number(mean.with_signature(made_of))} for mean in means],
                "ranks": _ranks([mean.value for mean in means], one.higher_is_better),
                "n_without": _n_without(data, scores[:, place]),
            }
        )
    return found


def _unit(key: str, low: int, high: int | None) -> str:
    """Two sums are of two units, though both begin at 0."""
    return key if high is None else f"{low} to {high}"


def _n_without(data: Data, scores: np.ndarray) -> int:
    """How many empty texts a metric gives no score: a system gains by these."""
    if not len(data.no_output) or not np.isfinite(scores).any():
        return 0
    return int((data.no_output & np.isnan(scores)).sum())


def _of_systems(data: Data, options: Options, places: list[int]) -> list[Metric]:
    """Metrics that give a system one number, of all its texts: without interval.

    Outputs that say nothing about quality are left out: they would be ranked.
    """
    found: list[Metric] = []
    for k, one in enumerate(data.system_outputs):
        if not one.quality:
            continue
        cells = beyond_chance.means(data, places, k)
        values = [each["value"] for each in cells]
        made: Metric = {
            **about_output(one, k, data.aspects),
            "signature_id": None,
            "of_system": True,
            "higher_is_better": one.higher_is_better,
            "closeness": closeness_of(one, data.system_outputs),
            "unit": one.unit,
            "means": cells,
            "ranks": _ranks(values, one.higher_is_better),
        }
        if beyond_chance.same_for_all(data.system_scores[places, k], one):
            made["ranks"] = [None] * len(places)
            made["unranked"] = beyond_chance.SAME
        if pairs := beyond_chance.pairs(data, places, k):
            made["pairs"] = pairs
        found.append(made)
    return found


def _ranks(
    values: list[float | None], higher_is_better: bool | None
) -> list[float | None]:
    """From 1 = best; equal means share the mean of their ranks."""
    if higher_is_better is None:
        return [None] * len(values)
    sign = 1 if higher_is_better else -1
    there = np.array([np.nan if v is None else sign * v for v in values])
    return [
        None
        if np.isnan(value)
        else 1 + float((there > value).sum()) + ((there == value).sum() - 1) / 2
        for value in there
    ]
