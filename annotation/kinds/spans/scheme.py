"""What can be marked in a study: categories, severities and their weights. Pure.

MQM as in Freitag et al. (2021), "Experts, Errors, and Context": minor 1, major 5, a
text that is no translation 25, whatever else is marked in it, and minor punctuation
0.1; at most five errors in a text. ESA is Kocmi et al. (2024), "Error Span Annotation":
severities without categories, and words that are missing. The errors of facts are those
of Thomson and Reiter (2020), "A Gold Standard Methodology for Evaluating Accuracy in
Data-To-Text Systems".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from annotation.kinds.spans import meanings
from scoring.penalties import Weights

COLOURS = ("red", "orange", "yellow", "green", "teal", "blue", "violet", "grey")
MOST_NAMES = 20
LONGEST_NAME = 40
LONGEST_MEANING = 200
HIGHEST = 100.0  # of a weight


class SchemeError(ValueError):
    """This is no scheme. The message says why."""


@dataclass(frozen=True, slots=True)
class Category:
    key: str
    name: str
    colour: str = COLOURS[0]
    alone: float | None = None  # a text with it gets this weight, whatever else it has
    meaning: str = ""  # what it is, for those who mark


@dataclass(frozen=True, slots=True)
class Severity:
    key: str
    name: str
    weight: float = 1.0
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Scheme:
    categories: tuple[Category, ...] = ()
    severities: tuple[Severity, ...] = ()
    # Weights of a category at one severity, where that of the severity does not hold.
    weights: tuple[tuple[str, str, float], ...] = ()
    most: int | None = None  # marks in one text
    missing: bool = True  # places where something is missing can be marked
    opening: bool = False  # the opening can be marked, where the text has it
    source: bool = False  # the source can be marked, too
    needed_below: int | None = None  # answers to the first question that need a mark
    each: bool = False  # numbers of each category and severity are human scores, too

    def has(self, category: str, severity: str) -> bool:
        """Whether a mark can be of these: one of each list that is not empty."""
        return self.has_category(category) and self.has_severity(severity)

    def has_category(self, key: str) -> bool:
        return key in self._keys(self.categories)

    def has_severity(self, key: str) -> bool:
        return key in self._keys(self.severities)

    @property
    def costs(self) -> Weights:
        """What a mark costs; 1 where the study has no such severity."""
        return Weights(
            severities={grade.key: grade.weight for grade in self.severities},
            exceptions={(of, at): weight for of, at, weight in self.weights},
            whole={
                kind.key: kind.alone
                for kind in self.categories
                if kind.alone is not None
            },
            most=self.most,
            other=1.0,
        )

    @staticmethod
    def _keys(names: Sequence[Category] | Sequence[Severity]) -> set[str]:
        return {entry.key for entry in names} or {""}

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def of_json(values: Mapping[str, Any]) -> Scheme:
    """A scheme as `as_json` has it.

    Raises:
        SchemeError: It is none.
    """
    try:
        scheme = Scheme(
            categories=tuple(Category(**row) for row in values["categories"]),
            severities=tuple(Severity(**row) for row in values["severities"]),
            weights=tuple((a, b, float(w)) for a, b, w in values["weights"]),
            **{name: values[name] for name in OPTIONS},
        )
        check(scheme)
    except SchemeError:
        raise
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise SchemeError("The marks of errors are not described as they are.") from (
            error
        )
    return scheme


OPTIONS = ("most", "missing", "opening", "source", "needed_below", "each")


def check(scheme: Scheme) -> None:
    """Raises: SchemeError: Names are missing, too long or not told apart."""
    _check_options(scheme)
    for names in (scheme.categories, scheme.severities):
        keys = [entry.key for entry in names]
        if len(keys) > MOST_NAMES:
            raise SchemeError(f"Expected at most {MOST_NAMES} names, got {len(keys)}.")
        if len({*keys}) < len(keys):
            raise SchemeError("Two names are the same.")
        for entry in names:
            if not (
                entry.key and 0 < len(entry.name) <= LONGEST_NAME >= len(entry.key)
            ):
                raise SchemeError(
                    f"Expected names of 1 to {LONGEST_NAME} characters, got"
                    f" “{entry.name[:LONGEST_NAME]}”."
                )
            if len(entry.meaning) > LONGEST_MEANING:
                raise SchemeError(
                    f"Expected meanings of at most {LONGEST_MEANING} characters, got"
                    f" {len(entry.meaning)} for “{entry.name}”."
                )
    if unknown := {kind.colour for kind in scheme.categories} - {*COLOURS}:
        raise SchemeError(
            f"Expected one of the colours {', '.join(COLOURS)}, got {min(unknown)}."
        )
    weights = [grade.weight for grade in scheme.severities]
    weights += [kind.alone for kind in scheme.categories if kind.alone is not None]
    weights += [weight for *_, weight in scheme.weights]
    if not all(0 <= weight <= HIGHEST for weight in weights):
        raise SchemeError(f"Expected weights from 0 to {HIGHEST:g}.")


def _check_options(scheme: Scheme) -> None:
    for name in OPTIONS:
        option = getattr(scheme, name)
        is_number = type(option) is int and 0 <= option <= HIGHEST
        numbers = name in ("most", "needed_below")
        if not (is_number or option is None if numbers else isinstance(option, bool)):
            expected = (
                f"a number up to {HIGHEST:g} or null" if numbers else "true or false"
            )
            raise SchemeError(f"{name}: expected {expected}.")


def key_of(name: str) -> str:
    """A name as it is stored.

    >>> key_of("Locale convention")
    'locale-convention'
    """
    return "-".join(name.casefold().split())[:LONGEST_NAME]


def _categories(meanings: Mapping[str, str], **alone: float) -> tuple[Category, ...]:
    """By their names, with a colour each."""
    return tuple(
        Category(
            key_of(name),
            name,
            colour,
            alone.get(key_of(name).replace("-", "_")),
            meaning,
        )
        for (name, meaning), colour in zip(meanings.items(), COLOURS * 3, strict=False)
    )


NEUTRAL = Severity("neutral", "Neutral", 0, meanings.SEVERITIES["Neutral"])
MINOR = Severity("minor", "Minor", 1, meanings.SEVERITIES["Minor"])
MAJOR = Severity("major", "Major", 5, meanings.SEVERITIES["Major"])
ESA = Scheme(severities=(MINOR, MAJOR))
MQM = Scheme(
    categories=_categories(meanings.MQM, non_translation=25),
    severities=(NEUTRAL, MINOR, MAJOR),
    weights=(("punctuation", "minor", 0.1),),
    most=5,
)
FACTS = Scheme(categories=_categories(meanings.FACTS), severities=(), missing=False)
PRESETS = {"esa": ESA, "mqm": MQM, "facts": FACTS}
