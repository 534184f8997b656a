"""How far people agree, what lowers it, and how well a person does as a metric."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from scoring.analyses.agreement import ceiling
from scoring.analyses.agreement.options import Asked, Options
from scoring.analyses.agreement.result import (
    Alpha,
    Compared,
    Distribution,
    Quality,
    Result,
    Spread,
)
from scoring.analyses.agreement.workers import workers
from scoring.analyses.shared import rated
from scoring.analyses.shared.rated import Rated
from scoring.stats import agreement, kappa, within_aspects
from scoring.stats.correlation import Coefficient
from scoring.stats.data import Data
from scoring.stats.estimates import Estimate, Number, number

__all__ = ["NEEDS", "TITLE", "VERSION", "Options", "compute"]

TITLE = "Agreement"
VERSION = 4
PLACE = 10
GROUP = "People"
NEEDS = frozenset({"ratings"})
# A scale of more points is shown in so many parts of equal width.
MOST_POINTS, PARTS = 11, 10
DASH = "\N{EN DASH}"
FIFTHS = ("lowest fifth", "second", "middle", "fourth", "highest fifth")


def compute(data: Data, options: Options, rng: np.random.Generator) -> Result:
    """Alpha with its company, workers, the human ceiling and the spread of ratings."""
    with_discarded = options.of_texts(data)
    asked = Asked(options.apply(data), options)
    scopes = rated.each(asked.data)
    # Each part has its own source: none depends on whether another was computed.
    for_alpha, for_quality, for_ceiling, for_halves, for_within = rng.spawn(5)
    quality = _quality(asked, scopes, with_discarded, for_quality)
    ceilings = [ceiling.ceiling(asked, one, for_ceiling) for one in _aspects(scopes)]
    return {
        "level": _said(asked),
        "resample": options.resample,
        "coefficient": options.coefficient,
        "with_discarded": options.with_discarded,
        "n_texts": len(asked.data.texts),
        "rows": _rows(asked, scopes, quality, for_alpha, for_within),
        "quality": quality,
        "workers": workers(asked, scopes, with_discarded),
        "ceiling": {"rows": [row for row, _ in ceilings]},
        "curve": [
            ceiling.curve(asked, one, single, for_halves)
            for one, (_, single) in zip(_aspects(scopes), ceilings, strict=True)
        ],
        "distribution": _distribution(asked, _aspects(scopes)),
    }


def _said(asked: Asked) -> str:
    """The level of all aspects, or that each has its own."""
    found = set(asked.levels)
    return found.pop() if len(found) == 1 else asked.options.level


def _aspects(scopes: list[Rated]) -> list[Rated]:
    return [one for one in scopes if one.key != rated.ALL]


def _row(asked: Asked, one: Rated, quality: Quality, rng: np.random.Generator) -> Alpha:
    """Alpha, and what to read beside it."""
    counts, level = one.counts(), asked.level_of(one.key)
    point = agreement.alpha(counts, one.values, level)
    equal = agreement.equal_share(counts)
    none = None if equal is not None else kappa.NO_PAIR
    weights: kappa.Weights = "identity" if level == "nominal" else "quadratic"
    gwet = kappa.gwet_ac(counts, one.values, weights)
    if one.key == rated.ALL and asked.apart:
        gwet = Coefficient(None, asked.apart, gwet.n)
    n = point.n_units
    return {
        **one.named(),
        "alpha": _alpha(asked, one, quality, rng),
        "equal": number(
            Estimate(
                equal,
                n=n,
                reason=none,
                signature=asked.signed("equal-pairs", one.key, n=n),
            )
        ),
        "gwet": number(
            Estimate(
                gwet.value,
                n=n,
                reason=gwet.reason,
                signature=asked.signed("gwet-ac", one.key, weights=weights, n=n),
            )
        ),
        "n_units": n,
        "n_ratings": point.n_ratings,
    }


def _alpha(
    asked: Asked, one: Rated, quality: Quality, rng: np.random.Generator
) -> Number:
    """With its interval: the one that stands beside the difference, if there is one."""
    for row in quality["rows"]:
        if row["key"] == one.key:
            return row["with"] if asked.options.with_discarded else row["without"]
    level = asked.level_of(one.key)
    made = agreement.alpha_interval(
        one.counts(), one.values, level, rng=rng, units=asked.units(one.text_of)
    )
    if one.key == rated.ALL and asked.apart:
        made = Estimate(None, n=made.n, reason=asked.apart)
    return number(
        asked.over(made).with_signature(
            asked.drawn("alpha", one.key, level=level, n=made.n)
        )
    )


def _rows(
    asked: Asked,
    scopes: list[Rated],
    quality: Quality,
    rng: np.random.Generator,
    for_within: np.random.Generator,
) -> list[Alpha]:
    """Each aspect, all together, and all with differences within aspects alone."""
    found = [_row(asked, one, quality, rng) for one in scopes]
    if len(scopes) > 1:
        alpha = _within(asked, _aspects(scopes), for_within)
        within: Alpha = {
            **found[-1],
            "key": rated.WITHIN,
            "aspect": "All aspects, within each",
            "alpha": alpha,
            "gwet": number(Estimate(None, n=0, reason="given for each aspect")),
        }
        found.append(within)
    return found


def _within(asked: Asked, aspects: list[Rated], rng: np.random.Generator) -> Number:
    """Alpha of all aspects, without the differences between them."""
    levels = asked.levels
    made = within_aspects.alpha_within(
        [one.counts() for one in aspects],
        [one.values for one in aspects],
        levels,
        rng=rng,
        units=asked.units(aspects[0].text_of),
    )
    level = levels[0] if len(set(levels)) == 1 else ",".join(levels)
    signed = asked.drawn("alpha-within", rated.WITHIN, level=level, n=made.n)
    return number(asked.over(made).with_signature(signed))


# With and without quality control -----------------------------------------------------


def _quality(
    asked: Asked, scopes: list[Rated], both: Data, rng: np.random.Generator
) -> Quality:
    """Alpha of what counts, and of that and what was discarded."""
    valid = both.ratings.valid
    discarded = both.ratings.page[~valid]
    counted, without = asked, iter(scopes)
    if asked.options.with_discarded:
        options = replace(asked.options, with_discarded=False)
        counted = Asked(options.apply(both), options)
        without = rated.in_turn(counted.data)
    rows = []
    if len(discarded):
        pairs = zip(without, rated.in_turn(both), strict=True)
        rows = [_compared(counted, *pair, rng) for pair in pairs]
    return {
        "policy": both.policy,
        "n_ratings": len(valid),
        "n_discarded": len(discarded),
        "n_pages": len(np.unique(discarded)),
        "rows": rows,
    }


def _compared(
    asked: Asked, counted: Rated, both: Rated, rng: np.random.Generator
) -> Compared:
    """Alpha without, with, and the difference, over the same units."""
    level = asked.level_of(both.key)
    found = agreement.alpha_difference(
        replace(counted, values=both.values).counts(),
        both.counts(),
        both.values,
        level,
        rng=rng,
        units=asked.units(both.text_of),
    )

    def made(statistic: str, one: Estimate, policy: str | None) -> Number:
        key = both.key
        if key == rated.ALL and asked.apart:
            one = Estimate(None, n=one.n, reason=asked.apart)
        signed = asked.drawn(statistic, key, level=level, n=one.n, qc=policy)
        return number(asked.over(one).with_signature(signed))

    policy = asked.data.policy or None
    change = made("alpha-change", found.difference, policy)
    if change["reason"]:
        without = change["reason"].replace("first:", "without discarded:")
        change["reason"] = without.replace("second:", "with discarded:")
    return {
        **both.named(),
        "n_discarded": len(both.unit) - len(counted.unit),
        "without": made("alpha", found.first, policy),
        "with": made("alpha", found.second, "none"),
        "change": change,
    }


# The spread of ratings ----------------------------------------------------------------


def _distribution(asked: Asked, aspects: list[Rated]) -> Distribution:
    """How often each value was given; where scales differ, each fifth of them."""
    values = [one.values for one in aspects]
    if any(len(one) != len(values[0]) or (one != values[0]).any() for one in values):
        names, parts = [*FIFTHS], [_fifths(one) for one in values]
    else:
        names, part = _parts(values[0] if values else np.arange(0))
        parts = [part] * len(values)
    rows = [
        _spread(asked, place, one, len(names), part)
        for place, (one, part) in enumerate(zip(aspects, parts, strict=True))
    ]
    return {"names": names, "rows": rows}


def _spread(
    asked: Asked, place: int, one: Rated, width: int, part: np.ndarray
) -> Spread:
    """Mean, SD and the share of each part of the scale, of one aspect's ratings."""
    n = len(one.value)
    low, high = asked.data.ends_of(place)
    which = part[np.searchsorted(one.values, one.value)]

    def made(statistic: str, value: float | None, times: int = n) -> Number:
        reason = None if value is not None else "one rating only" if n else "no rating"
        return number(
            Estimate(
                value,
                n=times,
                reason=reason,
                signature=asked.signed(statistic, one.key),
            )
        )

    return {
        **one.named(),
        "n": n,
        "n_unsaid": int((asked.data.unsaid.aspect == place).sum()),
        "scale": f"{low}{DASH}{high}" if high is not None else f"from {low}",
        "mean": made("mean", float(one.value.mean()) if n else None),
        "sd": made("sd", float(one.value.std(ddof=1)) if n > 1 else None),
        "shares": [
            made("share", times / n if n else None, times)
            for times in np.bincount(which, minlength=width).tolist()
        ],
    }


def _fifths(values: np.ndarray) -> np.ndarray:
    """The part of each value, of five that are equally wide."""
    share = (values - values[0]) / max(values[-1] - values[0], 1)
    return np.asarray(np.minimum(5 * share + 1e-9, 4).astype(np.int64))


def _parts(values: np.ndarray) -> tuple[list[str], np.ndarray]:
    """Names of the parts of a scale, and the part of each value."""
    if len(values) <= MOST_POINTS:
        return [str(value) for value in values.tolist()], np.arange(len(values))
    edges = np.linspace(values[0], values[-1] + 1, PARTS + 1)
    part = np.clip(np.searchsorted(edges, values, "right") - 1, 0, PARTS - 1)
    inside = [values[part == k] for k in range(PARTS)]
    names = [f"{some[0]}{DASH}{some[-1]}" if len(some) else "" for some in inside]
    return names, part
