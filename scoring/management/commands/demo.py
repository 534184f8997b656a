from __future__ import annotations

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.models import Study
from scoring import demo, runs
from scoring.management.commands import score
from scoring.models import MetricRun
from scoring.runs import negatives
from scoring.supervisor import Supervisor


class Command(BaseCommand):
    help = (
        "Create sample studies, score them, say which metric agrees with people and"
        " serve the site."
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
        self.stdout.write("Creating two sample studies with simulated ratings.")
        now = timezone.now()
        known = demo.known_study(owner=user, now=now)
        studies = [known, demo.rated_study(owner=user, now=now)]
        unrated = demo.open_study(name=demo.UNRATED, owner=user)
        self._score(studies, options["model"], options["iwf"])
        self.stdout.write(f"\nThe answer for {known} (simulated ratings):")
        call_command("answer", known.name, stdout=self.stdout)
        for study in studies:
            # The site's own worker computes what somebody has not opened by then.
            demo.ask_for_pages(study=study, now=timezone.now())
            if options["no_serve"]:
                call_command("analyse", study.name, stdout=self.stdout)
        self.stdout.write(f"\nLog in as {user.username} with {password}")
        self.stdout.write(
            f"Rate as a worker: http://{options['bind']}{unrated.get_worker_url()}"
        )
        if not options["no_serve"]:
            call_command("up", bind=options["bind"], stdout=self.stdout)

    def _score(self, studies: list[Study], model: str, iwf: str) -> None:
        """One worker for all runs: it would load torch anew for each."""
        supervisor = Supervisor(only_if_none=True)
        try:
            # All of them first: the worker then never has to wait for the next.
            started = [
                runs.start(study=study, metric=name, options=options, any_folder=True)
                for study in studies
                for name, options in demo.missing_runs(study, model, iwf)
            ]
            for run in started:
                self.stdout.write(f"Scoring {run.study} with {run.metric}.")
                self._wait(run, supervisor)
            for study in studies:
                for run in negatives.start_missing(study=study)[0]:
                    self.stdout.write(
                        f"Scoring damaged texts of {study} with {run.metric}."
                    )
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
