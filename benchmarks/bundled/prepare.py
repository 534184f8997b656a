"""Make the pack that all bundled models are trained on from collections of text.

python -m benchmarks.bundled.prepare --data DIR --out FOLDER

Cleans the documents, leaves out what touches texts that people have rated, holds out
2 %, trains the tokenizer on the rest, splits sentences and writes their token ids.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

from annotation import sentences
from benchmarks.bundled import cooccurrence, overlap, pack, texts, vocabulary
from benchmarks.bundled.texts import Document

# Characters of each collection that the tokenizer sees, spread evenly over it: the
# reviews alone would not tell it about computers and politics.
BUDGETS = {"imdb": 40_000_000, "20newsgroups": 20_000_000, "books": 14_000_000}
SLAB = 2000  # documents tokenized at once
SEED = 2022  # of the decomposition
LONGEST = 4000  # tokens; a longer "sentence" is a table


class Encoded(NamedTuple):
    """Token ids of documents."""

    tokens: np.ndarray  # (n,) uint16
    lengths: np.ndarray  # (sentences,)
    documents: np.ndarray  # (documents,) sentences of each


def prepare(data: Path, out: Path, *, size: int = vocabulary.SIZE) -> pack.Facts:
    """Write the pack; what was counted on the way."""
    out.mkdir(parents=True, exist_ok=True)
    found, left_out = clean(data)
    train = [d for d in found if not texts.is_held_out(d.text)]
    tokenizer = vocabulary.train(sample(train), size)
    tokenizer.save(str(out / vocabulary.FILE))
    encoded = encode(found, tokenizer)
    # A document of which nothing is left has no place in the index.
    kept = encoded.documents > 0
    found = [d for d, keep in zip(found, kept, strict=True) if keep]
    held_out = np.array([texts.is_held_out(d.text) for d in found])
    names = list(texts.SOURCES)
    facts: pack.Facts = {
        "made_by": "python -m benchmarks.bundled.prepare",
        "sources": names,
        "documents": dict(Counter(d.source for d in found)),
        "characters": dict(_characters(found)),
        "held_out": int(held_out.sum()),
        "left_out_for_overlap": left_out,
        "sentences": len(encoded.lengths),
        "tokens": len(encoded.tokens),
        "unknown_tokens": int((encoded.tokens == vocabulary.UNK).sum()),
        "vocabulary": tokenizer.get_vocab_size(),
        "splitter": sentences.NAME,
        "hash": _hash(encoded.tokens),
    }
    pack.write(
        out,
        tokens=encoded.tokens,
        lengths=encoded.lengths,
        documents=encoded.documents[kept],
        held_out=held_out,
        sources=np.array([names.index(d.source) for d in found]),
        facts=facts,
    )
    cooccurrence.write(pack.load(out), np.random.default_rng(SEED))
    return facts


def clean(data: Path) -> tuple[list[Document], dict[str, int]]:
    """Documents to learn from, and how many of each source touch rated texts."""
    known = overlap.grams(overlap.rated(data))
    found, left_out = [], Counter(dict.fromkeys(texts.SOURCES, 0))
    for document in tqdm(texts.read(data), desc="clean", unit=" documents"):
        if overlap.touches(document.text, known):
            left_out[document.source] += 1
        else:
            found.append(document)
    return found, dict(left_out)


def sample(documents: Sequence[Document]) -> Iterator[str]:
    """Every k-th document of each source."""
    for source, budget in BUDGETS.items():
        own = [d.text for d in documents if d.source == source]
        yield from own[:: max(1, round(sum(map(len, own)) / budget))]


def encode(documents: Sequence[Document], tokenizer: Any) -> Encoded:
    """Split into sentences, and these into tokens."""
    tokens: list[np.ndarray] = []
    lengths: list[int] = []
    counts: list[int] = []
    bar = tqdm(total=len(documents), desc="encode", unit=" documents")
    for slab in _slabs(documents, SLAB):
        split = [_sentences(document.text) for document in slab]
        flat = [sentence for one in split for sentence in one]
        rows = tokenizer.encode_batch_fast(flat, add_special_tokens=False)
        ids = iter([row.ids for row in rows])
        for one in split:
            own = [i for i in islice(ids, len(one)) if 0 < len(i) <= LONGEST]
            counts.append(len(own))
            lengths += map(len, own)
            tokens += [np.array(i, dtype=np.uint16) for i in own]
        bar.update(len(slab))
    bar.close()
    joined = np.concatenate(tokens) if tokens else np.empty(0, np.uint16)
    return Encoded(joined, np.array(lengths), np.array(counts))


def _sentences(text: str) -> list[str]:
    return [one for line in text.split("\n") for one in sentences.split(line)]


def _slabs(items: Sequence[Document], size: int) -> Iterator[Sequence[Document]]:
    return (items[start : start + size] for start in range(0, len(items), size))


def _characters(documents: Iterable[Document]) -> Counter[str]:
    found: Counter[str] = Counter()
    for document in documents:
        found[document.source] += len(document.text)
    return found


def _hash(tokens: np.ndarray) -> str:
    return f"sha256:{hashlib.sha256(tokens.tobytes()).hexdigest()[:16]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of text_*")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    for name, value in prepare(options.data, options.out).items():
        print(f"{name}: {value}")
    size = sum(path.stat().st_size for path in options.out.iterdir())
    print(f"{options.out}: {size / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
