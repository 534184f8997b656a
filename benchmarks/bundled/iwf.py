"""Inverse word frequencies for the bundled tokenizer (Ke et al. 2022, eq. 7).

python -m benchmarks.bundled.iwf --pack FOLDER --out FILE

IWF(w) = log(1 + |C|) / f_w with |C| sentences, f_w of which contain w. One number per
token id and line; 0 for special tokens and for those that never occur, as in the table
that the authors released. What it was made of is written beside it, as FILE.json.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from benchmarks.bundled import pack
from benchmarks.bundled.pack import Pack
from benchmarks.bundled.vocabulary import SPECIAL
from scoring.metrics import iwf as _iwf

SLAB = 200_000  # sentences counted at once


def table(source: Pack) -> tuple[np.ndarray, int]:
    """IWF of each token, (vocabulary,), and the number of sentences.

    Of the documents to learn from: what is held out stays unseen here, too.
    """
    found = np.zeros(source.vocabulary, dtype=np.int64)
    documents = np.repeat(~source.held_out, np.diff(source.documents))
    chosen = np.flatnonzero(documents)
    for start in range(0, len(chosen), SLAB):
        found += _containing(source, chosen[start : start + SLAB])
    found[: len(SPECIAL)] = 0
    return _iwf.frequencies(found, len(chosen)), len(chosen)


def write(source: Pack, out: Path) -> dict[str, object]:
    """Write the table and its provenance; the latter is returned."""
    iwf, n = table(source)
    facts = {
        "made_by": "python -m benchmarks.bundled.iwf",
        "formula": _iwf.FORMULA,
        "sentences": n,
        "tokens_never_seen": int((iwf == 0).sum()) - len(SPECIAL),
        "pack": source.facts["hash"],
        "documents": source.facts["documents"],
        "splitter": source.facts["splitter"],
    }
    _iwf.write(iwf, facts, out)
    return facts


def _containing(source: Pack, sentences: np.ndarray) -> np.ndarray:
    """How many of the sentences contain each token."""
    lengths = np.diff(source.sentences)[sentences]
    number = np.repeat(np.arange(len(sentences)), lengths)
    first = np.repeat(source.sentences[sentences] - _before(lengths), lengths)
    ids = source.tokens[first + np.arange(len(number))].astype(np.int64)
    once = np.unique(number * source.vocabulary + ids)
    return np.bincount(once % source.vocabulary, minlength=source.vocabulary)


def _before(lengths: np.ndarray) -> np.ndarray:
    return np.cumsum(lengths) - lengths


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    for name, value in write(pack.load(options.pack), options.out).items():
        print(f"{name}: {value}")


if __name__ == "__main__":
    main()
