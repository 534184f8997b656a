"""Messages of a conversation -> the rows of its marked turns and of the whole. Pure.

A message is an object with a role and a text, as chat models and their files write it:

    {"role": "user", "content": "Hi!"}
    {"role": "assistant", "content": "Hello.", "marked": true,
     "ratings": {"fluency": [4, 5]}, "references": ["Good day!"]}

What chat models and their tools write beside (refusal, name, timestamp ...) is not
used, nor are calls of tools that say nothing; the caller is told and says so once.

Marked are the turns that people rate: those that say so; if none says anything, those
that have ratings; if none has any, those of the system under test, by its usual roles.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.imports._account import filled
from annotation.imports._cells import Cells, means_of, ratings_of
from annotation.imports._problems import shown
from annotation.imports._rows import Mean, Rating, Row
from annotation.turns import Turn, as_text

ROLES = ("role", "speaker", "from")
TEXTS = ("content", "text", "value", "parts")
MORE = ("marked", "ratings", "means", "references")
KNOWN = frozenset((*ROLES, *TEXTS, *MORE))
# Who is under test where nothing is marked. Beside an assistant, "system" is the
# name of what it was told to do.
MACHINES = ("assistant", "bot", "chatbot", "model", "agent", "gpt")
SYSTEM = "system"

MOST_TURNS = 500
LONGEST_ROLE = 40
LONGEST_KEY = 56  # leaves room for the number of a turn
YES = ("1", "true", "yes", "x")
NO = ("0", "false", "no")

CALLS = ("tool_calls", "function_call", "tool_call_id")
OF_PARTS = ("tool_use", "tool_call", "tool_result", "function_call")  # types of parts

Wrong = Callable[[str], None]
Unused = Callable[[str], None]  # is told of a filled field that is not used


@dataclass
class Message:
    """A turn with what the file says of it."""

    turn: Turn
    marked: bool | None = None  # None: nothing is said
    ratings: list[Rating] = field(default_factory=list)
    means: list[Mean] = field(default_factory=list)
    references: list[str] = field(default_factory=list)

    @property
    def is_rated(self) -> bool:
        return bool(self.ratings or self.means)


def rows_of(
    whole: Row, messages: Sequence[Message], *, most: int, wrong: Wrong
) -> Iterator[Row]:
    """The row of all of it, then those of its marked turns.

    Args:
        whole: What the file says of the dialogue; gets its text and turns.
        messages: Its turns in order.
        most: Characters of one text: of a longer dialogue only the whole is returned,
            which is then refused.
        wrong: Is told what is wrong.
    """
    if not messages:
        wrong("the dialogue has no turns")
        return
    if len(messages) > MOST_TURNS:
        wrong(f"{len(messages):,} turns; the most is {MOST_TURNS}")
        return
    if len(whole.key) > LONGEST_KEY:
        wrong(f"the ID of a dialogue may have up to {LONGEST_KEY} characters")
    turns = [one.turn for one in messages]
    whole.text, whole.messages = as_text(turns), turns
    marked = _marked(messages, wrong)
    yield whole
    if len(whole.text) <= most:
        for place in marked:
            yield _turn(whole, messages, place)


def _turn(whole: Row, messages: Sequence[Message], place: int) -> Row:
    one = messages[place]
    before = as_text(message.turn for message in messages[:place])
    return dataclasses.replace(
        whole,
        text=one.turn.text,
        source=before,
        messages=[],
        turn=place,
        key=f"{whole.key}#{place + 1}" if whole.key else "",
        ratings=one.ratings,
        means=one.means,
        references=one.references,
        scores={},
    )


def _marked(messages: Sequence[Message], wrong: Wrong) -> list[int]:
    places = range(len(messages))
    if any(one.marked is not None for one in messages):
        for number, one in enumerate(messages, start=1):
            if one.is_rated and not one.marked:
                wrong(f"turn {number} has ratings, but is not marked")
        return [place for place in places if messages[place].marked]
    if rated := [place for place in places if messages[place].is_rated]:
        return rated
    roles = [one.turn.role.lower() for one in messages]
    if found := [place for place in places if roles[place] in MACHINES]:
        return found
    if found := [place for place in places if roles[place] == SYSTEM]:
        return found
    wrong(
        "no turn is marked, and none is of an assistant or system: add"
        ' "marked": true to the turns that people rate, or "marked": false to one of'
        " them if people rate the whole dialogue only"
    )
    return []


# Out of JSON --------------------------------------------------------------------------


def messages_of(
    given: Any, cells: Cells, unused: Unused = lambda field: None
) -> list[Message]:
    """Read a list of messages, and note what is wrong with it."""
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        cells.wrong("messages must be a list of objects, each with a role and content")
        return []
    some = given[: MOST_TURNS + 1]
    found = [_message(one, cells, n, unused) for n, one in enumerate(some, start=1)]
    return [one for one in found if one]


def _message(
    one: Mapping[str, Any], cells: Cells, number: int, unused: Unused
) -> Message | None:
    """None: it calls a tool and says nothing."""

    def wrong(message: str) -> None:
        cells.wrong(f"turn {number}: {message}")

    value = _first(one, TEXTS)
    refusal = one.get("refusal")
    if not filled(value) and isinstance(refusal, str) and refusal.strip():
        value = refusal  # what the model said instead
    for name in one:
        is_said = name == "refusal" and value is refusal
        if name not in KNOWN and filled(one[name]) and not is_said:
            unused(name)
    if _only_calls(one, value):
        return None
    return Message(
        Turn(role(_first(one, ROLES), wrong), _text(value, wrong, unused)),
        _is_marked(one.get("marked"), wrong),
        list(ratings_of(cells, _object(one, "ratings", wrong))),
        list(means_of(cells, _object(one, "means", wrong))),
        _references(one.get("references"), wrong),
    )


def _only_calls(one: Mapping[str, Any], value: Any) -> bool:
    """Whether nothing is said, because a tool is called."""
    if any(filled(one.get(name)) for name in CALLS) and not filled(value):
        return True
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(p, dict) and p.get("type") in OF_PARTS for p in value)
    )


def role(value: Any, wrong: Wrong) -> str:
    """Who speaks, in a word or two."""
    found = value.strip() if isinstance(value, str) else ""
    if not found:
        wrong("nothing says who speaks: give a role, such as user or assistant")
    elif len(found) > LONGEST_ROLE or "\n" in found:
        wrong(f"a role is one line of up to {LONGEST_ROLE} characters")
        return ""
    return found


def is_marked(value: Any, wrong: Wrong) -> bool | None:
    """Of a cell of a table; None: it says nothing."""
    said = "" if value is None else str(value).strip().lower()
    said = said.removesuffix(".0")
    if not said:
        return None
    if said in YES or said in NO:
        return said in YES
    wrong(f"marked must be yes or no, but is {shown(value)}")
    return None


def _first(one: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((one[name] for name in names if name in one), None)


def _text(value: Any, wrong: Wrong, unused: Unused) -> str:
    if isinstance(value, list):  # parts, as some chat interfaces write them
        texts = [text for part in value if (text := _part(part)) is not None]
        if texts and len(texts) < len(value):
            unused("content that is no text")
        value = "\n".join(texts) if texts else value
    if not isinstance(value, str):
        wrong(f"content must be text, not {shown(value)}")
        return ""
    if not value.strip():
        wrong("has no text")
    return value


def _part(part: Any) -> str | None:
    """Its words; None of a picture, a sound or the call of a tool."""
    if isinstance(part, str):
        return part
    text = part.get("text") if isinstance(part, dict) else None
    return text if isinstance(text, str) else None


def _is_marked(value: Any, wrong: Wrong) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    wrong(f"marked must be true or false, not {shown(value)}")
    return None


def _object(one: Mapping[str, Any], name: str, wrong: Wrong) -> dict[str, object]:
    value = one.get(name)
    if value is None or isinstance(value, dict):
        return value or {}
    wrong(f"{name} must be an object with a key for each aspect")
    return {}


def _references(value: Any, wrong: Wrong) -> list[str]:
    if value is None:
        return []
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return [one for one in value if one.strip()]
    wrong("references must be a list of texts")
    return []
