"""All documents as token ids in one small folder: what training reads.

tokens.u16.xz   ids of all sentences, one after the other
index.npz       lengths of sentences, sentences of documents, held out or not, source
tokenizer.json  pack.json (counts and provenance)
"""

from __future__ import annotations

import functools
import json
import lzma
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypedDict

import numpy as np

# Ids have two bytes, and are best guessed from the bytes at the same place before.
_FILTERS = [
    {"id": lzma.FILTER_LZMA2, "preset": 9, "lc": 3, "lp": 1, "pb": 1},
]


class Window(NamedTuple):
    """Some sentences in a row of one document."""

    ids: np.ndarray  # (n,) int64
    bounds: np.ndarray  # (sentences + 1,) where they begin and end in ids
    is_end: bool  # of its document


class Facts(TypedDict):
    """Counts of what a pack holds, and where it comes from."""

    made_by: str
    sources: list[str]
    documents: dict[str, int]  # by source, as the next two
    characters: dict[str, int]
    left_out_for_overlap: dict[str, int]
    held_out: int  # documents
    sentences: int
    tokens: int
    unknown_tokens: int
    vocabulary: int
    splitter: str
    hash: str  # of the tokens


@dataclass(frozen=True, eq=False)
class Pack:
    """Token ids of documents, with the bounds of their sentences."""

    folder: Path
    tokens: np.ndarray  # (n,) uint16
    sentences: np.ndarray  # (sentences + 1,) int64: where each begins in tokens
    documents: np.ndarray  # (documents + 1,) int64: where each begins in sentences
    held_out: np.ndarray  # (documents,) bool
    sources: np.ndarray  # (documents,) uint8: place in facts["sources"]
    facts: Facts

    @property
    def vocabulary(self) -> int:
        return int(self.facts["vocabulary"])

    @functools.cached_property
    def ends(self) -> np.ndarray:
        """Whether each sentence is the last of its document, (sentences,) bool."""
        ends = np.zeros(len(self.sentences) - 1, dtype=bool)
        ends[self.documents[1:] - 1] = True
        return ends

    @functools.cached_property
    def counts(self) -> np.ndarray:
        """How often each token occurs, (vocabulary,) int64."""
        return np.bincount(self.tokens, minlength=self.vocabulary)

    def chosen(self, *, held_out: bool) -> np.ndarray:
        """Numbers of the documents to learn from, or of those held out."""
        return np.flatnonzero(self.held_out == held_out)

    def window(self, first: int, last: int, limit: int) -> Window:
        """Sentences first to last, the latter not included, cut to `limit` tokens."""
        bounds = self.sentences[first : last + 1] - self.sentences[first]
        ids = self.tokens[self.sentences[first] : self.sentences[last]][:limit]
        is_end = bool(self.ends[last - 1]) and bounds[-1] <= limit
        return Window(ids.astype(np.int64), np.minimum(bounds, limit), is_end)


def write(
    folder: Path,
    *,
    tokens: np.ndarray,
    lengths: np.ndarray,
    documents: np.ndarray,
    held_out: np.ndarray,
    sources: np.ndarray,
    facts: Mapping[str, object],
) -> None:
    """Write a pack, without its tokenizer.

    Args:
        folder: There already.
        tokens: Ids of all sentences.
        lengths: Tokens of each sentence.
        documents: Sentences of each document.
        held_out: Whether each document is.
        sources: Where each document is from.
        facts: Counts and provenance.
    """
    with lzma.open(folder / "tokens.u16.xz", "wb", filters=_FILTERS) as file:
        file.write(tokens.astype("<u2").tobytes())
    np.savez_compressed(
        folder / "index.npz",
        lengths=lengths.astype(np.uint16),
        documents=documents.astype(np.uint16),
        held_out=held_out.astype(bool),
        sources=sources.astype(np.uint8),
    )
    text = json.dumps(facts, indent=1, ensure_ascii=False)
    (folder / "pack.json").write_text(text + "\n", encoding="utf-8")


def load(folder: Path) -> Pack:
    with lzma.open(folder / "tokens.u16.xz") as file:
        tokens = np.frombuffer(file.read(), dtype="<u2")
    with np.load(folder / "index.npz") as index:
        return Pack(
            folder=folder,
            tokens=tokens,
            sentences=_starts(index["lengths"]),
            documents=_starts(index["documents"]),
            held_out=index["held_out"],
            sources=index["sources"],
            facts=json.loads((folder / "pack.json").read_text(encoding="utf-8")),
        )


def _starts(lengths: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
