"""Packed files of strangers (zip, xlsx, Parquet), read by a child process with limits.

A file of a kilobyte can unpack to gigabytes, or keep its reader busy for minutes. So it
is never read where pages are made or work is done: `process` starts a fresh Python that
imports one of `readers`, and that ends, whatever the file does, with one sentence.
"""

from evalapp.cage.process import Limits, Refused, pieces

__all__ = ["Limits", "Refused", "pieces"]
