"""Divergence of a system's texts from human text, by n-gram models of whole texts.

Two modified Kneser-Ney 5-gram models are estimated, p from human texts and q from the
system's, and compared on the texts themselves (Pimentel, Meister & Cotterell 2023,
sections 2 and 3). E_p is the mean over human texts, E_q over the system's; a text's
ln p is the sum over its words and its end, so all grows with the length of texts:

    cross-entropy    - E_p ln q, nats per text (eq. 13)
    forward KL       E_p (ln p - ln q), nats per text
    backward KL      E_q (ln q - ln p), nats per text (eq. 12)
    exponentiated    exp(sum_p (ln p - ln q) / words), the perplexity of q on the human
                     texts over that of p
    Jensen-Shannon   (E_p ln(p / r) + E_q ln(q / r)) / 2, r = (p + q) / 2, nats per text
    AUC              1 - area under (exp(-s E_p ln(p / r)), exp(-s E_q ln(q / r))) for
                     all r = l p + (1 - l) q with l from 0 to 1, s = 0.2

Lower is better. The paper's forward divergence is the cross-entropy, which is the
forward KL but for a constant of human text. exp(KL) of whole texts overflows; per word
it does not, and ranks systems alike where all are held against the same texts.

The models are those of KenLM's lmplz --discount_fallback (Heafield et al. 2013), within
1e-3 in log10, on every machine. Words are what white space separates, with their case
and marks. Both models have one vocabulary, the words of both sides, as with lmplz
--vocab_pad: else a new word would be more probable under the model with fewer words.

- `estimator=cross_fitted`: the texts of each of `folds` parts are scored by models of
  the other parts; texts of the same words share a part. JS is then on average a lower
  bound of the true one, whatever the models are worth: ln 2 less the loss of who tells
  the sides apart by ln p - ln q. It is below 0 where the models are surer than they are
  right, as any of the KL can be. In the curve a KL below 0 counts as 0, so that AUC is
  0 for all systems that are near human text: JS tells those apart.
- `estimator=plug_in`: a model of all texts scores them. It knows its own texts so well
  that JS is near ln 2 and AUC the same for almost all systems.
- `estimator=monte_carlo`: E_q (ln q - ln p) with the log-probabilities that came with
  the texts in place of q (eq. 11), and p of all human texts. They must be of the full
  text, as it was sampled. It can be below 0 too: p has to share what it does not know
  among the words of both sides alone, a system among all that it could write. The other
  divergences have no number: they need the probability of human texts under the system,
  which is 0 for some where sampling was cut off by top-p or top-k.

A model of more texts gives all texts more, those of the other side too. With `balanced`
both are estimated from as many texts, drawn anew for each seed; without it all are
used. Compare systems by like numbers of texts in any case. Each of `seeds` draws the
system's texts with replacement, unless `redraw=false`, and deals the folds. A model
learns a text that was drawn twice once: copies would spoil its discounts. In the means
it counts twice.

An empty text counts as a text. No number, with the reason, where a side has no text,
or, cross-fitted, fewer than two different ones.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scoring.metrics._distributions import densities, divergences, ngrams
from scoring.metrics._distributions.densities import Side
from scoring.metrics._engine.base import (
    Output,
    Progress,
    SystemMetric,
    SystemScores,
    SystemTexts,
    option,
    silent,
)

SCALE = 0.2
OUTPUTS = (
    Output("cross_entropy", "Cross-entropy", "nats per text, [0, inf)", False),
    Output("forward_kl", "Forward KL", "nats per text, (-inf, inf)", False),
    Output("backward_kl", "Backward KL", "nats per text, (-inf, inf)", False),
    Output("exponentiated_kl", "Exponentiated KL", "per word, (0, inf)", False),
    Output("jensen_shannon", "Jensen-Shannon", "nats per text, (-inf, ln 2]", False),
    Output("auc", "AUC", "1 - area, [0, 1]", False),
)
# Infinite where the system gives some human text no probability.
UNBOUNDED = ("cross_entropy", "forward_kl", "exponentiated_kl")
OF_HUMAN_TEXT = "needs the probability of human texts under the system"
TOO_FEW = "cross-fitting needs two different texts on either side"


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the numbers."""

    estimator: str = option(
        "cross_fitted",
        "what a text's probabilities are: of models of other texts, of models that know"
        " it, or those that came with it",
        ("cross_fitted", "plug_in", "monte_carlo"),
        label="What gives a text’s probability",
        titles=(
            "models of other texts (cross-fitted)",
            "models of all texts (plug-in)",
            "the system itself (Monte Carlo)",
        ),
    )
    balanced: bool = option(
        True,
        "estimate both models from as many texts",
        label="Use equally many texts on both sides",
    )
    folds: int = option(5, densities.FOLDS_HELP, label="Parts in cross-fitting")
    seeds: int = option(5, densities.SEEDS_HELP, label="Repetitions")
    redraw: bool = option(
        True, densities.REDRAW_HELP, label="Redraw the texts for each repetition"
    )


class StringDivergence(SystemMetric):
    """Distance from human texts, by n-gram models of the words."""

    title = "Divergence from human text, by strings"
    short = "Divergence (strings)"
    source = "Pimentel, Meister & Cotterell (2023), eq. 5-13"
    link = "https://arxiv.org/abs/2205.16001"
    needs = frozenset({"corpus"})
    Options = Options

    @property
    def outputs(self) -> tuple[Output, ...]:
        return OUTPUTS

    def check(self) -> None:
        densities.check(self.options.seeds, self.options.folds)

    def load(self, device: str = "cpu") -> StringDivergenceScorer:
        """There is nothing to load."""
        self.check()
        return StringDivergenceScorer(self.signature(), self.options)


class Seed(NamedTuple):
    """What one seed found."""

    numbers: dict[str, float]  # by output key
    curve: np.ndarray  # (points, 2)


class StringDivergenceScorer:
    """A divergence with its options."""

    def __init__(self, signature: str, options: Options) -> None:
        self.signature, self._options = signature, options

    def __call__(
        self,
        given: SystemTexts,
        rng: np.random.Generator,
        progress: Progress | None = None,
    ) -> SystemScores:
        """A number for each seed, and the curves of AUC as details."""
        rngs = rng.spawn(self._options.seeds)
        if not given.texts or not given.corpus:
            side = "corpus" if given.texts else "system"
            return _scores([f"the {side} has no text"] * len(rngs), {})
        if self._options.estimator == "monte_carlo":
            return self._monte_carlo(given, rngs)
        start = time.monotonic()
        # By content: the order in which texts were uploaded means nothing.
        (human, own), size = densities.sides(sorted(given.corpus), sorted(given.texts))
        found = [
            self._compare(human, own, size, one, progress or silent) for one in rngs
        ]
        seconds = {"models": round(time.monotonic() - start, 3)}
        details = {"n_texts": len(given.texts), "n_corpus": len(given.corpus)}
        return _scores(found, {**details, "seconds": seconds})

    def _compare(
        self,
        human: Side,
        own: Side,
        size: int,
        rng: np.random.Generator,
        progress: Progress,
    ) -> Seed | str:
        """What one seed finds, or why it finds nothing."""
        options, dealt = self._options, None
        own = own.counted(densities.draw(len(own.texts), options.redraw, rng))
        if options.balanced:
            n = min(len(human.texts), len(own.texts))
            human, own = human.thinned(n, rng), own.thinned(n, rng)
        if options.estimator == "cross_fitted":
            if min(len(set(side.texts)) for side in (human, own)) < 2:
                return TOO_FEW
            dealt = densities.deal([human, own], options.folds, rng)
        of_human, of_own = densities.log_probabilities(
            [human, own], size, dealt, progress
        )
        words = sum(len(row) - 1 for row in human.rows)
        return _measure(of_human, of_own, own.counts, words)

    def _monte_carlo(
        self, given: SystemTexts, rngs: Sequence[np.random.Generator]
    ) -> SystemScores:
        """The backward KL alone, with the probabilities that the texts carry."""
        keys = [output.key for output in OUTPUTS]
        values = dict.fromkeys(keys, np.full(len(rngs), np.nan))
        reasons = dict.fromkeys(keys, OF_HUMAN_TEXT)
        if given.cut:
            infinite = f"infinite: sampling with {given.cut} gives some texts no"
            reasons |= dict.fromkeys(UNBOUNDED, f"{infinite} probability")
        if missing := densities.unknown(given):
            return SystemScores(values, {**reasons, "backward_kl": missing})
        del reasons["backward_kl"]
        values["backward_kl"] = self._backward(given, rngs)
        return SystemScores(values, reasons)

    def _backward(
        self, given: SystemTexts, rngs: Sequence[np.random.Generator]
    ) -> np.ndarray:
        pairs = sorted(zip(given.texts, given.log_probabilities, strict=True))
        texts, known = zip(*pairs, strict=True)
        (human, own), size = densities.sides(given.corpus, texts)
        gaps = np.array(known) - ngrams.learn(human.rows, size)(own.rows)
        redraw = self._options.redraw
        drawn = [densities.draw(len(gaps), redraw, one) for one in rngs]
        return np.array([np.average(gaps, weights=counts) for counts in drawn])


def _measure(
    of_human: np.ndarray, of_own: np.ndarray, counts: np.ndarray, words: int
) -> Seed:
    """All divergences.

    Args:
        of_human: ln p and ln q of human texts, nats, (texts, 2).
        of_own: The same of the system's texts.
        counts: How often each of the system's texts is there.
        words: Of all human texts, their ends included.
    """

    def to_mixture(weight: float) -> tuple[float, float]:
        """E_p ln(p / r) and E_q ln(q / r)."""
        with np.errstate(divide="ignore"):  # ln 0, where r is one of them
            logs = np.log([weight, 1 - weight])
        from_p = of_human[:, 0] - np.logaddexp.reduce(of_human + logs, axis=1)
        from_q = of_own[:, 1] - np.logaddexp.reduce(of_own + logs, axis=1)
        return float(from_p.mean()), float(np.average(from_q, weights=counts))

    forward, backward = to_mixture(0)[0], to_mixture(1)[1]
    weights = np.linspace(1e-6, 1 - 1e-6, divergences.WEIGHTS)
    inner = [to_mixture(weight) for weight in weights]
    # Of an estimate below 0, the point would lie outside of what the curve can reach.
    points = np.exp(-SCALE * np.maximum(inner, 0))
    curve = np.array([(0, 1), *points, (1, 0)])
    numbers = {
        "cross_entropy": -float(of_human[:, 1].mean()),
        "forward_kl": forward,
        "backward_kl": backward,
        "exponentiated_kl": float(np.exp(forward * len(of_human) / words)),
        "jensen_shannon": sum(to_mixture(0.5)) / 2,
        "auc": 1 - divergences.area(curve),
    }
    return Seed(numbers, curve)


def _scores(found: Sequence[Seed | str], details: dict[str, object]) -> SystemScores:
    keys = [output.key for output in OUTPUTS]
    values = {
        key: np.array([np.nan if isinstance(f, str) else f.numbers[key] for f in found])
        for key in keys
    }
    missing = [one for one in found if isinstance(one, str)]
    reasons = dict.fromkeys(keys, missing[0]) if missing else {}
    curves = [one.curve for one in found if not isinstance(one, str)]
    if curves:
        details |= {
            "curve": np.mean(curves, axis=0).round(6).tolist(),
            "curves": np.round(curves, 6).tolist(),
        }
    return SystemScores(values, reasons, details)
