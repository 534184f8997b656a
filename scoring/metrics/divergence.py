"""Divergence of a system's texts from human text, by clusters of embeddings.

The human texts and the system's texts are embedded, reduced by PCA and clustered
together by k-means. p and q are the shares of each cluster c among the human texts and
among the system's texts (Pimentel, Meister & Cotterell 2023, eq. 14; Pillutla et al.
2021):

    forward KL       KL(p || q) = sum_c p_c ln(p_c / q_c), nats, [0, inf)
    backward KL      KL(q || p), nats, [0, inf)
    exponentiated    exp(KL(p || q)), [1, inf)
    Jensen-Shannon   (KL(p || r) + KL(q || r)) / 2, r = (p + q) / 2, nats, [0, ln 2]
    MAUVE            area under (exp(-s KL(p || r)), exp(-s KL(q || r))) for all
                     r = l p + (1 - l) q with l from 0 to 1, [0, 1]
    AUC              1 - MAUVE
    frontier         the divergence summed along that curve (Liu et al. 2021), [0, 1]

Higher is better for MAUVE, lower for all others. The two presets differ:

- `preset=pimentel`: 500 clusters, s = 5, shares (n_c + 1) / (n + K). With fewer than
  5,000 texts in total, the number of clusters is a tenth of them: with one cluster per
  text, all systems would look the same.
- `preset=mauve_text`, as in the released implementation of MAUVE: vectors scaled to
  length 1, a tenth of the smaller set as the number of clusters, s = 5, shares n_c / n.
  A cluster with human texts only makes KL(p || q) infinite; one without human texts
  makes KL(q || p) infinite. If that happens for one seed, that output has no score but
  a reason.

With `partition=study`, the default of `preset=pimentel`, human texts and the texts of
all systems of the study are clustered together, so all systems share the clusters.
Divergences also depend on the number of texts: with `balanced`, the same number of
texts is used from each system. They are those of the prompts that all systems share, or
a random sample if few prompts are shared. K then follows from the human texts and those
of one system. With `partition=pair`, as in the released MAUVE, each system is clustered
with the human texts only.

There are never more clusters than different texts. A note says when K was lowered, and
when a side has fewer texts than clusters: its shares then consist mostly of the
smoothing, and even a single text seems close to human text.

The value describes the texts as they are: identical sets have KL 0 and MAUVE 1. The
result is partly random, so there is a value for each of `seeds` seeds, each of which
starts the clustering from other points. With `by_sample`, each seed uses only the texts
with one sample number, so the standard deviation over seeds also covers the variation
between texts. The order of the texts has no effect. Each value comes with these, for
the same clusters:

- its standard deviation under a bootstrap: 200 times, as many prompts as there are, are
  drawn with replacement on each side, each with all its texts (single texts, if prompts
  are not known). Close to chance this is too large: repeated texts increase a
  divergence;
- the value by chance, if human and system texts came from one distribution: the mean
  over 999 random permutations of the texts, within the prompts that both sides have.
  The excess is the value minus this mean. p = (1 + permutations with at least the same
  distance) / 1000. You can compare the value by chance and the excess between different
  numbers of texts, but not the value;
- with `partition=study`, for each pair of systems the difference of their values, and p
  from 999 permutations of their texts, within the prompts that both have.

The metric can only see what the model's vectors capture; the Probing page shows what
that is. `bundled:encoder-small` (mean over its tokens) captures little of the word
order, `bundled:causal-small` (its last token) captures it.

An empty text counts as a text. There is no score if the system or the corpus has no
text or, with `by_sample`, if systems do not have the same number of texts for each
sample. Texts are cut to `max_tokens`. Raises MetricError at loading if the model is
missing or cannot embed texts, and later if it gives all texts the same vector.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scoring.metrics._distributions import (
    chance,
    densities,
    divergences,
    embeddings,
    partitions,
)
from scoring.metrics._distributions import clusters as _clusters
from scoring.metrics._distributions.partitioning import Partitioner, Recipe
from scoring.metrics._distributions.partitions import Partition, Texts, Timer
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

SMOOTHINGS = {"counts": 0.0, "krichevsky_trofimov": 0.5, "laplace": 1.0}
# Why there is no number: a KL is infinite if a cluster has texts of one side only.
INFINITE = {
    "forward_kl": "infinite: some clusters have human texts only",
    "exponentiated_kl": "infinite: some clusters have human texts only",
    "backward_kl": "infinite: some clusters have texts of the system only",
}

OUTPUTS = (
    Output("forward_kl", "Forward KL", "nats, [0, inf)", False),
    Output("backward_kl", "Backward KL", "nats, [0, inf)", False),
    Output("exponentiated_kl", "Exponentiated KL", "[1, inf)", False),
    Output("jensen_shannon", "Jensen-Shannon", "nats, [0, ln 2]", False),
    Output("auc", "AUC", "1 - area, [0, 1]", False),
    Output("mauve", "MAUVE", "area, [0, 1]", True),
    Output("frontier_integral", "Frontier integral", "[0, 1]", False),
)


class Preset(NamedTuple):
    """The settings of a paper or its released code."""

    clusters: int  # 0: a tenth of the smaller set
    normalise: bool  # rows to length 1
    smoothing: str
    scale: float  # s of the curve
    partition: str


PRESETS = {
    "pimentel": Preset(500, False, "laplace", 5.0, "study"),
    "mauve_text": Preset(0, True, "counts", 5.0, "pair"),
}


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the numbers."""

    model: str = embeddings.model_option()
    pooling: str = embeddings.pooling_option()
    preset: str = option(
        "pimentel",
        "the settings of the paper, or those of the released MAUVE (mauve_text)",
        tuple(PRESETS),
        label="Preset",
        titles=("the paper (Pimentel et al.)", "the released MAUVE"),
    )
    clusters: int = option(
        0, "number of clusters, K; 0: as in the preset", label="Number of clusters"
    )
    smoothing: str = option(
        "preset",
        "what is added to each cluster's count: nothing, 1/2 (gives MAUVE* with"
        " mauve_text) or 1",
        ("preset", *SMOOTHINGS),
        label="Smoothing of cluster counts",
        titles=(
            "as in the preset",
            "none",
            "add 1/2 (Krichevsky-Trofimov)",
            "add 1 (Laplace)",
        ),
    )
    scale: float = option(
        0.0,
        "the scale s of MAUVE and AUC; 0: as in the preset",
        label="Scale of MAUVE and AUC",
    )
    seeds: int = densities.seeds_option()
    partition: str = option(
        "preset",
        "which texts are clustered together: human texts with those of all systems"
        " (study), or with those of one system (pair); preset: study, or pair with"
        " mauve_text",
        ("preset", "study", "pair"),
        label="Texts that are clustered together",
        titles=(
            "as in the preset",
            "human texts and all systems",
            "human texts and one system",
        ),
    )
    balanced: bool = option(
        True,
        "if all systems are clustered together, use the same number of texts from each",
        label="Use the same number of texts from each system",
    )
    by_sample: bool = densities.by_sample_option()
    max_tokens: int = embeddings.max_tokens_option()
    dtype: str = models.dtype_option()


class Divergence(SystemMetric):
    """Distance from human texts, by clusters of embeddings (MAUVE and others)."""

    title = "Divergence from human text, by clusters"
    short = "Divergence (clusters)"
    source = "Pimentel, Meister & Cotterell (2023); Pillutla et al. (2021)"
    link = "https://arxiv.org/abs/2205.16001"
    needs = frozenset({"corpus"})
    Options = Options
    version = 2  # no text is drawn twice, and a study has one partition

    @property
    def outputs(self) -> tuple[Output, ...]:
        return OUTPUTS

    @property
    def compares(self) -> bool:
        return partition_of(self.options) == "study"

    def check(self) -> None:
        options = self.options
        if not 1 <= options.seeds <= densities.MOST_SEEDS:
            most = densities.MOST_SEEDS
            raise OptionError(f"seeds={options.seeds}: expected 1 to {most}")
        for name in ("clusters", "scale"):
            if (value := getattr(options, name)) < 0:
                raise OptionError(f"{name}={value}: expected at least 0")
        if options.max_tokens < 1:
            raise OptionError(f"max_tokens={options.max_tokens}: expected at least 1")

    def load(self, device: str = "cpu") -> DivergenceScorer:
        """Load the model.

        Raises:
            MetricError: If it is missing or cannot embed texts.
        """
        self.check()
        options = self.options
        encoder, content = embeddings.chosen(options, device)
        partition = partition_of(options)
        contents = {"model": content, "partition": partition, **_clusters.contents()}
        return DivergenceScorer(self.signature(**contents), options, encoder)


def partition_of(options: Options) -> str:
    """Which texts are clustered together: "study" or "pair"."""
    chosen = options.partition
    return PRESETS[options.preset].partition if chosen == "preset" else chosen


class DivergenceScorer:
    """A loaded divergence."""

    def __init__(
        self, signature: str, options: Options, encoder: embeddings.Encoder
    ) -> None:
        self.signature = signature
        self._options, self._encoder = options, encoder
        self._preset = PRESETS[options.preset]
        preset = options.smoothing == "preset"
        chosen = self._preset.smoothing if preset else options.smoothing
        self._smoothing = SMOOTHINGS[chosen]
        self._partitions = Partitioner(
            encoder,
            Recipe(
                how_many=self._how_many,
                normalise=self._preset.normalise,
                seeds=options.seeds,
                study=partition_of(options) == "study",
                balanced=options.balanced,
                by_sample=options.by_sample,
            ),
        )

    def __call__(
        self,
        given: SystemTexts,
        rng: np.random.Generator,
        progress: Progress | None = None,
    ) -> SystemScores:
        """A value for each seed; curves, chance and seconds of stages as details."""
        tell, timer = progress or silent, Timer()
        if not given.texts or not given.corpus:
            absent = (
                "the corpus has no text" if given.texts else "the system has no text"
            )
            return self._undefined(absent)
        partition = self._partitions(given, rng, tell, timer)
        if isinstance(partition, str):
            return self._undefined(partition)
        with timer("divergences"):
            found = chance.found(partition, given.name, self._measure)
            details = self._details(given, partition)
        with timer("chance"):
            beside = chance.beside(
                partition,
                given,
                self._measure,
                rng,
                nearer={"mauve"},
                alive=lambda: tell(0),
            )
        details |= {"chance": beside.by_chance, "pairs": beside.pairs}
        details["seconds"] = {name: round(s, 3) for name, s in timer.seconds.items()}
        notes = (*partition.notes, *beside.notes)
        return SystemScores(*_values(found), details, notes, beside.spread)

    def _undefined(self, reason: str) -> SystemScores:
        missing = np.full(self._options.seeds, np.nan)
        keys = [output.key for output in OUTPUTS]
        return SystemScores(dict.fromkeys(keys, missing), dict.fromkeys(keys, reason))

    # The partition -------------------------------------------------------------------

    def _how_many(self, texts: Texts) -> tuple[int, tuple[str, ...]]:
        """K, the same for all seeds, and a note if it is not what was asked for."""
        n_human, n_own = texts.n_human, texts.n_each
        n, preset = n_human + n_own, self._preset.clusters
        if self._options.clusters:
            asked = k = self._options.clusters
        elif preset:
            asked, k = preset, min(preset, max(2, n // _clusters.PER_CLUSTER))
        else:
            asked = k = max(2, round(min(n_human, n_own) / _clusters.PER_CLUSTER))
        k = min(k, different := len(texts.different))
        notes = []
        if k < asked:
            of = " by people and one system" if len(texts.systems) > 1 else ""
            there = f"there are {n} texts{of}"
            few = f", and {different} different ones in total" if k == different else ""
            notes.append(f"K was lowered from {asked} to {k}: {there}{few}")
        if (fewer := min(n_human, n_own)) < k:
            notes.append(
                f"Too few texts for a reliable result: {fewer} for {k} clusters"
            )
        return k, tuple(notes)

    # Numbers -------------------------------------------------------------------------

    def _measure(self, human: np.ndarray, own: np.ndarray) -> dict[str, np.ndarray]:
        """All outputs, (draws,), from counts by cluster, (draws, k)."""
        p, q = (
            divergences.shares(one, smoothing=self._smoothing) for one in (human, own)
        )
        forward, area = divergences.kl(p, q), divergences.area(self._curve(p, q))
        return {
            "forward_kl": forward,
            "backward_kl": divergences.kl(q, p),
            "exponentiated_kl": np.exp(forward),
            "jensen_shannon": divergences.jensen_shannon(p, q),
            "auc": 1 - area,
            "mauve": area,
            "frontier_integral": divergences.frontier_integral(p, q),
        }

    def _curve(self, p: np.ndarray, q: np.ndarray) -> np.ndarray:
        return divergences.curve(p, q, scale=self._options.scale or self._preset.scale)

    def _details(self, given: SystemTexts, partition: Partition) -> dict[str, object]:
        def shares(party: partitions.Party, trial: partitions.Trial) -> np.ndarray:
            counts = chance.counted(trial, party)[0]
            return divergences.shares(counts, smoothing=self._smoothing)

        own = partition.systems[given.name]
        curves = np.array(
            [
                self._curve(shares(partition.human, trial), shares(own, trial))
                for trial in partition.trials
            ]
        )
        return {
            "curve": curves.mean(axis=0).round(6).tolist(),
            "curves": curves.round(6).tolist(),
            "clusters": partition.trials[0].k,
            "dimensions": partition.dimensions,
            "n_texts": len(own.rows),
            "n_corpus": len(partition.human.rows),
        }


def _values(
    found: Sequence[chance.Numbers],
) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    values, reasons = {}, {}
    for key in found[0]:
        given = np.concatenate([numbers[key] for numbers in found])
        infinite = np.isinf(given)
        # The mean is infinite too: a mean of the other seeds would rank a system
        # higher, the fewer seeds are left.
        values[key] = np.full_like(given, np.nan) if infinite.any() else given
        if infinite.any():
            seeds = f"{infinite.sum()} of {len(found)} seeds"
            reasons[key] = f"{INFINITE[key]} ({seeds})"
    return values, reasons
