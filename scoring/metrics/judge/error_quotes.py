"""Asks a judge to mark errors, and finds the place of each that it quotes.

A quote is searched for letter by letter. One that does not stand in the text, or stands
there twice without a context that tells which is meant, has no place and is counted:
none is placed by guess.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

from scoring.endpoints import quotes
from scoring.endpoints.answers import Answer
from scoring.endpoints.quotes import Quote
from scoring.endpoints.readings import Reading, missing
from scoring.endpoints.requests import LONGEST, Request
from scoring.metrics._engine.base import Example, Marked, MarkedError, Output, Unplaced
from scoring.metrics.judge import prompts
from scoring.metrics.judge.error_scheme import ErrorScheme, Named

MODE = "spans"
OUTPUTS = (
    Output("errors", "Errors, weighted", "sum of weights", False, "errors-penalty"),
    Output("unplaced", "Errors without a place", "errors", False, quality=False),
)
OWN = (
    "Read the text and find every error in it.\n\n"
    f"{prompts.given()}Text:\n{{text}}\n\n{{question}}"
)
QUOTE = (
    '"quote" is the wrong words, copied from the {where} letter by letter, and as short'
    ' as possible. "context" is a longer passage with these words, copied too, that'
    " stands only once: it tells which words are meant if they stand there twice."
)
MISSING = (
    "If something is missing, quote the word before the gap and set"
    ' "missing" to true. For all other errors it is false.'
)
SOURCE = '"side" is "source" for an error in the input, and "text" for all others.'
OPENING = "Mark no errors in the given opening."
NO_ERRORS = "If there are no errors, the list is empty."


def request(example: Example, scheme: ErrorScheme, template: str = "") -> Request:
    """What is asked about one text."""
    values = {
        "question": question(scheme),
        "text": example.text,
        "prefix": example.prefix,
        "label": example.label,
        "source": example.source,
        "reference": "\n\n".join(example.references),
    }
    message = prompts.written(template or OWN, values)
    return Request(message, parameters(scheme))


def parameters(scheme: ErrorScheme) -> dict[str, Any]:
    """Of a call, model and message aside."""
    form = {
        "type": "json_schema",
        "json_schema": {"name": "errors", "strict": True, "schema": _schema(scheme)},
    }
    return {"temperature": 0, "max_tokens": LONGEST[MODE], "response_format": form}


def question(scheme: ErrorScheme) -> str:
    """What counts as an error, how bad it is, and how to write it down."""
    where = "text or the input" if scheme.source else "text"
    fields = ", ".join(f'"{name}": ...' for name in _properties(scheme))
    parts = [
        *_listed("An error is of one of these categories", scheme.categories),
        *_listed("Its severity is one of these", scheme.severities),
        f"Mark at most {scheme.most} errors, the worst." if scheme.most else "",
        "" if scheme.opening else OPENING,
        f'Answer as JSON: {{"errors": [{{{fields}}}]}}.',
        QUOTE.format(where=where),
        MISSING if scheme.missing else "",
        SOURCE if scheme.source else "",
        NO_ERRORS,
    ]
    return "\n".join(filter(None, parts))


def read(reply: Answer, scheme: ErrorScheme) -> Reading:
    """The answer as `said`, or why it cannot be read: see `quotes.reading`."""
    reading = quotes.reading(reply)
    if reading.reason:
        return reading
    for quote in quotes.parse(reading.said):
        for word, names in (
            (quote.category, scheme.categories),
            (quote.severity, scheme.severities),
        ):
            if _key(word, names) is None:
                return missing(
                    f"the answer names “{word[:60]}”, which is none of those that it"
                    " was asked for",
                    again=True,
                )
    return reading


def placed(answer: str, example: Example, scheme: ErrorScheme) -> Marked:
    """The errors of an answer that `read` could read, each in its place."""
    marks, unplaced = [], []
    for quote in quotes.parse(answer):
        category = _key(quote.category, scheme.categories) or ""
        severity = _key(quote.severity, scheme.severities) or ""
        of_source = scheme.source and quote.side == "source"
        side: Literal["text", "source"] = "source" if of_source else "text"
        text = example.source if of_source else example.text
        start = 0 if of_source or scheme.opening else len(_opening(example))
        place = _place(text, start, quote)
        if isinstance(place, str):
            unplaced.append(Unplaced(place, quote.words, category, severity))
            continue
        if quote.missing and scheme.missing:
            place = _Place(place.end, place.end)
        words = text[place.start : place.end]
        marks.append(MarkedError(*place, category, severity, side, words))
    return Marked(tuple(marks), tuple(unplaced))


def penalty(marked: Marked, scheme: ErrorScheme) -> float:
    """What they cost. Words that stand there twice are an error; absent ones none."""
    pairs = [(mark.category, mark.severity) for mark in marked.marks]
    twice = (error for error in marked.unplaced if error.code == "ambiguous")
    return scheme.penalty([*pairs, *((e.category, e.severity) for e in twice)])


class _Place(NamedTuple):
    start: int
    end: int


def _place(text: str, start: int, quote: Quote) -> _Place | str:
    """Where the words stand from `start` on; "absent" or "ambiguous"."""
    words = quote.words.strip()
    places = list(_starts(text, words, start)) if words else []
    if not places:
        return "absent"
    if len(places) > 1:
        contexts = list(_starts(text, quote.context.strip(), start))
        inside = list(_starts(quote.context.strip(), words, 0))
        if len(contexts) != 1 or len(inside) != 1:
            return "ambiguous"
        places = [contexts[0] + inside[0]]
    return _Place(places[0], places[0] + len(words))


def _starts(text: str, words: str, start: int) -> Iterator[int]:
    """Where they begin, one within the other, too."""
    at = text.find(words, start) if words else -1
    while at >= 0:
        yield at
        at = text.find(words, at + 1)


def _opening(example: Example) -> str:
    return example.prefix if example.text.startswith(example.prefix) else ""


def _key(word: str, names: Sequence[Named]) -> str | None:
    """The key that is meant, by key or name; "" where there is nothing to choose."""
    if not names:
        return ""
    plain = word.strip().casefold()
    meant = (n.key for n in names if plain in (n.key.casefold(), n.name.casefold()))
    return next(meant, None)


def _listed(title: str, names: Sequence[Named]) -> list[str]:
    rows = [
        f"- {entry.key}"
        + (f": {entry.name}" if entry.name.casefold() != entry.key else "")
        + (f". {entry.meaning}" if entry.meaning else "")
        for entry in names
    ]
    return [f"{title}:", *rows] if rows else []


def _properties(scheme: ErrorScheme) -> dict[str, Any]:
    properties: dict[str, Any] = {
        "quote": {"type": "string"},
        "context": {"type": "string"},
    }
    for field, names in (
        ("category", scheme.categories),
        ("severity", scheme.severities),
    ):
        if names:
            keys = [entry.key for entry in names]
            properties[field] = {"type": "string", "enum": keys}
    if scheme.source:
        properties["side"] = {"type": "string", "enum": [*quotes.SIDES]}
    if scheme.missing:
        properties["missing"] = {"type": "boolean"}
    return properties


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _schema(scheme: ErrorScheme) -> dict[str, Any]:
    errors = {"type": "array", "items": _object(_properties(scheme))}
    return _object({"errors": errors})
