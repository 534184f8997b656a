"""What a judge may mark: categories and severities of errors, and what they cost.

Written as JSON, as a study has it for people; without any, two severities as in ESA
(Kocmi et al. 2024, arXiv 2406.11580).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from annotation import storable
from scoring.errors import OptionError
from scoring.metrics.judge.questions import digest
from scoring.penalties import Error, Weights, penalty

LONGEST, MOST_NAMES = 1000, 50  # characters of a text, and names in a list
FIELDS = ("categories", "severities", "weights", "most", "missing", "opening", "source")


class Named(NamedTuple):
    """A category or a severity."""

    key: str
    name: str
    weight: float | None = None  # of a category: of the whole text, where it is marked
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class ErrorScheme:
    """What can be marked, and what it costs."""

    categories: tuple[Named, ...] = ()
    severities: tuple[Named, ...] = ()
    # Of a category at a severity, in place of the weight of the severity.
    weights: tuple[tuple[str, str, float], ...] = ()
    most: int | None = None  # errors that count in one text: the dearest
    missing: bool = True  # whether places are marked where something is missing
    opening: bool = False  # whether errors are marked in the opening
    source: bool = False  # whether errors are marked in the source

    def penalty(self, marked: Iterable[tuple[str, str]]) -> float:
        """What the errors of a text cost together, as `scoring.penalties` adds it up.

        Args:
            marked: Category and severity of each.
        """
        return penalty((Error(*pair) for pair in marked), self.costs)

    @property
    def costs(self) -> Weights:
        """What an error costs; 1 where its severity has no weight."""
        return Weights(
            severities=_weights(self.severities),
            exceptions={(of, at): weight for of, at, weight in self.weights},
            whole=_weights(self.categories),
            most=self.most,
            other=1.0,
        )

    @property
    def digest(self) -> str:
        """For the signature."""
        return digest(self.as_json())

    def as_json(self) -> dict[str, Any]:
        lists = {
            name: [list(row) for row in getattr(self, name)] for name in FIELDS[:3]
        }
        return lists | {name: getattr(self, name) for name in FIELDS[3:]}


ESA = ErrorScheme(
    severities=(Named("minor", "Minor", 1.0), Named("major", "Major", 5.0))
)


def parse(text: str) -> ErrorScheme:
    """Read a scheme; an empty text is that of ESA.

    {"categories": [{"key": ..., "name": ...}], "severities": [{"key": ..., "name": ...,
    "weight": 5}], ...}; a category may have "alone", the weight of a whole text, and
    both may have a "meaning".

    Raises:
        OptionError: If it is none.
    """
    if not text.strip():
        return ESA
    try:
        fields = json.loads(text)
        if storable.problem_in(fields):
            raise ValueError
        return _scheme(fields)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise OptionError(
            'scheme: expected JSON such as {"categories": [{"key": "style", "name":'
            ' "Style"}], "severities": [{"key": "major", "name": "Major", "weight":'
            " 5}]}"
        ) from None


def _scheme(fields: Mapping[str, Any]) -> ErrorScheme:
    if not {*fields} <= {*FIELDS}:
        raise ValueError
    switches = {name: fields[name] for name in FIELDS[4:] if name in fields}
    most = fields.get("most")
    if not all(isinstance(switch, bool) for switch in switches.values()):
        raise ValueError
    if most is not None and (type(most) is not int or most < 1):
        raise ValueError
    return ErrorScheme(
        _names(fields.get("categories", ()), "alone"),
        _names(fields.get("severities", ()), "weight"),
        tuple(
            (_word(a), _word(b), _number(weight))
            for a, b, weight in fields.get("weights", ())
        ),
        most,
        **switches,
    )


def _names(rows: Any, weight: str) -> tuple[Named, ...]:
    names = tuple(
        Named(
            _word(row["key"]),
            _word(row["name"]),
            None if row.get(weight) is None else _number(row[weight]),
            _word(row.get("meaning", "")),
        )
        for row in rows
    )
    keys = {entry.key for entry in names}
    if len(keys) < len(names) or len(names) > MOST_NAMES or "" in keys:
        raise ValueError
    return names


def _weights(names: Iterable[Named]) -> dict[str, float]:
    """Of those that have one."""
    return {name.key: name.weight for name in names if name.weight is not None}


def _word(word: Any) -> str:
    if not isinstance(word, str) or len(word) > LONGEST:
        raise ValueError
    return word


def _number(number: Any) -> float:
    if isinstance(number, bool) or not 0 <= float(number) <= 1e6:
        raise ValueError
    return float(number)
