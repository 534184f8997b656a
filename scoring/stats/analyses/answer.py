"""May a metric be used instead of people? One sentence for each aspect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from scoring.stats import signature
from scoring.stats.analyses._cells import cell, of_estimate
from scoring.stats.analyses._grouping import Grouped, chosen
from scoring.stats.analyses._rated import of_aspect
from scoring.stats.analyses._setting import (
    about_output,
    coefficient_name,
    filtered,
    in_order,
    n_draws,
)
from scoring.stats.analyses.results.answer import (
    Against,
    Ceiling,
    OfAspect,
    Result,
    Row,
    Sentinel,
    Undirected,
)
from scoring.stats.analyses.results.common import Number
from scoring.stats.answer import between, ceiling, floor, rules, verdicts
from scoring.stats.answer.measure import Gap, Measure
from scoring.stats.answer.rules import Facts
from scoring.stats.answer.verdicts import Verdict
from scoring.stats.compare import replicates_needed
from scoring.stats.correlation import CoefficientName
from scoring.stats.counts import DRAWS, Estimate, draw
from scoring.stats.data import NONE, Data, Output
from scoring.stats.option import option

TITLE = "Answer"
VERSION = 7
PLACE = 1
GROUP = ""
NEEDS = frozenset({"ratings", "scores", "surface"})
SEVERAL = (2, 3, 5, 10)
# Where one rater is held against metrics: each of up to 20 of them takes its own turn.
RATER_DRAWS = 5000
LEFT_OUT = {
    "item": ("prompt", "texts of one prompt are compared with each other"),
    "system": ("system", "texts of one system are compared with each other"),
}


@dataclass(frozen=True)
class Options(Grouped):
    """How metrics are compared with people."""

    coefficient: CoefficientName = option("pearson", "Coefficient", of="coefficients")


@dataclass(frozen=True, slots=True)
class _Asked:
    """One run of the analysis."""

    data: Data
    options: Options
    places: list[int]  # of the metrics
    x: np.ndarray  # (n, M), higher is better
    measure: Measure
    undirected: list[tuple[int, np.ndarray]]  # places of the others, with scores

    @property
    def outputs(self) -> list[Output]:
        return [self.data.outputs[place] for place in self.places]

    def signed(self, statistic: str, aspect: str, **parts: signature.Part) -> str:
        name = coefficient_name(self.options.coefficient)
        return signature.text(
            f"{name}{statistic}",
            aspect=aspect,
            group=self.options.grouping,
            unit="prompts",
            seed=self.options.seed,
            **filtered(self.options, self.data.policy),
            **{"draws": len(self.measure.draws), **parts},
        )

    @property
    def with_raters(self) -> Measure:
        """The same with no more replicates than tests of single metrics need."""
        needed = min(RATER_DRAWS, max(DRAWS, replicates_needed(len(self.places)) + 1))
        return replace(self.measure, draws=self.measure.draws.first(needed))


def compute(data: Data, options: Options, rng: np.random.Generator) -> Result:
    """Floor, ceiling, every metric between them, and the sentence, by aspect."""
    data = options.apply(data)
    found = chosen(data, options, data.human_scores())
    options = replace(options, grouping=found.grouping)
    asked = _asked(data, options, rng)
    left = [data.outputs[place].name for place, _ in asked.undirected]
    aspects = [_of_aspect(asked, k, rng) for k in range(len(data.aspects))]
    return {
        "coefficient": options.coefficient,
        "grouping": options.grouping,
        "grouping_why": found.why,
        "draws": len(asked.measure.draws),
        "rules": {
            "alpha": rules.ALPHA,
            "power": rules.POWER,
            "margin": rules.MARGIN,
            "medium": rules.MEDIUM,
            "min_prompts": rules.MIN_PROMPTS,
        },
        "rated": any(one["n_texts"] for one in aspects),
        "scored": bool(asked.places),
        "signatures": sorted({f"{o.metric}: {o.signature}" for o in asked.outputs}),
        "undirected": left,
        "aspects": aspects,
    }


def _asked(data: Data, options: Options, rng: np.random.Generator) -> _Asked:
    metrics = [k for k in in_order(data.outputs) if not data.outputs[k].baseline]
    places = [k for k in metrics if data.outputs[k].higher_is_better is not None]
    if options.grouping == "system":  # as correlations do
        data = data.only(data.texts.system != NONE)
    texts = data.texts
    groups = {"item": texts.slot, "system": texts.system}.get(options.grouping)
    # The replicates of the correlations of the same study: the first that are drawn.
    drawn = draw(texts.prompt, rng=rng, draws=n_draws(data, len(data.outputs)))
    x = data.metric_scores().reshape(len(texts), len(data.outputs))
    measure = Measure(options.coefficient, drawn, groups)
    others = [(k, x[:, k]) for k in metrics if k not in places]
    return _Asked(data, options, places, x[:, places], measure, others)


def _of_aspect(asked: _Asked, k: int, rng: np.random.Generator) -> OfAspect:
    data, aspect = asked.data, asked.data.aspects[k]
    y = data.human_scores()[:, k]
    sentinels = _sentinels(asked, y)
    held = between.against(asked.measure, asked.x, y, sentinels)
    rated = of_aspect(data, k)
    sign = 1 if aspect.higher_is_better else -1
    panel = ceiling.panel(rated.text, rated.raters, sign * rated.value, rng=rng)
    top = ceiling.against(asked.with_raters, asked.x, panel)
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
        "undirected": _undirected(asked, aspect.key, y),
    }


def _undirected(asked: _Asked, aspect: str, y: np.ndarray) -> list[Undirected]:
    """How closely metrics without direction go with people, whichever way."""
    found: list[Undirected] = []
    for place, scores in asked.undirected:
        output = asked.data.outputs[place]
        value, reason, n = asked.measure.value(scores, y)
        made_of = asked.signed("-size", aspect, metric=output.id, n=n, raters="mean")
        size = None if value is None else abs(value)
        reason = (output.reason if n == 0 else "") or reason
        found.append(
            {
                "output": about_output(output, place, asked.data.aspects),
                "size": cell(size, reason, n=n, signature=made_of),
            }
        )
    return sorted(found, key=lambda one: -(one["size"]["value"] or 0.0))


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
        name=asked.outputs[m].name,
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
        close=tuple(
            verdicts.called(asked.outputs[k].name, held.metrics[k].value)
            for k in between.close(held, m)
        ),
    )


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

    def minus(key: str, gap: Gap, other: str, **parts: signature.Part) -> Against:
        made = number("-difference", gap.estimate, minus=other, **parts)
        return {"key": key, "difference": made, "p": gap.p}

    gaps = zip(held.keys, held.gaps[m], strict=True)
    drawn = len(asked.with_raters.draws)
    return {
        "output": about_output(output, asked.places[m], asked.data.aspects),
        "name": facts.name,
        "r": number("", own, raters="mean"),
        "floor": [minus(key, gap, key) for key, gap in gaps],
        "beats": _p(facts.beats),
        "below": _p(facts.below),
        "same": number("", top.with_rest[m], raters="rest", draws=drawn),
        "ceiling": minus("", top.gaps[m], "one-rater", draws=drawn),
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
        made_of = asked.signed(
            "-of-raters",
            aspect,
            n=found.n,
            of=n,
            raters="rest",
            draws=len(asked.with_raters.draws),
        )
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
