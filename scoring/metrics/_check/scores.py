"""Checks of a metric that scores one text at a time."""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from scoring.metrics._check.facts import SIGNED
from scoring.metrics._check.texts import ODD, ORDINARY, TWINS
from scoring.metrics._engine.base import Example, Metric, Scores

TOLERANCE = 1e-5
REASON_CHARACTERS = 300  # the site keeps no more


class Subject:
    """A loaded metric with its scores of the ordinary texts."""

    def __init__(self, metric: Metric, device: str) -> None:
        self.metric, self.device = metric, device
        self.scorer: Any = metric.load(device)
        self.keys = [output.key for output in metric.outputs]
        self.scores: Scores = self.scorer(list(ORDINARY))

    def differs(self, scorer: Any) -> bool:
        """Whether another scorer gives other scores."""
        scores, order = scorer(list(ORDINARY)), range(len(ORDINARY))
        if sorted(scores.values) != sorted(self.keys):
            return True
        return _differing(self, scores, order, "", "") is not None


def matches_outputs(subject: Subject) -> str | None:
    """Values, reasons and parts fit the announced outputs and the number of texts."""
    return _misfit(subject, subject.scores, len(ORDINARY))


def _misfit(subject: Subject, scores: Scores, n: int) -> str | None:
    if sorted(scores.values) != sorted(subject.keys):
        announced, given = ", ".join(subject.keys), ", ".join(scores.values) or "none"
        return f"the outputs announced are {announced}; returned were {given}"
    for key, values in scores.values.items():
        if not isinstance(values, np.ndarray) or values.shape != (n,):
            return f"{key} has the shape {np.shape(values)} for {n} texts"
        if values.dtype != np.float64:
            return f"{key} is {values.dtype}, not float64"
        if problem := _unreasoned(key, values, scores.reasons.get(key)):
            return problem
    for key, part in scores.parts.items():
        if np.ndim(part) < 1 or len(part) != n:
            return f"the part {key} has the shape {np.shape(part)} for {n} texts"
    if not all(isinstance(note, str) and note for note in scores.notes):
        return f"notes are {scores.notes!r:.80}"
    return None


def _unreasoned(
    key: str, values: np.ndarray, reasons: Sequence[str | None] | None
) -> str | None:
    if reasons is None or len(reasons) != len(values):
        return f"{key} has {len(reasons or ())} reasons for {len(values)} texts"
    for k, (value, reason) in enumerate(zip(values, reasons, strict=True), start=1):
        which = f"{key} of text {k}"
        if math.isnan(value) and not reason:
            return f"{which} is NaN without a reason"
        if not math.isnan(value) and reason:
            return f"{which} is {value:g}, and a reason says why it is undefined"
        if math.isinf(value):
            return f"{which} is {value:g}"
        if reason and len(reason) > REASON_CHARACTERS:
            return f"the reason of {which} is over {REASON_CHARACTERS} characters"
    return None


def scores_ordinary_texts(subject: Subject) -> str | None:
    """At least one output has a number for at least one ordinary text."""
    values = np.array([subject.scores.values[key] for key in subject.keys])
    if not np.isnan(values).all():
        return None
    reasons = filter(None, itertools.chain(*subject.scores.reasons.values()))
    return f"all are undefined: {next(reasons, 'no reason is given')}"


def same_twice(subject: Subject) -> str | None:
    """Nothing is left to chance."""
    return _changed(subject, range(len(ORDINARY)), "the first time", "the second time")


def same_alone(subject: Subject) -> str | None:
    """Neither padding nor neighbours have a part in a score."""
    for k in range(len(ORDINARY)):
        if problem := _changed(subject, [k], "among others", "alone"):
            return problem
    return None


def same_in_another_order(subject: Subject) -> str | None:
    """Scores come back in the order of the texts; twins have the same."""
    order = [3, 0, 4, 2, 1]
    if problem := _changed(subject, order, "in one order", "in another"):
        return problem
    first, second = TWINS
    for key, values in subject.scores.values.items():
        if not _close(values[first], values[second]):
            one, other = values[first], values[second]
            return f"{key} of one text, given twice, is {one:.7g} and {other:.7g}"
    return None


def _changed(
    subject: Subject, order: Sequence[int], before: str, after: str
) -> str | None:
    """Score these texts again and compare."""
    scores = subject.scorer([ORDINARY[k] for k in order])
    return _differing(subject, scores, order, before, after)


def _differing(
    subject: Subject, scores: Scores, order: Sequence[int], before: str, after: str
) -> str | None:
    for key in subject.keys:
        for value, k in zip(scores.values[key], order, strict=False):
            known, which = subject.scores.values[key][k], f"{key} of text {k + 1}"
            if not _close(known, value):
                return f"{which} is {known:.7g} {before}, {value:.7g} {after}"
    return None


def _close(one: float, other: float) -> bool:
    return bool(np.isclose(one, other, TOLERANCE, TOLERANCE, equal_nan=True))


def takes_no_text(subject: Subject) -> str | None:
    """A run whose texts are all scored already has none left."""
    return _misfit(subject, subject.scorer([]), 0)


def takes_odd_texts(subject: Subject) -> str | None:
    """Each gives a number, or NaN with a reason; no exception."""
    problems = []
    for name, example in ODD.items():
        try:
            problem = _misfit(subject, subject.scorer([example]), 1)
        except Exception as error:  # the point is to find any
            problem = f"{type(error).__name__}: {' '.join(str(error).split())[:100]}"
        if problem:
            problems.append(f"{name}: {problem}")
    return "; ".join(problems) or None


def odd_neighbours_change_nothing(subject: Subject) -> str | None:
    """One odd text must not cost the others their scores."""
    scores = subject.scorer([*ORDINARY, *ODD.values()])
    return _misfit(subject, scores, len(ORDINARY) + len(ODD)) or _differing(
        subject, scores, range(len(ORDINARY)), "alone", "among odd texts"
    )


def reports_progress(subject: Subject) -> str | None:
    """What is reported adds up to the number of texts."""
    reported: list[int] = []
    subject.scorer(list(ORDINARY), reported.append)
    if any(n < 0 for n in reported) or sum(reported) != len(ORDINARY):
        return f"{sum(reported)} reported for {len(ORDINARY)} texts"
    return None


def leaves_input_alone(subject: Subject) -> str | None:
    """The caller's list is the caller's."""
    given: list[Example] = list(ORDINARY)
    before = copy.deepcopy(given)
    subject.scorer(given)
    return None if given == before else "the list of texts was changed"


def explains_its_parts(subject: Subject) -> str | None:
    """As many evaluators as a text's parts have columns."""
    for k, example in enumerate(ORDINARY):
        explained = subject.metric.explain(example)
        for key in subject.keys:
            part = subject.scores.parts.get(f"{key}.s")
            weights = subject.scores.parts.get(f"{key}.w", part)
            # A pair that has nothing to compare has a weight, but no score.
            columns = 0 if weights is None else int((~np.isnan(weights[k])).sum())
            n = len(explained.get(key, []))
            if part is not None and columns and n != columns:
                return f"{key} of text {k + 1} has {columns} parts, {n} are explained"
    return None


_NEIGHBOURS = "Pad with a mask, restore the order of the texts, and keep no state"

CHECKS = (
    (
        "its scores match its outputs",
        matches_outputs,
        "Return float64 arrays of shape (n,) under the keys of `outputs`, NaN with a"
        " reason where undefined",
    ),
    (
        "ordinary texts have scores",
        scores_ordinary_texts,
        "Give it a model that has room for 25 words, and what it needs",
    ),
    ("scores are the same twice", same_twice, "Put the model into eval(), fix seeds"),
    ("scores are the same for one text alone", same_alone, _NEIGHBOURS),
    ("scores are the same in another order", same_in_another_order, _NEIGHBOURS),
    ("no text at all gives no score", takes_no_text, "Return arrays of shape (0,)"),
    (
        "odd and incomplete texts give a number or a reason",
        takes_odd_texts,
        "Give NaN and say in `reasons` what the text lacks",
    ),
    ("odd neighbours change no score", odd_neighbours_change_nothing, _NEIGHBOURS),
    (
        "progress adds up to the texts",
        reports_progress,
        "Call progress with the number of texts finished since the last call",
    ),
    ("its input stays as it was", leaves_input_alone, "Copy the list before sorting"),
    *SIGNED,
    (
        "it explains as many evaluators as it scores",
        explains_its_parts,
        "`explain` and `Scores.parts` go in the same order, column by column",
    ),
)
