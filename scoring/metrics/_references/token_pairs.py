"""Texts compared with their references token by token."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scoring.metrics._engine import batches
from scoring.metrics._engine.base import Example, Progress, Scores
from scoring.metrics._engine.batches import Meter
from scoring.metrics._references import several
from scoring.metrics._references.tokens import Row, TokenEncoder

if TYPE_CHECKING:
    import torch

BUDGET = 8192  # tokens of both sides of a batch of pairs
# Tokens whose vectors are held at once: 130 MB for a model of width 1024.
HELD = 32_768
CUT = (
    "Some texts or references are longer than the model's limit: only their beginning"
    " was compared."
)
UNDEFINED = "the text, or each of its references, has no token that counts"


class Side(NamedTuple):
    """The texts, or the references, of a batch of pairs, padded to the longest."""

    vectors: torch.Tensor  # (pairs, tokens, width) float32, of length 1; 0 in padding
    weights: torch.Tensor  # (pairs, tokens) float32, >= 0; 0 if special, or padding
    real: torch.Tensor  # (pairs, tokens) bool, special tokens included


# Numbers of each pair of a batch, (pairs, keys); NaN where there is none.
Match = Callable[[Side, Side], np.ndarray]


class TokenScorer:
    """Scores texts by comparing their tokens with those of their references."""

    def __init__(
        self,
        signature: str,
        encoder: TokenEncoder,
        match: Match,
        keys: Sequence[str],
        aggregate: str,
        undefined: Mapping[str, str],
    ) -> None:
        """`undefined` says by key why a pair may have no number."""
        self.signature = signature
        self.encoder = encoder
        self._match = match
        self._keys = keys
        self._aggregate = aggregate
        self._undefined = undefined

    def __call__(
        self, examples: Sequence[Example], progress: Progress | None = None
    ) -> Scores:
        """Score texts."""
        alive = Meter(progress)  # `over` tells of texts, this of batches in between
        is_cut = False

        def pairs(texts: list[str], references: list[str]) -> dict[str, np.ndarray]:
            nonlocal is_cut
            both = list(zip(texts, references, strict=True))
            rows = self.encoder.rows(list(dict.fromkeys(itertools.chain(*both))))
            is_cut |= any(row.is_cut for row in rows.values())
            found = self._compare(both, rows, alive)
            found[[not text for text in texts]] = 0  # it has only special tokens
            return dict(zip(self._keys, found.T, strict=True))

        scores = several.over(
            examples,
            pairs,
            keys=self._keys,
            aggregate=self._aggregate,
            undefined=self._undefined,
            progress=progress,
        )
        return scores._replace(notes=(CUT,) if is_cut else ())

    def _compare(
        self, pairs: Sequence[tuple[str, str]], rows: Mapping[str, Row], alive: Meter
    ) -> np.ndarray:
        """What the match says of each pair, (pairs, keys)."""
        import torch

        found = np.full((len(pairs), len(self._keys)), np.nan)
        with torch.inference_mode():
            for slab in _slabs(_lengths(pairs, rows)):
                found[slab] = self._slab(pairs[slab], rows, alive)
        return found

    def _slab(
        self, pairs: Sequence[tuple[str, str]], rows: Mapping[str, Row], alive: Meter
    ) -> np.ndarray:
        texts = list(dict.fromkeys(itertools.chain(*pairs)))
        own = [rows[text] for text in texts]
        vectors = self.encoder.embed(own, alive)
        weights = self.encoder.weights(own)
        starts = np.cumsum([0, *(len(row.ids) for row in own)])
        spans = itertools.starmap(range, itertools.pairwise(starts))
        places = dict(zip(texts, spans, strict=True))
        found = np.full((len(pairs), len(self._keys)), np.nan)

        def side(chosen: Sequence[str]) -> Side:
            index, real = batches.pad([places[one] for one in chosen], starts[-1])
            there = batches.to(index, self.encoder.device)
            return Side(vectors[there], weights[there], there < int(starts[-1]))

        def work(batch: list[int], budget: int) -> None:
            left, right = zip(*(pairs[k] for k in batch), strict=True)
            found[batch] = self._match(side(left), side(right))
            alive(1)

        batches.run(_lengths(pairs, rows), BUDGET, work)
        return found


def _lengths(pairs: Sequence[tuple[str, str]], rows: Mapping[str, Row]) -> list[int]:
    """Tokens of each pair."""
    return [sum(len(rows[text].ids) for text in pair) for pair in pairs]


def _slabs(lengths: Sequence[int]) -> Iterator[slice]:
    """Pairs in order, as many as have `HELD` tokens together, and one at least."""
    start = held = 0
    for k, length in enumerate(lengths):
        if held + length > HELD and k > start:
            yield slice(start, k)
            start, held = k, 0
        held += length
    yield slice(start, len(lengths))
