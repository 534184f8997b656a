"""Cells that a spreadsheet shows as they are. Pure: all tables are written with it."""

from __future__ import annotations

import re
from typing import TypeVar

T = TypeVar("T")

# A spreadsheet runs a cell that begins with one of these as a formula. Where a cell
# begins depends on its country: it may part cells at semicolons or tabs, and then the
# quotes around a text hold neither these nor its lines together.
_FORMULA = re.compile(r"(?<![^;\t\r\n])(?=[=+\-@])|\A(?=[\t\r\n])")


def harmless(value: T) -> T | str:
    """Put an apostrophe before text that would be run as a formula."""
    if isinstance(value, str) and _FORMULA.search(value):
        return _FORMULA.sub("'", value)
    return value
