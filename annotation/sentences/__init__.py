"""The one sentence splitter. Pure: the same on every machine."""

from annotation.sentences.splitting import FILE, NAME, name, split

__all__ = ["FILE", "NAME", "name", "split"]
