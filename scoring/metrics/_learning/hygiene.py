"""Which texts must not be learned from, which are held out, and what length gives away.

A training text is left out where it is, or shares 13 words in a row with, a text that
will be scored (as in the reports on GPT-3 and Llama, who look for leaks so). A text of
fewer words is only found where it is the whole of another. What was learned from is
kept as hashes, so that a checkpoint knows its own texts again.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scoring.metrics._engine.base import MetricError
from scoring.metrics._learning.training import Rated, Training, TrainingData, waiting

N = 13  # words
SLAB = 256  # texts that are hashed together: their words fit into the cache
KEPT_OF = 16  # of the runs of words one in so many is kept with a checkpoint
SEEN = "seen.npy"
FOUND = "data.json"
LEFT_OUT = (
    "the metric was trained on this text, or on one that shares 13 words in a row with"
    " it"
)

_NOTHING = np.empty(0, np.uint64)
_WORD = re.compile(r"\w+")
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)


def grams(text: str) -> np.ndarray:
    """Hashes of all runs of N words, uint64, in their order, (max(1, words - N + 1),).

    Of all words where there are fewer than N: such a hash is that of a whole text, and
    no run of N words has it. Empty where there is no word. The same on every machine.
    Case and marks do not count.
    """
    return next(_slabs([text]))[0]


def all_grams(texts: Iterable[str]) -> np.ndarray:
    """Sorted, each once."""
    found = [hashes for hashes, _ in _slabs(list(texts))]
    return np.unique(np.concatenate([np.empty(0, np.uint64), *found]))


def touches(text: str, known: np.ndarray) -> bool:
    """Whether the text has a run of words that is known (sorted)."""
    return bool(touching([text], known)[0])


def touching(texts: Sequence[str], known: np.ndarray) -> np.ndarray:
    """Which of the texts have a run of words that is known (sorted), (n,) of bool."""
    found = np.zeros(len(texts), bool)
    if len(known):
        for hashes, owners in _slabs(texts):
            places = np.searchsorted(known, hashes).clip(max=len(known) - 1)
            found[owners[known[places] == hashes]] = True
    return found


def seen(texts: Iterable[str]) -> np.ndarray:
    """What a checkpoint keeps of its texts: some of their runs of words, sorted.

    Of each text the run with the smallest hash, and one in KEPT_OF of the others: a
    copy always shares some, a quotation of a paragraph nearly always.
    """
    kept = [_NOTHING]
    for hashes, owners in _slabs(list(texts)):
        if len(hashes):
            firsts = np.flatnonzero(np.diff(owners, prepend=-1))
            least = np.minimum.reduceat(hashes, firsts)
            kept += [hashes[hashes % np.uint64(KEPT_OF) == 0], least]
    return np.unique(np.concatenate(kept))


def seen_by(folder: Path) -> np.ndarray:
    """What the checkpoint in that folder keeps of its texts; nothing, if it is none."""
    path = folder / SEEN
    return np.load(path, allow_pickle=False) if path.exists() else _NOTHING


def _slabs(texts: Sequence[str]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Hashes of the runs of all texts and whose they are, some hundred texts a time."""
    for start in range(0, len(texts), SLAB):
        rows = [_codes(text) for text in texts[start : start + SLAB]]
        lengths = np.array([len(row) for row in rows])
        sizes = np.repeat(np.minimum(lengths, N), lengths)
        owners = np.repeat(np.arange(len(rows)), lengths)
        left = np.repeat(lengths.cumsum(), lengths) - np.arange(lengths.sum())
        codes = np.array([code for row in rows for code in row], np.uint64)
        begins = left >= sizes
        yield _hashes(codes, sizes)[begins], owners[begins] + start


def _codes(text: str) -> list[int]:
    return [zlib.crc32(word.encode()) for word in _WORD.findall(text.lower())]


def _hashes(codes: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Of the run that begins at each word; past the end of all it means nothing."""
    found = sizes.astype(np.uint64)
    with np.errstate(over="ignore"):
        for k in range(N):
            reached = found[: len(codes) - k] if k < len(codes) else found[:0]
            mixed = (reached ^ codes[k:]) * _FACTOR
            mixed ^= mixed >> np.uint64(29)
            np.copyto(reached, mixed, where=sizes[: len(mixed)] > k)
        found *= _MIX
    return found ^ (found >> np.uint64(32))


def place(document: str) -> float:
    """A number in [0, 1) of the words alone: the same for every seed and for copies."""
    words = " ".join(_WORD.findall(document.lower()))
    value = int.from_bytes(hashlib.sha256(words.encode()).digest()[:6], "big")
    return value / 2**48


def is_held_out(document: str, share: float) -> bool:
    """Whether its place is below the share."""
    return place(document) < share


def auc(scores: Sequence[float] | np.ndarray, positive: Any) -> float | None:
    """Share of pairs of a positive and a negative in the right order; ties half.

    Args:
        scores: (n,)
        positive: (n,) of what is true.

    Returns:
        [0, 1]; None where there is one kind only.
    """
    from scipy.stats import rankdata

    yes = np.asarray(positive, bool)
    n, m = int(yes.sum()), int((~yes).sum())
    if not n or not m:
        return None
    return float((rankdata(scores)[yes].sum() - n * (n + 1) / 2) / (n * m))


def separable(lengths: Sequence[float], positive: Any) -> float | None:
    """How well length alone tells two kinds apart: an AUC, 0.5 to 1; None for one."""
    found = auc(lengths, positive)
    return None if found is None else max(found, 1 - found)


def cleaned(
    data: TrainingData, options: Training, folder: Path
) -> tuple[TrainingData, dict[str, object]]:
    """The data without what must not be learned from, and what was found about it.

    Which texts these are is kept in the folder, so that the next slice need not look:
    it learns from the same, whatever else is to be scored by then.

    Raises:
        MetricError: If too little is left, or the data are not those of the folder.
    """
    path = folder / FOUND
    if not path.exists():
        _write(path, _looked_at(data, options))
    found = json.loads(path.read_text())
    if (found["given"], found["given_rated"]) != (len(data.texts), len(data.rated)):
        raise MetricError(
            f"{folder} holds a training on {found['given']:,} texts and"
            f" {found['given_rated']:,} rated ones, got {len(data.texts):,} and"
            f" {len(data.rated):,}: start a new training"
        )
    texts, labels = found.pop("texts"), found.pop("labels")
    rated = found.pop("rated")
    clean = dataclasses.replace(
        data,
        texts=[data.texts[k] for k in texts],
        labels=[data.labels[k] for k in labels],
        sources=[data.sources[k] for k in texts] if data.sources else [],
        rated=[data.rated[k] for k in rated],
    )
    return clean, found


def _looked_at(data: TrainingData, options: Training) -> dict[str, object]:
    """Positions of what may be learned from, and the facts that people shall know."""
    if data.labels and len(data.labels) != len(data.texts):
        raise MetricError(
            f"expected a label for each of {len(data.texts):,} texts, got"
            f" {len(data.labels):,}"
        )
    rng = np.random.default_rng(np.random.SeedSequence(options.seed, spawn_key=(0,)))
    drawn = np.sort(rng.permutation(len(data.texts))[: options.texts]).tolist()
    known = all_grams([*data.evaluated, *data.tests])
    texts = [k for k in drawn if data.texts[k].strip()]
    leaks = touching([data.texts[k] for k in texts], known)
    clean = [k for k, leak in zip(texts, leaks, strict=True) if not leak]
    rated = list(range(len(data.rated)))
    if not data.cross_fitted:  # else each fold looks for itself
        rated = np.flatnonzero(~touched(data.rated, known)).tolist()
    facts = {
        "given": len(data.texts),
        "given_rated": len(data.rated),
        "drawn": len(drawn),
        "empty": len(drawn) - len(texts),
        "overlapping": len(texts) - len(clean),
        "overlapping_rated": len(data.rated) - len(rated),
        "evaluated": len(data.evaluated),
        "held_out": sum(is_held_out(data.texts[k], options.held_out) for k in clean),
        "classes": dict(Counter(data.labels[k] for k in clean).most_common(50))
        if data.labels
        else {},
    }
    _check_enough(facts, len(clean), len(rated), data)
    labels = clean if data.labels else []
    return facts | {"texts": clean, "labels": labels, "rated": rated}


def touched(rated: Sequence[Rated], known: np.ndarray) -> np.ndarray:
    """Whose text or reference has a run of words that is known, (n,) of bool."""
    texts = touching([one.text for one in rated], known)
    return texts | touching([one.reference for one in rated], known)


def _check_enough(
    facts: Mapping[str, Any], texts: int, rated: int, data: TrainingData
) -> None:
    left_out = facts["overlapping"] + facts["overlapping_rated"]
    said = ""
    if left_out:
        said = (
            f"; {left_out} were left out because they share {N} words in a row with"
            f" texts {'of the test corpus or ' if data.tests else ''}of the study that"
            " will be scored: choose texts from another source"
        )
    if data.texts and texts < 8:
        raise MetricError(f"expected at least 8 texts to learn from, got {texts}{said}")
    if data.rated and rated < 8:
        raise MetricError(
            f"expected at least 8 rated texts to learn from, got {rated}{said}"
        )


def _write(path: Path, content: Mapping[str, object]) -> None:
    file = waiting(path)
    file.write_text(json.dumps(content))
    os.replace(file, path)
