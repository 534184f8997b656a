"""Figures of large studies, worked out by a worker and kept until newer ones are."""

from annotation.kept.keeping import SUMMARIES, Kept, forget, is_large, read, work

__all__ = ["SUMMARIES", "Kept", "forget", "is_large", "read", "work"]
