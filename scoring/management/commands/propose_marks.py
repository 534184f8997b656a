from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.page_kinds.proposals import ProposedError
from scoring.analyses.shared.page_words import n_of
from scoring.management.analyses import find_study
from scoring.results import proposed_marks


class Command(BaseCommand):
    help = (
        "Let workers of a draft find the errors that a metric has marked, to keep,"
        " change or delete them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--metric", help="what tables call it")
        which.add_argument("--none", action="store_true", help="propose nothing")

    def handle(self, *args: Any, study: str, metric: str | None, **_: Any) -> None:
        of_study = find_study(study)
        try:
            if metric is None:
                proposed_marks.withdraw(study=of_study)
                return
            names = {
                offer.name: offer.metric for offer in proposed_marks.offers(of_study)
            }
            proposed = proposed_marks.propose(
                study=of_study, metric=names.get(metric, metric)
            )
        except ProposedError as error:
            raise CommandError(str(error)) from error
        marks, texts = n_of(proposed.marks, "mark"), n_of(proposed.texts, "text")
        self.stdout.write(f"{marks} in {texts}")
        for reason, n in proposed.left_out.items():
            self.stderr.write(f"left out: {n_of(n, 'mark')} that {reason}")
