"""For processes that tests start: the app's own settings, and the tests' metrics."""

from pathlib import Path

import scoring.metrics
from evalapp.settings import *  # noqa: F403

EXTRA_METRICS = str(Path(__file__).parent / "scoring" / "extra_metrics")
scoring.metrics.__path__.append(EXTRA_METRICS)
