"""Answers as forms store them: what was chosen, and if it can be a rating. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.imports._account import Account, filled
from annotation.imports._cells import number

NOT_CHOSEN = "it was not chosen"
SEVERAL = "several answers to one question at once are no rating"
IN_WORDS = "it is a text, not an answer of a scale"

SCALE = "scale_"  # how Potato begins the names of a scale's answers
YES, NO = ("true", "on", "yes", "checked"), ("false", "off", "no", "none", "null", "0")
LONGEST_ANSWER = 40  # characters, and this many words: Neither agree nor disagree
MOST_WORDS = 5


def answer(value: Any) -> Any:
    """A number, or a word or two that may stand for one; None: it can be no rating.

    Words go on as they are: what number each is, people say.
    """
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return value
    if not isinstance(value, str) or not value.strip():
        return None
    text = value.strip()
    if len(text) > LONGEST_ANSWER or "\n" in text or len(text.split()) > MOST_WORDS:
        return None
    return text


def chosen(options: Mapping[str, Any]) -> dict[str, Any]:
    """What was chosen of a question's options, by name: what each means.

    {"scale_4": "4"}, {"4": "true"}, {"3": false, "4": true}, {"3": 0, "4": 1}, and
    {"slider": "37"}, whose name is none of a scale. A value that says "not this one"
    does not count, else the last option of a scale would be each person's rating.
    """
    found = {}
    for name, value in options.items():
        if (meant := _meant(name.removeprefix(SCALE), value, len(options))) is not None:
            found[name] = meant
    return found


def _meant(name: str, value: Any, n_options: int) -> Any:
    said = "" if value is None else str(value).strip()
    is_own_name = said == name or _same(said, name)
    if n_options == 1 and is_own_name and said:
        return said  # {"scale_0": "0"}
    if not said or said.lower() in NO or number(said) == 0:
        return None
    if said.lower() in YES or is_own_name:
        return name
    if number(said) == 1 and (n_options > 1 or number(name) is not None):
        return name
    return value


def _same(one: str, other: str) -> bool:
    first, second = number(one), number(other)
    return first is not None and first == second


def rating_of(question: str, options: Mapping[str, Any], account: Account) -> Any:
    """The one answer that can be a rating; None: there is none, which is noted."""
    found = chosen(options)
    for name, value in options.items():
        if filled(value) and name not in found:
            account.set_aside(f"{question}: {name}", words=NOT_CHOSEN)
    if len(found) == 1:
        [(name, meant)] = found.items()
        if (one := answer(meant)) is not None:
            return one
        account.set_aside(f"{question}: {name}", words=IN_WORDS)
        return None
    for name in found:
        account.set_aside(f"{question}: {name}", words=SEVERAL)
    return None
