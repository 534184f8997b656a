"""Into how large parts the texts of a run are cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

# Towards the end of a run that several workers share, its parts become smaller, down to
# this, so that no worker is alone with the last one for long.
FEWEST_TEXTS = 16


def cut(ids: Sequence[int], *, size: int, workers: int) -> Iterator[list[int]]:
    """Parts of `size` texts; of half of each worker's share of what is left, if less.

    A part costs some milliseconds beside its texts, and small ones use a GPU less well,
    so one worker alone gets no small ones.
    """
    begin = 0
    while (left := len(ids) - begin) > 0:
        share = -(-left // (2 * workers)) if workers > 1 else size
        n = min(size, max(share, FEWEST_TEXTS))
        yield list(ids[begin : begin + n])
        begin += n
