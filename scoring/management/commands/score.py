from __future__ import annotations

import signal
import sys
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from tqdm import tqdm

from annotation.models import Study
from evalapp.work.progress import Progress
from scoring import corpora, runs
from scoring.judging import estimates
from scoring.judging.ledger import Limit
from scoring.management.supervisor import Supervisor, log_file
from scoring.models import Chunk, MetricRun
from scoring.runs import battery

LOOK_SECONDS = 0.3
LINE_SECONDS = 10.0
DEATHS = 5  # of workers in a row: it is not the texts then
REFUSALS = (
    runs.UnknownMetric,
    runs.OptionError,
    runs.RunError,
    corpora.CorpusError,
)


class Command(BaseCommand):
    help = (
        "Score all texts of a study with a metric, or with all that run here, and wait"
        " until it is done."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("metric", nargs="?")
        parser.add_argument(
            "--all",
            action="store_true",
            help="every metric that can run here and has not scored the texts, with the"
            " options that the Metrics page would choose",
        )
        parser.add_argument(
            "--option",
            "-o",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="an option of the metric; may be given several times",
        )
        parser.add_argument(
            "--corpus",
            metavar="NAME",
            help="the study's corpus of human texts to compare systems with",
        )
        parser.add_argument(
            "--calls",
            type=int,
            metavar="N",
            help="agree that texts are sent to a judge over the network, with at most"
            " so many calls; without it you are told how many it would take",
        )
        parser.add_argument(
            "--cost",
            type=float,
            metavar="AMOUNT",
            help="with --calls: the most money, in the currency of the endpoint",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["all"]:
            self._score_all(options)
            return
        if not options["metric"]:
            raise CommandError("expected the name of a metric, or --all")
        run = _start(options)
        self._wait([run])
        self._report(run)

    def _score_all(self, options: dict[str, Any]) -> None:
        if any(options[one] for one in ("metric", "option", "corpus", "calls")):
            raise CommandError(
                "--all chooses metrics, options and corpus automatically, and asks no"
                " judge over the network"
            )
        study = _study(options["study"])
        found = battery.choices(study=study, visible=Study.objects.all())
        for one in found:
            if not one.ready:
                why = "; ".join(f"{m.what}. {m.how}" for m in one.missing)
                self.stdout.write(f"left out {one.metric}: {why}")
        chosen = [one for one in found if one.preselected]
        started, problems = battery.start_all(study=study, chosen=chosen)
        for problem in problems:
            self.stderr.write(problem)
        self._wait(started)
        n = sum(run.state == MetricRun.State.DONE for run in started)
        for run in started:
            self.stdout.write(f"{run.metric}: {run.error or run.state}")
        self.stdout.write(f"{n} of {len(chosen)} metrics done")
        if n < len(chosen):
            raise CommandError("not all metrics scored the texts")

    def _wait(self, started: list[MetricRun]) -> None:
        """Until all have ended; Ctrl-C cancels those that have not."""
        chunks = Chunk.objects.filter(run__in=started)
        needed = set(chunks.values_list("queue", flat=True))
        supervisor = Supervisor(unless_taken=needed)
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            for run in started:
                wait(run, supervisor)
        except KeyboardInterrupt:
            for run in started:
                runs.cancel(run=run)
        finally:
            signal.signal(signal.SIGTERM, before)
            supervisor.stop(now=timezone.now())

    def _report(self, run: MetricRun) -> None:
        """Print what there is now, also after a failure: scores are kept."""
        for count in runs.counts(run=run) if run.signature else []:
            self.stdout.write(f"{count.output}: {_described(count)}")
        for note in run.notes:
            self.stdout.write(f"note: {note}")
        if run.state == MetricRun.State.CANCELLED:
            raise CommandError("cancelled; finished scores are kept", returncode=130)
        if run.state == MetricRun.State.FAILED:
            raise CommandError(f"{run} failed: {run.error}")
        seconds = (run.finished_at - run.created_at).total_seconds()
        self.stdout.write(f"{run}: done in {seconds:.1f} s")
        self.stdout.write(f"signature: {run.signature}")


def _start(given: dict[str, Any]) -> MetricRun:
    found, options = _study(given["study"]), _options(given["option"])
    limit = None
    if given["calls"] is not None:
        currency = estimates.currency_of(options)
        limit = Limit(given["calls"], given["cost"], currency)
    try:
        return runs.start(
            study=found,
            metric=given["metric"],
            options=options,
            any_folder=True,
            corpus=corpora.find(study=found, name=given["corpus"]),
            limit=limit,
        )
    except REFUSALS as error:
        raise CommandError(str(error)) from None


def _study(name: str) -> Study:
    found = Study.objects.whole().filter(name=name).first()
    if found is None:
        names = ", ".join(Study.objects.values_list("name", flat=True)[:50])
        raise CommandError(f"no study {name!r}; there are: {names or 'none yet'}")
    return found


def _options(pairs: list[str]) -> dict[str, str]:
    options = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise CommandError(f"--option {pair}: expected NAME=VALUE")
        options[name] = value
    return options


def wait(run: MetricRun, supervisor: Supervisor) -> None:
    """Show progress until the run has ended."""
    show = Bar() if sys.stderr.isatty() else Lines()
    while True:
        supervisor.tick(now=timezone.now())
        run.refresh_from_db()
        show(runs.progress(run=run))
        if run.ended:
            show.close()
            return
        if supervisor.deaths >= DEATHS:
            runs.cancel(run=run)
            raise CommandError(f"the worker keeps crashing; see {log_file()}")
        time.sleep(LOOK_SECONDS)


class Bar:
    def __init__(self) -> None:
        self.bar = tqdm(unit=" texts", dynamic_ncols=True)

    def __call__(self, progress: Progress) -> None:
        self.bar.total, self.bar.n = progress.total, progress.done
        self.bar.set_description(progress.state if progress.rate else "starting")

    def close(self) -> None:
        self.bar.close()


class Lines:
    """For logs: one line each ten seconds."""

    def __init__(self) -> None:
        self.next = time.monotonic() + LINE_SECONDS

    def __call__(self, progress: Progress) -> None:
        if time.monotonic() < self.next:
            return
        self.next = time.monotonic() + LINE_SECONDS
        left = progress.seconds_left
        more = f", about {left:.0f} s left" if left is not None else ""
        print(f"{progress.done} of {progress.total} texts{more}", file=sys.stderr)

    def close(self) -> None:
        pass


def _described(count: runs.OutputCount) -> str:
    text = f"{count.scored} scored"
    for reason, n in count.undefined.most_common():
        text += f", {n} undefined ({reason})"
    return text
