"""The one sentence splitter, and where a text's prefix ends. Pure: the same on every
machine."""

from annotation.sentences.prefixes import respelled
from annotation.sentences.splitting import FILE, NAME, name, split

__all__ = ["FILE", "NAME", "name", "respelled", "split"]
