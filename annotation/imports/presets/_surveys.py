"""Surveys with a row for each person and a column for each text. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from annotation.imports import _verbs
from annotation.imports._account import Account, filled
from annotation.imports.files import Record
from annotation.imports.presets import _grids
from annotation.imports.presets._preset import Records
from annotation.imports.presets.google_forms import heads

OF_SURVEY = "it is about the survey, not about the texts"


def plain(column: str) -> str:
    """As it is compared: LimeSurvey ends the names of columns with a full stop."""
    return column.strip().rstrip(".").lower()


@dataclass(frozen=True)
class Survey:
    """Columns of a program, by their plain names."""

    who: Sequence[str]  # which people answered, the best one first
    own: Collection[str]  # about the survey

    def unfold(self, records: Records, account: Account) -> Records:
        """A row for each text and person."""
        for line, cells in records:
            named = {plain(c): v for c, v in cells.items() if plain(c) in self.who}
            who = next((named[n] for n in self.who if filled(named.get(n))), line)
            own = {c: v for c, v in cells.items() if plain(c) in self.own}
            _verbs.set_aside(own, account, OF_SURVEY)
            rest = {
                c: v
                for c, v in cells.items()
                if plain(c) not in self.who and plain(c) not in self.own
            }
            record = Record(line, {"rater": str(who), **rest})
            part_of = _grids.parts(heads(rest)).get
            rows = _verbs.melt(iter([record]), part_of, account)
            yield from _grids.ratings_only(rows, account)
