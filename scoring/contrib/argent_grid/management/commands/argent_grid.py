from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.models import Study
from evalapp.work import queues
from scoring import corpora, training
from scoring.contrib.argent_grid import grid
from scoring.contrib.argent_grid.grid import Halves, Trial
from scoring.contrib.argent_grid.grid_choice import CRITERIA
from scoring.management.analyses import find_study
from scoring.management.commands import train_metric
from scoring.management.commands.pickup import FORMATS, known
from scoring.management.commands.score import _options
from scoring.management.supervisor import Supervisor
from scoring.metrics import Example, OptionError
from scoring.metrics.argent import Argent
from scoring.models import Checkpoint, Corpus
from scoring.runs import loading

METRIC = Argent.name()
OF_LABELS = ("labels", "reference_metric", "reference_output", "reference_model")
OF_THE_GRID = ("method", "p_shuffle", "p_inflect", "preset")


class Command(BaseCommand):
    help = (
        "Train ARGENT for each p of shuffling and of inflection, then for both with the"
        " best two of each. Choose the best on validation texts and report it on test"
        " texts. Finished trainings are kept: run the same command again to continue."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument("--corpus", required=True, metavar="NAME")
        parser.add_argument(
            "--values",
            default=",".join(f"{p:g}" for p in grid.VALUES),
            help="p of each method, such as .2,.4,.6,.8,1",
        )
        parser.add_argument(
            "--option", "-o", action="append", default=[], metavar="NAME=VALUE"
        )
        for side in ("real", "synthetic"):
            parser.add_argument(
                f"--{side}",
                action="append",
                default=[],
                metavar="SYSTEM",
                help=f"choose by texts of the study: a system with {side} texts",
            )
        parser.add_argument(
            "--family",
            choices=grid.FAMILIES,
            default=grid.FAMILY,
            help="choose by texts of the corpus: how to damage copies",
        )
        parser.add_argument(
            "--by",
            choices=CRITERIA,
            default=grid.AREA.name,
            help="what the best model has most of, on validation texts: area of the"
            " pick-up curve, pairwise accuracy, Spearman correlation with votes on"
            " systems, or Pearson correlation with ratings; the last two take the"
            " texts of the study",
        )
        parser.add_argument(
            "--aspect", default="", help="for --by ratings: its key; else the first"
        )
        parser.add_argument(
            "--question", default="", help="for --by votes; else the first by name"
        )
        parser.add_argument(
            "--labels",
            action="append",
            default=[],
            metavar="SOURCE",
            help="what quality is learned from, once for each: count, or a metric with"
            " references such as chrf, rouge/rouge_l (one output) or bleurt@MODEL;"
            " raw:bleurt@MODEL takes its numbers as they are",
        )
        parser.add_argument(
            "--prefix", default="grid", help="prefix of the checkpoints' names"
        )
        parser.add_argument("--format", choices=FORMATS, default="text")

    def handle(self, *args: Any, study: str, **options: Any) -> None:
        found = find_study(study)
        try:
            corpus = corpora.find(study=found, name=options["corpus"])
            given = _checked(_options(options["option"]))
            values = _values(options["values"])
            sources = _sources(options["labels"], given)
            halves = _halves(found, corpus, given, options)
        except (corpora.CorpusError, OptionError, ValueError) as error:
            raise CommandError(str(error)) from None
        supervisor = Supervisor(unless_taken=[queues.GPU])
        trainers = {
            source.name: Trainer(
                *(found, corpus, {**given, **source.options}),
                source.prefixed(options["prefix"]),
                supervisor,
            )
            for source in sources
        }
        by = CRITERIA[options["by"]]
        try:
            rows = grid.search(values, halves, trainers, scored, by)
        finally:
            supervisor.stop(now=timezone.now())
        shown = grid.table(rows, halves, by)
        self.stdout.write(FORMATS[options["format"]](shown))


class Source(NamedTuple):
    """What labels the texts of one grid."""

    name: str  # as it was given; empty: as the options have it
    options: dict[str, str]

    def prefixed(self, prefix: str) -> str:
        """Of the names of its checkpoints."""
        return "-".join([prefix, *re.findall("[A-Za-z0-9_]+", self.name)])


class Trainer:
    """Trains one model after the other, by the workers that do everything else."""

    def __init__(
        self,
        study: Study,
        corpus: Corpus | None,
        given: dict[str, str],
        prefix: str,
        supervisor: Supervisor,
    ) -> None:
        self.study, self.corpus, self.given, self.prefix = study, corpus, given, prefix
        self.supervisor = supervisor

    def __call__(self, trial: Trial) -> tuple[str, dict[str, object]]:
        """Key and card of a new checkpoint, or of the one of an earlier time."""
        checkpoint = self._begun(trial)
        try:
            train_metric.wait(checkpoint, self.supervisor)
        except KeyboardInterrupt:
            training.cancel(checkpoint=checkpoint)
        if checkpoint.state == Checkpoint.State.CANCELLED:
            raise CommandError(
                "cancelled; run the same command to continue", returncode=130
            )
        if checkpoint.state == Checkpoint.State.FAILED:
            raise CommandError(f"{checkpoint} failed: {checkpoint.error}")
        return checkpoint.key, checkpoint.card

    def _begun(self, trial: Trial) -> Checkpoint:
        chosen = Argent.training(**self.given, **trial.options)
        try:
            return training.start_or_go_on(
                study=self.study,
                metric=METRIC,
                name=f"{self.prefix}-{trial.name}",
                # All of them: an earlier grid may have been given others.
                options=dataclasses.asdict(chosen),
                corpus=self.corpus,
                any_folder=True,
            )
        except (training.TrainingError, OptionError) as error:
            raise CommandError(f"{error} (--prefix)") from None


def scored(key: str, texts: Any) -> np.ndarray:
    scorer = loading.load(metric=METRIC, options={"model": key}).scorer
    found = scorer([Example(text) for text in texts])
    return np.asarray(found.values["quality"])


def _halves(
    study: Study,
    corpus: Corpus | None,
    given: dict[str, str],
    options: Mapping[str, Any],
) -> Halves:
    real, synthetic = (known(study, options[side]) for side in ("real", "synthetic"))
    by = CRITERIA[options["by"]]
    none_or_both = bool(real) == bool(synthetic)
    if not none_or_both or set(real) & set(synthetic):
        raise CommandError("give both --real and --synthetic, with different systems")
    if by.of_study or real:
        return grid.of_study(
            study,
            by,
            real=real,
            synthetic=synthetic,
            aspect=options["aspect"],
            question=options["question"],
        )
    held_out = Argent.training(**given).held_out
    texts = corpora.texts(corpus) if corpus else ()
    return grid.of_corpus(texts, held_out=held_out, family=options["family"])


def _checked(given: dict[str, str]) -> dict[str, str]:
    if taken := sorted(set(given) & set(OF_THE_GRID)):
        raise OptionError(f"{taken[0]}: the grid sets this itself, so leave it out")
    return given


def _sources(labels: Sequence[str], given: Mapping[str, str]) -> list[Source]:
    """What was asked for with --labels, or else what the options say."""
    if not labels:
        return [Source("", {})]
    if taken := sorted({*given} & {*OF_LABELS}):
        raise OptionError(f"{taken[0]}: --labels sets this, so leave it out")
    found = [_source(one) for one in dict.fromkeys(labels)]
    for source in found:
        Argent.training(**given, **source.options).check()
    return found


def _source(written: str) -> Source:
    """From count, METRIC, METRIC/OUTPUT or METRIC@MODEL, with raw: before it or not.

    >>> _source("raw:bleurt@mine").options
    {'labels': 'raw', 'reference_metric': 'bleurt', 'reference_model': 'mine'}
    """
    if written == "count":
        return Source(written, {"labels": "count"})
    rest = written.removeprefix("raw:")
    metric, _, model = rest.partition("@")
    metric, _, output = metric.partition("/")
    options = {
        "labels": "metric" if rest == written else "raw",
        "reference_metric": metric,
        "reference_output": output,
        "reference_model": model,
    }
    return Source(written, {name: one for name, one in options.items() if one})


def _values(text: str) -> list[float]:
    try:
        values = sorted({float(part) for part in text.split(",")})
    except ValueError:
        values = []
    if not values or not all(0 < p <= 1 for p in values):
        raise ValueError(f"--values {text}: expected numbers above 0 and up to 1")
    return values
