"""For processes that tests start: the app's own settings, and the tests' metrics."""

import os
from pathlib import Path

import scoring.metrics
from evalapp.settings import *  # noqa: F403

EXTRA_METRICS = str(Path(__file__).parent / "scoring" / "extra_metrics")
scoring.metrics.__path__.append(EXTRA_METRICS)

# The provider that tests log in at shares a busy machine with them.
SOCIALACCOUNT_REQUESTS_TIMEOUT = 60

if "TEST_PAUSE" in os.environ:
    INSTALLED_APPS = [*INSTALLED_APPS, "tests.support.pausing.Pausing"]  # noqa: F405
