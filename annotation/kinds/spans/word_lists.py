"""The words of a text in lists, to mark some of them without pointing.

Without a script the form comes back to the list that it left: `Returned` says which,
and what was chosen there if that was too little for a mark.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode

from django.utils.translation import gettext

from annotation.kinds.spans import form_fields
from annotation.kinds.spans.marks import SOURCE
from annotation.kinds.spans.scheme import Scheme
from annotation.kinds.spans.sides import MarkedUnit, Side
from scoring.stats.spans.marks import SIDES

MOST_LISTED = 600  # words in a list; of longer texts their numbers are typed
MOST_POSITIONS = 1000


class Returned(NamedTuple):
    """The list that a form came back to."""

    position: int
    side: str
    chosen: Mapping[str, str] | None = None  # None: enough for a mark, which is added

    @property
    def name(self) -> str:
        return list_name(self.position, self.side)

    def written(self) -> str:
        return (
            self.name
            if self.chosen is None
            else f"{self.name}?{urlencode(self.chosen)}"
        )

    @classmethod
    def read(cls, written: str) -> Returned | None:
        """As `written` has it, or the button of a list; None for anything else."""
        name, is_short, query = written.partition("?")
        kind, _, place = name.partition("-")
        position, _, side = place.partition("-")
        if kind != "list" or side not in SIDES or len(written) > form_fields.LONGEST:
            return None
        number = form_fields.number(position, MOST_POSITIONS)
        fields = dict(parse_qsl(query)) if is_short else None
        return cls(number, side, fields) if number else None


def returned_to(
    about: str, data: Mapping[str, str], units: Mapping[int, MarkedUnit], scheme: Scheme
) -> Returned | None:
    """The list whose button was pressed, with what was chosen there if that was too
    little for a mark; None: it was no button of a list."""
    returned = Returned.read(about)
    unit = units.get(returned.position) if returned else None
    sides_of_text = (
        {str(name): side for name, side in unit.sides.items()} if unit else {}
    )
    side = sides_of_text.get(returned.side) if returned else None
    if returned is None or side is None:
        return None
    fields = form_fields.fields_of_mark(returned.position, data, side.name)
    if form_fields.lacking(fields, side, scheme):
        return returned._replace(chosen=fields)
    return returned._replace(chosen=None)


def list_name(position: int, side: str) -> str:
    return f"list-{position}-{side}"


@dataclass(frozen=True)
class WordList:
    position: int
    side: Side
    scheme: Scheme
    returned: Returned | None = None

    @property
    def name(self) -> str:
        return list_name(self.position, self.side.name)

    @property
    def is_open(self) -> bool:
        return self.returned is not None and self.returned.name == self.name

    @property
    def chosen(self) -> Mapping[str, str]:
        """By field; empty where nothing was, or a mark was made of it."""
        return (self.is_open and self.returned and self.returned.chosen) or {}

    @property
    def problem(self) -> str:
        """What is still to choose, to those who wanted to add a mark."""
        if not self.is_open or self.returned is None or self.returned.chosen is None:
            return ""
        lacking = form_fields.lacking(self.chosen, self.side, self.scheme)
        return _problem(", ".join(self.labels[what] for what in lacking))

    @property
    def short(self) -> str:
        """The same for a script, which fills in the fields."""
        return _problem("{fields}")

    @property
    def labels(self) -> dict[str, str]:
        return {
            "from": gettext("First word"),
            "category": gettext("Error"),
            "severity": gettext("Severity"),
        }

    @property
    def is_source(self) -> bool:
        return self.side.name == SOURCE

    @property
    def n(self) -> int:
        return len(self.side.words)

    @property
    def is_listed(self) -> bool:
        return self.n <= MOST_LISTED

    @property
    def words(self) -> list[tuple[int, str]]:
        text = self.side.shown
        return [
            (number, text[start:end])
            for number, (start, end) in enumerate(self.side.words, start=1)
        ]

    @property
    def names(self) -> dict[str, str]:
        return {
            what: form_fields.add_name(what, self.position, self.side.name)
            for what in form_fields.OF_A_MARK
        }

    @property
    def ends(self) -> list[tuple[str, str, int | None]]:
        """The fields of the first and the last word, with labels and choices."""
        labels = {"from": gettext("First word"), "to": gettext("Last word")}
        return [
            (
                self.names[what],
                label,
                form_fields.number(self.chosen.get(what, ""), self.n),
            )
            for what, label in labels.items()
        ]


def _problem(fields: str) -> str:
    return gettext("Not added yet. Please choose: %(fields)s") % {"fields": fields}
