from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.models import Study
from scoring import corpora, training
from scoring.management.commands import train_metric
from scoring.management.commands.agreement import find_study
from scoring.management.commands.pickup import FORMATS, known
from scoring.management.commands.score import _options
from scoring.metrics import Example, OptionError
from scoring.metrics.argent import Argent
from scoring.models import Checkpoint, Corpus
from scoring.runs import loading
from scoring.supervisor import Supervisor
from scoring.training import argent_grid
from scoring.training.argent_grid import Halves, Trial

METRIC = Argent.name()
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
            default=",".join(f"{p:g}" for p in argent_grid.VALUES),
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
            choices=argent_grid.FAMILIES,
            default=argent_grid.FAMILY,
            help="choose by texts of the corpus: how to damage copies",
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
            halves = _halves(found, corpus, given, options)
        except (corpora.CorpusError, OptionError, ValueError) as error:
            raise CommandError(str(error)) from None
        trainer = Trainer(found, corpus, given, options["prefix"])
        try:
            rows = argent_grid.search(values, halves, trainer, scored)
        finally:
            trainer.supervisor.stop(now=timezone.now())
        shown = argent_grid.table(rows, halves)
        self.stdout.write(FORMATS[options["format"]](shown))


class Trainer:
    """Trains one model after the other, by the workers that do everything else."""

    def __init__(
        self, study: Study, corpus: Corpus | None, given: dict[str, str], prefix: str
    ) -> None:
        self.study, self.corpus, self.given, self.prefix = study, corpus, given, prefix
        self.supervisor = Supervisor(only_if_none=True)

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
    if real or synthetic:
        if not (real and synthetic) or set(real) & set(synthetic):
            raise CommandError(
                "give both --real and --synthetic, with different systems"
            )
        return argent_grid.of_systems(study, real, synthetic)
    held_out = Argent.training(**given).held_out
    texts = corpora.texts(corpus) if corpus else ()
    return argent_grid.of_corpus(texts, held_out=held_out, family=options["family"])


def _checked(given: dict[str, str]) -> dict[str, str]:
    if taken := sorted(set(given) & set(OF_THE_GRID)):
        raise OptionError(f"{taken[0]}: the grid sets this itself, so leave it out")
    return given


def _values(text: str) -> list[float]:
    try:
        values = sorted({float(part) for part in text.split(",")})
    except ValueError:
        values = []
    if not values or not all(0 < p <= 1 for p in values):
        raise ValueError(f"--values {text}: expected numbers above 0 and up to 1")
    return values
