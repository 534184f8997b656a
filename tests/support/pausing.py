"""An app for workers that tests start: each pauses once it has taken a row of work,
and after each piece of a file that it stores. One that is killed is soon replaced."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.apps import AppConfig


class Pausing(AppConfig):
    name = "tests.support.pausing"
    path = os.path.dirname(__file__)

    def ready(self) -> None:
        from evalapp.work import leases
        from scoring.management import supervisor

        supervisor.LONGEST_PAUSE_SECONDS = 1.0

        take = leases.take

        def take_and_pause(*rows: Any, **given: Any) -> Any:
            row = take(*rows, **given)
            if row is not None:
                time.sleep(float(os.environ["TEST_PAUSE"]))
            return row

        leases.take = take_and_pause

        from annotation.imports import _curtain

        piece = _curtain.piece

        @contextmanager
        def piece_and_pause(row: Any) -> Iterator[None]:
            with piece(row):
                yield
            time.sleep(float(os.environ["TEST_PAUSE"]))

        _curtain.piece = piece_and_pause
