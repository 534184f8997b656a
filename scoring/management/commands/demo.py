from __future__ import annotations

import io
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.models import Study
from evalapp.work import queues
from scoring import demo, runs
from scoring.management.commands import score
from scoring.management.supervisor import Supervisor

NEEDED = (queues.GPU, queues.CPU, queues.DEFAULT)


class Command(BaseCommand):
    help = (
        "Create sample studies, score them, say which metric agrees with people and"
        " serve the site."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--no-serve",
            action="store_true",
            help="wait for all scores and results, and stop before serving the site",
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
        # One worker for all runs, of the site's too: each would load torch again. It
        # starts while the studies are made, and scores while they are rated.
        supervisor = Supervisor(unless_taken=NEEDED, spare_cores=1)
        try:
            self._show(supervisor, options)
        finally:
            supervisor.stop(now=timezone.now())

    def _show(self, supervisor: Supervisor, options: dict[str, Any]) -> None:
        supervisor.tick(now=timezone.now())
        user, password = demo.researcher()
        known, rated = self._studies(user, options["model"], options["iwf"])
        self._wait(known, supervisor)
        self.stdout.write(f"\nThe answer for {known} (simulated ratings):")
        call_command("answer", known.name, stdout=self.stdout)
        shown = self.stdout if options["no_serve"] else io.StringIO()
        call_command("analyse", known.name, stdout=shown)
        if options["no_serve"]:
            self._wait(rated, supervisor)
            call_command("analyse", rated.name, stdout=self.stdout)
        unrated = demo.open_study(name=demo.UNRATED, owner=user)
        self.stdout.write(f"\nLog in as {user.username} with {password}")
        self.stdout.write(
            f"Rate as a worker: http://{options['bind']}{unrated.get_worker_url()}"
        )
        if not options["no_serve"]:
            self._serve(rated, supervisor, options["bind"])

    def _studies(self, user: Any, model: str, iwf: str) -> tuple[Study, Study]:
        self.stdout.write("Creating two sample studies with simulated ratings.")
        try:
            known = demo.open_known_study(owner=user)
            demo.start_runs(study=known, model=model, iwf=iwf)
            rated = demo.open_study(name=demo.RATED, owner=user)
            demo.start_runs(study=rated, model=model, iwf=iwf)
        except (runs.OptionError, runs.RunError) as error:
            raise CommandError(str(error)) from error
        now = timezone.now()
        return (
            demo.known_study(owner=user, now=now),
            demo.rated_study(owner=user, now=now),
        )

    def _wait(self, study: Study, supervisor: Supervisor) -> None:
        for run in demo.unfinished_runs(study):
            what = "texts" if run.on == run.On.TEXTS else "damaged texts"
            self.stdout.write(f"Scoring {what} of {study} with {run.metric}.")
            score.wait(run, supervisor)
            if run.error:
                raise CommandError(f"{run} failed: {run.error}")

    def _serve(self, rated: Study, supervisor: Supervisor, bind: str) -> None:
        """The worker finishes what is left while people look around."""
        if demo.unfinished_runs(rated):
            self.stdout.write(
                f"The metrics of {rated} are still being computed: a minute or less."
                " Its pages say how far they are."
            )
        demo.ask_for_pages(study=rated, now=timezone.now())
        call_command("up", bind=bind, supervisor=supervisor, stdout=self.stdout)
