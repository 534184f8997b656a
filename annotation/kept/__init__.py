"""Figures of large studies, worked out by a worker and kept until newer ones are."""

from annotation.kept.keeping import (
    SUMMARIES,
    SUMMARY_WORK,
    Kept,
    forget,
    is_large,
    read,
)

__all__ = ["SUMMARIES", "SUMMARY_WORK", "Kept", "forget", "is_large", "read"]
