from __future__ import annotations

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from scoring import demo, runs
from scoring.management.commands import score
from scoring.models import MetricRun
from scoring.runs import negatives
from scoring.supervisor import Supervisor


class Command(BaseCommand):
    help = (
        "Create a sample study, score it, show which metric agrees and serve the site."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--no-serve", action="store_true", help="stop before serving the site"
        )
        parser.add_argument("--bind", default="127.0.0.1:8000", metavar="HOST:PORT")
        parser.add_argument(
            "--model", default="", metavar="DIR", help="for CTRLEval or perplexity"
        )
        parser.add_argument(
            "--iwf", default="", metavar="FILE", help="word frequencies for CTRLEval"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", verbosity=0, interactive=False)
        user, password = demo.researcher()
        self.stdout.write("Creating the sample study with simulated ratings.")
        study = demo.rated_study(owner=user, now=timezone.now())
        unrated = demo.open_study(name=demo.UNRATED, owner=user)
        self._score(demo.missing_runs(study, options["model"], options["iwf"]), study)
        self.stdout.write("\nMetrics against people (simulated ratings):")
        call_command("correlations", study.name, stdout=self.stdout)
        self.stdout.write("\nComputing the results pages:")
        call_command("analyse", study.name, stdout=self.stdout)
        self.stdout.write(f"\nLog in as {user.username} with {password}")
        self.stdout.write(
            f"Rate as a worker: http://{options['bind']}{unrated.get_worker_url()}"
        )
        if not options["no_serve"]:
            call_command("up", bind=options["bind"], stdout=self.stdout)

    def _score(self, wanted: list[tuple[str, dict]], study: Any) -> None:
        """One worker for all runs: it would load torch anew for each."""
        supervisor = Supervisor(only_if_none=True)
        try:
            # All of them first: the worker then never has to wait for the next.
            started = [
                runs.start(study=study, metric=name, options=options, any_folder=True)
                for name, options in wanted
            ]
            for run in started:
                self.stdout.write(f"Scoring {study} with {run.metric}.")
                self._wait(run, supervisor)
            for run in negatives.start_missing(study=study)[0]:
                self.stdout.write(f"Scoring the damaged texts with {run.metric}.")
                self._wait(run, supervisor)
        except (runs.OptionError, runs.RunError) as error:
            raise CommandError(str(error)) from error
        finally:
            supervisor.stop(now=timezone.now())

    @staticmethod
    def _wait(run: MetricRun, supervisor: Supervisor) -> None:
        score.wait(run, supervisor)
        if run.error:
            raise CommandError(f"{run} failed: {run.error}")
