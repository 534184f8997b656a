"""May a metric replace a rater? The alternative annotator test, by whole prompts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scoring.analyses.replaces import panels
from scoring.analyses.replaces.panels import Candidate, Panel
from scoring.analyses.replaces.result import OfAspect, Result, Row
from scoring.analyses.shared.chips import Asked, Judging, examine, study
from scoring.analyses.shared.setting import (
    about_output,
    filtered,
    in_order,
    is_asked,
)
from scoring.stats import signature
from scoring.stats.answer import floor
from scoring.stats.answer.chips import Chip
from scoring.stats.answer.sentences import GUESSES
from scoring.stats.answer.sentences import sentence as answer_sentence
from scoring.stats.data import Data
from scoring.stats.option import option
from scoring.stats.replacing import published, scales, verdicts
from scoring.stats.replacing.closeness import Closeness
from scoring.stats.replacing.verdicts import Facts

TITLE = "Replace a rater"
VERSION = 5
PLACE = 2
GROUP = "Answer"
NEEDS = frozenset({"ratings", "scores", "surface"})
# "" = as the level of measurement of the question has it.
OF_LEVEL: dict[str, Closeness] = {
    "ordinal": "rmse",
    "interval": "rmse",
    "nominal": "equal",
}
UNREAD = "the texts themselves are not at hand"
UNDIRECTED = "no metric here says which end of its scale is better"


@dataclass(frozen=True)
class Options(Judging):
    """Whom a metric would replace, and what is close."""

    epsilon: float = option(
        0.1,
        "Epsilon",
        min=0,
        max=1,
        help="How far the share of texts where the rater is closer may exceed the"
        " metric's share, because raters cost more: 0.1 for crowdworkers, 0.15 for"
        " skilled raters, 0.2 for experts",
    )
    closeness: str = option(
        "",
        "Closeness to the other raters",
        none="by the question's level of measurement",
        choices=(
            ("rmse", "root mean squared distance"),
            ("equal", "share of equal ratings"),
        ),
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """One run of the analysis."""

    data: Data
    options: Options
    places: list[int]  # of the metrics with a direction
    answer: Asked  # how the answer judges them


def compute(data: Data, options: Options, rng: np.random.Generator) -> Result:
    """Every metric and every simple guess against each rater, by aspect."""
    data = options.apply(data)
    metrics = [
        place
        for place in in_order(data.outputs)
        if not data.outputs[place].baseline and data.outputs[place].quality
    ]
    directed = [
        place for place in metrics if data.outputs[place].higher_is_better is not None
    ]
    asked = _Asked(data, options, directed, study(data, options))
    left = [data.outputs[place].name for place in metrics if place not in directed]
    sources = rng.spawn(len(data.aspects))
    return {
        "epsilon": options.epsilon,
        "who": verdicts.rater_of(options.epsilon),
        "least_texts": published.LEAST_TEXTS,
        "aspects": [
            _of_aspect(asked, k, left, source) for k, source in enumerate(sources)
        ],
    }


def _of_aspect(
    asked: _Asked, k: int, left: list[str], rng: np.random.Generator
) -> OfAspect:
    data, aspect = asked.data, asked.data.aspects[k]
    epsilon = asked.options.epsilon
    panel = panels.panel(data, k, _closeness(asked, k), epsilon, rng)
    made_of = _signed(asked, aspect.key, panel)
    metrics, trivial = _metrics(asked, k, panel), _trivial(asked, k, panel)
    rows = [panels.row(panel, one, made_of) for one in metrics]
    claimed = _claimed(asked, k, rng)
    facts = [_facts(row, claimed, panel) for row in rows]
    for row, one in zip(rows, facts, strict=True):
        code = verdicts.code_of(one)
        row["code"], row["words"] = code, verdicts.WORDS[code]
    at = verdicts.lead(facts)
    if at is not None:
        rows[at]["raters"] = panels.by_rater(panel, metrics[at])
    why, said = panel.reason or _why(rows, left), _todo(panel, rows, left)
    if at is not None:
        said = verdicts.why(facts[at], claimed[metrics[at].id].sentence)
    return {
        "sentence": verdicts.sentence(aspect.title, epsilon, facts, why),
        "why": said,
        "key": aspect.key,
        "title": aspect.title,
        "closeness": panel.closeness,
        "lead": "" if at is None else metrics[at].id,
        "reason": why if at is None else "",
        "drawn": panel.drawn,
        "n_texts": panel.n_texts,
        "n_raters": int(panel.enough.sum()),
        "n_few": panel.n_few,
        "rows": sorted(rows, key=_rank),
        "trivial": [panels.row(panel, one, made_of) for one in trivial],
        "undirected": left,
    }


def _closeness(asked: _Asked, k: int) -> Closeness:
    chosen: dict[str, Closeness] = {"rmse": "rmse", "equal": "equal"}
    level = asked.data.aspects[k].level
    return chosen.get(asked.options.closeness) or OF_LEVEL[level]


def _signed(asked: _Asked, aspect: str, panel: Panel) -> panels.Signed:
    options = asked.options

    def signed(statistic: str, **parts: signature.Part) -> str:
        return signature.text(
            statistic,
            aspect=aspect,
            unit="prompts",
            closeness=panel.closeness,
            epsilon=options.epsilon,
            seed=options.seed if panel.drawn else None,
            **filtered(options, asked.data.policy),
            **parts,
        )

    return signed


def _metrics(asked: _Asked, k: int, panel: Panel) -> list[Candidate]:
    """Metrics on the scale of the question, mapped where they have another."""
    data, found = asked.data, []
    scale = data.scale_of(k)
    for place in asked.places:
        output, raw = data.outputs[place], data.scores[:, place]
        same = output.sign == panel.sign
        fits = same and scales.is_on_scale(raw, output.unit, scale)
        scores = panel.sign * raw if fits else panel.mapped(output.sign * raw)
        found.append(
            Candidate(
                output.id,
                output.name,
                scores,
                not fits,
                output=about_output(output, place, data.aspects),
                made_of=output.signature,
                reason=output.reason,
            )
        )
    return found


def _trivial(asked: _Asked, k: int, panel: Panel) -> list[Candidate]:
    """Constants, and the sentinels of the answer, on the scale of the question."""
    n, given = len(panel.human), panel.marks.value
    found = []
    if len(given):
        for key, scores in scales.constants(given, n).items():
            shown = panel.sign * float(panel.shown(scores)[0])
            of = "" if key == "mode" else ", the mean,"
            name = f"always answering {shown:.3g}{of}"
            found.append(Candidate(key, name, scores, False))
    for one in _sentinels(asked, panel):
        mapped = one.key in ("length", "surface")
        scores = panel.mapped(one.scores) if mapped else one.scores
        words = GUESSES[one.key].removesuffix(" does")
        found.append(Candidate(one.key, words, scores, mapped, reason=one.reason or ""))
    return found


def _sentinels(asked: _Asked, panel: Panel) -> list[floor.Sentinel]:
    texts, surface, y = asked.data.texts, asked.data.surface, panel.human
    others = [
        floor.others("prompt", texts.prompt, y),
        floor.others("system", texts.system, y),
    ]
    if len(surface) != len(y) or not surface.size:
        nothing = np.full(len(y), np.nan)
        unread = [floor.Sentinel(key, nothing, UNREAD) for key in ("length", "surface")]
        return unread + others
    return [
        floor.length(surface[:, floor.WORDS], y, texts.prompt),
        floor.surface(surface, y, texts.prompt),
        *others,
    ]


class _Claimed(NamedTuple):
    """What the answer says of one metric."""

    chip: Chip
    agreement: float
    sentence: str


def _claimed(asked: _Asked, k: int, rng: np.random.Generator) -> dict[str, _Claimed]:
    """Of each metric, by id."""
    found, title = examine(asked.answer, k, rng), asked.data.aspects[k].title
    return {
        output.id: _Claimed(
            one.verdict.chip,
            float(np.nan_to_num(one.verdict.evidence.metric, nan=-1.0)),
            answer_sentence(title, found.question, [one.verdict]),
        )
        for output, one in zip(asked.answer.outputs, found.judged, strict=True)
    }


def _facts(row: Row, claimed: dict[str, _Claimed], panel: Panel) -> Facts:
    winning, advantage = row["winning"]["value"], row["advantage"]["value"]
    assert row["output"] is not None  # simple guesses have no verdict
    of = claimed[row["output"]["id"]]
    return Facts(
        row["name"],
        of.chip,
        of.agreement,
        row["n_raters"],
        not panel.drawn,
        round((winning or 0.0) * row["n_raters"]),
        row["passes"],
        -1.0 if advantage is None else advantage,
        is_asked(row["signature"]),
    )


def _why(rows: Sequence[Row], left: Sequence[str]) -> str:
    reasons = [row["winning"]["reason"] for row in rows if row["winning"]["reason"]]
    if reasons:
        return reasons[0] or ""
    return UNDIRECTED if left else "no metric has scored these texts"


def _todo(panel: Panel, rows: Sequence[Row], left: Sequence[str]) -> str:
    """What to do where nothing can be compared."""
    if panel.reason:
        return (
            "Ask at least two people to rate the same texts:"
            f" {published.LEAST_TEXTS} or more."
        )
    if rows:
        return "Score more of the rated texts."
    return f"Score them with {'another' if left else 'a'} metric."


def _rank(row: Row) -> tuple[float, float]:
    winning, advantage = row["winning"]["value"], row["advantage"]["value"]
    return (
        1.0 if winning is None else -winning,
        1.0 if advantage is None else -advantage,
    )
