"""Batches by a budget of tokens, and progress told in texts."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from scoring.metrics._engine.base import MetricError, Progress

if TYPE_CHECKING:
    import torch

log = logging.getLogger(__name__)

MIN_BUDGET = 8  # tokens; a device without memory for this has none for the model
SECONDS_BETWEEN_CALLS = 0.3
# Texts planned at once. Enough to sort by length, few enough to hold their tokens.
SLAB = 256


def plan(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Cut indices into batches, longest first, so that little of a batch is padding.

    A batch holds as many as fit when padded to the longest, and one at least.
    """
    order = sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True)
    start = 0
    while start < len(order):
        size = max(1, budget // max(1, lengths[order[start]]))
        yield order[start : start + size]
        start += size


def run(
    lengths: Sequence[int], budget: int, work: Callable[[list[int], int], None]
) -> None:
    """Call `work(indices, budget)` for batches of all; less memory, smaller batches.

    `work` must leave nothing behind when it fails: its batch is done again in parts.

    Raises:
        MetricError: If not even one row at a time fits into memory.
    """
    left = [index for batch in plan(lengths, budget) for index in batch]
    while left:
        size = max(1, budget // max(1, lengths[left[0]]))
        try:
            work(left[:size], budget)
        except RuntimeError as error:
            if not _is_out_of_memory(error):
                raise
            budget = _halved(budget)
            continue
        left = left[size:]


def pad(rows: Sequence[Sequence[int]], value: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of token ids to a rectangle, and where it is real: both (rows, longest)."""
    lengths = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
    real = np.arange(lengths.max(initial=1)) < lengths[:, None]
    ids = np.full(real.shape, value, dtype=np.int64)
    ids[real] = np.concatenate([np.asarray(row, dtype=np.int64) for row in rows])
    return ids, real


def _halved(budget: int) -> int:
    if budget < 2 * MIN_BUDGET:
        raise MetricError(
            "out of memory even with one text at a time: use a smaller model, "
            "dtype=bfloat16, or a device with more memory"
        )
    log.warning("out of memory: continuing with batches of %d tokens", budget // 2)
    return budget // 2


def _is_out_of_memory(error: RuntimeError) -> bool:
    import torch

    # The CPU allocator and some drivers say it in words only.
    words = ("out of memory", "can't allocate memory")
    if not isinstance(error, torch.OutOfMemoryError) and not any(
        word in str(error).lower() for word in words
    ):
        return False
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return True


class Meter:
    """Turns work done into finished texts, and tells of them now and then."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._last = time.monotonic()
        self._untold = 0
        self.begin(texts=0, work=0)

    def begin(self, *, texts: int, work: int) -> None:
        """Announce `texts` that take `work` units together."""
        self._texts, self._work = texts, max(1, work)
        self._done = self._counted = 0

    def __call__(self, work: int) -> None:
        self._done += work
        # The last text is finished by `end` only, whatever the units say.
        counted = min(self._texts * self._done // self._work, max(0, self._texts - 1))
        self._untold += max(0, counted - self._counted)
        self._counted = max(counted, self._counted)
        if time.monotonic() - self._last >= SECONDS_BETWEEN_CALLS:
            self._tell()

    def end(self) -> None:
        """All announced texts are finished."""
        self._untold += self._texts - self._counted
        self._counted = self._texts
        if self._untold:
            self._tell()

    def _tell(self) -> None:
        untold, self._untold, self._last = self._untold, 0, time.monotonic()
        if self._progress is not None:
            self._progress(untold)


def to(array: np.ndarray, device: torch.device) -> torch.Tensor:
    """Send without waiting for the device."""
    import torch

    tensor = torch.from_numpy(array)
    if device.type == "cuda":
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)
