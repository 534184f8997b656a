"""Cells that a spreadsheet shows as they are. Pure: all tables are written with it."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")

# A spreadsheet runs a cell that begins with one of these as a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def harmless(value: T) -> T | str:
    """Put an apostrophe before text that would be run as a formula."""
    if isinstance(value, str) and value.startswith(FORMULA):
        return f"'{value}"
    return value
