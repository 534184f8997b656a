"""Who is strict, lenient or careless, and what systems get from an average rater."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypedDict

import numpy as np

from scoring.analyses.raters import strictness
from scoring.analyses.raters.result import (
    Answers,
    OfAspect,
    Rater,
    Result,
    System,
)
from scoring.analyses.shared import rated
from scoring.analyses.shared.rated import Rated
from scoring.analyses.shared.setting import filtered
from scoring.stats import signature
from scoring.stats.data import NONE, Data, Filters
from scoring.stats.estimates import Estimate, Number, number
from scoring.stats.option import option
from scoring.stats.severity import ordinal, points
from scoring.stats.severity.dawid_skene import PER_POINT, DawidSkene, dawid_skene
from scoring.stats.severity.detecting import detectable
from scoring.stats.severity.habits import Habits, habits

TITLE = "Raters"
VERSION = 4
PLACE = 15
GROUP = "People"
NEEDS = frozenset({"ratings"})
NO_SYSTEM = "Texts without a system"
SAME_ANSWER = "gave the same answer to every text, which says nothing of the texts"
WITHOUT = "without raters who always give one answer"
PER_RATING = ("unit", "text", "rater", "value")
MODEL: dict[str, signature.Part] = {"model": "cumulative-logit", "integral": "laplace"}


@dataclass(frozen=True)
class Options(Filters):
    """Which ratings count, and on which aspect."""

    aspect: str = option("", "Aspect", of="aspects", none="each aspect")


@dataclass(frozen=True, slots=True)
class _Asked:
    """Ratings of one aspect by raters who are known, and how numbers are signed."""

    data: Data
    options: Options
    place: int
    rated: Rated  # of known raters alone, who are numbers here
    names: np.ndarray  # (R,) of these
    n_unknown: int
    habits: Habits

    @property
    def counted(self) -> Rated:
        """Without raters of one answer, who would move the average rater."""
        return _only(self.rated, ~self.habits.constant[self.rated.rater])

    @property
    def system(self) -> np.ndarray:
        """Of each rating, (k,)."""
        return self.data.texts.system[self.rated.text]

    @property
    def sign(self) -> int:
        """-1 where lower is better: who gives more is the stricter one there."""
        return 1 if self.data.aspects[self.place].higher_is_better else -1

    def signed(self, statistic: str, **parts: signature.Part) -> str:
        common = filtered(self.options, self.data.policy)
        key = self.data.aspects[self.place].key
        return signature.text(statistic, **{"aspect": key, **common, **parts})


def compute(data: Data, options: Options, rng: np.random.Generator) -> Result:
    """Each aspect, or the one that was asked for. Nothing here is drawn."""
    data = options.apply(data)
    chosen = [
        place
        for place, aspect in enumerate(data.aspects)
        if options.aspect in ("", aspect.key)
    ]
    return {"aspects": [_aspect(_asked(data, options, place)) for place in chosen]}


def _asked(data: Data, options: Options, place: int) -> _Asked:
    found = rated.of_aspect(data, place)
    known = found.known
    parts = {name: getattr(found, name)[known] for name in PER_RATING}
    # A million names take seconds to sort, and the models sort raters again and again.
    names, parts["rater"] = np.unique(parts["rater"], return_inverse=True)
    kept = replace(found, **parts)
    own = habits(kept.text, kept.rater, kept.value)
    return _Asked(data, options, place, kept, names, int((~known).sum()), own)


def _only(one: Rated, rows: np.ndarray) -> Rated:
    return replace(one, **{name: getattr(one, name)[rows] for name in PER_RATING})


def _aspect(asked: _Asked) -> OfAspect:
    one, counted = asked.rated, asked.counted
    given = counted.text, counted.rater, counted.value
    system = asked.data.texts.system[counted.text]
    fit = ordinal.fit(*given, system)
    spread: ordinal.Spread | ordinal.NoFit = (
        fit
        if isinstance(fit, ordinal.NoFit)
        else ordinal.spread(*given, system, after=fit)
    )
    if isinstance(fit, ordinal.NoFit) and len(counted.value) < len(one.value):
        fit = spread = ordinal.NoFit(f"{WITHOUT}, {fit.reason}")
    skene = dawid_skene(one.text, one.rater, one.value)
    raters, systems = _raters(asked, fit, spread, skene), _systems(asked, fit)
    reason = fit.reason if isinstance(fit, ordinal.NoFit) else None
    return {
        "key": one.key,
        "title": one.title,
        "higher_is_better": asked.sign > 0,
        "sentence": strictness.sentence(
            one.title, reason, raters, systems, _lean(asked, fit), _power(asked)
        ),
        "reason": reason,
        "n_ratings": len(one.value),
        "n_texts": len(np.unique(one.text)),
        "n_unknown": asked.n_unknown,
        "n_groups": 0 if isinstance(fit, ordinal.NoFit) else fit.n_groups,
        **_sds(asked, fit, spread),
        "raters": raters,
        "systems": systems,
        "values": [] if isinstance(skene, str) else skene.values.astype(int).tolist(),
        "answers": [] if isinstance(skene, str) else _answers(asked, skene),
        "why_no_answers": skene if isinstance(skene, str) else None,
    }


def _power(asked: _Asked) -> strictness.Power:
    one = asked.counted
    low, high = asked.data.scale_of(asked.place)
    seen = detectable(one.text, one.rater, one.value)
    return strictness.Power(seen, strictness.SHARE * (high - low))


class _Sds(TypedDict):
    rater_sd: Number
    text_sd: Number
    spread_sd: Number


def _sds(
    asked: _Asked,
    fit: ordinal.Fit | ordinal.NoFit,
    spread: ordinal.Spread | ordinal.NoFit,
) -> _Sds:
    """SDs of the model's effects, in log odds; of spread, as a share."""

    def made(name: str, value: float | None, reason: str | None) -> Number:
        return number(
            Estimate(value, reason=reason, signature=asked.signed(name, **MODEL))
        )

    no_fit = fit.reason if isinstance(fit, ordinal.NoFit) else None
    no_spread = spread.reason if isinstance(spread, ordinal.NoFit) else None
    rater, text = (
        (None, None) if isinstance(fit, ordinal.NoFit) else (fit.rater_sd, fit.text_sd)
    )
    own = None if isinstance(spread, ordinal.NoFit) else spread.sd
    return {
        "rater_sd": made("sd-of-raters", rater, no_fit),
        "text_sd": made("sd-of-texts", text, no_fit),
        "spread_sd": made("sd-of-spread", own, no_spread),
    }


# Raters -------------------------------------------------------------------------------


def _raters(
    asked: _Asked,
    fit: ordinal.Fit | ordinal.NoFit,
    spread: ordinal.Spread | ordinal.NoFit,
    skene: DawidSkene | str,
) -> list[Rater]:
    """The strictest first; where there is no model, by name."""
    one, names = asked.rated, asked.names
    n = np.bincount(one.rater, minlength=len(names))
    means = np.bincount(one.rater, one.value, len(names)) / np.maximum(n, 1)
    severities = _severities(asked, fit)
    spreads = _spreads(asked, spread)
    right = [_right(asked, skene, k) for k in range(len(names))]
    made: list[Rater] = [
        {
            "rater": str(name),
            "n": int(n[k]),
            "habit": _habit(asked, k),
            "mean": number(
                Estimate(float(means[k]), n=int(n[k]), signature=asked.signed("mean"))
            ),
            "severity": number(
                severities[k].with_signature(asked.signed("severity", **MODEL))
            ),
            "spread": number(
                spreads[k].with_signature(asked.signed("spread", **MODEL))
            ),
            "right": right[k],
        }
        for k, name in enumerate(names.tolist())
    ]
    return sorted(made, key=lambda row: -_or(row["severity"]["value"], -np.inf))


def _or(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value


def _habit(asked: _Asked, k: int) -> Literal["", "constant", "ends"]:
    if asked.habits.constant[k]:
        return "constant"
    return "ends" if asked.habits.ends[k] else ""


def _severities(asked: _Asked, fit: ordinal.Fit | ordinal.NoFit) -> list[Estimate]:
    if isinstance(fit, ordinal.NoFit):
        return _placed(asked, fit)
    found = list(points.severities(fit))
    turned = found if asked.sign > 0 else [one.negated() for one in found]
    return _placed(asked, turned)


def _spreads(asked: _Asked, spread: ordinal.Spread | ordinal.NoFit) -> list[Estimate]:
    if isinstance(spread, ordinal.NoFit):
        return _placed(asked, spread)
    there = ~asked.habits.constant
    n = np.bincount(asked.rated.rater, minlength=len(there))
    return _placed(asked, list(points.spreads(spread, n[there])))


def _placed(asked: _Asked, found: list[Estimate] | ordinal.NoFit) -> list[Estimate]:
    """Of all raters, where the model knows those with more than one answer."""
    each = iter([] if isinstance(found, ordinal.NoFit) else found)
    none = found.reason if isinstance(found, ordinal.NoFit) else None
    return [
        Estimate(None, n=0, reason=SAME_ANSWER)
        if constant
        else Estimate(None, n=0, reason=none)
        if none
        else next(each)
        for constant in asked.habits.constant
    ]


def _right(asked: _Asked, skene: DawidSkene | str, k: int) -> Number:
    signed = asked.signed("share-right", model="dawid-skene")
    if isinstance(skene, str):
        return number(Estimate(None, reason=skene, signature=signed))
    n = int(skene.n[k])
    if not skene.enough()[k]:
        return number(Estimate(None, n=n, reason=_too_few(skene), signature=signed))
    return number(Estimate(float(skene.right[k]), n=n, signature=signed))


def _too_few(skene: DawidSkene) -> str:
    least = PER_POINT * len(skene.values)
    return f"fewer than {least} ratings: {PER_POINT} for each point of the scale in use"


def _answers(asked: _Asked, skene: DawidSkene) -> list[Answers]:
    """Tables of raters with ratings enough."""
    one = asked.rated
    _, unit = np.unique(one.text, return_inverse=True)
    expected = np.zeros((len(skene.names), len(skene.values)))
    np.add.at(expected, one.rater, skene.truth[unit])
    signed = asked.signed("share-of-answers", model="dawid-skene")

    def share(value: float, n: float) -> Number:
        there = n >= 1
        reason = None if there else "less than one such rating expected"
        return number(
            Estimate(value if there else None, reason=reason, signature=signed)
        )

    return [
        {
            "rater": str(asked.names[r]),
            "truth": int(skene.values[k]),
            "n": number(Estimate(float(expected[r, k]), signature=signed)),
            "shares": [
                share(float(value), expected[r, k]) for value in skene.confusion[r, k]
            ],
        }
        for r in np.flatnonzero(skene.enough()).tolist()
        for k in range(len(skene.values))
    ]


# Systems ------------------------------------------------------------------------------


def _systems(asked: _Asked, fit: ordinal.Fit | ordinal.NoFit) -> list[System]:
    """The best by the corrected score first."""
    one = asked.rated
    places, of = np.unique(asked.system, return_inverse=True)
    if isinstance(fit, ordinal.NoFit):
        none = Estimate(None, n=0, reason=fit.reason)
        corrected, order = [none] * len(places), None
    else:
        none = Estimate(None, n=0, reason=SAME_ANSWER)
        corrected, effects = [none] * len(places), np.full(len(places), np.nan)
        there = np.searchsorted(places, fit.system_names)
        for k, one_system in zip(there.tolist(), points.scores(fit), strict=True):
            corrected[k] = one_system
        effects[there] = fit.systems
        order = _ranks(asked.sign * effects)
    means = _means(one, of, len(places))
    ranks = _ranks(asked.sign * means)
    texts = [len(np.unique(one.text[of == k])) for k in range(len(places))]

    def name(place: int) -> str:
        return NO_SYSTEM if place == NONE else asked.data.systems[place].name

    made: list[System] = [
        {
            "place": int(place),
            "system": name(int(place)),
            "n_texts": texts[k],
            "mean": number(
                Estimate(float(means[k]), n=texts[k], signature=asked.signed("mean"))
            ),
            "corrected": number(
                corrected[k].with_signature(asked.signed("corrected-mean", **MODEL))
            ),
            "change": _change(asked, corrected[k], float(means[k])),
            "rank": float(ranks[k]),
            "corrected_rank": None if order is None else float(order[k]),
        }
        for k, place in enumerate(places.tolist())
    ]
    return sorted(made, key=lambda row: _or(row["corrected_rank"], row["rank"] or 0.0))


def _lean(asked: _Asked, fit: ordinal.Fit | ordinal.NoFit) -> float | None:
    """How much stricter the raters of one system are than those of another, at most.

    0 where all raters rated as much of each system: then no system can gain by who
    rated it, whatever the model says of the means.
    """
    if isinstance(fit, ordinal.NoFit):
        return None
    one = asked.counted
    severity = np.array([found.value for found in _severities(asked, fit)], np.float64)
    system = asked.data.texts.system[one.text]
    _, of = np.unique(system, return_inverse=True)
    own = replace(one, value=severity[one.rater])
    means = _means(own, of, of.max() + 1)
    return float(means.max() - means.min())


def _means(one: Rated, of: np.ndarray, n: int) -> np.ndarray:
    """Mean over the texts of each system of the mean rating of a text."""
    texts, first, unit = np.unique(one.text, return_index=True, return_inverse=True)
    mean = np.bincount(unit, one.value) / np.maximum(np.bincount(unit), 1)
    found = np.bincount(of[first], mean, n) / np.maximum(np.bincount(of[first]), 1)
    return np.asarray(np.round(found, 12))


def _ranks(values: np.ndarray) -> np.ndarray:
    """From 1 = highest; equal values share the mean of their ranks."""
    above = (values[:, np.newaxis] < values).sum(axis=1)
    same = (values[:, np.newaxis] == values).sum(axis=1)
    return np.asarray(1 + above + (same - 1) / 2)


def _change(asked: _Asked, corrected: Estimate, mean: float) -> Number:
    value = None if corrected.value is None else corrected.value - mean
    reason = corrected.reason if value is None else None
    signed = asked.signed("correction", **MODEL)
    return number(Estimate(value, n=corrected.n, reason=reason, signature=signed))
