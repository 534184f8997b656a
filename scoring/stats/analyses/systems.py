"""Which system is best: by people, by each metric, and whether the two agree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from scoring.stats import compare, signature
from scoring.stats.analyses import _beyond_chance
from scoring.stats.analyses._cells import cell, of_estimate
from scoring.stats.analyses._levels import Levels
from scoring.stats.analyses._seeds import closeness_of
from scoring.stats.analyses._setting import about_output, filtered, in_order
from scoring.stats.analyses.results.systems import (
    Aspect,
    Difference,
    Metric,
    Result,
    System,
)
from scoring.stats.counts import DRAWS, TESTABLE, Draws, Estimate, draw, estimate
from scoring.stats.data import NONE, Data, Filters
from scoring.stats.option import option
from scoring.stats.standings import (
    Standing,
    difference,
    standing,
    system_means,
)

TITLE = "Systems"
VERSION = 3
PLACE = 70
GROUP = "Systems"
NEEDS = frozenset({"ratings", "scores", "systems", "votes"})
# Holm asks for more replicates the more systems there are; so many are drawn at most.
MOST_DRAWS = 20_000
# Of more systems not every difference is listed.
MOST_LISTED = 15


@dataclass(frozen=True)
class Options(Filters):
    """Which texts count, and whether people compete with the systems."""

    without_people: bool = option(False, "Leave out texts written by people")


def compute(data: Data, options: Options, rng: np.random.Generator) -> Result:
    """Rankings by people and by metrics, and how well they agree."""
    data = options.apply(data)
    n_unknown = int((data.texts.system == NONE).sum())
    data = _with_systems_only(data, options)
    places = [n for n in range(len(data.systems)) if (data.texts.system == n).any()]
    at = np.full(len(data.systems) + 1, NONE)
    at[places] = np.arange(len(places))
    system = at[data.texts.system]  # of each text, among those shown
    draws = draw(data.texts.prompt, rng=rng, draws=_replicates(len(places)))
    few = Draws(tuple(counts[:DRAWS] for counts in draws.counts), draws.at)
    return {
        "systems": [_about(data, place) for place in places],
        "draws": len(draws),
        "draws_of_metrics": len(few),
        "n_units": draws.n_units,
        "n_unknown": n_unknown,
        "aspects": [
            _aspect(data, options, n, system, len(places), draws)
            for n in range(len(data.aspects))
        ],
        "metrics": [
            *_metrics(data, options, system, len(places), few),
            *_of_systems(data, options, places),
        ],
        "targets": Levels(data, options, places).targets(rng),
    }


def _with_systems_only(data: Data, options: Options) -> Data:
    kept = data.texts.system != NONE
    if options.without_people:
        human = [n for n, one in enumerate(data.systems) if one.kind == "human"]
        kept &= ~np.isin(data.texts.system, human)
    return data.only(kept)


def _replicates(n_systems: int) -> int:
    family = n_systems * (n_systems - 1) // 2
    return min(MOST_DRAWS, max(DRAWS, compare.replicates_needed(family)))


def _about(data: Data, place: int) -> System:
    rows = data.texts.system == place
    return {
        "place": place,
        "system": data.systems[place].name,
        "kind": data.systems[place].kind,
        "n_texts": int(rows.sum()),
        "n_prompts": len(np.unique(data.texts.prompt[rows])),
    }


# People ------------------------------------------------------------------------------


def _aspect(
    data: Data,
    options: Options,
    place: int,
    system: np.ndarray,
    n_systems: int,
    draws: Draws,
) -> Aspect:
    """The ranking by people on one aspect. Means are as given: low may be better."""
    aspect = data.aspects[place]
    sign = 1 if aspect.higher_is_better else -1
    human = data.human_scores()[:, place]
    found = standing(human, system, n_systems, draws)

    def signed(statistic: str, **more: signature.Part) -> str:
        return signature.text(
            statistic,
            aspect=aspect.key,
            level="systems",
            raters="mean",
            draws=len(draws),
            unit="prompts",
            seed=options.seed,
            **filtered(options, data.policy),
            **more,
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
        "order": best_first,
        "rows": [
            {
                "mean": of_estimate(_turned(found.means[s], sign), signed("mean")),
                "rank": found.ranks[s],
                "rank_of_mean": by_mean[s],
                "range": found.ranges[s],
            }
            for s in range(n_systems)
        ],
        "family": found.family,
        "n_units": found.n_units,
        "testable": found.n_units >= TESTABLE,
        "coarse": found.coarse,
        "differences": _differences(found, best_first, sign, signed) if listed else [],
    }


def _turned(found: Estimate, sign: int) -> Estimate:
    """As people gave it, where lower is better."""
    if sign > 0 or found.value is None:
        return found
    low, high = (None if end is None else -end for end in (found.high, found.low))
    return found._replace(value=-found.value, low=low, high=high)


def _differences(
    found: Standing, best_first: list[int], sign: int, signed: Callable[..., str]
) -> list[Difference]:
    """Each two systems, the better one first."""
    rows: list[Difference] = []
    plain = signed("difference of means", test="paired bootstrap")
    holm = signed(
        "difference of means",
        test="paired bootstrap",
        correction="holm",
        family=found.family,
    )
    ranked = [s for s in best_first if found.means[s].value is not None]
    for one, other in combinations(ranked, 2):
        made = _turned(difference(found, one, other), sign)
        p, adjusted = found.p[one, other], found.adjusted[one, other]
        rows.append(
            {
                "first": one,
                "second": other,
                "difference": of_estimate(made, plain),
                "p": cell(*_p(p, found), signature=plain),
                "adjusted": cell(*_p(adjusted, found), signature=holm),
            }
        )
    return rows


def _p(p: float, found: Standing) -> tuple[float | None, str | None]:
    if np.isfinite(p):
        return float(p), None
    if found.n_units < TESTABLE:
        return None, f"fewer than {TESTABLE} prompts: no test"
    return None, "too many resamples have no value"


# Metrics -----------------------------------------------------------------------------


def _metrics(
    data: Data, options: Options, system: np.ndarray, n_systems: int, draws: Draws
) -> list[Metric]:
    """Mean score of each system, as the metric gives it, and its rank."""
    found: list[Metric] = []
    scores = data.scores.reshape(len(data.texts), len(data.outputs))
    alike = data.of_one_level(np.isfinite(data.human_scores()).any(axis=1))
    scores = np.where(alike[:, np.newaxis], scores, np.nan)
    replicates = system_means(scores, system, n_systems, draws)
    for place in in_order(data.outputs):
        one = data.outputs[place]
        made_of = signature.text(
            "mean",
            metric=one.id,
            level="systems",
            draws=len(draws),
            unit="prompts",
            seed=options.seed,
            **{**filtered(options, ""), "qc": None},
        )
        means = [
            _mean(
                scores[:, place],
                replicates[:, s, place],
                system == s,
                draws,
                one.reason,
            )
            for s in range(n_systems)
        ]
        found.append(
            {
                **about_output(one, place, data.aspects),
                "higher_is_better": one.higher_is_better,
                "unit": one.unit,
                "means": [{**of_estimate(mean, made_of)} for mean in means],
                "ranks": _ranks([mean.value for mean in means], one.higher_is_better),
            }
        )
    return found


def _of_systems(data: Data, options: Options, places: list[int]) -> list[Metric]:
    """Metrics that give a system one number, of all its texts: without interval.

    Outputs that say nothing about quality are left out: they would be ranked.
    """
    found: list[Metric] = []
    for k, one in enumerate(data.system_outputs):
        if not one.quality:
            continue
        cells = _beyond_chance.means(data, places, k)
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
        if _beyond_chance.same_for_all(data.system_scores[places, k], one):
            made["ranks"] = [None] * len(places)
            made["unranked"] = _beyond_chance.SAME
        if pairs := _beyond_chance.pairs(data, places, k):
            made["pairs"] = pairs
        found.append(made)
    return found


def _mean(
    column: np.ndarray,
    replicates: np.ndarray,
    rows: np.ndarray,
    draws: Draws,
    reason: str,
) -> Estimate:
    rows = np.flatnonzero(rows & np.isfinite(column))
    return estimate(
        float(column[rows].mean()) if len(rows) else None,
        replicates,
        n=len(rows),
        n_units=len(np.unique(draws.at[0][rows])),
        reason=reason or "no text with a score",
    )


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
