"""Which texts can be stored, sent and shown again. Pure: all that comes in is asked.

PostgreSQL takes no NUL, and nothing can send half of a surrogate pair: stored once, it
breaks each page that shows it. Other control characters change what a terminal or a
tokenizer does. White space is no such character.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

REFUSED = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff]")


def problem(text: str) -> str | None:
    """Why a text cannot be kept, as the end of a sentence about it; None if it can."""
    found = REFUSED.search(text)
    if found is None:
        return None
    if found[0] == "\0":
        what = "a NUL character"
    elif "\ud800" <= found[0] <= "\udfff":
        what = "half of a surrogate pair"
    else:
        what = f"the control character U+{ord(found[0]):04X}"
    return f"contains {what} at position {found.start() + 1:,}"


def problem_in(value: object) -> str | None:
    """The same of the texts and names in what JSON, or a form, carries."""
    waiting = [value]  # not by recursion: JSON may be nested as deep as the stack is
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            if said := problem(one):
                return said
        elif isinstance(one, Mapping):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, list | tuple):
            waiting += one
    return None


def cleaned(text: str) -> str:
    """Without what cannot be kept: for words that nobody should have to write again."""
    return REFUSED.sub("", text)
