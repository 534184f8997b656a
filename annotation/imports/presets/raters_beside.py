"""Raters named in cells beside their ratings: rater1, coherence1, rater2, coherence2.

The number says which rating is whose. Each rater's ratings of the text are a row.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import chain

from annotation.imports import _verbs
from annotation.imports._account import Account, filled
from annotation.imports._cells import is_missing, number
from annotation.imports._names import ASPECTS, USUAL, numbered, words_of
from annotation.imports._profile import FIRST
from annotation.imports._verbs import Part
from annotation.imports.files import Record, Table, beginning
from annotation.imports.presets._preset import Preset, Records

RATER, PLACE = "rater", "place of the rater"


def _raters(names: Collection[str]) -> dict[str, str]:
    """Columns with the names of raters, by number: rater1, worker_id_3, rater1_name."""
    by_number: dict[str, str] = {}
    for name in names:
        stem, n = numbered(_head(name))
        if n and words_of(stem) in USUAL["rater"]:
            by_number.setdefault(n, name)
    return by_number if len(by_number) > 1 else {}


def _head(name: str) -> str:
    """rater1_name -> rater1: what columns about this rater begin or end with."""
    return words_of(name).removesuffix(" name").removesuffix(" id")


def _parts(names: Collection[str]) -> dict[str, Part]:
    """Where columns go that belong to one of the raters."""
    raters = _raters(names)
    parts = {name: Part(n, RATER) for n, name in raters.items()}
    for name in names:
        if name not in parts and (part := _part(name, raters)):
            parts[name] = part
    return parts


def _part(name: str, raters: Mapping[str, str]) -> Part | None:
    """rater1_coherence, coherence_rater1 and coherence1 are all coherence."""
    words = words_of(name)
    for n, rater in raters.items():
        head = _head(rater)
        for rest in (words.removeprefix(f"{head} "), words.removesuffix(f" {head}")):
            if rest != words:
                return Part(n, rest)
    stem, n = numbered(name)
    return Part(n, stem) if stem and n in raters else None


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    """Each rater has ratings beside: else the columns hold the ratings themselves."""
    names = dict.fromkeys(name for record in first for name in record.cells)
    raters, parts = _raters(names), _parts(names)
    rated = {
        part.item
        for name, part in parts.items()
        if part.name != RATER and _may_be_rated(name, part.name, first)
    }
    return bool(raters) and rated == set(raters)


def _may_be_rated(name: str, about: str, first: Sequence[Record]) -> bool:
    if ASPECTS.intersection(words_of(about).split()):
        return True
    cells = [cell for r in first if filled(cell := r.cells.get(name))]
    numbers = [c for c in cells if number(c) is not None or is_missing(c)]
    return 2 * len(numbers) > len(cells)


def _unfold(records: Records, account: Account) -> Records:
    first = beginning(records, FIRST)
    parts = _parts(dict.fromkeys(name for record in first for name in record.cells))
    rows = _verbs.melt(chain(first, records), parts.get, account, PLACE, alone=True)
    for line, cells in rows:
        yield Record(line, {n: cell for n, cell in cells.items() if n != PLACE})


PRESET = Preset(
    title="Raters named beside their ratings",
    help=__doc__ or "",
    recognises=_recognises,
    unfold=_unfold,
    is_general=True,
)
