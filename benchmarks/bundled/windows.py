"""Cut documents into windows of whole sentences, and windows into batches.

Everything is a function of the seed, the epoch and the place in it: any process can
make any batch, and a training that continues sees what it would have seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from benchmarks.bundled.pack import Pack, Window

if TYPE_CHECKING:
    from torch import Tensor

SHORTEST = 8  # tokens
POOL = 16384  # windows sorted by length together: little padding, and still mixed

Arrays = dict[str, np.ndarray]
Place = tuple[int, int]  # epoch, batch in it


class Objective(Protocol):
    """What a model learns: examples made of windows, and their loss."""

    limits: tuple[int, ...]  # tokens of a window; each document draws one of them

    def __init__(self, pack: Pack) -> None: ...

    def arrays(self, windows: Sequence[Window], rng: np.random.Generator) -> Arrays: ...

    def parts(
        self, windows: Sequence[Window], rng: np.random.Generator, n: int
    ) -> list[Arrays]:
        """The same examples in at most n groups, each with little padding."""

    def network(self, sizes: Mapping[str, Any]) -> Any:
        """An untrained model."""

    def last_norm(self, network: Any) -> Any:
        """What the output layer is given comes from here."""

    def trunk(self, network: Any) -> Any:
        """The part of it that computes most, without the output layer."""

    def shipped(self, network: Any) -> Any:
        """The part of it that is exported."""

    def loss(self, network: Any, batch: Mapping[str, Tensor]) -> tuple[Any, int]:
        """Mean loss of a batch, and over how many targets."""


class Cuts(NamedTuple):
    """Windows of documents, (n,) each."""

    first: np.ndarray  # sentence
    last: np.ndarray  # sentence, not included
    lengths: np.ndarray  # tokens


def cut(pack: Pack, documents: np.ndarray, limits: np.ndarray) -> Cuts:
    """As many whole sentences as fit, again and again, up to each document's end.

    Args:
        pack: Where the sentences are.
        documents: Numbers of documents, (n,).
        limits: Tokens that fit into a window of each, (n,). A longer sentence is a
            window alone, and is cut.
    """
    at, end = pack.documents[documents], pack.documents[documents + 1]
    limit = limits
    first, last, lengths = [], [], []
    while len(at):
        room = pack.sentences[at] + limit
        stop = np.searchsorted(pack.sentences, room, side="right") - 1
        stop = np.clip(stop, at + 1, end)
        first.append(at)
        last.append(stop)
        size = pack.sentences[stop] - pack.sentences[at]
        lengths.append(np.minimum(size, limit))
        left = stop < end
        at, end, limit = stop[left], end[left], limit[left]
    return Cuts(*map(np.concatenate, (first, last, lengths)))


def batches(
    lengths: np.ndarray, budget: int, rng: np.random.Generator
) -> list[np.ndarray]:
    """Windows of about one length together, `budget` tokens with their padding."""
    order = rng.permutation(np.flatnonzero(lengths >= SHORTEST))
    found = []
    for start in range(0, len(order), POOL):
        pool = order[start : start + POOL]
        pool = pool[np.argsort(-lengths[pool], kind="stable")]
        at = 0
        while at < len(pool):
            n = max(1, budget // int(lengths[pool[at]]))
            found.append(pool[at : at + n])
            at += n
    return [found[k] for k in rng.permutation(len(found))]


class Batches:
    """Batches of an objective by place: a data set for torch's loaders."""

    def __init__(
        self,
        pack: Pack,
        objective: Objective,
        *,
        budget: int,
        seed: int,
        held_out: bool = False,
    ) -> None:
        self.pack = pack
        self.objective = objective
        self.budget = budget
        self.seed = seed
        self.documents = pack.chosen(held_out=held_out)
        self._epoch = -1
        self._cuts: Cuts
        self._batches: list[np.ndarray]

    def count(self, epoch: int) -> int:
        """Batches of an epoch."""
        self._prepare(epoch)
        return len(self._batches)

    def __getitem__(self, place: Place) -> Arrays:
        return self.objective.arrays(self._windows(place), self._rng(place))

    def parts(self, place: Place, n: int) -> list[Arrays]:
        """The batch in up to n parts; in one it is as it would be anyway."""
        if n == 1:
            return [self[place]]
        return self.objective.parts(self._windows(place), self._rng(place), n)

    def _rng(self, place: Place) -> np.random.Generator:
        epoch, number = place
        return np.random.default_rng([self.seed, epoch, 1 + number])

    def _windows(self, place: Place) -> list[Window]:
        epoch, number = place
        self._prepare(epoch)
        limit = max(self.objective.limits)
        return [
            # A window that is longer than its document's limit is one long sentence.
            self.pack.window(
                int(self._cuts.first[k]),
                int(self._cuts.last[k]),
                min(limit, int(self._cuts.lengths[k])),
            )
            for k in self._batches[number]
        ]

    def _prepare(self, epoch: int) -> None:
        if epoch == self._epoch:
            return
        rng = np.random.default_rng([self.seed, epoch, 0])
        limits = rng.choice(self.objective.limits, size=len(self.documents))
        self._cuts = cut(self.pack, self.documents, limits)
        self._batches = batches(self._cuts.lengths, self.budget, rng)
        self._epoch = epoch


def padded(rows: Sequence[np.ndarray], fill: int, multiple: int = 8) -> np.ndarray:
    """Rows of unequal length to a rectangle, int64."""
    width = -(-max(map(len, rows)) // multiple) * multiple
    table = np.full((len(rows), width), fill, dtype=np.int64)
    for row, values in zip(table, rows, strict=True):
        row[: len(values)] = values
    return table


def wanted(targets: Sequence[np.ndarray], others: Sequence[np.ndarray] = ()) -> Arrays:
    """Where predictions are asked for in a padded batch, as flat places, and which.

    Made here, so that an accelerator has neither to look for them nor to wait.
    `others` are for each target what its first token might be as well.
    """
    width = padded(targets, 0).shape[1]
    places = [k * width + np.arange(len(one)) for k, one in enumerate(targets)]
    places += [np.full(len(one), k * width) for k, one in enumerate(others)]
    return {
        "places": np.concatenate(places),
        "labels": np.concatenate([*targets, *others]),
    }
