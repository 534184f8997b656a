"""Words as a page begins with them."""

from __future__ import annotations


def capitalized(text: str) -> str:
    """Only the first letter changes: names in the text stay as someone wrote them."""
    return text[:1].upper() + text[1:]


def sentence(said: object) -> str:
    """A message, which may be an error, with a capital letter and a full stop."""
    return f"{capitalized(str(said)).rstrip('.')}."
