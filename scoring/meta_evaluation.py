"""4. How far people agree with each other, and each metric with people.

Ratings come in through `annotation.human_scores`, scores from the tables of runs. Both
are aligned by generation; what has no counterpart is left out and not counted. Pages,
commands and the API read the same functions, so they show the same numbers.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from annotation import human_scores
from annotation.human_scores import HumanScores
from annotation.models import Aspect, Generation, Study
from scoring import baselines, system_scores, variants
from scoring.metrics import Output
from scoring.models import Score, Signature
from scoring.stats import agreement as agreement_stats
from scoring.stats import correlation

# The usual one for a rating scale first.
LEVELS: tuple[agreement_stats.Level, ...] = ("ordinal", "interval", "nominal")
ONLY_MEANS = "only means were uploaded"
NAMES = ("metric scores", "human scores")


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """Krippendorff's alpha of one aspect at one level of measurement."""

    aspect: str
    level: str
    alpha: float | None
    n_texts: int  # with at least two ratings
    n_ratings: int  # of those texts
    title: str  # of the aspect
    reason: str | None  # why alpha is None
    equal_share: float | None  # of pairs of ratings, uncorrected for chance

    def record(self) -> dict:
        """What commands and the API print."""
        keys = ("aspect", "level", "alpha", "n_texts", "n_ratings")
        return {key: getattr(self, key) for key in keys}


@dataclass(frozen=True, slots=True)
class CorrelationRow:
    """One output of a metric against one human aspect, higher = better on both sides.

    Where closeness to human text is what counts (`Output.higher_is_better` None), a
    single text has no direction: its scores are taken as they are, `oriented` is False.
    """

    metric: str
    signature: str
    metric_aspect: str  # key of the output
    human_aspect: str
    n: int  # texts with both scores
    pearson: float | None
    spearman: float | None
    kendall: float | None  # tau-b
    reason: str | None  # why there is no coefficient
    output: Output
    title: str  # of the human aspect
    position: int  # of the human aspect in the study
    signature_id: int | None  # None: counted for this table, there was no run
    variant: str  # tells two signatures of one metric apart
    matching: bool  # the output is meant for this aspect
    oriented: bool

    @property
    def label(self) -> str:
        return label(self.metric, self.output.title)

    @property
    def baseline(self) -> bool:
        """Whether it is a length, which a metric should beat."""
        return self.metric == baselines.METRIC

    def record(self) -> dict:
        """What commands and the API print."""
        keys = (
            "metric signature metric_aspect human_aspect n pearson spearman kendall"
        ).split()
        return {key: getattr(self, key) for key in keys}


@dataclass(frozen=True, slots=True)
class MetricScores:
    """One output under one signature; values as given, in the order of the texts."""

    signature: Signature
    output: Output
    variant: str  # tells two signatures of one metric apart
    values: np.ndarray  # (n,) float64, NaN = undefined or not scored
    reason: str = ""  # why there are none


@dataclass(frozen=True, slots=True)
class Scatter:
    """The texts behind one row of the correlation table."""

    row: CorrelationRow
    keys: list[str]  # of the generations
    systems: list[str]  # "" = unknown
    scores: np.ndarray  # (n,) as given, not oriented
    means: np.ndarray  # (n,) mean rating
    n_ratings: np.ndarray  # (n,) int64; 0 = came as a mean
    all_systems: list[str]  # of the study, in order: a system keeps its colour
    low_means_good: bool = False  # of the human aspect

    @property
    def whole(self) -> bool:
        """Whether the scores are counts, to be shown without decimals."""
        return bool((self.scores == self.scores.round()).all())


class Cell(NamedTuple):
    """A number, or why there is none."""

    value: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SystemRow:
    system: str
    n_texts: int  # with a human score
    cells: list[Cell]  # one for each column of the table


@dataclass(frozen=True, slots=True)
class SystemTable:
    """What people and system-level metrics say of each system."""

    columns: list[str]
    rows: list[SystemRow]


def agreement(*, study: Study, with_excluded: bool = False) -> list[AgreementRow]:
    """Alpha of each aspect at three levels. Queries grow with the aspects only."""
    return [
        row
        for aspect in study.aspects.all()
        for row in _agreement_on(study, aspect, with_excluded)
    ]


def _agreement_on(
    study: Study, aspect: Aspect, with_excluded: bool
) -> Iterator[AgreementRow]:
    ratings = human_scores.counts(
        study=study, aspect=aspect, with_excluded=with_excluded
    )
    means_only = not len(ratings.counts) and aspect.means.exists()
    share = agreement_stats.equal_share(ratings.counts)
    for level in LEVELS:
        alpha = agreement_stats.alpha(ratings.counts, ratings.values, level)
        yield AgreementRow(
            aspect=aspect.key,
            level=level,
            alpha=alpha.value,
            n_texts=alpha.n_units,
            n_ratings=alpha.n_ratings,
            title=aspect.title,
            reason=ONLY_MEANS if means_only else alpha.reason,
            equal_share=share,
        )


def correlations(
    *, study: Study, with_excluded: bool = False, metric: str = ""
) -> list[CorrelationRow]:
    """Each output of each metric with each human aspect, matching pairs first.

    Lengths, the trivial baselines, are there without a run, and come last. `metric`
    leaves the others out. The number of queries does not depend on texts or metrics.
    """
    human = human_scores.means(study=study, with_excluded=with_excluded)
    aspects = list(study.aspects.all())
    scored = metric_scores(study=study, generations=human.generations, metric=metric)
    if metric in ("", baselines.METRIC):
        have = {one.signature.metric for one in scored}
        scored += lengths(study=study, generations=human.generations, scored=have)
    rows = [
        _correlation(scores=scores, human=human, aspect=aspect)
        for scores in scored
        for aspect in aspects
    ]
    return sorted(rows, key=lambda row: (row.baseline, not row.matching))


def lengths(
    *, study: Study, generations: np.ndarray, scored: set[str]
) -> list[MetricScores]:
    """As a run of the metric gives them, unless one has; none where nobody rated."""
    if baselines.METRIC in scored or not len(generations):
        return []
    signed = Signature(text=baselines.signature(), metric=baselines.METRIC)
    found = baselines.lengths(study=study, generations=generations)
    return [MetricScores(signed, f.output, "", f.values, f.reason) for f in found]


def scatter(
    *, study: Study, signature_id: int, output: str, aspect: str
) -> Scatter | None:
    """The texts that have this score and this human score; None for an unknown pair."""
    human = human_scores.means(study=study)
    found = [
        scores
        for scores in metric_scores(study=study, generations=human.generations)
        if (scores.signature.pk, scores.output.key) == (signature_id, output)
    ]
    measured = study.aspects.filter(key=aspect).first()
    if not found or measured is None:
        return None
    scores = found[0]
    column = human.aspects.index(aspect)
    means = human.values[:, column]
    both = ~(np.isnan(scores.values) | np.isnan(means))
    keys, systems = _names(study=study, generations=human.generations[both])
    return Scatter(
        row=_correlation(scores=scores, human=human, aspect=measured),
        keys=keys,
        systems=systems,
        scores=scores.values[both],
        means=means[both],
        n_ratings=human.n_ratings[both, column],
        all_systems=list(study.systems.values_list("name", flat=True)),
        low_means_good=not measured.higher_is_better,
    )


def metric_scores(
    *, study: Study, generations: np.ndarray, metric: str = ""
) -> list[MetricScores]:
    """Scores of these generations under every signature. Three queries at most."""
    order = np.argsort(generations)
    ids = generations[order]
    values: dict[tuple[int, str], np.ndarray] = defaultdict(
        lambda: np.full(len(ids), np.nan)
    )
    found = Score.objects.filter(generation__study=study).order_by()
    found = found.filter(signature__metric=metric) if metric else found
    for signature, output, generation, value in found.values_list(
        "signature_id", "output", "generation_id", "value"
    ).iterator(chunk_size=10_000):
        column = values[signature, output]
        at = np.searchsorted(ids, generation)
        if value is not None and at < len(ids) and ids[at] == generation:
            column[order[at]] = value
    signatures = list(Signature.objects.filter(pk__in={pk for pk, _ in values}))
    apart = variants.told_apart(study=study, signatures=signatures)
    return [
        MetricScores(
            signature, output, apart[signature.pk], values[signature.pk, output.key]
        )
        for signature in sorted(signatures, key=lambda s: (s.metric, s.pk))
        for output in outputs_of(signature)
        if (signature.pk, output.key) in values
    ]


def systems(*, study: Study, with_excluded: bool = False) -> SystemTable:
    """Mean human score and system-level scores of each system, by name."""
    human = human_scores.means(study=study, with_excluded=with_excluded)
    titles = dict(study.aspects.values_list("key", "title"))
    _, names = _names(study=study, generations=human.generations)
    of_text, metrics = np.array(names, dtype=object), _system_scores(study=study)
    unscored = Cell(None, "not scored")
    rows = []
    for name in study.systems.values_list("name", flat=True):
        values = human.values[of_text == name]
        rated = int((~np.isnan(values)).any(axis=1).sum())
        scores = [found.get(name, unscored) for found in metrics.values()]
        rows.append(SystemRow(name, rated, [*_column_means(values), *scores]))
    return SystemTable([*(titles[key] for key in human.aspects), *metrics], rows)


def label(metric: str, title: str) -> str:
    """An output's name: its title, with the metric where that does not say it."""
    says_it = re.match(rf"{re.escape(metric)}\b", title, re.IGNORECASE)
    return title if says_it else f"{metric}: {title}"


def outputs_of(signature: Signature) -> list[Output]:
    return [Output(**output) for output in signature.outputs]


def _correlation(
    *, scores: MetricScores, human: HumanScores, aspect: Aspect
) -> CorrelationRow:
    output = scores.output
    x = -scores.values if output.higher_is_better is False else scores.values
    y = human.values[:, human.aspects.index(aspect.key)]
    y = y if aspect.higher_is_better else -y
    pearson = correlation.pearson(x, y, NAMES)
    spearman = correlation.spearman(x, y, NAMES)
    kendall = correlation.kendall(x, y, NAMES)
    return CorrelationRow(
        metric=scores.signature.metric,
        signature=scores.signature.text,
        metric_aspect=output.key,
        human_aspect=aspect.key,
        n=pearson.n,
        pearson=pearson.value,
        spearman=spearman.value,
        kendall=kendall.value,
        reason=(scores.reason or pearson.reason or spearman.reason or kendall.reason),
        output=output,
        title=aspect.title,
        position=aspect.position,
        signature_id=scores.signature.pk,
        variant=scores.variant,
        matching=output.measures == aspect.key,
        oriented=output.higher_is_better is not None,
    )


def _names(*, study: Study, generations: np.ndarray) -> tuple[list[str], list[str]]:
    """Keys and system names of generations, in their order. One query."""
    rows = Generation.objects.filter(study=study).order_by()
    found = {
        pk: (key, system or "")
        for pk, key, system in rows.values_list("pk", "key", "system__name")
    }
    named = [found[pk] for pk in generations.tolist()]
    return [key for key, _ in named], [system for _, system in named]


def _system_scores(*, study: Study) -> dict[str, dict[str, Cell]]:
    """Means over seeds, by column, which is a metric's output, and system."""
    scored = system_scores.read(study=study)
    apart = variants.told_apart(study=study, signatures=scored.signatures.values())
    names = dict(study.systems.values_list("pk", "name"))
    found: dict[str, dict[str, Cell]] = defaultdict(dict)
    for (pk, key), given in scored.given.items():
        signature = scored.signatures[pk]
        titles = {output.key: output.title for output in outputs_of(signature)}
        named = label(signature.metric, titles.get(key, key))
        column = found[f"{named} {apart[pk]}".strip()]
        for system, one in given.items():
            why = one.reason if one.mean is None else ""
            column[names[system]] = Cell(one.mean, why)
    return found


def _column_means(values: np.ndarray) -> list[Cell]:
    rated = [column[~np.isnan(column)] for column in values.T]
    return [
        Cell(float(column.mean())) if len(column) else Cell(None, "no rated text")
        for column in rated
    ]
