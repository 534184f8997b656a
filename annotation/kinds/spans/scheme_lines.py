"""A scheme as lines that people write and read. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from annotation.kinds.spans.scheme import (
    COLOURS,
    Category,
    Scheme,
    SchemeError,
    Severity,
    key_of,
)


class Lines(NamedTuple):
    """One entry on each line: "Style, red", "Major = 5", "Style, Major = 2".

    What an entry means may follow a colon.
    """

    categories: str = ""
    severities: str = ""
    weights: str = ""


def written(scheme: Scheme) -> Lines:
    """The lines of which `read` makes the same lists."""
    names = _names(scheme.categories), _names(scheme.severities)
    return Lines(
        "\n".join(
            f"{kind.name}, {kind.colour}"
            + (f" = {kind.alone:g}" if kind.alone is not None else "")
            + _behind(kind)
            for kind in scheme.categories
        ),
        "\n".join(
            f"{grade.name} = {grade.weight:g}{_behind(grade)}"
            for grade in scheme.severities
        ),
        "\n".join(
            f"{names[0].get(of, of)}, {names[1].get(at, at)} = {weight:g}"
            for of, at, weight in scheme.weights
        ),
    )


def read(lines: Lines) -> Scheme:
    """The lists alone.

    Raises:
        SchemeError: With the line that is none.
    """
    scheme = Scheme(
        tuple(map(_category, enumerate(_filled(lines.categories)))),
        tuple(map(_severity, _filled(lines.severities))),
        tuple(map(_weight, _filled(lines.weights))),
    )
    for of, at, _ in scheme.weights:
        if not scheme.has(of, at):
            raise SchemeError(f"No mark can be both “{of}” and “{at}”.")
    return scheme


def in_words(scheme: Scheme) -> list[str]:
    """What it holds, in sentences."""
    names = _names(scheme.categories), _names(scheme.severities)
    exceptions = [
        *(
            f"{names[0][of]}, {names[1][at].lower()}: {w:g}"
            for of, at, w in scheme.weights
        ),
        *(
            f"{kind.name}: {kind.alone:g} for the whole text, whatever else is marked"
            for kind in scheme.categories
            if kind.alone is not None
        ),
    ]
    grades = [f"{grade.name} {grade.weight:g}" for grade in scheme.severities]
    return [
        f"Categories: {', '.join(names[0].values()) or 'none'}.",
        f"Severities: {', '.join(grades)}." if grades else "Each error weighs 1.",
        *([f"Other weights: {'; '.join(exceptions)}."] if exceptions else []),
        *([f"At most {scheme.most} marks in a text."] if scheme.most else []),
    ]


def _names(entries: Iterable[Category | Severity]) -> dict[str, str]:
    return {entry.key: entry.name for entry in entries}


def _behind(entry: Category | Severity) -> str:
    return f": {entry.meaning}" if entry.meaning else ""


def _filled(text: str) -> Sequence[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _category(numbered: tuple[int, str]) -> Category:
    number, line = numbered
    line, meaning = _apart(line, ":")
    line, alone = _weighed(line)
    name, _, colour = (part.strip() for part in line.rpartition(","))
    if not name:
        name, colour = line, COLOURS[number % len(COLOURS)]
    return Category(key_of(name), name, colour.lower(), alone, meaning)


def _severity(line: str) -> Severity:
    line, meaning = _apart(line, ":")
    name, weight = _weighed(line)
    return Severity(key_of(name), name, 1.0 if weight is None else weight, meaning)


def _weight(line: str) -> tuple[str, str, float]:
    names, weight = _weighed(line)
    category, comma, severity = (part.strip() for part in names.rpartition(","))
    if weight is None or not comma:
        raise SchemeError(f"Expected “Punctuation, Minor = 0.1”, got “{line[:60]}”.")
    return key_of(category), key_of(severity), weight


def _apart(line: str, sign: str) -> tuple[str, str]:
    first, _, rest = line.partition(sign)
    return first.strip(), rest.strip()


def _weighed(line: str) -> tuple[str, float | None]:
    """A line without its weight; None: it has none."""
    name, equals, weight = (part.strip() for part in line.partition("="))
    if not equals:
        return name, None
    try:
        return name, float(weight)
    except ValueError:
        raise SchemeError(
            f"Expected a weight such as 5, got “{weight[:20]}”."
        ) from None
