"""Folders in which work goes on for hours."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from evalapp import storage

NAME = "checkpoints/.unfinished/1"


def test_one_that_goes_on_after_a_weekend_is_not_deleted(bucket):
    folder = storage.work_in(NAME)
    (folder / "state").write_text("ahead of what was kept")
    home = folder.parent
    for path in (home, *home.rglob("*")):
        os.utime(path, (1, 1))
    storage.work_in(NAME)
    storage.tidy(now=datetime.now(UTC))
    assert (folder / "state").exists()
