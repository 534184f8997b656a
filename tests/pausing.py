"""An app for workers that tests start: each pauses once it has taken a row of work."""

from __future__ import annotations

import os
import time
from typing import Any

from django.apps import AppConfig


class Pausing(AppConfig):
    name = "tests.pausing"
    path = os.path.dirname(__file__)

    def ready(self) -> None:
        from evalapp.queue import leases

        take = leases.take

        def take_and_pause(*rows: Any, **given: Any) -> Any:
            row = take(*rows, **given)
            if row is not None:
                time.sleep(float(os.environ["TEST_PAUSE"]))
            return row

        leases.take = take_and_pause
