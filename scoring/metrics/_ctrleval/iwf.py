"""Inverse word frequencies for a model's tokens, from texts of your choice.

python -m scoring.metrics iwf --model MODEL --texts FILE --out FILE

CTRLEval weighs what it predicts by them (Ke et al. 2022, eq. 7). TEXTS holds one text
per line, or with the ending .jsonl one object with "text" per line. OUT becomes one
number per token id and line; what it was made of is written beside it, as .json.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from annotation import sentences
from scoring.metrics._engine import backbones, models
from scoring.metrics._engine.backbones import Backbone
from scoring.metrics._engine.base import MetricError
from scoring.metrics._engine.lines import InputError, read

SLAB = 1000  # texts counted at once
FORMULA = "log(1 + sentences) / sentences with the token"


def frequencies(found: np.ndarray, n: int) -> np.ndarray:
    """IWF(w) = log(1 + |C|) / f_w (eq. 7): float64, (tokens,), [0, inf).

    `found` is f_w, in how many of the `n` sentences each token occurs. Tokens that
    never occur get 0, the lowest weight, as in the table that the authors released.
    """
    iwf = np.zeros(len(found))
    seen = found > 0
    iwf[seen] = math.log(1 + n) / found[seen]
    return iwf


def read_iwf(path: Path, vocabulary: int) -> np.ndarray:
    """Inverse word frequencies, one per token id, float64, shape (vocabulary,).

    Raises:
        MetricError: If the file is not there, or does not fit the model's tokenizer.
    """
    try:
        iwf = np.array(path.read_text(encoding="utf-8").split(), dtype=np.float64)
    except (OSError, ValueError) as error:
        raise MetricError(f"cannot read the table of frequencies: {error}") from error
    if len(iwf) != vocabulary:
        raise MetricError(
            f"{path} has {len(iwf)} numbers, but the model's tokenizer has "
            f"{vocabulary} tokens: the table was made for another tokenizer"
        )
    if not (np.isfinite(iwf).all() and (iwf >= 0).all()):
        raise MetricError(f"{path} holds numbers that are no frequencies")
    return iwf


def write(iwf: np.ndarray, facts: Mapping[str, object], out: Path) -> None:
    """Write a table, and beside it as .json what it was made of."""
    # repr: the shortest text that is read back as the same number.
    out.write_text("".join(f"{value!r}\n" for value in iwf.tolist()), encoding="utf-8")
    text = json.dumps(facts, indent=1, ensure_ascii=False)
    out.with_suffix(".json").write_text(text + "\n", encoding="utf-8")


def counted(backbone: Backbone, texts: Iterable[str]) -> tuple[np.ndarray, int]:
    """In how many sentences each token occurs, (vocabulary,), and how many there are.

    Texts are streamed: memory does not grow with their number.
    """
    found = np.zeros(backbone.vocabulary, dtype=np.int64)
    n = 0
    remaining = iter(texts)
    while slab := list(itertools.islice(remaining, SLAB)):
        split = [one for text in slab for one in sentences.split(text)]
        ids = backbone.ids(split, end=False)
        once = [token for one in split for token in set(ids[one])]
        found += np.bincount(once, minlength=len(found)).astype(np.int64)
        n += len(split)
    found[list(backbone.special)] = 0
    return found, n


class _File:
    """The texts of a file, one per line, and a hash of what was read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.digest = hashlib.sha256()
        self.n = 0

    def __iter__(self) -> Iterator[str]:
        try:
            with self.path.open("rb") as file:
                lines = self._lines(file)
                for text in self._texts(lines):
                    self.n += 1
                    yield text
        except OSError as error:
            raise InputError(f"cannot read {self.path}: {error.strerror}") from error

    def _texts(self, lines: Iterator[bytes]) -> Iterator[str]:
        if self.path.suffix == ".jsonl":
            return (example.text for example, _ in read(lines))
        return filter(str.strip, map(self._decoded, lines))

    def _lines(self, file: Any) -> Iterator[bytes]:
        with _bar(self.path.stat().st_size) as bar:
            for line in file:
                self.digest.update(line)
                yield line
                bar.update(len(line))

    def _decoded(self, line: bytes) -> str:
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError:
            raise InputError(f"{self.path} is not UTF-8: {line[:40]!r}") from None


def _bar(size: int) -> Any:
    from tqdm import tqdm

    # None: only where someone looks, at a terminal.
    return tqdm(total=size, unit="B", unit_scale=True, leave=False, disable=None)


def made(model: str, texts: Path, out: Path) -> dict[str, object]:
    """Make the table and write it; what it was made of.

    Raises:
        InputError: If the texts cannot be read, or there are none.
        MetricError: If there is no such model, or it is of another kind.
    """
    if out.suffix == ".json":
        raise InputError(f"{out}: the .json beside the table says what it was made of")
    if not out.absolute().parent.is_dir():
        raise InputError(f"there is no folder {out.absolute().parent} to write into")
    folder = models.find(model)
    backbone = backbones.load(folder)
    file = _File(texts)
    found, n = counted(backbone, file)
    if not n:
        raise InputError(f"{texts} holds no sentence: expected one text per line")
    facts = {
        "made_by": "python -m scoring.metrics iwf",
        "formula": FORMULA,
        "texts": file.n,
        "texts_hash": f"sha256:{file.digest.hexdigest()[:16]}",
        "sentences": n,
        "tokens": backbone.vocabulary,
        "tokens_never_seen": int((found == 0).sum()) - len(backbone.special),
        "model": models.content_hash(folder),
        "splitter": sentences.NAME,
    }
    write(frequencies(found, n), facts, out)
    return facts


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m scoring.metrics iwf",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--model", required=True, help=models.MODEL_HELP)
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args(arguments)
    for name, value in made(given.model, given.texts, given.out).items():
        print(f"{name}: {value}", file=sys.stderr)
    return 0
