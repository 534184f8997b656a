"""Divergence of a system's texts from human text, by models of whole texts.

Two models of the same kind are estimated, p from human texts and q from the
system's, and compared on the texts themselves (Pimentel, Meister & Cotterell 2023,
sections 2 and 3). E_p is the mean over human texts, E_q over the system's; a text's ln
p is the sum over its words and its end, so all values grow with the length of the
texts:

    cross-entropy    - E_p ln q, nats per text (eq. 13)
    perplexity       exp(- sum_p ln q / words), per word
    forward KL       E_p (ln p - ln q), nats per text
    backward KL      E_q (ln q - ln p), nats per text (eq. 12)
    exponentiated    exp(sum_p (ln p - ln q) / words), the perplexity of q on the human
                     texts over that of p
    Jensen-Shannon   (E_p ln(p / r) + E_q ln(q / r)) / 2, r = (p + q) / 2, nats per text
    AUC              1 - area under (exp(-s E_p ln(p / r)), exp(-s E_q ln(q / r))) for
                     all r = l p + (1 - l) q with l from 0 to 1, s = 0.2
    JS per word      (E_p ln(p / r) + E_q ln(q / r)) / 2 where p, q and r = (p + q) / 2
                     are of the next word, given the words before it, and the means are
                     over all words and ends of the texts; nats per word
    AUC per word     1 - area under the curve of these, s = 5

Lower is better. The paper's forward divergence is the cross-entropy, which differs from
the forward KL only by a constant of the human texts. exp(KL) of whole texts overflows;
per word it does not, and it ranks systems in the same order when all are compared with
the same texts.

With `density=ngram` they are modified Kneser-Ney 5-grams. They match those of KenLM's
lmplz --discount_fallback (Heafield et al. 2013), within 1e-3 in log10, on every
machine. With `density=lstm` they are small LSTMs (appendix D), which take minutes; both
sides get the same starting weights, and each seed other ones. Words are separated by
white space (in scripts without spaces, each character is one) and keep their case and
punctuation. Both models share one vocabulary, the
words of both sides, as with lmplz --vocab_pad: otherwise a new word would be more
probable under the model with fewer words.

- `estimator=cross_fitted`: the texts of each of `folds` parts are scored by models of
  the other parts; texts with the same words are in the same part. JS is then on average
  a lower bound of the true JS, however good or bad the models are: it equals ln 2 minus
  the loss of a classifier that tells the sides apart by ln p - ln q. It is negative if
  the models are overconfident, and so can each KL be. In the curve, a KL below 0 counts
  as 0, so AUC is 0 for every system that is close to human text: use JS to tell those
  apart.
- `estimator=plug_in`: a model of all texts scores them. It knows its own texts so well
  that JS is near ln 2, and AUC the same, for almost all systems. Per word, both still
  differ between systems: a single word tells little about its source, a whole text
  nearly everything.
- `estimator=monte_carlo`: q is not estimated. Its log-probabilities are uploaded, those
  of the full texts, as they were sampled.
  - With those of the system's texts there is the backward KL (eq. 11); p is estimated
    from all human texts. It can be negative too: p spreads the probability of unknown
    words over the words of both sides only, a system over everything that it could
    write.
  - With those of the human texts, in a column of the corpus for each system named
    log_probability:SYSTEM, there are the cross-entropy and the perplexity, exactly, and
    the forward KL and its exponential, for which p is cross-fitted (eq. 10): on average
    too low by what that model of p loses, which is the same for all systems. They are
    infinite if sampling was truncated by top-p or top-k, which gives some texts the
    probability 0.
  - JS and AUC have no score.

A model of more texts gives higher probabilities to all texts, including those of the
other side. With `balanced`, both models are estimated from the same number of texts,
sampled again for each seed; without it, all texts are used. In both cases, compare
systems with similar numbers of texts. Each of `seeds` seeds assigns texts to folds.
With `by_sample`, there is a seed for each sample number of the system instead, with the
texts that have this number: the standard deviation over seeds then shows the variation
between texts.

Each value comes with its standard deviation under a bootstrap: 200 times, as many
prompts as there are, are drawn with replacement on each side, each with all its texts
(single texts, if prompts are not known), and the means are taken over these. The models
stay the same.

An empty text counts as a text. There is no score but a reason if a side has no text;
with cross-fitting, if a side has fewer than two different texts; with `by_sample`, if
samples do not have the same number of texts. An AUC below 1e-6 counts as 0: it is only
the area that the ends of the curve leave out.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scoring.metrics._distributions import densities, monte_carlo, resampling, strings
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

OUTPUTS = (
    Output("cross_entropy", "Cross-entropy", "nats per text, [0, inf)", False),
    Output("perplexity", "Perplexity", "per word, [1, inf)", False),
    Output("forward_kl", "Forward KL", "nats per text, (-inf, inf)", False),
    Output("backward_kl", "Backward KL", "nats per text, (-inf, inf)", False),
    Output("exponentiated_kl", "Exponentiated KL", "per word, (0, inf)", False),
    Output("jensen_shannon", "Jensen-Shannon", "nats per text, (-inf, ln 2]", False),
    Output("auc", "AUC", "1 - area, [0, 1]", False),
    Output(
        "jensen_shannon_per_word",
        "Jensen-Shannon per word",
        "nats per word, (-inf, ln 2]",
        False,
    ),
    Output("auc_per_word", "AUC per word", "1 - area, [0, 1]", False),
)
NOT_MONTE_CARLO = "cannot be estimated by Monte Carlo: choose another estimator"
TOO_FEW = "cross-fitting needs at least two different texts on each side"


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the numbers."""

    estimator: str = option(
        "cross_fitted",
        "where a text's probabilities come from: models of other texts, models of all"
        " texts, or the log-probabilities uploaded with the text",
        ("cross_fitted", "plug_in", "monte_carlo"),
        label="Where probabilities come from",
        titles=(
            "models of other texts (cross-fitted)",
            "models of all texts (plug-in)",
            "the system itself (Monte Carlo)",
        ),
    )
    density: str = densities.density_option()
    balanced: bool = option(
        True,
        "estimate both models from the same number of texts",
        label="Use the same number of texts on both sides",
    )
    folds: int = densities.folds_option()
    seeds: int = densities.seeds_option()
    by_sample: bool = densities.by_sample_option()


class StringDivergence(SystemMetric):
    """Distance from human texts, by models of the words."""

    title = "Divergence from human text, by strings"
    short = "Divergence (strings)"
    source = "Pimentel, Meister & Cotterell (2023), eq. 5-13"
    link = "https://arxiv.org/abs/2205.16001"
    needs = frozenset({"corpus"})
    Options = Options
    version = 4  # 4: words of scripts without spaces

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
    """The result of one seed."""

    human: np.ndarray  # which of the human texts it has, (texts,)
    own: np.ndarray
    of_human: strings.Terms
    of_own: strings.Terms

    def numbers(self, human: np.ndarray, own: np.ndarray) -> dict[str, np.ndarray]:
        """All outputs; the arguments count all texts of each side, (draws, texts)."""
        return strings.measure(
            self.of_human, self.of_own, human[:, self.human], own[:, self.own]
        )


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
        """A value for each seed, and the curves of AUC as details."""
        rngs = rng.spawn(self._options.seeds)
        if not given.texts or not given.corpus:
            side = "corpus" if given.texts else "system"
            return _missing(len(rngs), f"the {side} has no text")
        # Sorted by content: the order in which texts were uploaded must not matter.
        given = resampling.in_order(given)
        if self._options.estimator == "monte_carlo":
            return self._monte_carlo(given, rng, progress or silent)
        start = time.monotonic()
        samples = self._samples(given)
        if isinstance(samples, str):
            return _missing(len(rngs), samples)
        if self._options.by_sample:
            rngs = rng.spawn(len(samples))
        (human, own), size = densities.sides(given.corpus, given.texts)
        found = [
            self._compare(human, own, chosen, size, one, progress or silent)
            for chosen, one in zip(samples, rngs, strict=True)
        ]
        reason = next((one for one in found if isinstance(one, str)), "")
        if reason:
            return _missing(len(rngs), reason)
        seconds = {"models": round(time.monotonic() - start, 3)}
        details = {"n_texts": len(given.texts), "n_corpus": len(given.corpus)}
        seeds = [one for one in found if not isinstance(one, str)]
        return _scores(seeds, given, rng, {**details, "seconds": seconds})

    def _samples(self, given: SystemTexts) -> list[np.ndarray] | str:
        """Which of the system's texts each seed has."""
        if self._options.by_sample:
            return resampling.of_samples(given.samples)
        return [np.arange(len(given.texts))] * self._options.seeds

    def _compare(
        self,
        human: Side,
        own: Side,
        chosen: np.ndarray,
        size: int,
        rng: np.random.Generator,
        progress: Progress,
    ) -> Seed | str:
        """The result for one seed, or why there is none."""
        options, dealt = self._options, None
        of_human = np.arange(len(human.texts))
        if options.balanced:
            n = min(len(of_human), len(chosen))
            of_human = np.sort(rng.permutation(len(of_human))[:n])
            chosen = np.sort(rng.permutation(chosen)[:n])
        human, own = human.take(of_human), own.take(chosen)
        if options.estimator == "cross_fitted":
            if min(len(set(side.texts)) for side in (human, own)) < 2:
                return TOO_FEW
            dealt = densities.deal([human, own], options.folds, rng)
        learn = densities.learner(options.density, densities.seed(rng), progress)
        p, q = densities.log_probabilities([human, own], size, dealt, progress, learn)
        return Seed(of_human, chosen, strings.terms(p, 0), strings.terms(q, 1))

    def _monte_carlo(
        self, given: SystemTexts, rng: np.random.Generator, progress: Progress
    ) -> SystemScores:
        """From the log-probabilities that were uploaded with texts and corpus."""
        options = self._options
        how = monte_carlo.Estimator(
            options.density, options.folds, options.seeds, progress
        )
        found = monte_carlo.estimate(given, how, rng)
        keys = [output.key for output in OUTPUTS]
        values = dict.fromkeys(keys, np.full(1, np.nan)) | found.values
        reasons = dict.fromkeys(set(keys) - found.values.keys(), NOT_MONTE_CARLO)
        return SystemScores(values, reasons | found.reasons, spread=found.spread)


def _missing(seeds: int, reason: str) -> SystemScores:
    keys = [output.key for output in OUTPUTS]
    missing = np.full(seeds, np.nan)
    return SystemScores(dict.fromkeys(keys, missing), dict.fromkeys(keys, reason))


def _scores(
    seeds: Sequence[Seed],
    given: SystemTexts,
    rng: np.random.Generator,
    details: dict[str, object],
) -> SystemScores:
    """The values of all seeds for the texts as they are, and their bootstrap."""
    once = np.ones((1, len(given.corpus))), np.ones((1, len(given.texts)))
    found = [one.numbers(*once) for one in seeds]
    keys = [output.key for output in OUTPUTS]
    values = {key: np.concatenate([one[key] for one in found]) for key in keys}
    curves = [strings.curve(one.of_human, one.of_own) for one in seeds]
    details |= {
        "curve": np.mean(curves, axis=0).round(6).tolist(),
        "curves": np.round(curves, 6).tolist(),
    }
    return SystemScores(values, {}, details, spread=_spread(seeds, given, rng))


def _spread(
    seeds: Sequence[Seed], given: SystemTexts, rng: np.random.Generator
) -> dict[str, float]:
    """Of the mean over seeds, under a bootstrap of the prompts of both sides."""
    human, own = resampling.both_drawn(given, rng)
    if human is None or own is None:
        return {}
    # A seed may have none of the texts that were drawn.
    there = [
        (human[:, one.human].sum(1) > 0) & (own[:, one.own].sum(1) > 0) for one in seeds
    ]
    kept = np.all(there, axis=0)
    drawn = [one.numbers(human[kept], own[kept]) for one in seeds]
    return {
        key: float(np.mean([one[key] for one in drawn], axis=0).std(ddof=1))
        for key in drawn[0]
    }
