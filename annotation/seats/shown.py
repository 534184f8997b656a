"""Both texts of a pair, as pages show them."""

from __future__ import annotations

from annotation.models import Item
from annotation.models.texts import full_text


def sides(item: Item) -> tuple[str, str]:
    """In full, the first one first."""
    assert item.pair is not None
    second = item.pair.second or item.negative
    assert second is not None  # a pair without a second text has the negative
    prefix = item.pair.prompt.prefix
    return full_text(prefix, item.pair.first.text), full_text(prefix, second.text)
