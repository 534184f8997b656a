"""Divergences from log-probabilities that the system itself gave: eq. 10 and 11.

With ln q known for n human texts that have w words and ends in all, and p estimated,

    cross-entropy    - sum_p ln q / n, nats per text
    perplexity       exp(- sum_p ln q / w), per word
    forward KL       sum_p (ln p - ln q) / n, nats per text (eq. 10)
    exponentiated    exp(sum_p (ln p - ln q) / w), per word

and with ln q known for the system's own texts

    backward KL      E_q (ln q - ln p), nats per text (eq. 11)

The first two need no estimate. For the next two, human texts are scored by models of
other human texts, with cross-fitting; for the last, the system's by a model of all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from scoring.metrics._distributions import densities, resampling
from scoring.metrics._distributions.densities import Learn, Side
from scoring.metrics._engine.base import LOG_PROBABILITY, Progress, SystemTexts

BACKWARD = "backward_kl"
EXACT = ("cross_entropy", "perplexity")  # of ln q alone
FORWARD = (*EXACT, "forward_kl", "exponentiated_kl")
TOO_FEW = "cross-fitting needs at least two different human texts"

# Outputs, (draws, seeds), from how often each text counts, (draws, texts).
Measure = Callable[[np.ndarray], dict[str, np.ndarray]]


class Estimated(NamedTuple):
    """By key of the output."""

    values: dict[str, np.ndarray]  # (seeds,), or (1,) where chance has no part
    reasons: dict[str, str]
    spread: dict[str, float]


class Estimator(NamedTuple):
    """How p is estimated, and how often."""

    density: str
    folds: int  # of human texts
    seeds: int
    progress: Progress

    def learner(self, rng: np.random.Generator) -> Learn:
        return densities.learner(self.density, densities.seed(rng), self.progress)


def estimate(given: SystemTexts, how: Estimator, rng: np.random.Generator) -> Estimated:
    """All that the known log-probabilities allow.

    Args:
        given: With at least one text on each side.
        how: p is estimated.
        rng: Of folds, models and the bootstrap.
    """
    (human, own), size = densities.sides(given.corpus, given.texts)
    of_human, of_own = resampling.both_drawn(given, rng)
    found, rngs = Estimated({}, _reasons(given, human), {}), rng.spawn(how.seeds)
    lengths = np.array([len(row) - 1 for row in human.rows])
    if not found.reasons.keys() & set(EXACT):
        known = np.array(given.corpus_log_probabilities)
        _add(found, _exact(known, lengths), of_human, len(known))
        if not found.reasons.keys() & set(FORWARD):
            p = np.stack([_cross_fitted(human, size, how, one) for one in rngs])
            _add(found, _forward(p - known, lengths), of_human, len(known))
    if BACKWARD not in found.reasons:
        if how.density == densities.NGRAM:  # without chance
            rngs = rngs[:1]
        models = [how.learner(one)(human.rows, size) for one in rngs]
        p = np.stack([densities.of_texts(model, own.rows) for model in models])
        gaps = np.array(given.log_probabilities) - p
        _add(found, _backward(gaps), of_own, len(own.texts))
    return found


def _reasons(given: SystemTexts, human: Side) -> dict[str, str]:
    """Why outputs have no value."""
    found = {}
    if given.cut:
        cut = f"infinite: sampling with {given.cut} gives some texts no probability"
        found = dict.fromkeys(FORWARD, cut)
    elif missing := _unknown_of_human(given):
        found = dict.fromkeys(FORWARD, missing)
    elif len(set(human.texts)) < 2:
        found = dict.fromkeys(set(FORWARD) - set(EXACT), TOO_FEW)
    if missing := densities.unknown(given):
        found[BACKWARD] = missing
    return found


def _unknown_of_human(given: SystemTexts) -> str:
    known = np.array(given.corpus_log_probabilities)
    column = f'the column "{LOG_PROBABILITY}{given.name}" of the corpus'
    if not np.isfinite(known).any():
        return (
            "needs the log-probability of each human text under the system: fill"
            f" {column}"
        )
    n = int((~np.isfinite(known)).sum())
    return f"{n} of {len(known)} human texts have no number in {column}" if n else ""


def _cross_fitted(
    human: Side, size: int, how: Estimator, rng: np.random.Generator
) -> np.ndarray:
    """Log-probability of each human text under a model of others, (texts,)."""
    dealt = densities.deal([human], how.folds, rng)
    learn = how.learner(rng)
    (scored,) = densities.log_probabilities([human], size, dealt, how.progress, learn)
    return scored.texts[:, 0]


def _add(
    found: Estimated, measure: Measure, drawn: np.ndarray | None, texts: int
) -> None:
    """Values of the texts as they are, and their deviation over draws."""
    as_they_are = measure(np.ones((1, texts)))
    found.values.update({key: given[0] for key, given in as_they_are.items()})
    if drawn is not None:
        found.spread.update(
            {
                key: float(given.mean(axis=1).std(ddof=1))
                for key, given in measure(drawn).items()
            }
        )


def _exact(known: np.ndarray, lengths: np.ndarray) -> Measure:
    """`known` is ln q of each human text, (texts,)."""

    def measure(counts: np.ndarray) -> dict[str, np.ndarray]:
        lost = -(counts @ known)
        found = (lost / counts.sum(axis=1), np.exp(lost / (counts @ lengths)))
        return {key: one[:, None] for key, one in zip(EXACT, found, strict=True)}

    return measure


def _forward(gaps: np.ndarray, lengths: np.ndarray) -> Measure:
    """`gaps` are ln p - ln q of each human text, (seeds, texts)."""

    def measure(counts: np.ndarray) -> dict[str, np.ndarray]:
        sums, words = counts @ gaps.T, counts @ lengths
        return {
            "forward_kl": sums / counts.sum(axis=1)[:, None],
            "exponentiated_kl": np.exp(sums / words[:, None]),
        }

    return measure


def _backward(gaps: np.ndarray) -> Measure:
    """`gaps` are ln q - ln p of each text of the system, (seeds, texts)."""

    def measure(counts: np.ndarray) -> dict[str, np.ndarray]:
        return {BACKWARD: counts @ gaps.T / counts.sum(axis=1)[:, None]}

    return measure
