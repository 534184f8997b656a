"""Do metrics notice the damage that people notice? On the negatives that raters saw."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from scoring.analyses.diagnosis import negatives
from scoring.analyses.diagnosis.negatives import Kept, Seen
from scoring.analyses.diagnosis.result import (
    Part,
    People,
    PeoplePart,
    Result,
    Row,
)
from scoring.analyses.diagnosis.result import Seen as Noticed
from scoring.analyses.shared.setting import about_output, filtered, in_order
from scoring.stats import cluster_t, clustered, damage, pickup, signature
from scoring.stats.data import Data, Filters, Output
from scoring.stats.estimates import Number, number
from scoring.stats.option import fixed, option

TITLE = "Diagnosis"
VERSION = 3
PLACE = 100
GROUP = "Metrics"
NEEDS = frozenset({"ratings", "scores", "negatives"})
ALL = "all"

NO_NEGATIVE = "no negative has a score for both itself and its source"
NOT_SCORED = "the negatives have no scores of this metric yet"
NOBODY = "no rating of a negative whose undamaged text others have rated"
CONSTANT = "scores of the texts: all the same"


@dataclass(frozen=True)
class Options(Filters):
    """Which metrics."""

    outputs: tuple[str, ...] = option(
        (), "Metrics", of="outputs", help="Leave empty for all."
    )
    # Pages are discarded for what their negative got: without them people would notice
    # every damage. Both ways are shown, so there is nothing to choose.
    with_discarded: bool = fixed(True)


@dataclass(frozen=True, slots=True)
class _Asked:
    data: Data
    options: Options
    negatives: Kept
    rng: Callable[[], np.random.Generator]  # the same replicates for all metrics

    def parts(self) -> list[tuple[str, np.ndarray]]:
        """Which negatives each column is about: of one perturbation, or all."""
        kind = self.negatives.kind
        some = [(name, kind == name) for name in self.negatives.kinds]
        return [*some, (ALL, np.ones(len(kind), bool))]

    def mean(
        self, values: np.ndarray, at: np.ndarray, reason: str, **signed: signature.Part
    ) -> Number:
        """Of values of some negatives, given by their places."""
        found = cluster_t.mean(values, self.negatives.prompt[at], reason=reason)
        return number(
            found.with_signature(
                self.signed("damage", n=found.n, interval="cr2-t", **signed)
            )
        )

    def share(
        self, below: np.ndarray, at: np.ndarray, reason: str, **signed: signature.Part
    ) -> Number:
        """The same of points for being lower."""
        found = clustered.share(below, self.negatives.prompt[at], reason=reason)
        made_of = self.signed("below-source", n=found.n, interval="wilson", **signed)
        return number(found.with_signature(made_of))

    def signed(self, statistic: str, /, **parts: signature.Part) -> str:
        common: dict[str, signature.Part] = {
            "unit": "prompts",
            **filtered(self.options, self.data.policy),
        }
        return signature.text(statistic, **{**common, **parts})


def compute(data: Data, options: Options, rng: np.random.Generator) -> Result:
    """How far damage lowers ratings and scores, by perturbation and in all."""
    data = options.of_texts(data)
    seed = int(rng.integers(2**32))
    found = negatives.kept(data)
    asked = _Asked(data, options, found, lambda: np.random.default_rng(seed))
    wanted = set(options.outputs) or {output.id for output in data.outputs}
    places = [at for at in in_order(data.outputs) if data.outputs[at].id in wanted]
    people: People = {
        "judged": _people(asked, valid_only=False),
        "valid": _people(asked, valid_only=True),
    }
    rows = [_metric(asked, place) for place in places]
    return {
        "policy": data.policy,
        "n_texts": len(data.texts),
        "n_negatives": len(data.negatives),
        "n": len(found.rows),
        "n_discarded": len(np.unique(_pages(data, valid=False))),
        "n_pages": len(np.unique(data.negative_ratings.page)),
        "kinds": [
            {
                "name": name,
                "n": int((found.kind == name).sum()),
                "hurts": found.hurts(name),
            }
            for name in found.kinds
        ],
        "people": people,
        "outputs": [
            about_output(data.outputs[place], place, data.aspects) for place in places
        ],
        "rows": rows,
        "seen": [
            _seen(found.kinds, people["judged"], row, data.outputs[place])
            for place, row in zip(places, rows, strict=True)
        ],
    }


def _pages(data: Data, *, valid: bool) -> np.ndarray:
    given = data.negative_ratings
    return given.page[given.valid == valid]


# People -------------------------------------------------------------------------------


def _people(asked: _Asked, *, valid_only: bool) -> list[PeoplePart]:
    """A row for each perturbation, and one for all."""
    found = negatives.seen_by_people(asked.negatives, valid_only=valid_only)
    qc = asked.data.policy or None if valid_only else "none"
    return [_of_people(asked, found, *part, qc) for part in asked.parts()]


def _of_people(
    asked: _Asked, found: Seen, name: str, part: np.ndarray, qc: str | None
) -> PeoplePart:
    at, own = np.flatnonzero(part), part[found.page_of]
    signed = {"aspect": "hurt", "perturbation": name, "qc": qc}
    below, single = damage.lower(found.points[at]), damage.lower(found.page[own])
    return {
        "name": name,
        "points": asked.mean(found.points[at], at, NOBODY, scale="points", **signed),
        "sds": asked.mean(found.sds[at], at, NOBODY, scale="sd", **signed),
        "share": asked.share(below, at, NOBODY, raters="mean", **signed),
        "single": asked.share(
            single, found.page_of[own], NOBODY, raters="single", **signed
        ),
    }


# Metrics ------------------------------------------------------------------------------


def _metric(asked: _Asked, place: int) -> Row:
    output, negatives = asked.data.outputs[place], asked.negatives
    texts = asked.data.scores[:, place] * output.sign
    damaged = negatives.scores(place) * output.sign
    differences = damaged - texts[negatives.source]
    scored = bool(np.isfinite(damaged).any())
    why = output.reason or (NO_NEGATIVE if scored else NOT_SCORED)
    sd = damage.spread(texts)
    below = damage.lower(differences, damage.TIE * (sd or 0.0))
    in_sds = differences / sd if sd else np.full(len(differences), np.nan)
    no_sds = why if sd or not np.isfinite(differences).any() else CONSTANT
    parts: list[Part] = []
    for name, part in asked.parts():
        at = np.flatnonzero(part)
        signed = {"metric": output.id, "perturbation": name, "qc": None}
        parts.append(
            {
                "name": name,
                "sds": asked.mean(in_sds[at], at, no_sds, scale="sd", **signed),
                "share": asked.share(below[at], at, why, **signed),
            }
        )
    auc = _auc(asked, output, texts, damaged, why)
    return {"scored": scored, "auc": auc, "parts": parts}


def _auc(
    asked: _Asked, output: Output, texts: np.ndarray, damaged: np.ndarray, why: str
) -> Number:
    """How well one threshold tells all real texts from all negatives, in [0, 1]."""
    scores = np.concatenate([texts, damaged])
    real = np.arange(len(scores)) < len(texts)
    unit = np.concatenate([asked.data.texts.prompt, asked.negatives.prompt])
    found = pickup.area_by_unit(scores, real, unit, rng=asked.rng())
    signed = asked.signed(
        "auc", metric=output.id, n=found.n, interval="jackknife-t", qc=None
    )
    share = found.transformed(lambda percent: percent / 100)
    if share.value is None:
        share = replace(share, reason=why)
    return number(share.with_signature(signed))


# Who notices what ---------------------------------------------------------------------


def _seen(
    kinds: list[str],
    people: list[PeoplePart],
    row: Row,
    output: Output,
) -> Noticed:
    """Kinds of damage by whether people and the metric notice it beyond chance.

    A scorer that notices it scores damaged texts lower: all of the interval is below 0.
    A metric without a direction may score them higher as well.
    """
    found: Noticed = {"both": [], "people": [], "metric": [], "raised": []}
    directed = output.higher_is_better is not None
    for at, name in enumerate(kinds):
        ours, theirs = people[at]["points"], row["parts"][at]["sds"]
        low, high = theirs["low"], theirs["high"]
        if ours["high"] is None or low is None or high is None:
            continue
        raised = low > 0
        notices = high < 0 or (raised and not directed)
        if ours["high"] < 0:
            found["both" if notices else "people"].append(name)
        elif notices:
            found["metric"].append(name)
        if raised and directed:
            found["raised"].append(name)
    return found
