from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from annotation import workers
from annotation.mailing import listing


class Command(BaseCommand):
    help = (
        "Delete the platform ids of workers in studies that were closed longer ago than"
        " their retention setting. Background workers do this every hour."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        listing.forget_old(now=timezone.now())
        found = workers.apply_retention(now=timezone.now())
        for name, n in found.items():
            ids = "1 platform id" if n == 1 else f"{n} platform ids"
            self.stdout.write(f"{name}: {ids} deleted")
        if not found:
            self.stdout.write("No platform id is due.")
