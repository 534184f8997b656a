"""What a text's score is made of: the metric's evaluators, as figure 5 of CTRLEval.

What they ask comes from the metric itself, which loads nothing for it; what they gave
from the parts that the worker kept. The two are put side by side only where they fit.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from annotation.models import Generation
from scoring import metrics
from scoring.drawing.sections import Section
from scoring.evaluators.previews import Piece, pieces
from scoring.metrics import (
    Evaluator,
    Metric,
    MetricError,
    OptionError,
    Output,
    SystemMetric,
    UnknownMetric,
)
from scoring.models import MetricRun, Score, Signature
from scoring.results import charted_parts
from scoring.scores import evaluator_files, versions
from scoring.scores.examples import example_of
from scoring.scores.outputs import outputs_of

NO_RUN = (
    "The run that scored this text is no longer in this study. Start it again to see"
    " the evaluators."
)
NO_PARTS = (
    "The evaluators’ scores of this text are not on this server. If the file was"
    " deleted, start the metric again with the same options. If"
    " a worker on another machine has its own DATA_DIR, let all machines share one, or"
    " one STORAGE_URL."
)
ELSEWHERE = (
    "These scores were computed elsewhere, or the file of the metric was removed, so"
    " we do not know what they are made of."
)
CHANGED = (
    "The metric has changed since it scored this text, so its evaluators may ask other"
    " questions now. Start the metric again to update the scores."
)
DOES_NOT_ADD_UP = "the evaluators' scores do not add up to this text's score"
Made = Metric | SystemMetric
SORTS = ("order", "score", "weight", "share")


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """One evaluator. None: not known, or not defined."""

    order: int
    source: list[Piece] | None
    target: str | None
    score: float | None  # s_j
    raw: float | None  # w_j, as it came from the metric
    weight: float | None  # of all weights, [0, 1]
    share: float | None  # of the final score


@dataclasses.dataclass(frozen=True, slots=True)
class Explained:
    """One output of the metric for one text."""

    output: Output
    value: float | None
    reason: str  # why there is no value
    rows: list[Row]
    notice: str  # why something is missing, and what to do
    unweighted: str  # why there are no weights
    otherwise: list[tuple[str, float]]  # the value under each other weighting
    by_reference: bool  # whether the rows are references, not questions to a model


class Explanation(NamedTuple):
    """All outputs of the metric for one text, and the parts that are drawn."""

    outputs: list[Explained]
    sections: list[Section]
    notice: str  # why nothing is drawn, and what to do; empty: nothing is missing


def explain(*, generation: Generation, signature: Signature) -> Explanation:
    """Each output that the signature has for the text. A handful of queries."""
    scores = {
        score.output: score
        for score in Score.objects.filter(signature=signature, generation=generation)
    }
    of_texts = signature.runs.filter(study=generation.study_id, on=MetricRun.On.TEXTS)
    runs = list(of_texts.order_by("-pk"))
    found = evaluator_files.find(runs=runs, generation_id=generation.pk)
    run = found.run if found else next(iter(runs), None)
    made, asked, trouble = _asked(signature, run, generation)
    kept = found.rows if found else {}
    series = made.series if made else ()
    drawn = charted_parts.sections(series, kept, generation.full_text)
    outputs = [
        _explained(
            _Material(
                output,
                scores[output.key],
                pieces(asked.get(output.key, []), generation.full_text),
                _numbers(kept.get(f"{output.key}.s"), kept.get(f"{output.key}.w")),
                kept.get(f"{output.key}.w"),
                _weightings(made),
                trouble or ("" if found else NO_PARTS),
                made is None,
                made is not None and made.parts_are == "references",
            )
        )
        for output in outputs_of(signature)
        if output.key in scores
    ]
    scored = any(one.value is not None for one in outputs)
    missing = bool(series and scored and not drawn)
    return Explanation(outputs, drawn, NO_PARTS if missing else "")


def by(rows: Sequence[Row], sort: str) -> list[Row]:
    """Sorted by "order", or the largest "score", "weight" or "share" first.

    "-share" turns it round. What has no number comes last either way.
    """
    name = sort.removeprefix("-")
    if name not in SORTS:
        return list(rows)
    sign = (1 if name == "order" else -1) * (-1 if sort.startswith("-") else 1)
    known = [row for row in rows if getattr(row, name) is not None]
    unknown = [row for row in rows if getattr(row, name) is None]
    return sorted(known, key=lambda row: sign * getattr(row, name)) + unknown


def weights(s: np.ndarray, w: np.ndarray | None, weighting: str) -> np.ndarray | None:
    """How much each evaluator counts, adding up to 1; None where w is not known.

    w_j / sum_j w_j, or all the same where every w_j is 0; for mean all the same; for
    max and min all on the first evaluator with that score.
    """
    if weighting in ("max", "min"):
        at = s.argmax() if weighting == "max" else s.argmin()
        return np.asarray(np.arange(len(s)) == at, dtype=float)
    if weighting == "mean":
        return np.full(len(s), 1 / len(s))
    if w is None or not np.isfinite(w).all():
        return None
    return w / w.sum() if w.sum() else np.full(len(s), 1 / len(s))


class _Material(NamedTuple):
    """What is known of one output of one text."""

    output: Output
    score: Score
    asked: list[tuple[list[Piece], str]]
    s: np.ndarray
    w: np.ndarray | None
    weightings: tuple[str, ...]  # the one that was used first
    trouble: str  # why what is asked, or what was given, is not known
    unknown: bool  # whether nothing is known of the metric
    by_reference: bool


def _asked(
    signature: Signature, run: MetricRun | None, generation: Generation
) -> tuple[Made | None, dict[str, list[Evaluator]], str]:
    """The metric as the run had it, what it asks, and what is wrong with that."""
    if run is None:
        return None, {}, NO_RUN
    try:
        made = metrics.get(run.metric)(**run.options)
        asked = made.explain(example_of(generation))
    except (UnknownMetric, OptionError, MetricError):
        return None, {}, ELSEWHERE
    return made, asked, CHANGED if versions.old(signature.text) else ""


def _weightings(made: Made | None) -> tuple[str, ...]:
    """The choices of the option `weighting`, the one in use first."""
    if made is None:
        return ("",)
    for field in metrics.option_fields(made.Options):
        if field.name == "weighting":
            used = made.options.weighting
            return used, *(c for c in field.choices if c != used)
    return ("",)


def _numbers(row: np.ndarray | None, w: np.ndarray | None) -> np.ndarray:
    """Without the NaN that fill a row up to the longest of its chunk.

    A part that has a weight but no score, such as a reference without a word, stays.
    """
    if row is None or np.isnan(row).all():
        return np.empty(0)
    known = np.flatnonzero(~np.isnan(row) | (False if w is None else ~np.isnan(w)))
    return row[: known[-1] + 1] if len(known) else np.empty(0)


def _explained(given: _Material) -> Explained:
    value, n = given.score.value, len(given.s)
    w = given.w[:n] if given.w is not None and n else None
    # A metric without evaluators has nothing to miss.
    notice = given.trouble if given.asked or n or given.unknown else ""
    asked = given.asked
    if n and asked and len(asked) != n:
        notice, asked = CHANGED, []
    beta = weights(given.s, w, given.weightings[0]) if n else None
    unweighted = "" if beta is not None else _why_unweighted(n)
    if beta is not None and not _adds_up(beta, given.s, value):
        beta, unweighted = None, DOES_NOT_ADD_UP
    return Explained(
        output=given.output,
        value=value,
        reason=given.score.reason,
        rows=_rows(asked, given.s, w, beta, value),
        notice=notice,
        unweighted=unweighted,
        otherwise=_otherwise(given, w) if beta is not None else [],
        by_reference=given.by_reference,
    )


def _why_unweighted(n: int) -> str:
    return "the run had no table of word frequencies" if n else "not on this server"


def _adds_up(beta: np.ndarray, s: np.ndarray, value: float | None) -> bool:
    total = np.nansum(beta * s)  # a part without a score has no weight
    return value is not None and bool(np.isclose(total, value, rtol=1e-5, atol=1e-9))


def _rows(
    asked: list[tuple[list[Piece], str]],
    s: np.ndarray,
    w: np.ndarray | None,
    beta: np.ndarray | None,
    value: float | None,
) -> list[Row]:
    def at(numbers: np.ndarray | None, j: int) -> float | None:
        if numbers is None or j >= len(numbers) or not np.isfinite(numbers[j]):
            return None
        return float(numbers[j])

    share = beta * s / value if beta is not None and value else beta
    return [
        Row(
            order=j + 1,
            source=asked[j][0] if asked else None,
            target=asked[j][1] if asked else None,
            score=at(s, j),
            raw=at(w, j),
            weight=at(beta, j),
            share=at(share, j),
        )
        for j in range(max(len(asked), len(s)))
    ]


def _otherwise(given: _Material, w: np.ndarray | None) -> list[tuple[str, float]]:
    found = [(name, weights(given.s, w, name)) for name in given.weightings[1:]]
    return [(name, float(b @ given.s)) for name, b in found if b is not None]
