"""Which files of a zip file belong together, by what is recognised in them. Pure.

The first file in a zip file once decided, so a README or a list of tasks hid ratings.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from os.path import commonprefix
from pathlib import PurePosixPath
from typing import Any

from annotation.imports import _names
from annotation.imports._problems import Problems, Unreadable, shown
from annotation.imports._source import UTF_16, Limits, Source
from annotation.imports.files import _people
from annotation.imports.files._table import Table

# How files are called that stand beside the data.
BESIDE = (
    *("readme", "license", "licence", "codebook", "code_book", "dictionary", "config"),
    *("data_dictionary", "settings", "metadata", "changelog", "citation", "manifest"),
    *("requirements", "package", "schema", "guidelines", "instructions"),
)
# Columns of files that have answers to texts in another file.
ANSWERS_BY_ID = frozenset(("instance_id_to_label_to_value", "instance_id"))
ALIKE = 0.5  # of all columns of two files are in both
ENOUGH = 3  # known columns: more say no more
RECORDS = 100
SEPARATORS = "_-. "
NAMED = 5  # files, in a note
_KEYS = re.compile(r'"(\w[^"\\\n]{0,60})"\s*:')
Open = Callable[[Source], Table]


@dataclass(frozen=True)
class Member:
    """What the beginning of a file shows."""

    number: int
    name: str
    kind: str = ""
    columns: frozenset[str] = frozenset()  # of objects in objects: the outer names
    n_known: int = 0
    fits: bool = False  # it is a table of two columns or more
    n_bytes: int = 0

    def is_like(self, other: Member) -> bool:
        both = self.columns | other.columns
        shared = len(self.columns & other.columns)
        return self.kind == other.kind and 0 < ALIKE * len(both) <= shared

    @property
    def is_beside(self) -> bool:
        stem = PurePosixPath(self.name).stem.lower().replace("-", "_").replace(" ", "_")
        return stem.startswith(BESIDE)


def of_text(
    number: int, about: dict[str, Any], content: bytes, limits: Limits, opened: Open
) -> Member:
    """Of a file of text, by its beginning."""
    name, n_bytes = about["file"], int(about["bytes"])
    if not about["whole"] and not content.startswith(UTF_16):
        content = content[: content.rfind(b"\n") + 1] or content
    problems = Problems()
    try:
        table = opened(Source(io.BytesIO(content), limits, problems))
        n = len(list(islice(table.records, RECORDS)))
    except Unreadable:
        keys = _KEYS.findall(content.decode(errors="replace"))
        if about["whole"] or content.lstrip()[:1] not in (b"{", b"["):
            return Member(number, name, n_bytes=n_bytes)
        return of_columns(number, name, "json", keys, n_bytes)
    found = of_columns(number, name, table.kind, table.columns, n_bytes)
    is_text = 4 * len(problems.bad_lines) > n
    return replace(found, fits=False) if is_text else found


def of_columns(
    number: int, name: str, kind: str, columns: Sequence[str], n_bytes: int = 0
) -> Member:
    outer = frozenset(column.partition(".")[0] for column in columns)
    known = {c.partition(".")[0] for c in columns if _is_known(c)}
    fits = len(columns) > 1
    return Member(number, name, kind, outer, len(known), fits, n_bytes)


def _is_known(column: str) -> bool:
    """Names of ids say nothing: a list of tasks has them, too."""
    parts = [column, *column.split(".")]
    return any(_names.is_known(one) and not _names.is_of_ids(one) for one in parts)


def chosen(members: Sequence[Member]) -> list[Member]:
    """The files that are alike and in which most is recognised, in their order.

    With them Prolific's export, which says whose answers count.
    """
    exports = [one for one in members if _people.is_export(one.columns)]
    others = [one for one in members if one not in exports]
    if not exports or not others:
        return _alike(members)
    return sorted([*_alike(others), *exports], key=lambda one: one.number)


def _alike(members: Sequence[Member]) -> list[Member]:
    groups: list[list[Member]] = []
    for one in members:
        group = next((g for g in groups if g[0].is_like(one)), None)
        if group is None or one.is_beside != group[0].is_beside:
            groups.append([one])
        else:
            group.append(one)
    best = max(groups, key=_worth)
    others = [group for group in groups if _is_by_id(group) != _is_by_id(best)]
    if not others:
        return best
    joined = max(others, key=_worth)  # answers, and the texts that they are about
    known = any(one.n_known for one in joined) or _is_by_id(joined)
    if not known or joined[0].is_beside:
        return best
    return sorted([*best, *joined], key=lambda one: one.number)


def _is_by_id(group: Sequence[Member]) -> bool:
    """Answers of Potato, which name their texts by id and have none of them."""
    return any(not ANSWERS_BY_ID.isdisjoint(one.columns) for one in group)


def _worth(group: Sequence[Member]) -> tuple[bool, int, bool, int]:
    known = min(ENOUGH, max(one.n_known for one in group))
    size = sum(one.n_bytes for one in group)
    return not group[0].is_beside, known, any(one.fits for one in group), size


def not_read(names: Sequence[str]) -> list[str]:
    """A note on files that were passed over."""
    if not names:
        return []
    told = ", ".join(shown(name) for name in names[:NAMED])
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return [f"Of the files in the zip file these were not read: {told}{more}."]


def part_names(names: Sequence[str]) -> dict[str, str]:
    """What distinguishes files of one kind: coherence_ann.csv, coherence_ben.csv.

    The name of the file; or of its folder, where each has the same file.
    """
    paths = {name: PurePosixPath(name) for name in names}
    found = {name: path.stem for name, path in paths.items()}
    if len(set(found.values())) < len(names):
        found = {name: path.parent.name for name, path in paths.items()}
    if len(set(found.values())) < len(names):
        return {name: str(path.with_suffix("")) for name, path in paths.items()}
    begin = _common(list(found.values()))
    end = _common([one[::-1] for one in found.values()])
    cut = {n: one[begin : len(one) - end] for n, one in found.items()}
    return cut if all(cut.values()) else found


def _common(names: Sequence[str]) -> int:
    """How many characters all begin with, up to a separator."""
    same = commonprefix(names) if len(names) > 1 else ""
    return max(same.rfind(one) for one in SEPARATORS) + 1
