"""Ids for texts to which their researcher gave none. Pure.

They look like nobody's, so that no file's "1, 2, 3" is ever taken for them.
"""

from __future__ import annotations

import re

_INVENTED = re.compile(r"t-(\d{4,})(#.*)?")  # a turn has that of its dialogue
_NUMBER = re.compile(r"\d+(#.*)?")


def invented(number: int) -> str:
    return f"t-{number:04d}"


def looks_invented(key: str) -> bool:
    return _INVENTED.fullmatch(key) is not None


def is_number(key: str) -> bool:
    """As ids were that studies got before: whose they are, nobody knows."""
    return _NUMBER.fullmatch(key) is not None


def natural(key: str) -> tuple[int, str]:
    """For sorting. Numbers in the order of rows: 9 before 10."""
    found = _INVENTED.fullmatch(key)
    number, rest = (found[1], found[2] or "") if found else (key, "")
    return (int(number), rest) if number.isdecimal() else (0, key)
