"""What people can put right, wherever numbers are made."""

from __future__ import annotations


class MetricError(RuntimeError):
    """The user can fix this, such as a missing model. Retrying does not help."""


class OptionError(ValueError):
    """An option is unknown or its value is not allowed. The message says what is."""
