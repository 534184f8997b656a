"""Errors that users can fix themselves, from metrics, judges and options."""

from __future__ import annotations


class MetricError(RuntimeError):
    """The user can fix this, such as a missing model. Retrying does not help."""


class OptionError(ValueError):
    """An option is unknown or its value is not allowed. The message says what is."""
