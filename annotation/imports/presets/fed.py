"""FED (Mehri and Eskenazi 2020): fed_data.json, fine-grained ratings of dialogues.

A list of records. One with a response is a turn: its context has the turns before, and
five people judged the response. One without is a whole dialogue. A turn belongs to the
dialogue that begins with it; a last response that the dialogue lacks is put behind it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from annotation.imports._account import Account
from annotation.imports.files import Record
from annotation.imports.presets._preset import Preset, Records, has

NOT_APPLICABLE = "N/A"  # begins an answer that is no rating, with a reason
BOTH = "Overall"  # the one name that is asked of turns and of dialogues
OF_DIALOGUE = "Overall dialogue"


class _Turn(NamedTuple):
    line: int
    lines: list[str]  # of the context and the response
    n_before: int  # lines of the context
    ratings: dict[str, list[Any]]
    system: Any


class _Whole(NamedTuple):
    line: int
    lines: list[str]
    ratings: dict[str, list[Any]]
    system: Any
    turns: list[_Turn]


def _unfold(records: Records, account: Account) -> Records:
    turns, wholes = _read(records)
    places = _beginnings(wholes)
    alone = []
    for turn in turns:
        found = places.get(_hash(turn.lines)) or places.get(
            _hash(turn.lines[: turn.n_before])
        )
        if found is None:
            alone.append(_Whole(turn.line, turn.lines, {}, turn.system, [turn]))
            continue
        # Of several that begin in the same way, the one that follows in the file.
        later = [one for one in found if one.line > turn.line]
        (later or found)[0].turns.append(turn)
    for whole in sorted([*wholes, *alone]):
        yield Record(whole.line, _cells(whole))


def _read(records: Records) -> tuple[list[_Turn], list[_Whole]]:
    turns, wholes = [], []
    for line, cells in records:
        context = _lines(cells.get("context"))
        ratings, system = _ratings(cells), cells.get("system")
        response = _lines(cells.get("response"))
        if response:
            lines = [*context, *response]
            turns.append(_Turn(line, lines, len(context), ratings, system))
        else:
            wholes.append(_Whole(line, context, ratings, system, []))
    return turns, wholes


def _lines(value: Any) -> list[str]:
    text = value.strip() if isinstance(value, str) else ""
    return [line.strip() for line in text.split("\n")] if text else []


def _ratings(cells: Mapping[str, Any]) -> dict[str, list[Any]]:
    """By what was asked, without the answers that are none."""
    return {
        name.removeprefix("annotations."): [
            one for one in values if not str(one).startswith(NOT_APPLICABLE)
        ]
        for name, values in cells.items()
        if name.startswith("annotations.") and isinstance(values, list)
    }


def _beginnings(wholes: list[_Whole]) -> dict[int, list[_Whole]]:
    """Dialogues by each of their beginnings, the whole of one included."""
    found = defaultdict(list)
    for whole in wholes:
        so_far = 0
        for line in whole.lines:
            so_far = hash((so_far, line))
            found[so_far].append(whole)
    return dict(found)


def _hash(lines: list[str]) -> int:
    so_far = 0
    for line in lines:
        so_far = hash((so_far, line))
    return so_far


def _cells(whole: _Whole) -> dict[str, Any]:
    lines = max([whole.lines, *(turn.lines for turn in whole.turns)], key=len)
    messages, of_line = _messages(lines)
    for turn in whole.turns:
        told = {"marked": True, "ratings": turn.ratings}
        messages[of_line[turn.n_before]] |= told
    if not whole.turns and messages:
        messages[0]["marked"] = False  # people rated all of it only
    ratings = {
        f"rating:{OF_DIALOGUE if name == BOTH else name}": values
        for name, values in whole.ratings.items()
    }
    return {"messages": messages, "system": whole.system, **ratings}


def _messages(lines: list[str]) -> tuple[list[dict[str, Any]], list[int]]:
    """Turns, and the turn of each line: one that names no speaker goes on."""
    found: list[dict[str, Any]] = []
    of_line = []
    for line in lines:
        role, colon, text = line.partition(":")
        if colon and role.isalpha() or not found:
            named = role if colon else ""
            found.append({"role": named, "text": text.strip() if colon else line})
        else:
            found[-1]["text"] += f"\n{line}"
        of_line.append(len(found) - 1)
    return found, of_line


def _scale(
    last: int, low: str, middle: str, high: str, question: str
) -> dict[str, Any]:
    return {
        "question": question,
        "scale_min": 0,
        "scale_max": last,
        "low": low,
        "middle": middle,
        "high": high,
        "cannot_say": True,
    }


def _how(question: str) -> dict[str, Any]:
    return _scale(2, "No", "Somewhat", "Yes", question)


def _questions() -> Iterator[tuple[str, dict[str, Any]]]:
    """In our words. The scales are those of the ratings."""
    yield "Interesting", _how("Is this turn interesting?")
    yield "Engaging", _how("Does this turn make you want to go on talking?")
    yield "Specific", _how("Is this turn said for this conversation only?")
    yield "Relevant", _how("Does this turn fit what was said before?")
    yield "Correct", _how("Does it understand correctly what was said before?")
    yield (
        "Semantically appropriate",
        _how("Does it make sense in this conversation?"),
    )
    yield (
        "Understandable",
        _scale(1, "No", "", "Yes", "Can you understand this turn?"),
    )
    yield "Fluent", _how("Is this turn fluently written?")
    rated = ("Very poor", "Fair", "Very good")
    yield BOTH, _scale(4, *rated, "Overall, how good is this turn?")
    yield "Coherent", _how("Does the conversation hold together throughout?")
    yield "Error recovery", _how("Does the system recover from its mistakes?")
    yield (
        "Consistent",
        _scale(1, "No", "", "Yes", "Is what the system says consistent?"),
    )
    yield "Diverse", _how("Is there variety in what the system says?")
    yield "Depth", _how("Does the system go into depth?")
    yield "Likeable", _how("Does the system seem likeable?")
    yield "Understanding", _how("Does the system seem to understand the user?")
    yield "Flexible", _how("Does the system adapt to the user and their interests?")
    yield "Informative", _how("Does the system give information?")
    yield "Inquisitive", _how("Does the system ask and want to know?")
    yield OF_DIALOGUE, _scale(4, *rated, "Overall, how good is this conversation?")


PRESET = Preset(
    title="FED",
    help=__doc__ or "",
    recognises=has("context", "response", "system", "annotations.Overall"),
    unfold=_unfold,
    takes=("context", "response", "system", "annotations."),
    scale="0-4",
    people=("Human",),
    aspects=dict(_questions()),
    note="Answers that begin with N/A count as no rating. “Overall” of a dialogue is"
    " called “Overall dialogue”, as each question is asked of turns or of dialogues.",
)
