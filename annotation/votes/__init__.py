"""Choices between two systems."""

from annotation.votes import reading
from annotation.votes.adding import FORMATS, Added, add, remove

__all__ = ["Added", "FORMATS", "add", "reading", "remove"]
