"""Checks of a metric that scores all texts of a system at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from scoring.metrics._check.facts import SIGNED
from scoring.metrics._check.scores import TOLERANCE
from scoring.metrics._check.texts import ODD, ORDINARY
from scoring.metrics._engine.base import (
    Example,
    SystemMetric,
    SystemScores,
    SystemTexts,
)

TEXTS = tuple(example.text for example in ORDINARY)
CORPUS = tuple(text for example in ORDINARY for text in example.references)
SEED = 7
_KNOWN = {example.text: example for example in ORDINARY}


def given(texts: Sequence[str], corpus: Sequence[str] = CORPUS) -> SystemTexts:
    """With made-up log-probabilities: some metrics have no scores without them."""
    known = tuple(-1.5 * len(text) - 1 for text in texts)
    examples = tuple(_KNOWN.get(text, Example(text)) for text in texts)
    return SystemTexts(tuple(texts), tuple(corpus), known, examples=examples)


class Subject:
    """A metric with its scores of the ordinary texts."""

    def __init__(self, metric: SystemMetric, device: str) -> None:
        self.metric, self.device = metric, device
        self.scorer = metric.load(device)
        self.keys = [output.key for output in metric.outputs]
        self.found = self.score(TEXTS)

    def differs(self, scorer: Any) -> bool:
        """Whether another scorer gives other scores."""
        found = scorer(given(TEXTS), np.random.default_rng(SEED))
        other = sorted(found.values) != sorted(self.keys)
        return other or bool(_differing(self, found, ""))

    def score(
        self, texts: Sequence[str], corpus: Sequence[str] = CORPUS, seed: int = SEED
    ) -> SystemScores:
        return self.scorer(given(texts, corpus), np.random.default_rng(seed))


def matches_outputs(subject: Subject) -> str | None:
    """A number, or one for each seed, for each announced output."""
    return _misfit(subject, subject.found)


def _misfit(subject: Subject, found: SystemScores) -> str | None:
    if sorted(found.values) != sorted(subject.keys):
        announced, given = ", ".join(subject.keys), ", ".join(found.values) or "none"
        return f"the outputs announced are {announced}; returned were {given}"
    lengths = set()
    for key, values in found.values.items():
        if np.ndim(values) != 1 or not len(values):
            return f"{key} has shape {np.shape(values)}, expected (seeds,)"
        lengths.add(len(values))
        if np.isinf(values).any():
            return f"{key} is {values}"
        if found.reasons.get(key) == "":
            return f"{key} has an empty reason"
    several = sorted(lengths - {1})
    return f"outputs have {several} seeds" if len(several) > 1 else None


def scores_ordinary_texts(subject: Subject) -> str | None:
    """At least one output has a number."""
    if any(np.isfinite(values).any() for values in subject.found.values.values()):
        return None
    why = next(iter(subject.found.reasons.values()), None)
    return f"all are undefined: {why or 'no reason is given'}"


def same_twice(subject: Subject) -> str | None:
    """All chance comes from the generator that is passed in."""
    return _differing(subject, subject.score(TEXTS), "the second time")


def same_in_another_order(subject: Subject) -> str | None:
    """The order in which texts were uploaded means nothing."""
    return _differing(subject, subject.score(TEXTS[::-1]), "in another order")


def _differing(subject: Subject, found: SystemScores, after: str) -> str | None:
    for key in subject.keys:
        one, other = subject.found.values[key], found.values[key]
        same = np.shape(one) == np.shape(other) and np.allclose(
            one, other, TOLERANCE, TOLERANCE, equal_nan=True
        )
        if not same:
            return f"{key} is {_told(one)} and {after} {_told(other)}"
    return None


def _told(values: np.ndarray) -> str:
    return ", ".join(f"{value:.7g}" for value in values)


def takes_any_texts(subject: Subject) -> str | None:
    """No text, one text, odd texts, no corpus: a number or None, no exception."""
    sets = {
        "no text": (),
        "one text": TEXTS[:1],
        "one empty text": ("",),
        "the same text often": TEXTS[:1] * 5,
        **{name: (example.text, *TEXTS) for name, example in ODD.items()},
    }
    problems = []
    for name, texts in sets.items():
        try:
            problem = _misfit(subject, subject.score(texts))
        except Exception as error:  # the point is to find any
            problem = f"{type(error).__name__}: {' '.join(str(error).split())[:100]}"
        if problem:
            problems.append(f"{name}: {problem}")
    return "; ".join(problems) or None


def takes_no_corpus(subject: Subject) -> str | None:
    """Where a corpus is needed but missing, the scores are None."""
    return _misfit(subject, subject.score(TEXTS, ()))


CHECKS = (
    (
        "its scores match its outputs",
        matches_outputs,
        "Give a finite number, NaN or None for each key of `outputs`",
    ),
    (
        "ordinary texts have scores",
        scores_ordinary_texts,
        "Give it models that have room for 25 words",
    ),
    (
        "scores are the same twice with one seed",
        same_twice,
        "Draw from the `rng` that is passed in, and from nothing else",
    ),
    (
        "scores are the same in another order of the texts",
        same_in_another_order,
        "Sort the texts first, if chance plays a part",
    ),
    (
        "no text, one text and odd texts give a number or None",
        takes_any_texts,
        "Return None where a number does not exist",
    ),
    ("it handles a missing corpus", takes_no_corpus, "Return None where it is needed"),
    *SIGNED,
)
