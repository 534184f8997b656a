"""How well clusters and n-gram models estimate which texts a system finds probable.

Spearman's correlation, over a system's own texts, between the true ln q(w) that was
uploaded with each text and an estimate of it (Pimentel, Meister & Cotterell 2023,
section 5.1 and figure 1), in [-1, 1]. Ties get their mean rank.

- `clusters`: ln of the share (n_c + 1) / (n + K) of the text's cluster among the
  system's texts, where human and system texts are clustered together as in the metric
  divergence with preset=pimentel, and K is lowered in the same way. With
  `partition=study` the texts of all systems of the study are clustered with them, with
  `partition=pair` they are not.
- `ngrams`: the text's log-probability under a Kneser-Ney 5-gram model of the system's
  texts, as in the metric string_divergence. With `estimator=cross_fitted` no text is
  scored by a model that has learned the same text, with `plug_in` every text is.

A high value means that divergences computed from the estimates describe the true
distributions, as the paper found for n-grams. In the paper, clusters correlated
negatively: they compare something else. No output says how good the system is, so
systems are not ranked by them. The log-probabilities must be those of the full text as
it was sampled.

Long texts have lower log-probabilities both under the system and under the n-gram
model, so length alone can cause a high correlation. Therefore each correlation is also
given as a partial correlation of ranks, controlled for the length in words, in [-1, 1]:

    (r_xy - r_xz r_yz) / sqrt((1 - r_xz^2) (1 - r_yz^2))

with x the true log-probability, y the estimate and z the number of words. It is r_xy if
all texts have the same length.

The value describes the texts as they are. There is a value for each of `seeds` seeds,
each of which assigns texts to folds and starts the clustering from other points. With
`by_sample`, each seed correlates only the texts with one sample number, while the
estimates come from all texts. Each value comes with its standard deviation under a
bootstrap with the same estimates: 200 times, as many prompts as there are, are drawn
with replacement, each with all its texts (single texts, if prompts are not known).

There is no score but a reason if a text has no log-probability, if there are fewer than
three different texts, or if either side of the correlation is constant; for clusters,
also if the corpus has no text; controlled for length, if either side depends on length
only; with `by_sample`, if samples do not have the same number of texts. Raises
MetricError at loading if the model is missing or cannot embed texts, and later if it
gives all texts the same vector.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from annotation.sentences import scripts
from scoring.metrics._distributions import clusters as _clusters
from scoring.metrics._distributions import (
    densities,
    divergences,
    embeddings,
    resampling,
)
from scoring.metrics._distributions.partitioning import Partitioner, Recipe
from scoring.metrics._distributions.partitions import Party, Texts, Timer, Trial
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
ROUNDING = 1e-12
UNIT, PARTIAL = "Spearman, [-1, 1]", "partial Spearman, [-1, 1]"
GIVEN_LENGTH = "_given_length"
CLUSTERS, NGRAMS = "Clusters and true probability", "N-grams and true probability"
CLUSTERS_GIVEN, NGRAMS_GIVEN = "Clusters, given length", "N-grams, given length"
OUTPUTS = (
    Output("clusters", CLUSTERS, UNIT, None, quality=False),
    Output("ngrams", NGRAMS, UNIT, None, quality=False),
    Output("clusters_given_length", CLUSTERS_GIVEN, PARTIAL, None, quality=False),
    Output("ngrams_given_length", NGRAMS_GIVEN, PARTIAL, None, quality=False),
)
KEYS = tuple(output.key for output in OUTPUTS)


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the numbers."""

    model: str = embeddings.model_option()
    pooling: str = embeddings.pooling_option()
    clusters: int = option(500, "number of clusters, K", label="Number of clusters")
    estimator: str = option(
        "cross_fitted",
        "which n-gram model scores a text: one of the other texts, or one of all texts",
        ("cross_fitted", "plug_in"),
        label="What scores a text",
        titles=(
            "an n-gram model of the other texts (cross-fitted)",
            "an n-gram model of all texts (plug-in)",
        ),
    )
    folds: int = densities.folds_option()
    seeds: int = densities.seeds_option()
    partition: str = option(
        "study",
        "which texts are clustered together: human texts with those of all systems"
        " (study), or with those of one system (pair)",
        ("study", "pair"),
        label="Texts that are clustered together",
        titles=("human texts and all systems", "human texts and one system"),
    )
    by_sample: bool = densities.by_sample_option()
    max_tokens: int = embeddings.max_tokens_option()
    dtype: str = models.dtype_option()


class Fidelity(SystemMetric):
    """Do estimated probabilities of texts match the true ones?"""

    title = "Match of estimated and true probabilities"
    short = "Fidelity"
    source = "Pimentel, Meister & Cotterell (2023), figure 1"
    link = "https://arxiv.org/abs/2205.16001"
    needs = frozenset({"corpus", "log-probabilities"})
    Options = Options
    version = 3  # 3: words of scripts without spaces

    @property
    def compares(self) -> bool:
        return bool(self.options.partition == "study")

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
            MetricError: If it is missing or cannot embed texts.
        """
        self.check()
        options = self.options
        encoder, content = embeddings.chosen(options, device)
        signature = self.signature(model=content, **_clusters.contents())
        return FidelityScorer(signature, options, encoder)


# What estimates each of the system's texts for one seed, nats, (texts,).
Estimates = dict[str, np.ndarray]


class Known(NamedTuple):
    """A system's texts and what is known about them, sorted by content."""

    texts: tuple[str, ...]
    truth: np.ndarray  # ln q, nats, (texts,)
    lengths: np.ndarray  # in words, (texts,)
    prompts: np.ndarray  # as `resampling.codes`


class FidelityScorer:
    """A loaded model with its options."""

    def __init__(
        self, signature: str, options: Options, encoder: embeddings.Encoder
    ) -> None:
        self.signature = signature
        self._options = options
        recipe = Recipe(
            how_many=self._how_many,
            seeds=options.seeds,
            study=options.partition == "study",
        )
        self._partitions = Partitioner(encoder, recipe)

    def __call__(
        self,
        given: SystemTexts,
        rng: np.random.Generator,
        progress: Progress | None = None,
    ) -> SystemScores:
        """All correlations for each seed."""
        tell = progress or silent
        reason = densities.unknown(given) if given.texts else "the system has no text"
        if reason:
            return _scores([dict.fromkeys(KEYS, reason)] * self._options.seeds)
        given = resampling.in_order(given)
        samples = self._samples(given)
        if isinstance(samples, str):
            return _scores([dict.fromkeys(KEYS, samples)] * self._options.seeds)
        lengths = [len(scripts.pieces(text)) for text in given.texts]
        known = Known(
            given.texts,
            np.array(given.log_probabilities),
            np.array(lengths, float),
            resampling.codes(resampling.prompts(given))[0],
        )
        of_folds, of_draws = rng.spawn(2)
        ngrams = self._by_ngrams(known, len(samples), of_folds, tell)
        clusters, notes = self._by_clusters(given, len(samples), rng, tell)
        seeds: list[Estimates] = [
            {"ngrams": one, **({"clusters": clusters[n]} if clusters else {})}
            for n, one in enumerate(ngrams)
        ]
        found = [
            _numbers(known, one, at) for one, at in zip(seeds, samples, strict=True)
        ]
        spread = _spread(known, seeds, samples, of_draws)
        return _scores(found, notes, spread)

    def _samples(self, given: SystemTexts) -> list[np.ndarray] | str:
        """Which texts each seed correlates."""
        if self._options.by_sample:
            return resampling.of_samples(given.samples)
        return [np.arange(len(given.texts))] * self._options.seeds

    def _by_ngrams(
        self, known: Known, seeds: int, rng: np.random.Generator, tell: Progress
    ) -> list[np.ndarray]:
        (own,), size = densities.sides(known.texts)
        found = []
        for one in rng.spawn(seeds):
            dealt = None
            if self._options.estimator == "cross_fitted":
                dealt = densities.deal([own], self._options.folds, one)
            (scored,) = densities.log_probabilities([own], size, dealt, tell)
            found.append(scored.texts[:, 0])
        return found

    def _by_clusters(
        self,
        given: SystemTexts,
        seeds: int,
        rng: np.random.Generator,
        tell: Progress,
    ) -> tuple[list[np.ndarray], tuple[str, ...]]:
        """Estimates of each seed, none without a corpus; notes on K."""
        if not given.corpus:
            return [], ()
        partition = self._partitions(given, rng, tell, Timer())
        assert not isinstance(partition, str)  # it knows no samples
        own, trials = partition.systems[given.name], partition.trials
        chosen = [trials[n % len(trials)] for n in range(seeds)]
        return [_estimated(trial, own) for trial in chosen], partition.notes

    def _how_many(self, texts: Texts) -> tuple[int, tuple[str, ...]]:
        """K, the same for all seeds, and a note if it is not what was asked for."""
        asked, n = self._options.clusters, texts.n_human + texts.n_each
        k = min(asked, max(2, n // _clusters.PER_CLUSTER), len(texts.different))
        if k == asked:
            return k, ()
        of = " by people and one system" if len(texts.systems) > 1 else ""
        return k, (f"K was lowered from {asked} to {k}: there are {n} texts{of}",)


def _estimated(trial: Trial, own: Party) -> np.ndarray:
    """Log of the share of each text's cluster among the system's texts, nats."""
    labels = trial.labels[own.rows]
    return np.asarray(
        np.log(divergences.histogram(labels, trial.k, smoothing=1.0))[labels]
    )


def _numbers(
    known: Known, estimates: Estimates, chosen: np.ndarray
) -> dict[str, float | str]:
    """By output, over the chosen texts, or why there is no number."""
    found: dict[str, float | str] = {}
    both: tuple[float | str, float | str]
    for key in ("clusters", "ngrams"):
        if key not in estimates:
            both = ("the corpus has no text",) * 2
        elif len({" ".join(known.texts[n].split()) for n in chosen}) < FEWEST:
            both = (f"there are fewer than {FEWEST} different texts",) * 2
        else:
            columns = known.truth, estimates[key], known.lengths
            both = _correlate(*(column[chosen] for column in columns))
        found[key], found[key + GIVEN_LENGTH] = both
    return found


def _correlate(
    known: np.ndarray, estimated: np.ndarray, lengths: np.ndarray
) -> tuple[float | str, float | str]:
    """Spearman's correlation and the partial one, or why there is none."""
    if np.ptp(known) == 0:
        return ("all texts have the same log-probability",) * 2
    if np.ptp(estimated) == 0:
        return ("the estimate is the same for all texts",) * 2
    raw, partial = _rank_correlations(known, estimated, lengths)
    if not np.isfinite(partial):
        return raw, "one side of the correlation depends on length only"
    return raw, partial


def _rank_correlations(
    known: np.ndarray, estimated: np.ndarray, lengths: np.ndarray
) -> tuple[float, float]:
    """Of two sides that vary; the partial one is NaN if one depends on length only."""
    from scipy.stats import rankdata

    x, y, z = (rankdata(column) for column in (known, estimated, lengths))
    raw = float(np.corrcoef(x, y)[0, 1])
    if np.ptp(z) == 0:
        return raw, raw
    with_length = [np.corrcoef(side, z)[0, 1] for side in (x, y)]
    left = np.prod([1 - r**2 for r in with_length])
    if left < ROUNDING:
        return raw, float("nan")
    partial = (raw - with_length[0] * with_length[1]) / np.sqrt(left)
    return raw, float(np.clip(partial, -1, 1))


def _spread(
    known: Known,
    seeds: Sequence[Estimates],
    samples: Sequence[np.ndarray],
    rng: np.random.Generator,
) -> dict[str, float]:
    """Of the mean over seeds, under a bootstrap of prompts."""
    counts = resampling.drawn(known.prompts, rng)
    if counts is None:
        return {}
    draws: dict[str, list[float]] = {key: [] for key in KEYS}
    for draw in counts:
        found = [
            _numbers(known, one, np.repeat(at, draw[at]))
            for one, at in zip(seeds, samples, strict=True)
        ]
        for key in KEYS:
            values = [one[key] for one in found]
            numbers = [value for value in values if not isinstance(value, str)]
            draws[key].append(float(np.mean(numbers)) if numbers else np.nan)
    deviations = {key: resampling.deviation(np.array(v)) for key, v in draws.items()}
    return {key: value for key, value in deviations.items() if value is not None}


def _scores(
    found: Sequence[dict[str, float | str]],
    notes: tuple[str, ...] = (),
    spread: dict[str, float] | None = None,
) -> SystemScores:
    values, reasons = {}, {}
    for key in KEYS:
        given = [one[key] for one in found]
        values[key] = np.array([np.nan if isinstance(v, str) else v for v in given])
        missing = [value for value in given if isinstance(value, str)]
        if missing:
            reasons[key] = missing[0]
    return SystemScores(values, reasons, notes=notes, spread=spread or {})
