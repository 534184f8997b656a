from __future__ import annotations

import signal
import sys
import time
from collections.abc import Mapping
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from tqdm import tqdm

from annotation.models import Aspect, Study
from evalapp.work import queues
from evalapp.work.progress import Progress
from scoring import corpora, training
from scoring.management.commands import score
from scoring.management.supervisor import Supervisor, log_file
from scoring.models import Checkpoint, Corpus

LINE_SECONDS = 10.0
REFUSALS = (
    training.UnknownMetric,
    training.OptionError,
    training.TrainingError,
    corpora.CorpusError,
)
State = Checkpoint.State


class Command(BaseCommand):
    help = (
        "Train a metric and wait until it is done. Run the same command again to"
        " continue a training that was cancelled or failed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("metric", help="a metric that can be trained")
        parser.add_argument(
            "--study",
            help="study that gets the checkpoint; the metric never learns from its"
            " texts. Optional if only one study has the corpus",
        )
        parser.add_argument(
            "--corpus", metavar="NAME", help="the study's human texts to learn from"
        )
        parser.add_argument(
            "--test",
            metavar="NAME",
            help="another corpus of the study, never learned from: figures are also"
            " taken of it",
        )
        parser.add_argument(
            "--ratings",
            metavar="STUDY/ASPECT",
            help="aspect of another study, if the metric learns from ratings; BLEURT"
            " and cdm_probe can also learn those of the study itself, cross-fitted over"
            " prompts",
        )
        parser.add_argument(
            "--name", help="name of the checkpoint; default: the metric's name"
        )
        parser.add_argument(
            "--option",
            "-o",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="an option of the training; may be given several times",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        checkpoint = _started(options)
        supervisor = Supervisor(unless_taken=[queues.GPU])
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            wait(checkpoint, supervisor)
        except KeyboardInterrupt:
            training.cancel(checkpoint=checkpoint)
        finally:
            signal.signal(signal.SIGTERM, before)
            supervisor.stop(now=timezone.now())
        self._report(checkpoint)

    def _report(self, row: Checkpoint) -> None:
        if row.state == State.CANCELLED:
            raise CommandError(
                f"cancelled at step {row.step} of {row.steps} ({row.stage or 'begun'});"
                " run the same command to continue",
                returncode=130,
            )
        if row.state == State.FAILED:
            raise CommandError(f"{row} failed: {row.error}")
        for name, figure in row.card.get("figures", {}).items():
            self.stdout.write(f"{name}: {_shown(figure)}")
        self.stdout.write(f"signature: {row.signature}")
        self.stdout.write(f"done; score with --option model={row.key}")


def _shown(figure: Any) -> str:
    return f"{figure:.4g}" if isinstance(figure, float) else str(figure)


# What to train ------------------------------------------------------------------------


def _started(options: Mapping[str, Any]) -> Checkpoint:
    study = _study(options["study"], options["corpus"])
    try:
        return training.start_or_go_on(
            study=study,
            metric=options["metric"],
            name=options["name"] or options["metric"],
            options=score._options(options["option"]),
            corpus=corpora.find(study=study, name=options["corpus"]),
            test=corpora.find(study=study, name=options["test"]),
            aspect=_aspect(options["ratings"]),
            any_folder=True,
        )
    except REFUSALS as error:
        raise CommandError(str(error)) from None


def _study(name: str | None, corpus: str | None) -> Study:
    if name:
        return score._study(name)
    if not corpus:
        raise CommandError("--study: say which study gets the checkpoint")
    having = Corpus.objects.filter(name=corpus).select_related("study")
    found = [one.study for one in having.order_by("study__name")]
    if len(found) == 1:
        return found[0]
    if not found:
        raise CommandError(f"--corpus {corpus}: no study has a corpus with this name")
    names = ", ".join(study.name for study in found[:20])
    raise CommandError(
        f"--study: choose one of the studies with a corpus {corpus!r}: {names}"
    )


def _aspect(ratings: str | None) -> Aspect | None:
    if not ratings:
        return None
    name, _, key = ratings.partition("/")
    aspects = {aspect.key: aspect for aspect in score._study(name).aspects.all()}
    if key not in aspects:
        there = ", ".join(aspects) or "none"
        raise CommandError(
            f"--ratings {ratings}: expected STUDY/ASPECT; aspects of {name}: {there}"
        )
    return aspects[key]


# Waiting ------------------------------------------------------------------------------


def wait(checkpoint: Checkpoint, supervisor: Supervisor) -> None:
    """Show progress until the training has ended."""
    show = Bar() if sys.stderr.isatty() else Lines()
    while True:
        supervisor.tick(now=timezone.now())
        checkpoint.refresh_from_db()
        show(checkpoint, training.progress(checkpoint))
        if checkpoint.ended:
            show.close()
            return
        if supervisor.deaths >= score.DEATHS:
            training.cancel(checkpoint=checkpoint)
            raise CommandError(f"the worker keeps crashing; see {log_file()}")
        time.sleep(score.LOOK_SECONDS)


def _told(checkpoint: Checkpoint, progress: Progress) -> str:
    """Losses, and how long it will take."""
    words = []
    if checkpoint.loss is not None:
        words.append(f"loss {checkpoint.loss:.3f}")
    if checkpoint.held_out_loss is not None:
        words.append(f"held-out loss {checkpoint.held_out_loss:.3f}")
    if progress.seconds_left is not None:
        words.append(f"about {_time(progress.seconds_left)} left")
    return ", ".join(words)


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


class Bar:
    def __init__(self) -> None:
        self.bar = tqdm(
            dynamic_ncols=True,
            bar_format="{desc}{percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt}{postfix}",
        )

    def __call__(self, checkpoint: Checkpoint, progress: Progress) -> None:
        self.bar.total, self.bar.n = progress.total, progress.done
        self.bar.set_postfix_str(_told(checkpoint, progress), refresh=False)
        self.bar.set_description(progress.stage or "starting")

    def close(self) -> None:
        self.bar.close()


class Lines:
    """For logs: one line each ten seconds."""

    def __init__(self) -> None:
        self.next = time.monotonic() + LINE_SECONDS

    def __call__(self, checkpoint: Checkpoint, progress: Progress) -> None:
        if time.monotonic() < self.next:
            return
        self.next = time.monotonic() + LINE_SECONDS
        stage = progress.stage or "starting"
        where = f"{stage}: step {progress.done} of {progress.total}"
        print(
            ", ".join(filter(None, [where, _told(checkpoint, progress)])),
            file=sys.stderr,
        )

    def close(self) -> None:
        pass
