"""Errors that a judge marked, as JSON: {"errors": [{"quote": "...", ...}, ...]}.

An answer is read whole or not at all: where one error of the list is no error, nobody
knows what else the judge has marked.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from scoring.endpoints.answers import Answer
from scoring.endpoints.readings import (
    Reading,
    after_thought,
    empty_answer,
    ending_without_score,
    excerpt,
    missing,
    once,
)

MOST = 200  # errors in one text
SIDES = ("text", "source")


class Quote(NamedTuple):
    """One error, by words of the text."""

    words: str
    context: str = ""  # a longer passage with the words, where they stand twice
    category: str = ""
    severity: str = ""
    side: str = "text"
    missing: bool = False  # something is missing behind the words


FIELDS = {"quote", *Quote._fields[1:]}


class NoQuotes(ValueError):
    """An answer that is not what was asked for. The message says why."""


def parse(content: str) -> list[Quote]:
    """The errors of an answer; none where its list is empty.

    Raises:
        NoQuotes: If it is anything else, or a field is there twice.
    """
    try:
        fields = json.loads(content, object_pairs_hook=once)
    except (ValueError, RecursionError):
        raise NoQuotes(
            f"the answer is not the JSON that was asked for: {excerpt(content)}"
        ) from None
    errors = fields.get("errors") if isinstance(fields, dict) else None
    if not isinstance(errors, list) or len(fields) != 1:
        raise NoQuotes(
            f'the answer has other fields than a list "errors": {excerpt(content)}'
        )
    if len(errors) > MOST:
        raise NoQuotes(f"the answer has {len(errors):,} errors, and {MOST} are read")
    return [_quote(error) for error in errors]


def reading(reply: Answer) -> Reading:
    """The whole answer as `said`, or why it cannot be read. Never "no errors" then."""
    if ending := ending_without_score(reply, cut_counts=True):
        return ending
    content = after_thought(reply.content)
    if content is None or not content.strip():
        return empty_answer(reply)
    try:
        parse(content)
    except NoQuotes as error:
        return missing(str(error), again=True)
    return Reading(float("nan"), said=content)


def _quote(error: Any) -> Quote:
    if not isinstance(error, dict):
        raise NoQuotes(f"an error of the answer has no fields: {excerpt(str(error))}")
    words = error.get("quote")
    if not isinstance(words, str) or not {*error} <= FIELDS:
        raise NoQuotes(
            f'an error of the answer has no "quote", or other fields: {_shown(error)}'
        )
    quote = Quote(words, **{name: v for name, v in error.items() if name != "quote"})
    texts = (quote.context, quote.category, quote.severity)
    if not all(isinstance(text, str) for text in texts) or (
        quote.side not in SIDES or not isinstance(quote.missing, bool)
    ):
        raise NoQuotes(f"a field of an error has another type: {_shown(error)}")
    return quote


def _shown(error: dict[str, Any]) -> str:
    return excerpt(json.dumps(error, ensure_ascii=False))
