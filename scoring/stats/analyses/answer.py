"""May a metric be used instead of people? One sentence for each aspect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.stats import signature
from scoring.stats.analyses._cells import cell, of_estimate
from scoring.stats.analyses._rated import of_aspect
from scoring.stats.analyses._setting import (
    about_output,
    coefficient_name,
    filtered,
    in_order,
)
from scoring.stats.analyses.results.answer import (
    Against,
    Ceiling,
    OfAspect,
    Result,
    Row,
    Sentinel,
)
from scoring.stats.analyses.results.common import Number
from scoring.stats.answer import between, ceiling, floor, verdicts
from scoring.stats.answer.measure import Gap, Measure
from scoring.stats.answer.verdicts import Facts, Verdict
from scoring.stats.compare import replicates_needed
from scoring.stats.correlation import CoefficientName
from scoring.stats.counts import DRAWS, Estimate, draw
from scoring.stats.data import Data, Filters, Output
from scoring.stats.option import option

TITLE = "Answer"
VERSION = 1
PLACE = 1
GROUP = ""
NEEDS = frozenset({"ratings", "scores", "surface"})
SEVERAL = (2, 3, 5, 10)
MOST_DRAWS = 5000
LEFT_OUT = {
    "item": ("prompt", "texts of one prompt are compared with each other"),
    "system": ("system", "texts of one system are compared with each other"),
}


@dataclass(frozen=True)
class Options(Filters):
    """How metrics are held against people."""

    coefficient: CoefficientName = option("pearson", "Coefficient", of="coefficients")
    grouping: str = option(
        "none",
        "Compare texts",
        choices=(
            ("none", "all with each other"),
            ("item", "of one prompt and sample (by item)"),
            ("system", "of one system (by system)"),
        ),
        help="Coefficients of groups are averaged",
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """One run of the analysis."""

    data: Data
    options: Options
    places: list[int]  # of the metrics
    x: np.ndarray  # (n, M), higher is better
    measure: Measure

    @property
    def outputs(self) -> list[Output]:
        return [self.data.outputs[place] for place in self.places]

    def signed(self, statistic: str, aspect: str, **parts: signature.Part) -> str:
        name = coefficient_name(self.options.coefficient)
        return signature.text(
            f"{name}{statistic}",
            aspect=aspect,
            group=self.options.grouping,
            draws=len(self.measure.draws),
            unit="prompts",
            seed=self.options.seed,
            **filtered(self.options, self.data.policy),
            **parts,
        )


def compute(data: Data, options: Options, rng: np.random.Generator) -> Result:
    """Floor, ceiling, every metric between them, and the sentence, by aspect."""
    data = options.apply(data)
    asked = _asked(data, options, rng)
    left = [
        one.name
        for one in data.outputs
        if one.higher_is_better is None and not one.baseline
    ]
    aspects = [_of_aspect(asked, k, rng) for k in range(len(data.aspects))]
    return {
        "coefficient": options.coefficient,
        "grouping": options.grouping,
        "draws": len(asked.measure.draws),
        "rules": {
            "alpha": verdicts.ALPHA,
            "power": verdicts.POWER,
            "margin": verdicts.MARGIN,
            "medium": verdicts.MEDIUM,
            "min_prompts": verdicts.MIN_PROMPTS,
        },
        "rated": any(one["n_texts"] for one in aspects),
        "scored": bool(asked.places),
        "undirected": left,
        "aspects": aspects,
    }


def _asked(data: Data, options: Options, rng: np.random.Generator) -> _Asked:
    places = [
        place
        for place in in_order(data.outputs)
        if data.outputs[place].higher_is_better is not None
        and not data.outputs[place].baseline
    ]
    n_draws = min(MOST_DRAWS, max(DRAWS, replicates_needed(len(places)) + 1))
    texts = data.texts
    groups = {"item": texts.slot, "system": texts.system}.get(options.grouping)
    drawn = draw(texts.prompt, rng=rng, draws=n_draws)
    x = data.metric_scores().reshape(len(texts), len(data.outputs))[:, places]
    return _Asked(data, options, places, x, Measure(options.coefficient, drawn, groups))


def _of_aspect(asked: _Asked, k: int, rng: np.random.Generator) -> OfAspect:
    data, aspect = asked.data, asked.data.aspects[k]
    y = data.human_scores()[:, k]
    sentinels = _sentinels(asked, y)
    held = between.against(asked.measure, asked.x, y, sentinels)
    rated = of_aspect(data, k)
    sign = 1 if aspect.higher_is_better else -1
    panel = ceiling.panel(rated.text, rated.raters, sign * rated.value, rng=rng)
    top = ceiling.against(asked.measure, asked.x, panel)
    tests = between.tests(held, top.gaps)
    prompts = len(np.unique(data.texts.prompt[np.isfinite(y)]))
    facts = [
        _facts(asked, m, held, top, tests, prompts) for m in range(len(asked.places))
    ]
    found = [verdicts.judge(one) for one in facts]
    rows = [
        _row(asked, m, aspect.key, held, top, (facts[m], found[m]))
        for m in range(len(facts))
    ]
    at = verdicts.lead(facts, found)
    reached = _reached(held)
    return {
        "key": aspect.key,
        "title": aspect.title,
        "sentence": verdicts.sentence(aspect.title, facts, found),
        "more": None if at is None else found[at].more,
        "more_words": "" if at is None else found[at].more_words,
        "lead": "" if at is None else rows[at]["output"]["id"],
        "n_texts": int(np.isfinite(y).sum()),
        "n_prompts": prompts,
        "family": tests.family,
        "best": max(reached, key=lambda key: reached[key]),
        "sentinels": _shown(asked, aspect.key, sentinels, held),
        "ceiling": _ceiling(asked, aspect.key, panel, top),
        "rows": sorted(rows, key=_rank),
    }


def _sentinels(asked: _Asked, y: np.ndarray) -> list[floor.Sentinel]:
    texts, nothing = asked.data.texts, np.full(len(y), np.nan)
    surface = asked.data.surface
    made = [
        floor.others("prompt", texts.prompt, y),
        floor.others("system", texts.system, y),
    ]
    out, why = LEFT_OUT.get(asked.options.grouping, ("", ""))
    made = [
        floor.Sentinel(one.key, nothing, why) if one.key == out else one for one in made
    ]
    if len(surface) != len(y) or not surface.size:
        unread = "the texts themselves are not at hand"
        return [floor.Sentinel(k, nothing, unread) for k in ("length", "surface")] + (
            made
        )
    words = surface[:, floor.WORDS]
    return [
        floor.length(words, y, texts.prompt),
        floor.surface(surface, y, texts.prompt),
        *made,
    ]


def _facts(
    asked: _Asked,
    m: int,
    held: between.Floor,
    top: ceiling.Ceiling,
    tests: between.Tests,
    prompts: int,
) -> Facts:
    return Facts(
        name=name_of(asked.outputs[m]),
        value=held.metrics[m].value,
        floor=_reached(held),
        gaps=dict(zip(held.keys, held.gaps[m], strict=True)),
        ceiling=top.gaps[m],
        one=top.one.value,
        beats=float(tests.beats[m]),
        below=float(tests.below[m]),
        apart=float(tests.ceiling[m]),
        family=tests.family,
        prompts=prompts,
    )


def name_of(output: Output) -> str:
    """An output within a sentence: "CTRLEval coherence"."""
    metric, colon, title = output.label.partition(": ")
    words = f"{metric} {verdicts.lower(title)}" if colon else metric
    return f"{words} ({output.variant})" if output.variant else words


def _reached(held: between.Floor) -> dict[str, float]:
    values = (one.value or 0.0 for one in held.sentinels)
    return dict(zip(held.keys, values, strict=True))


def _row(
    asked: _Asked,
    m: int,
    aspect: str,
    held: between.Floor,
    top: ceiling.Ceiling,
    judged: tuple[Facts, Verdict],
) -> Row:
    output, (facts, verdict) = asked.outputs[m], judged
    own = held.metrics[m]
    if own.n == 0 and output.reason:
        own = own._replace(reason=output.reason)

    def number(statistic: str, found: Estimate, **parts: signature.Part) -> Number:
        made_of = {"metric": output.id, "n": found.n, **parts}
        return of_estimate(found, asked.signed(statistic, aspect, **made_of))

    def minus(key: str, gap: Gap, other: str) -> Against:
        made = number("-difference", gap.estimate, minus=other)
        return {"key": key, "difference": made, "p": gap.p}

    gaps = zip(held.keys, held.gaps[m], strict=True)
    return {
        "output": about_output(output, asked.places[m], asked.data.aspects),
        "name": facts.name,
        "r": number("", own, raters="mean"),
        "floor": [minus(key, gap, key) for key, gap in gaps],
        "beats": _p(facts.beats),
        "below": _p(facts.below),
        "same": number("", top.with_rest[m], raters="rest"),
        "ceiling": minus("", top.gaps[m], "one-rater"),
        "apart": _p(facts.apart),
        "code": verdict.code,
        "words": verdict.words,
        "hardest": verdict.against,
        "more": verdict.more,
        "more_words": verdict.more_words,
    }


def _rank(row: Row) -> tuple[bool, float]:
    value = row["r"]["value"]
    return value is None, -(value or 0.0)


def _p(value: float) -> float | None:
    return None if np.isnan(value) else value


def _shown(
    asked: _Asked,
    aspect: str,
    sentinels: Sequence[floor.Sentinel],
    held: between.Floor,
) -> list[Sentinel]:
    """All sentinels, those that do not exist here with the reason."""
    reasons = {one.key: one.reason for one in sentinels}
    found = dict(zip(held.keys, held.sentinels, strict=True))
    rows: list[Sentinel] = []
    for key, words in verdicts.SENTINELS.items():
        why = reasons.get(key)
        made = found.get(key, Estimate(None, None, None, why, 0))
        made_of = asked.signed("", aspect, sentinel=key, n=made.n)
        rows.append(
            {"key": key, "words": words, "r": of_estimate(made, made_of), "reason": why}
        )
    return rows


def _ceiling(
    asked: _Asked, aspect: str, panel: ceiling.Panel, top: ceiling.Ceiling
) -> Ceiling:
    def number(found: Estimate, n: int) -> Number:
        made_of = asked.signed("-of-raters", aspect, n=found.n, of=n, raters="rest")
        made = of_estimate(found, made_of)
        known = asked.options.coefficient != "kendall" or n == 1
        return made if known else cell(None, "not defined for Kendall's tau")

    several = [
        (n, ceiling.of_several(top.one, panel.n_rest, n) if panel.n else top.one)
        for n in SEVERAL
    ]
    return {
        "one": number(top.one, 1),
        "several": [{"raters": n, "r": number(found, n)} for n, found in several],
        "method": panel.method,
        "was_sorted": panel.was_sorted,
    }
