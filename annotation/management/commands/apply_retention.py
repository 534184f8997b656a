from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from annotation import workers
from annotation.recipients import retention
from evalapp.work import clocks


class Command(BaseCommand):
    help = (
        "Delete the platform ids of workers in studies that were closed longer ago than"
        " their retention setting, at once. Background workers do this a day after"
        " they first see it."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        here, there = timezone.now(), clocks.of_database()
        now = clocks.agreed(here=here, there=there)
        if now is None:
            raise CommandError(
                f"By this machine’s clock it is {here:%d %B %Y %H:%M} UTC, by the"
                f" database’s {there:%d %B %Y %H:%M} UTC. Nothing is deleted: what is"
                " deleted too early is gone. Set both with NTP."
            )
        retention.forget_old(now=now, at_once=True)
        forgotten = workers.apply_retention(now=now, at_once=True)
        for name, n in forgotten.items():
            ids = "1 platform id" if n == 1 else f"{n} platform ids"
            self.stdout.write(f"{name}: {ids} deleted")
        if not forgotten:
            self.stdout.write(f"No platform id is due on {now:%d %B %Y}.")
