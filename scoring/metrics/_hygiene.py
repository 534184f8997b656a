"""What must not be learned from, what is held out, and what a label may give away.

A training text is left out where it is, or shares 13 words in a row with, a text that
will be scored (as in the reports on GPT-3 and Llama, who look for leaks so). What was
learned from is kept as hashes, so that a checkpoint knows its own texts again.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scoring.metrics._base import MetricError
from scoring.metrics._training import Training, TrainingData

N = 13  # words
KEPT_OF = 16  # of the runs of words one in so many is kept with a checkpoint
SEEN = "seen.npy"
FOUND = "data.json"
LEFT_OUT = "it is, or shares 13 words in a row with, a text that this was trained on"

_WORD = re.compile(r"\w+")
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)


def grams(text: str) -> np.ndarray:
    """Hashes of all runs of N words, uint64; of all words where there are fewer.

    The same on every machine. Case and marks do not count.
    """
    words = [zlib.crc32(w.encode()) for w in _WORD.findall(text.lower())]
    codes = np.array(words, np.uint64)
    size = min(N, len(codes))
    if not size:
        return codes
    with np.errstate(over="ignore"):
        found = np.full(len(codes) - size + 1, np.uint64(size))
        for k in range(size):
            found = (found ^ codes[k : k + len(found)]) * _FACTOR
            found ^= found >> np.uint64(29)
        found = found * _MIX
        return found ^ (found >> np.uint64(32))


def all_grams(texts: Iterable[str]) -> np.ndarray:
    """Sorted, each once."""
    found = [grams(text) for text in texts]
    return np.unique(np.concatenate(found)) if found else np.empty(0, np.uint64)


def touches(text: str, known: np.ndarray) -> bool:
    """Whether the text has a run of words that is known (sorted)."""
    if not len(known):
        return False
    mine = grams(text)
    places = np.searchsorted(known, mine).clip(max=len(known) - 1)
    return bool((known[places] == mine).any())


def seen(texts: Iterable[str]) -> np.ndarray:
    """What a checkpoint keeps of its texts: some of their runs of words, sorted.

    Of each text the run with the smallest hash, and one in KEPT_OF of the others: a
    copy always shares some, a quotation of a paragraph nearly always.
    """
    kept = []
    for text in texts:
        mine = grams(text)
        if len(mine):
            kept += [mine[mine % np.uint64(KEPT_OF) == 0], mine[[mine.argmin()]]]
    return np.unique(np.concatenate(kept)) if kept else np.empty(0, np.uint64)


def is_held_out(document: str, share: float) -> bool:
    """By the words alone: the same for every seed, and copies never part."""
    words = " ".join(_WORD.findall(document.lower()))
    value = int.from_bytes(hashlib.sha256(words.encode()).digest()[:8], "big")
    return value / 2**64 < share


def separable(lengths: Sequence[float], positive: Sequence[bool]) -> float | None:
    """How well length alone tells the two apart: an AUC, 0.5 to 1. None: one kind."""
    from scipy.stats import rankdata

    yes = np.asarray(positive, bool)
    n, m = int(yes.sum()), int((~yes).sum())
    if not n or not m:
        return None
    auc = (rankdata(lengths)[yes].sum() - n * (n + 1) / 2) / (n * m)
    return float(max(auc, 1 - auc))


def cleaned(
    data: TrainingData, options: Training, folder: Path
) -> tuple[TrainingData, dict[str, Any]]:
    """The data without what must not be learned from, and what was found about it.

    Which texts these are is kept in the folder, so that the next slice need not look.

    Raises:
        MetricError: If too little is left.
    """
    path = folder / FOUND
    if not path.exists():
        _write(path, _looked_at(data, options))
    found = json.loads(path.read_text())
    texts, labels = found.pop("texts"), found.pop("labels")
    rated = found.pop("rated")
    clean = dataclasses.replace(
        data,
        texts=[data.texts[k] for k in texts],
        labels=[data.labels[k] for k in labels],
        rated=[data.rated[k] for k in rated],
    )
    return clean, found


def _looked_at(data: TrainingData, options: Training) -> dict[str, Any]:
    """Positions of what may be learned from, and the facts that people shall know."""
    rng = np.random.default_rng(np.random.SeedSequence(options.seed, spawn_key=(0,)))
    drawn = np.sort(rng.permutation(len(data.texts))[: options.texts]).tolist()
    known = all_grams(data.evaluated)
    texts = [k for k in drawn if data.texts[k].strip()]
    clean = [k for k in texts if not touches(data.texts[k], known)]
    rated = [k for k, one in enumerate(data.rated) if not _touched(one, known)]
    facts = {
        "given": len(data.texts),
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


def _touched(one: Any, known: np.ndarray) -> bool:
    return touches(one.text, known) or touches(one.reference, known)


def _check_enough(facts: dict, texts: int, rated: int, data: TrainingData) -> None:
    left_out = facts["overlapping"] + facts["overlapping_rated"]
    said = ""
    if left_out:
        said = (
            f"; {left_out} were left out because they share {N} words in a row with"
            " texts of the study that is to be scored: choose texts from elsewhere"
        )
    if data.texts and texts < 8:
        raise MetricError(f"expected at least 8 texts to learn from, got {texts}{said}")
    if data.rated and rated < 8:
        raise MetricError(
            f"expected at least 8 rated texts to learn from, got {rated}{said}"
        )


def _write(path: Path, content: dict[str, Any]) -> None:
    waiting = path.with_suffix(f".{os.getpid()}.tmp")
    waiting.write_text(json.dumps(content))
    os.replace(waiting, path)
