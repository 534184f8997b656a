from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from scoring.runs import doubtful


class Command(BaseCommand):
    help = (
        "Name the studies whose uploaded scores may belong to other texts, because"
        " EvalApp replaced the ids of their texts by numbers. Changes nothing. The exit"
        " code is 1 if there are any."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        doubts = list(doubtful.of_all())
        for one in doubts:
            self.stdout.write(str(one))
        if doubts:
            raise CommandError("look at the scores of these studies", returncode=1)
        self.stdout.write("No study has scores that may belong to other texts.")
