"""Checks of a metric that scores all texts of a system at once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from scoring.metrics._base import SystemMetric
from scoring.metrics._check_facts import SIGNED
from scoring.metrics._check_scores import TOLERANCE
from scoring.metrics._check_texts import ODD, ORDINARY

TEXTS = tuple(example.text for example in ORDINARY)
CORPUS = tuple(text for example in ORDINARY for text in example.references)
SEED = 7

Values = Mapping[str, float | str | None]  # a string says why there is no number


class Subject:
    """A metric with its scores of the ordinary texts."""

    def __init__(self, metric: SystemMetric, device: str) -> None:
        self.metric, self.device = metric, device
        self.scorer = metric.load(device)
        self.keys = [output.key for output in metric.outputs]
        self.values = self.score(TEXTS)

    def differs(self, scorer: Any) -> bool:
        """Whether another scorer gives other scores."""
        rng = np.random.default_rng(SEED)
        values = scorer.score(list(TEXTS), list(CORPUS), rng)
        return sorted(values) != sorted(self.keys) or bool(_differing(self, values, ""))

    def score(
        self, texts: Sequence[str], corpus: Sequence[str] = CORPUS, seed: int = SEED
    ) -> Values:
        rng = np.random.default_rng(seed)
        return self.scorer.score(list(texts), list(corpus), rng)


def matches_outputs(subject: Subject) -> str | None:
    """One number, or None, for each announced output."""
    return _misfit(subject, subject.values)


def _misfit(subject: Subject, values: Values) -> str | None:
    if sorted(values) != sorted(subject.keys):
        announced, given = ", ".join(subject.keys), ", ".join(values) or "none"
        return f"the outputs announced are {announced}; returned were {given}"
    for key, value in values.items():
        if isinstance(value, str) and not value:
            return f"{key} has an empty reason"
        if not math.isfinite(_number(value) or 0.0):
            return f"{key} is {value}"
    return None


def _number(value: float | str | None) -> float | None:
    return None if isinstance(value, str) else value


def scores_ordinary_texts(subject: Subject) -> str | None:
    """At least one output has a number."""
    found = subject.values.values()
    if any(_number(value) is not None for value in found):
        return None
    return f"all are undefined: {next(iter(found), None) or 'no reason is given'}"


def same_twice(subject: Subject) -> str | None:
    """All chance comes from the generator that is passed in."""
    return _differing(subject, subject.score(TEXTS), "the second time")


def same_in_another_order(subject: Subject) -> str | None:
    """The order in which texts were uploaded means nothing."""
    return _differing(subject, subject.score(TEXTS[::-1]), "in another order")


def _differing(subject: Subject, values: Values, after: str) -> str | None:
    for key in subject.keys:
        pair = subject.values[key], values[key]
        numbers = map(_number, pair)
        one, other = (np.nan if value is None else value for value in numbers)
        if not np.isclose(one, other, TOLERANCE, TOLERANCE, equal_nan=True):
            return f"{key} is {pair[0]} and {after} {pair[1]}"
    return None


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


def leaves_input_alone(subject: Subject) -> str | None:
    """The caller's lists are the caller's."""
    texts, corpus = list(TEXTS), list(CORPUS)
    subject.scorer.score(texts, corpus, np.random.default_rng(SEED))
    same = texts == list(TEXTS) and corpus == list(CORPUS)
    return None if same else "a list of texts was changed"


CHECKS = (
    (
        "its scores match its outputs",
        matches_outputs,
        "Return a finite number, None or a reason for each key of `outputs`",
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
    ("it does without a corpus", takes_no_corpus, "Return None where it is needed"),
    ("its input stays as it was", leaves_input_alone, "Copy the lists before sorting"),
    *SIGNED,
)
