"""Divergence of a system's texts from human text, by clusters of embeddings.

Human texts and those of the system are embedded, reduced by PCA and clustered together
by k-means. p and q are the shares of each cluster c among human texts and among the
system's (Pimentel, Meister & Cotterell 2023, eq. 14; Pillutla et al. 2021):

    forward KL       KL(p || q) = sum_c p_c ln(p_c / q_c), nats, [0, inf)
    backward KL      KL(q || p), nats, [0, inf)
    exponentiated    exp(KL(p || q)), [1, inf)
    Jensen-Shannon   (KL(p || r) + KL(q || r)) / 2, r = (p + q) / 2, nats, [0, ln 2]
    MAUVE            area under (exp(-s KL(p || r)), exp(-s KL(q || r))) for all
                     r = l p + (1 - l) q with l from 0 to 1, [0, 1]
    AUC              1 - MAUVE
    frontier         the divergence summed along that curve (Liu et al. 2021), [0, 1]

Higher is better for MAUVE, lower for all others. The recipes are not the same:

- `preset=pimentel`: 500 clusters, s = 5, shares (n_c + 1) / (n + K). With fewer than
  5,000 texts in all, a tenth of them is the number of clusters: with one for each text
  all systems would come out alike.
- `preset=mauve_text`, as the released implementation of MAUVE, which redraws nothing:
  rows of length 1, a tenth of the smaller set as number of clusters, s = 5, shares
  n_c / n. A cluster with human texts alone makes KL(p || q) infinite, one without any
  KL(q || p): if that happens to one seed, there is no number of any, but the reason.

There are never more clusters than different texts. A note says where K was lowered, and
where a side has fewer texts than clusters: what is added to the counts is then most of
its shares, and even a single text seems close to human text.
Compare systems that have as many texts, by numbers with one K: all depend on both.

Chance plays a part, so there is a number for each of `seeds`. A seed draws as many of
the system's texts as there are, with replacement, and begins the clustering elsewhere;
with `redraw=false` the clustering alone. The order of texts means nothing.

What is compared is what the model knows of texts, and the Probing page shows that:
`bundled:encoder-small`, the mean of its tokens, hardly knows the order of words, while
`bundled:causal-small`, its last token, does.

An empty text counts as a text. There is no number where the system or the corpus has no
text. Texts are cut to `max_tokens`. Raises MetricError at loading where the model is
missing or embeds no texts.
"""

from __future__ import annotations

import dataclasses
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from scoring.metrics._distributions import clusters as _clusters
from scoring.metrics._distributions import divergences, embeddings
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

MOST_SEEDS = 100
SMOOTHINGS = {"counts": 0.0, "krichevsky_trofimov": 0.5, "laplace": 1.0}
# Why there is no number: a KL is infinite where one side has a cluster for itself.
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
    """What a paper or its released code does."""

    clusters: int  # 0: a tenth of the smaller set
    normalise: bool  # rows to length 1
    smoothing: str
    scale: float  # s of the curve


PRESETS = {
    "pimentel": Preset(500, False, "laplace", 5.0),
    "mauve_text": Preset(0, True, "counts", 5.0),
}


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
    preset: str = option(
        "pimentel",
        "the recipe of the paper, or that of the released MAUVE (mauve_text)",
        tuple(PRESETS),
        label="Recipe",
        titles=("of the paper (Pimentel et al.)", "of the released MAUVE"),
    )
    clusters: int = option(
        0, "number of clusters K; 0: as in the preset", label="Number of clusters"
    )
    smoothing: str = option(
        "preset",
        "added to each cluster's count: nothing, 1/2 (MAUVE* with mauve_text) or 1",
        ("preset", *SMOOTHINGS),
        label="Smoothing of cluster counts",
        titles=(
            "as in the recipe",
            "none",
            "add 1/2 (Krichevsky-Trofimov)",
            "add 1 (Laplace)",
        ),
    )
    scale: float = option(
        0.0, "s of MAUVE and AUC; 0: as in the preset", label="Scale of MAUVE and AUC"
    )
    seeds: int = option(
        5, f"how often all is done again, 1 to {MOST_SEEDS}", label="Repetitions"
    )
    redraw: bool = option(
        True,
        "each seed draws the system's texts with replacement",
        label="Redraw the texts for each repetition",
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


class Divergence(SystemMetric):
    """Distance from human texts, by clusters of embeddings (MAUVE and others)."""

    title = "Divergence from human text, by clusters"
    short = "Divergence (clusters)"
    source = "Pimentel, Meister & Cotterell (2023); Pillutla et al. (2021)"
    link = "https://arxiv.org/abs/2205.16001"
    needs = frozenset({"corpus"})
    Options = Options

    @property
    def outputs(self) -> tuple[Output, ...]:
        return OUTPUTS

    def check(self) -> None:
        options = self.options
        if not 1 <= options.seeds <= MOST_SEEDS:
            raise OptionError(f"seeds={options.seeds}: expected 1 to {MOST_SEEDS}")
        for name in ("clusters", "scale"):
            if (value := getattr(options, name)) < 0:
                raise OptionError(f"{name}={value}: expected at least 0")
        if options.max_tokens < 1:
            raise OptionError(f"max_tokens={options.max_tokens}: expected at least 1")

    def load(self, device: str = "cpu") -> DivergenceScorer:
        """Load the model.

        Raises:
            MetricError: If it is not there, or embeds no texts.
        """
        self.check()
        options = self.options
        encoder, content = embeddings.chosen(options, device)
        signature = self.signature(model=content, **_clusters.contents())
        return DivergenceScorer(signature, options, encoder)


class Seed(NamedTuple):
    """What one seed found."""

    numbers: dict[str, float]  # by output key
    curve: np.ndarray  # (points, 2)
    dimensions: int


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
        self._corpus: tuple[str, ...] = ()
        self._human: dict[str, np.ndarray] = {}

    def __call__(
        self,
        given: SystemTexts,
        rng: np.random.Generator,
        progress: Progress | None = None,
    ) -> SystemScores:
        """A number for each seed; curves, K and seconds of stages as details."""
        tell = progress or silent
        if not given.texts or not given.corpus:
            return self._undefined(given)
        timer = Timer()
        with timer("embedding"):
            vectors = self._embed(given, tell)
        # By content: the order in which texts were uploaded means nothing.
        texts = sorted({*given.texts, *given.corpus})
        features = np.array([vectors[text] for text in texts])
        if self._preset.normalise:
            features = _clusters.unit(features)
        p, own = _counts(given.corpus, texts), _counts(given.texts, texts)
        rngs = rng.spawn(self._options.seeds)
        drawn = [self._draw(own, one) for one in rngs]
        k, notes = self._how_many(p, drawn)
        found = []
        for q, one in zip(drawn, rngs, strict=True):
            tell(0)
            with _clusters.one_thread():
                found.append(self._compare(features, p, q, k, one, timer))
        return _scores(found, notes, _details(given, found, k, timer))

    def _undefined(self, given: SystemTexts) -> SystemScores:
        reason = "the corpus has no text" if given.texts else "the system has no text"
        missing = np.full(self._options.seeds, np.nan)
        keys = [output.key for output in OUTPUTS]
        return SystemScores(dict.fromkeys(keys, missing), dict.fromkeys(keys, reason))

    def _embed(self, given: SystemTexts, tell: Progress) -> dict[str, np.ndarray]:
        """Vectors by text. Finished texts are told of the system's own alone."""
        if given.corpus != self._corpus:
            human = sorted(set(given.corpus))
            found = self._encoder(human, lambda n: tell(0))
            self._human = dict(zip(human, found, strict=True))
            self._corpus = given.corpus
        own = sorted(set(given.texts) - set(self._human))
        return self._human | dict(zip(own, self._encoder(own, tell), strict=True))

    def _draw(self, own: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """How often each text is there for this seed, (texts,)."""
        if not self._options.redraw:
            return own
        return rng.multinomial(own.sum(), own / own.sum())

    def _how_many(
        self, p: np.ndarray, drawn: Sequence[np.ndarray]
    ) -> tuple[int, tuple[str, ...]]:
        """K, one for all seeds, and a note where it is not what was asked for."""
        n_human, n_own = int(p.sum()), int(drawn[0].sum())
        n, preset = n_human + n_own, self._preset.clusters
        if self._options.clusters:
            asked = k = self._options.clusters
        elif preset:
            asked, k = preset, min(preset, max(2, n // _clusters.PER_CLUSTER))
        else:
            asked = k = max(2, round(min(n_human, n_own) / _clusters.PER_CLUSTER))
        different = min(int((p + q > 0).sum()) for q in drawn)
        k = min(k, different)
        notes = []
        if k < asked:
            # Only where it matters: it would make another note for each system.
            few = f", of which a seed has {different} different ones"
            there = f"there are {n} texts{few if k == different else ''}"
            notes.append(f"K was lowered from {asked} to {k}: {there}")
        if (fewer := min(n_human, n_own)) < k:
            notes.append(f"Too few texts to rely on: {fewer} for {k} clusters")
        return k, tuple(notes)

    def _compare(
        self,
        features: np.ndarray,
        p: np.ndarray,
        q: np.ndarray,
        k: int,
        rng: np.random.Generator,
        timer: Timer,
    ) -> Seed:
        """Cluster the texts that are there, and compare who is in which cluster.

        A text that is there twice is one row that counts twice: for the mean, the axes
        and the centres that is the same.
        """
        there = p + q > 0
        rows, counts = features[there], (p + q)[there]
        with timer("pca"):
            mean, axes = _clusters.reduce(rows, weights=counts)
            reduced = (rows - mean) @ axes.T
        with timer("clustering"):
            labels, _ = _clusters.group(reduced, k, rng=rng, weights=counts)
        with timer("divergences"):
            p_c, q_c = (
                divergences.histogram(
                    labels, k, smoothing=self._smoothing, weights=one[there]
                )
                for one in (p, q)
            )
            scale = self._options.scale or self._preset.scale
            curve = divergences.curve(p_c, q_c, scale=scale)
            return Seed(_numbers(p_c, q_c, curve), curve, len(axes))


def _counts(given: Sequence[str], texts: Sequence[str]) -> np.ndarray:
    found = Counter(given)
    return np.array([found[text] for text in texts])


def _numbers(p: np.ndarray, q: np.ndarray, curve: np.ndarray) -> dict[str, float]:
    forward, area = divergences.kl(p, q), divergences.area(curve)
    return {
        "forward_kl": forward,
        "backward_kl": divergences.kl(q, p),
        "exponentiated_kl": float(np.exp(forward)),
        "jensen_shannon": divergences.jensen_shannon(p, q),
        "auc": 1 - area,
        "mauve": area,
        "frontier_integral": divergences.frontier_integral(p, q),
    }


def _scores(
    found: Sequence[Seed], notes: tuple[str, ...], details: dict[str, object]
) -> SystemScores:
    values, reasons = {}, {}
    for key in found[0].numbers:
        given = np.array([seed.numbers[key] for seed in found])
        infinite = np.isinf(given)
        # The mean is infinite, too: that of the other seeds would rank a system higher
        # the fewer of them are left.
        values[key] = np.full_like(given, np.nan) if infinite.any() else given
        if infinite.any():
            seeds = f"{infinite.sum()} of {len(found)} seeds"
            reasons[key] = f"{INFINITE[key]} ({seeds})"
    return SystemScores(values, reasons, details, notes)


def _details(
    given: SystemTexts, found: Sequence[Seed], k: int, timer: Timer
) -> dict[str, object]:
    curves = np.array([seed.curve for seed in found])
    return {
        "curve": curves.mean(axis=0).round(6).tolist(),
        "curves": curves.round(6).tolist(),
        "clusters": k,
        "dimensions": round(np.mean([seed.dimensions for seed in found])),
        "seconds": {stage: round(s, 3) for stage, s in timer.seconds.items()},
        "n_texts": len(given.texts),
        "n_corpus": len(given.corpus),
    }


class Timer:
    """Seconds of each stage, over all seeds."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        start = time.monotonic()
        yield
        self.seconds[stage] += time.monotonic() - start
