"""Responses and suggestions of Argilla, of whichever version. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from annotation.imports._account import Account, filled
from annotation.imports._cells import number
from annotation.imports.presets._answers import IN_WORDS, SEVERAL, answer

DISCARDED = "who answered has discarded it"
DRAFT = "it is a draft that was not submitted"
OF_SUGGESTION = "it is about a model's suggestion"
NO_SCORE = "a model's suggestion that is no number"
NOT_COUNTED = {"discarded": DISCARDED, "draft": DRAFT, "pending": DRAFT}
SUGGESTIONS = (".suggestion", "-suggestion")
_WORD = re.compile(r"\W+")

Response = tuple[Any, Any, Any]  # who, value, status


def ratings(
    question: str, responses: Iterable[Response], account: Account
) -> dict[str, Any]:
    """A cell for each that counts, of who gave it."""
    found: dict[str, Any] = {}
    for n, (who, value, status) in enumerate(responses, start=1):
        if not filled(value):
            continue
        column = f"{question} ({who or f'rater {n}'})"
        if why := NOT_COUNTED.get(str(status or "").lower()):
            account.set_aside(column, words=why)
        elif (rating := answer(value)) is None:
            several = isinstance(value, list) and len(value) > 1
            account.set_aside(column, words=SEVERAL if several else IN_WORDS)
        else:
            found[f"rating:{question}:{who or f'rater {n}'}"] = rating
    return found


def suggestions(
    cells: dict[str, Any], named: dict[str, str], account: Account
) -> dict[str, Any]:
    """Scores of the model that suggested them, if they are numbers.

    Args:
        cells: Of a record.
        named: Columns of suggestions, by question.
        account: Is told of what is none.
    """
    found = {}
    for question, column in named.items():
        value = cells.get(column)
        agent = cells.get(f"{column}.agent")
        if (score := number(value)) is not None:
            by = f"_{_WORD.sub('_', agent)}" if isinstance(agent, str) else ""
            found[f"score:{question}_suggestion{by}"] = score
        elif filled(value):
            account.set_aside(column, words=NO_SCORE)
    return found


def about_suggestion(cells: dict[str, Any], account: Account) -> set[str]:
    """Columns on how sure a suggestion is, and whose; they are noted."""
    found = set()
    for column, value in cells.items():
        for end in SUGGESTIONS:
            question, _, about = column.partition(end)
            if question and about[:1] in (".", "-") and about != ".value":
                found.add(column)
                if filled(value):
                    account.set_aside(column, words=OF_SUGGESTION)
    return found
