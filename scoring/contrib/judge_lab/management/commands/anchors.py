from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.judging import anchor_sets, anchors, drift_wording
from scoring.judging.ledger import LimitError
from scoring.judging.trials import TrialError
from scoring.management.analyses import find_study
from scoring.metrics import MetricError, OptionError
from scoring.models import AnchorSet

REFUSED = (LimitError, MetricError, OptionError, TrialError)


class Command(BaseCommand):
    help = (
        "Ask judges again about the anchors of a study, within the limits that were"
        " agreed to. Workers do the asking. For a schedule let cron run it, for example"
        " on the first of each month at six:"
        " 0 6 1 * * cd /srv/evalapp && python manage.py anchors STUDY."
        " It ends with status 2 if anchors could not be asked about."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument(
            "--status",
            action="store_true",
            help="ask nobody; only say whether a judge has changed",
        )

    def handle(self, *args: Any, study: str, status: bool, **options: Any) -> None:
        found = find_study(study)
        sets = list(found.anchor_sets.filter(ended_at=None))
        if not sets:
            raise CommandError(
                f"The study {study} has no anchors: choose them on the page"
                f" /studies/{study}/judges/anchors/."
            )
        refused = [held for held in sets if not self._told(held, status=status)]
        if refused:
            raise CommandError("some anchors were not asked about", returncode=2)

    def _told(self, held: AnchorSet, *, status: bool) -> bool:
        """Whether all went well with a set."""
        name = held.judge
        if status:
            looks = [(one.trial.finished_at, one.look) for one in anchors.history(held)]
            self.stdout.write(
                f"{name}: {drift_wording.mark(looks) or 'no change is shown.'}"
            )
            return True
        try:
            trial = anchor_sets.ask(anchors=held)
        except REFUSED as error:
            self.stderr.write(f"{name}: {error}")
            return False
        self.stdout.write(f"{name}: asked, as trial {trial.pk}.")
        return True
