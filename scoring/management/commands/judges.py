from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from scoring.endpoints import configuration
from scoring.metrics import MetricError
from scoring.metrics.judge import support

WAYS = {
    "answer": "answers",
    "logprobs": "log-probabilities",
    "form": "answers by a schema",
    support.TEXTS: "log-probabilities of texts",
}


class Command(BaseCommand):
    help = (
        "List the judges behind addresses that the file JUDGES_FILE sets up, and ask"
        " each a test question: which model answers, and what it supports. This sends"
        " up to thirty short requests to each model."
    )
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        file = configuration.file(settings.DATA_DIR)
        found = configuration.read(file)
        for problem in found.problems:
            self.stderr.write(problem)
        if not found.known and not found.problems:
            self.stdout.write(f"No judges are set up: there is no endpoint in {file}.")
        failed = [
            f"{endpoint.name}/{model}"
            for endpoint in found.known.values()
            for model in endpoint.models
            if not self._answers(endpoint, model)
        ]
        if found.problems or failed:
            named = f": {', '.join(failed)}" if failed else ""
            raise CommandError(
                "Some judges cannot be used"
                f"{named}. Correct {file}, or the servers that it names."
            )

    def _answers(self, endpoint: configuration.Endpoint, model: str) -> bool:
        """Write what a model can do."""
        key = f"key in {endpoint.key_env}" if endpoint.key_env else "no key"
        leaves = "leave" if endpoint.leaves_site else "stay in"
        self.stdout.write(
            f"endpoint:{endpoint.name}/{model}\n  {endpoint.url}, {key}, texts {leaves}"
            " the operator’s network"
        )
        try:
            found = support.ask(endpoint, model)
        except MetricError as error:
            self.stdout.write(f"  does not work: {error}")
            return False
        fingerprint = found.fingerprint or "none sent"
        self.stdout.write(f"  answered by {found.model}, fingerprint {fingerprint}")
        if found.lessons:
            self.stdout.write(f"  {found.lessons}")
        for mode, problem in found.problems.items():
            said = f"no: {problem}" if problem else "yes"
            self.stdout.write(f"  {WAYS[mode]}: {said}")
        return True
