"""May a metric be used instead of people? One sentence for each aspect."""

from __future__ import annotations

import numpy as np

from scoring.analyses.answer.result import OfAspect, Result, Row
from scoring.analyses.answer.rows import Shown
from scoring.analyses.shared.chips import Asked, Judging, examine, study
from scoring.stats.answer import margins
from scoring.stats.answer.sentences import lead, more_words, notes, sentence
from scoring.stats.data import Data

TITLE = "Answer"
VERSION = 10
PLACE = 1
GROUP = ""
NEEDS = frozenset({"ratings", "scores", "surface"})


Options = Judging


def compute(data: Data, options: Judging, rng: np.random.Generator) -> Result:
    """Whether metrics can be judged, guesses, one rater, every metric, the sentence."""
    asked = study(options.apply(data), options)
    data = asked.data
    aspects = [_of_aspect(asked, k, rng) for k in range(len(data.aspects))]
    return {
        "coefficient": asked.options.coefficient,
        **asked.within.about(),
        "rules": {
            "alpha": margins.ALPHA,
            "keeps": margins.KEEPS,
            "little": margins.LITTLE,
            "hardly": margins.HARDLY,
            "min_prompts": margins.MIN_PROMPTS,
        },
        "rated": any(one["n_texts"] for one in aspects),
        "scored": bool(asked.places),
        "signatures": sorted({f"{o.metric}: {o.signature}" for o in asked.outputs}),
        "undirected": [data.outputs[place].name for place, _ in asked.others],
        "aspects": aspects,
    }


def _of_aspect(asked: Asked, k: int, rng: np.random.Generator) -> OfAspect:
    aspect, of = asked.data.aspects[k], examine(asked, k, rng)
    verdicts = [one.verdict for one in of.judged]
    at = lead(verdicts)
    best = None if at is None else verdicts[at]
    shown = Shown(asked, aspect.key, of)
    guesses = shown.sentinels()
    unclear = of.question.unclear
    rows = [shown.row(m, one) for m, one in enumerate(of.judged)]
    return {
        "key": aspect.key,
        "title": aspect.title,
        "sentence": sentence(aspect.title, of.question, verdicts),
        "notes": notes(aspect.title, of.question, best),
        "state": of.question.state,
        "unclear": unclear,
        "within_systems": of.question.within_systems,
        "rater_beats": of.question.rater_beats,
        "more": None if best is None else best.more,
        "more_words": "" if best is None else more_words(best, unclear=unclear),
        "lead": "" if at is None else asked.outputs[at].id,
        "n_texts": int(np.isfinite(of.human).sum()),
        "n_prompts": of.question.n_prompts,
        "best": max(guesses, key=lambda one: one["r"]["value"] or 0.0)["key"],
        "sentinels": guesses,
        "ceiling": shown.ceiling(),
        "rows": sorted(rows, key=_rank),
        "undirected": shown.undirected(),
    }


def _rank(row: Row) -> tuple[bool, float]:
    value = row["r"]["value"]
    return value is None, -(value or 0.0)
