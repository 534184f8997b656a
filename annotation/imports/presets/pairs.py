"""Choices between two texts in one row: response_a, response_b, and who won.

The two columns differ in their ends only (a and b, 1 and 2), and so do those of the
systems, where they are named. Each text comes in once, with its system and its prompt.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

from annotation.imports._account import Account, filled
from annotation.imports._names import USUAL
from annotation.imports._verbs import MOST
from annotation.imports.files import Record, Table
from annotation.imports.presets import _pairs
from annotation.imports.presets._pairs import Pair, Side
from annotation.imports.presets._preset import Preset, Records

ENDS = (("a", "b"), ("1", "2"), ("left", "right"), ("first", "second"))
TEXTS = frozenset(
    "answer assistant completion continuation generation hypothesis output response"
    " story summary text translation".split()
)
SYSTEMS = frozenset("generator model system".split())
CHOICES = (
    *("winner", "preference", "preferred", "choice", "chosen", "label", "vote"),
    *("better", "judgment", "judgement", "human preference", "answer"),
)
NOT_RATED = ("text", "prompt", "system", "rater")  # names of what each row has
RATERS, PROMPTS = USUAL["rater"], (*USUAL["prompt"], *USUAL["source"])
_WORDS = re.compile(r"[^\W_]+")


def _words(name: str) -> str:
    return " ".join(_WORDS.findall(name.lower()))


def _two(names: Sequence[str], stems: frozenset[str]) -> tuple[str, str] | None:
    """Two columns whose names differ in their ends: response_a, response_b."""
    by_words = {_words(name): name for name in names[:MOST]}
    for words, name in by_words.items():
        for one, other in ENDS:
            stem, _, end = words.rpartition(" ")
            last = stem.rpartition(" ")[2]
            if end == one and last in stems and f"{stem} {other}" in by_words:
                return name, by_words[f"{stem} {other}"]
    return None


def _first(cells: dict[str, Any], wanted: Sequence[str], skip: set[str]) -> str:
    """The first column that is called one of these."""
    named = {_words(name): name for name in cells if name not in skip}
    return next((named[one] for one in wanted if one in named), "")


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    texts = _two(table.columns, TEXTS)
    if texts is None:
        return False
    cells = dict.fromkeys(table.columns)
    return bool(_first(cells, CHOICES, set(texts)))


def _pair(record: Record) -> Pair:
    """Columns that end as one of the texts are about that text: score_a, score_b."""
    cells = record.cells
    names = list(cells)
    texts = _two(names, TEXTS) or ("", "")
    systems = _two(names, SYSTEMS) or ("", "")
    known = {*texts, *systems}
    choice = _first(cells, CHOICES, known)
    rater = _first(cells, RATERS, {*known, choice})
    prompt = _first(cells, PROMPTS, {*known, choice, rater})
    votes = {choice, rater}
    both = [str(cells.get(name) or "") for name in texts]
    told = repr((cells.get(prompt), sorted(both)))
    known |= {prompt, choice, rater}
    ends = [_words(name).rpartition(" ")[2] for name in texts]
    more = [_of_side(cells, end, known) for end in ends]
    known |= {name for some in more for name in some}
    one, other = (
        _side(cells, text, system, some)
        for text, system, some in zip(texts, systems, more, strict=True)
    )
    return Pair(
        name=hashlib.sha256(told.encode()).hexdigest()[:16],
        prompt=cells.get(prompt),
        first=one,
        second=other,
        choice=cells.get(choice),
        rater=str(cells.get(rater) or ""),
        question="",
        cells={n: v for n, v in cells.items() if n not in known or n in votes},
    )


def _of_side(cells: dict[str, Any], end: str, known: set[str]) -> dict[str, str]:
    """Columns that say something of one of the texts, and what: score_a is a score."""
    named = {name: _words(name).rpartition(" ") for name in cells if name not in known}
    found = {name: stem for name, (stem, _, last) in named.items() if last == end}
    return {n: stem for n, stem in found.items() if stem and stem not in NOT_RATED}


def _side(cells: dict[str, Any], text: str, system: str, more: dict[str, str]) -> Side:
    named = cells.get(system)
    said = {stem: cells.get(name) for name, stem in more.items()}
    return Side(str(named) if filled(named) else "", cells.get(text), said)


def _unfold(records: Records, account: Account) -> Records:
    return _pairs.texts(records, _pair, account)


def _votes(records: Iterator[Record]) -> Iterator[dict[str, Any]]:
    return _pairs.votes(records, _pair)


PRESET = Preset(
    title="Choices between two texts",
    help=__doc__ or "",
    recognises=_recognises,
    unfold=_unfold,
    votes=_votes,
    note=_pairs.NOT_TAKEN,
    is_general=True,
)
