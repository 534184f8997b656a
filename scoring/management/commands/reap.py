from __future__ import annotations

import signal
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from scoring import pulse
from scoring.management.supervisor import REAP_SECONDS


class Command(BaseCommand):
    help = (
        "Put the work of crashed workers back in the queue. Workers also do this"
        " themselves."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="run once and stop")

    def handle(self, *args: Any, once: bool, **options: Any) -> None:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            pulse.reap(now=timezone.now())
            while not once:
                time.sleep(REAP_SECONDS)
                pulse.reap(now=timezone.now())
        except KeyboardInterrupt:
            return
