"""What a trial of a judge says while it is done, and where it cannot be done."""

from __future__ import annotations

from evalapp.work import retries


class TrialError(Exception):
    """This cannot be done with a trial, or with this study. The message says why."""


class Report(retries.Report):
    """Tells how many parts of a trial are done, at most once a second."""

    def __call__(self, done: int, total: int) -> None:
        """Call it in the thread that does the trial, never in an event loop.

        Raises:
            Interrupted, Lost: There is no point in continuing.
        """
        self.renew(done_items=done, total_items=total)
