"""Whether a training can begin: its name, its texts, the ratings that it learns."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from annotation.imports import shown
from annotation.models import Aspect, Study
from scoring import corpora, metrics
from scoring.metrics import MetricError, TrainedMetric, UnknownMetric, pairing
from scoring.models import Corpus
from scoring.training import data

MOST_CHECKPOINTS = 100  # of a study: each is a model on the disk
NAMED = 5  # texts, in a message


class TrainingError(Exception):
    """This cannot be done with a training. The message says why."""


def trained() -> list[type[TrainedMetric]]:
    """The metrics that can be trained."""
    return list(_trained(tuple(metrics.names())))


@cache
def _trained(names: tuple[str, ...]) -> list[type[TrainedMetric]]:
    found = (metrics.get(name) for name in names)
    return [kind for kind in found if issubclass(kind, TrainedMetric)]


def kind_of(metric: str) -> type[TrainedMetric]:
    kind = metrics.get(metric)
    if not issubclass(kind, TrainedMetric):
        there = ", ".join(one.name() for one in trained()) or "none yet"
        raise UnknownMetric(f"{metric} cannot be trained; metrics that can: {there}")
    return kind


def check_name(study: Study, name: str) -> None:
    if not corpora.NAME.fullmatch(name):
        raise TrainingError(
            "the name of a training is up to 64 letters, digits, hyphens and"
            f" underscores, not {shown(name)}"
        )
    if study.checkpoints.filter(name=name).exists():
        raise TrainingError(taken(name))
    if study.checkpoints.count() >= MOST_CHECKPOINTS:
        raise TrainingError(
            f"the study already has {MOST_CHECKPOINTS} trainings, the most it can have:"
            " delete one"
        )


def taken(name: str) -> str:
    return f"the study already has a training {shown(name)}: choose another name"


def check_corpus(
    study: Study,
    kind: type[TrainedMetric],
    corpus: Corpus | None,
    options: Mapping[str, object],
    aspect: Aspect | None = None,
) -> None:
    wanted = "texts" in kind.learns
    if corpus is None and aspect is not None and "ratings" in kind.learns:
        return  # one of the two will do
    if corpus is None and wanted:
        raise TrainingError(
            f"the metric {kind.name()} learns from human texts: choose a corpus, or"
            " upload one under Metrics, Corpora"
        )
    if corpus is None:
        return
    if not wanted:
        raise TrainingError(
            f"the metric {kind.name()} does not use a corpus: choose none"
        )
    if corpus.study_id != study.pk:
        raise TrainingError(f"the corpus {corpus.name} belongs to another study")
    for attribute in filter(None, data.columns_of(options)):
        if attribute not in corpus.attributes:
            there = ", ".join(corpus.attributes) or "none: upload one with columns"
            raise TrainingError(
                f"the corpus {corpus.name} has no attribute {shown(attribute)}; it has:"
                f" {there}"
            )


def check_test(
    kind: type[TrainedMetric],
    corpus: Corpus | None,
    test: Corpus | None,
    options: Mapping[str, object],
) -> None:
    """Whether figures can be taken of a test corpus."""
    if test is None:
        return
    if not kind.takes_test:
        raise TrainingError(
            f"the metric {kind.name()} does not use a test corpus: choose none"
        )
    if corpus is not None and test.pk == corpus.pk:
        raise TrainingError(
            f"the corpus {test.name} cannot be learned from and be the test: choose"
            " another test corpus, or none"
        )
    if corpus is not None:
        check_corpus(corpus.study, kind, test, options)


def check_ratings(
    study: Study,
    kind: type[TrainedMetric],
    aspect: Aspect | None,
    options: Mapping[str, object],
) -> None:
    if aspect is None:
        if kind.learns == {"ratings"}:
            raise TrainingError(
                f"the metric {kind.name()} learns from ratings: choose an aspect"
                f"{'' if kind.cross_fits else ' of another study'}"
            )
        return
    other = aspect.study
    if "ratings" not in kind.learns:
        raise TrainingError(
            f"the metric {kind.name()} does not use ratings: choose none"
        )
    if other.pk == study.pk:
        _check_own_ratings(kind, aspect, options)
        return
    if not Study.objects.open_to_all_of(study).filter(pk=other.pk).exists():
        raise TrainingError(
            f"not every member of {study.name} may see the study {other.name}: choose"
            " another study, or add them there"
        )
    found = _pairs(kind, aspect, options)
    if touching := data.overlapping(found, study):
        raise TrainingError(_overlap(touching, other, study))


def _check_own_ratings(
    kind: type[TrainedMetric], aspect: Aspect, options: Mapping[str, object]
) -> None:
    """Only models that saw no text of a prompt may score it."""
    if not kind.cross_fits:
        raise TrainingError(
            "a metric cannot be compared with ratings that it was trained on: choose"
            " those of another study"
        )
    found = _pairs(kind, aspect, options, crossed=True)
    try:
        pairing.folds(
            (pair.rated.document for pair in found), int(str(options["folds"]))
        )
    except MetricError as error:
        raise TrainingError(str(error)) from error


def _pairs(
    kind: type[TrainedMetric],
    aspect: Aspect,
    options: Mapping[str, object],
    *,
    crossed: bool = False,
) -> list[data.Pair]:
    pair, study = data.pair_of(kind, options), aspect.study
    if found := data.pairs(aspect, pair, crossed=crossed):
        return found
    if pair == pairing.ALONE:
        raise TrainingError(f"no text of {study.name} has a rating of {aspect.key}")
    if pair != pairing.REFERENCE:
        raise TrainingError(
            f"no text of {study.name} has both a rating of {aspect.key} and"
            f" {pairing.TITLES[pairing.PAIRS.index(pair)]}"
        )
    raise TrainingError(
        f"no text of {study.name} has both a rating of {aspect.key} and a reference"
        " text, or another text that people wrote for the same prompt: set pair to"
        " prefix or label_prefix to learn without references"
    )


def _overlap(keys: list[str], other: Study, study: Study) -> str:
    more = f" and {len(keys) - NAMED} more" if len(keys) > NAMED else ""
    return (
        f"{other.name} and {study.name} share texts, so what is learned from the first"
        " could not be trusted on the second. 13 words in a row or more of"
        f" {', '.join(keys[:NAMED])}{more}: choose the ratings of another study"
    )
