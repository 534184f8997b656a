"""How well clusters and n-grams know which texts a system finds probable.

Spearman's correlation, over a system's own texts, of the true ln q(w) that came with
each text and an estimate of it (Pimentel, Meister & Cotterell 2023, section 5.1 and
figure 1), in [-1, 1]. Ties have their mean rank.

- `clusters`: ln of the share (n_c + 1) / (n + K) of the text's cluster among the
  system's texts, where human texts and the system's were clustered together as by the
  metric divergence with preset=pimentel, and K is lowered likewise.
- `ngrams`: the text's log-probability under a Kneser-Ney 5-gram model of the system's
  texts, as in the metric string_divergence. With `estimator=cross_fitted` no text is
  scored by a model that has learned it or its equal, with `plug_in` all are.

High means that divergences of the estimates are about the true distributions, as the
paper found of n-grams. Its clusters correlated negatively: what they compare is
something else. Neither tells how good the system is. The log-probabilities must be of
the full text, as it was sampled: that of a long text is lower, and the n-gram model's
as well, so length alone makes for a high correlation.

There is a number for each of `seeds`. Each draws the system's texts with replacement,
unless `redraw=false`, deals the folds, and begins the clustering elsewhere.

No number, with the reason, where a text carries no log-probability, where fewer than
three different texts are left, or where either side of the correlation is constant;
of clusters, where the corpus has no text. Raises MetricError at loading where the
model is missing or embeds no texts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scoring.metrics._distributions import clusters as _clusters
from scoring.metrics._distributions import densities, divergences, embeddings
from scoring.metrics._distributions.densities import Side
from scoring.metrics._engine import models
from scoring.metrics._engine.base import (
    OptionError,
    Output,
    Progress,
    SystemMetric,
    SystemScores,
    SystemTexts,
    option,
    silent,
)

FEWEST = 3
OUTPUTS = (
    Output("clusters", "Clusters and true probability", "Spearman, [-1, 1]", None),
    Output("ngrams", "N-grams and true probability", "Spearman, [-1, 1]", None),
)
KEYS = tuple(output.key for output in OUTPUTS)


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the numbers."""

    model: str = option(
        "openai-community/gpt2-large",
        "what embeds the texts",
        path="model",
        typed=models.ENCODER_HELP,
        label="Model that embeds the texts",
        takes=("encoder", "causal"),
    )
    pooling: str = option(
        "auto",
        embeddings.POOLING_HELP,
        embeddings.POOLINGS,
        label="What counts of a text’s token vectors",
        titles=("automatic", "mean of all", "first token", "last token"),
    )
    clusters: int = option(500, "number of clusters K", label="Number of clusters")
    estimator: str = option(
        "cross_fitted",
        "what scores a text: an n-gram model of other texts, or one of all",
        ("cross_fitted", "plug_in"),
        label="What scores a text",
        titles=(
            "an n-gram model of the other texts (cross-fitted)",
            "an n-gram model of all texts (plug-in)",
        ),
    )
    folds: int = option(5, densities.FOLDS_HELP, label="Parts in cross-fitting")
    seeds: int = option(5, densities.SEEDS_HELP, label="Repetitions")
    redraw: bool = option(
        True, densities.REDRAW_HELP, label="Redraw the texts for each repetition"
    )
    max_tokens: int = option(
        embeddings.MAX_TOKENS,
        "where a longer text is cut",
        label="Longest text, in tokens",
    )
    dtype: str = option(
        "float32",
        models.DTYPE_HELP,
        models.DTYPES,
        label="Arithmetic",
        titles=("32-bit floats", "bfloat16"),
    )


class Fidelity(SystemMetric):
    """Do estimated probabilities of texts match the true ones?"""

    title = "Match of estimated and true probabilities"
    short = "Fidelity"
    source = "Pimentel, Meister & Cotterell (2023), figure 1"
    link = "https://arxiv.org/abs/2205.16001"
    needs = frozenset({"corpus", "log-probabilities"})
    Options = Options

    @property
    def outputs(self) -> tuple[Output, ...]:
        return OUTPUTS

    def check(self) -> None:
        options = self.options
        densities.check(options.seeds, options.folds)
        for name in ("clusters", "max_tokens"):
            if (value := getattr(options, name)) < 1:
                raise OptionError(f"{name}={value}: expected at least 1")

    def load(self, device: str = "cpu") -> FidelityScorer:
        """Load the model.

        Raises:
            MetricError: If it is not there, or embeds no texts.
        """
        self.check()
        options = self.options
        encoder, content = embeddings.chosen(options, device)
        signature = self.signature(model=content, **_clusters.contents())
        return FidelityScorer(signature, options, encoder)


class FidelityScorer:
    """A loaded model with its options."""

    def __init__(
        self, signature: str, options: Options, encoder: embeddings.Encoder
    ) -> None:
        self.signature = signature
        self._options, self._encoder = options, encoder

    def __call__(
        self,
        given: SystemTexts,
        rng: np.random.Generator,
        progress: Progress | None = None,
    ) -> SystemScores:
        """Both correlations for each seed."""
        tell, rngs = progress or silent, rng.spawn(self._options.seeds)
        reason = densities.unknown(given) if given.texts else "the system has no text"
        if reason:
            return _scores([dict.fromkeys(KEYS, reason)] * len(rngs))
        # By content: the order in which texts were uploaded means nothing.
        pairs = sorted(zip(given.texts, given.log_probabilities, strict=True))
        texts, known = [text for text, _ in pairs], np.array([p for _, p in pairs])
        (own,), size = densities.sides(texts)
        redraw = self._options.redraw
        drawn = [densities.draw(len(texts), redraw, one) for one in rngs]
        embedded = self._embed(given.corpus, texts, tell) if given.corpus else None
        k, notes = self._how_many(embedded, drawn) if embedded else (0, ())
        found = []
        for counts, one in zip(drawn, rngs, strict=True):
            there, truth = own.counted(counts), known[counts > 0]
            ngrams = self._by_ngrams(there, size, one, tell)
            clusters: float | str = "the corpus has no text"
            if embedded:
                estimated = embedded.estimate(counts, k, one)
                clusters = _correlate(there, truth, estimated)
            by_ngrams = _correlate(there, truth, ngrams)
            found.append({"clusters": clusters, "ngrams": by_ngrams})
        return _scores(found, notes)

    def _by_ngrams(
        self, own: Side, size: int, rng: np.random.Generator, tell: Progress
    ) -> np.ndarray:
        dealt = None
        if self._options.estimator == "cross_fitted":
            dealt = densities.deal([own], self._options.folds, rng)
        (found,) = densities.log_probabilities([own], size, dealt, tell)
        return found[:, 0]

    def _embed(
        self, corpus: Sequence[str], texts: Sequence[str], tell: Progress
    ) -> Embedded:
        different = sorted({*corpus, *texts})
        places = {text: place for place, text in enumerate(different)}
        human = np.bincount([places[t] for t in corpus], minlength=len(different))
        features = self._encoder(different, lambda n: tell(0))
        return Embedded(features, human, np.array([places[text] for text in texts]))

    def _how_many(
        self, embedded: Embedded, drawn: Sequence[np.ndarray]
    ) -> tuple[int, tuple[str, ...]]:
        """K, one for all seeds, and a note where it is not what was asked for."""
        asked, texts = self._options.clusters, int(embedded.human.sum()) + len(drawn[0])
        fewest = min(
            int((embedded.human + embedded.own(counts) > 0).sum()) for counts in drawn
        )
        k = min(asked, max(2, texts // _clusters.PER_CLUSTER), fewest)
        if k == asked:
            return k, ()
        return k, (f"K was lowered from {asked} to {k}: there are {texts} texts",)


class Embedded(NamedTuple):
    """Vectors of human texts and a system's."""

    features: np.ndarray  # of each different text, (different, d)
    human: np.ndarray  # how often each is there, (different,)
    rows: np.ndarray  # of the system's texts: which of the different ones each is

    def own(self, counts: np.ndarray) -> np.ndarray:
        """How often each different text is one of the system's, (different,)."""
        return np.bincount(self.rows, counts, len(self.human))

    def estimate(
        self, counts: np.ndarray, k: int, rng: np.random.Generator
    ) -> np.ndarray:
        """Log of the share of the cluster of each text that is there, nats.

        Args:
            counts: How often each of the system's texts is there, (texts,).
            k: Clusters.
            rng: Where k-means begins.
        """
        own = self.own(counts)
        there = self.human + own > 0
        labels = _clusters.learn(
            self.features[there], k, rng=rng, weights=(self.human + own)[there]
        ).labels
        shares = divergences.histogram(labels, k, smoothing=1.0, weights=own[there])
        found = np.full(len(own), np.nan)
        found[there] = np.log(shares[labels])
        return found[self.rows[counts > 0]]


def _correlate(own: Side, known: np.ndarray, estimated: np.ndarray) -> float | str:
    """Spearman's correlation over the texts that are there, or why there is none."""
    from scipy.stats import spearmanr

    if len(set(own.texts)) < FEWEST:
        return f"there are fewer than {FEWEST} different texts"
    if np.ptp(known) == 0:
        return "all texts have the same log-probability"
    if np.ptp(estimated) == 0:
        return "the estimate is the same for all texts"
    pairs = np.repeat([known, estimated], own.counts, axis=1)
    return float(spearmanr(*pairs).statistic)


def _scores(
    found: Sequence[dict[str, float | str]], notes: tuple[str, ...] = ()
) -> SystemScores:
    values, reasons = {}, {}
    for key in KEYS:
        given = [one[key] for one in found]
        values[key] = np.array([np.nan if isinstance(v, str) else v for v in given])
        missing = [value for value in given if isinstance(value, str)]
        if missing:
            reasons[key] = missing[0]
    return SystemScores(values, reasons, notes=notes)
