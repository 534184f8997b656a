"""How many ratings a metric saves where people rate a random part of the texts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scoring.analyses.saved import parts
from scoring.analyses.saved.parts import Asked, Helped, Part
from scoring.analyses.saved.result import (
    Difference,
    MetricRow,
    OfAspect,
    Result,
    SystemRow,
)
from scoring.analyses.shared.setting import (
    about_output,
    filtered,
    in_order,
    is_asked,
)
from scoring.stats import signature
from scoring.stats.data import Data, Filters
from scoring.stats.estimates import Estimate, Number, number
from scoring.stats.option import option
from scoring.stats.saving import ranking, sentences
from scoring.stats.saving.correcting import LEAST_PROMPTS, Corrected, Estimates
from scoring.stats.saving.forms import Target

TITLE = "Saved ratings"
VERSION = 5
PLACE = 75
GROUP = "Systems"
NEEDS = frozenset({"ratings", "scores"})
MOST_LISTED = 15  # systems of which every difference is listed


@dataclass(frozen=True)
class Options(Filters):
    """What the means are of, and what is tried where the study drew no texts."""

    target: Target = option(
        "prompts",
        "Means are for",
        choices=(("prompts", "new prompts like these"), ("texts", "these texts only")),
    )
    share: int = option(
        20,
        "Share to try, in percent",
        min=5,
        max=90,
        help="What you would have saved if people had rated only this share of the"
        " texts. Not used if the study itself collected ratings for only a random part",
    )
    metric: str = option(
        "", "Metric", of="outputs", none="the one that saves the most ratings"
    )


def compute(data: Data, options: Options, rng: np.random.Generator) -> Result:
    """For each aspect: means by people alone and corrected, and the ratings saved."""
    data = options.apply(data)
    asked = parts.asked(data, options.target, options.share / 100)
    return {
        "target": options.target,
        "drawn": parts.how(data),
        "share": options.share,
        "tries": parts.TRIES,
        "least_prompts": LEAST_PROMPTS,
        "systems": [
            {
                "place": place,
                "system": data.systems[place].name,
                "kind": data.systems[place].kind,
            }
            for place in asked.places
        ],
        "aspects": [_aspect(asked, options, k, rng) for k in range(len(data.aspects))],
    }


def _aspect(
    asked: Asked, options: Options, k: int, rng: np.random.Generator
) -> OfAspect:
    data, aspect = asked.data, asked.data.aspects[k]
    part = parts.part(asked, k)
    helped = parts.helped(asked, part, in_order(data.outputs), rng)
    ordered = sorted(helped, key=lambda one: (np.isnan(one.saved), -one.saved))
    chosen = [h for h in ordered if data.outputs[h.place].id == options.metric]
    lead = next(iter(chosen or ordered), None)
    rows = [_metric(asked, options, part, one) for one in ordered]
    systems, pairs = _shown(asked, options, part, lead) if lead else ([], [])
    facts = sentences.Facts(
        part.kind,
        data.outputs[lead.place].name if lead else "",
        lead.saved if lead else 0.0,
        part.ratings,
        options.share,
        lead.n_prompts if lead else 0,
        part.why,
        lead.reason if lead else "",
        len(np.unique(data.texts.prompt[part.rows[np.isfinite(part.y)]])),
        lead is not None and is_asked(data.outputs[lead.place].signature),
        1 if chosen else max(1, len(ordered)),
        part.n_rated,
    )
    return {
        "key": aspect.key,
        "title": aspect.title,
        "higher_is_better": aspect.higher_is_better,
        "kind": part.kind,
        "sentence": sentences.sentence(facts),
        "refused": part.why,
        "n_texts": len(part.rows),
        "n_rated": part.n_rated,
        "n_ratings": part.ratings,
        "n_prompts": lead.n_prompts if lead else 0,
        "lead": data.outputs[lead.place].id if lead else "",
        "systems": systems,
        "differences": pairs,
        "metrics": rows,
    }


def _signed(
    asked: Asked, options: Options, statistic: str, part: Part, **more: signature.Part
) -> str:
    return signature.text(
        statistic,
        aspect=part.key,
        target=options.target,
        drawn=parts.how(asked.data) if part.drawn else f"tried-{options.share}%",
        seed=options.seed,
        **filtered(options, asked.data.policy),
        **more,
    )


def _metric(asked: Asked, options: Options, part: Part, one: Helped) -> MetricRow:
    output = asked.data.outputs[one.place]
    made_of = _signed(
        asked, options, "ratings saved", part, metric=output.id, n=part.n_rated
    )
    known = np.isfinite(one.saved)
    return {
        "output": about_output(output, one.place, asked.data.aspects),
        "name": output.name,
        "weight": one.weight,
        "like": part.ratings / (1 - one.saved) if known else None,
        "saved": number(
            Estimate(
                one.saved if known else None,
                one.low,
                one.high,
                n=part.n_rated,
                reason=None if known else one.reason,
                signature=made_of,
            )
        ),
    }


def _shown(
    asked: Asked, options: Options, part: Part, lead: Helped
) -> tuple[list[SystemRow], list[Difference]]:
    found = parts.differences(asked, part, lead)
    return (
        _systems(asked, options, part, lead, found),
        _differences(asked, options, part, lead, found),
    )


def _systems(
    asked: Asked, options: Options, part: Part, lead: Helped, differences: Corrected
) -> list[SystemRow]:
    n_systems = len(lead.means.weight)
    better = asked.data.aspects[asked.data.aspect(part.key)].higher_is_better
    of = ranking.pairs(n_systems)
    alone, helped = (
        ranking.ranges(one, of, n_systems, higher_is_better=better)
        for one in (differences.people, differences.corrected)
    )
    made_of = [
        _signed(asked, options, what, part, metric=metric)
        for what, metric in (
            ("mean", None),
            ("corrected mean", asked.data.outputs[lead.place].id),
        )
    ]
    return [
        {
            "n": int(lead.n[s]),
            "n_texts": int(lead.n_texts[s]),
            "people": _number(lead.means.people, s, int(lead.n[s]), made_of[0]),
            "corrected": _number(lead.means.corrected, s, int(lead.n[s]), made_of[1]),
            "rank": alone[s],
            "corrected_rank": helped[s],
            "weight": float(lead.means.weight[s]),
            "saved": None if np.isnan(lead.by_system[s]) else float(lead.by_system[s]),
        }
        for s in range(n_systems)
    ]


def _differences(
    asked: Asked, options: Options, part: Part, lead: Helped, found: Corrected
) -> list[Difference]:
    n_systems = len(lead.means.weight)
    if n_systems > MOST_LISTED:
        return []
    metric = asked.data.outputs[lead.place].id
    plain = _signed(asked, options, "difference of means", part)
    with_metric = _signed(
        asked, options, "corrected difference of means", part, metric=metric
    )
    return [
        {
            "first": int(one),
            "second": int(other),
            "people": _number(found.people, c, None, plain),
            "corrected": _number(found.corrected, c, None, with_metric),
        }
        for c, (one, other) in enumerate(ranking.pairs(n_systems))
    ]


def _number(found: Estimates, k: int, n: int | None, made_of: str) -> Number:
    value = float(found.value[k])
    if np.isnan(value):
        return number(Estimate(None, n=n, reason=found.reason[k], signature=made_of))
    if found.reason[k]:
        return number(Estimate(value, n=n, reason=found.reason[k], signature=made_of))
    low, high = float(found.low[k]), float(found.high[k])
    return number(Estimate(value, low, high, n=n, signature=made_of))
