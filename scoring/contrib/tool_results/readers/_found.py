"""What a tool's results say, in words that are the same for all tools."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from annotation import storable
from scoring.runs.score_lines import LARGEST, LONGEST_WORD, MOST_OUTPUTS

LONGEST_REASON = 200
LONGEST_SIGNATURE = 900
MOST_SCORES = 300_000  # of an upload: some 150 MB
NO_VALUE = "no value in the uploaded file"


class BadBundle(ValueError):
    """The message says what is wrong, for people."""


class Sample(NamedTuple):
    """A text as the tool knows it."""

    at: str  # where it stands, for people: sample 3
    keys: tuple[str, ...] = ()  # what the tool calls it, the surest first
    texts: tuple[str, ...] = ()  # its words, as they came and as they were cut
    prompt: str = ""
    system: str = ""


class Scored(NamedTuple):
    """A score of a text."""

    sample: Sample
    metric: str
    signature: str  # how it was made: judge, task, versions
    output: str
    value: float | None
    reason: str = ""  # where there is no value
    lower_is_better: bool | None = None  # None: the file does not say


class Total(NamedTuple):
    """A number of a whole system."""

    system: str
    metric: str
    signature: str
    output: str
    value: float | None
    reason: str = ""
    lower_is_better: bool | None = None
    interval: tuple[float, float] | None = None


@dataclass(slots=True)
class Found:
    """Everything in an upload, which may be made to fill the memory."""

    tool: str  # as in signatures: inspect_ai
    scored: list[Scored] = field(default_factory=list)
    totals: list[Total] = field(default_factory=list)
    _outputs: set[tuple[str, str, str]] = field(default_factory=set)

    def add(self, numbers: Iterable[Scored | Total]) -> None:
        """Take numbers one by one.

        Raises:
            BadBundle: As soon as there are more than an upload may have.
        """
        for one in numbers:
            self._outputs.add((one.metric, one.signature, one.output))
            check_size(len(self._outputs), len(self.scored) + len(self.totals) + 1)
            if isinstance(one, Scored):
                self.scored.append(one)
            else:
                self.totals.append(one)


def check_size(outputs: int, scores: int) -> None:
    """Refuse what would fill the memory, before it does.

    Raises:
        BadBundle: If there are too many kinds of scores, or too many scores.
    """
    if outputs > MOST_OUTPUTS:
        raise BadBundle(
            f"The file has more than {MOST_OUTPUTS} kinds of scores, the limit: split"
            " it by metric."
        )
    if scores > MOST_SCORES:
        raise BadBundle(
            f"The file has more than {MOST_SCORES:,} scores, the limit: split it."
        )


class Number(NamedTuple):
    value: float | None
    reason: str = ""


def number(value: object) -> Number:
    """A number, or why it is none. Nothing is taken for 0.

    >>> number(True), number("0.5"), number(float("nan"))[1]
    (Number(value=1.0, reason=''), Number(value=0.5, reason=''), 'the tool gives NaN')
    """
    if value is None:
        return Number(None, NO_VALUE)
    if isinstance(value, str):
        try:
            return number(float(value)) if len(value) <= LONGEST_WORD else _no(value)
        except ValueError:
            return _no(value)
    if not isinstance(value, int | float):
        return Number(None, "the tool gives several numbers at once")
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if math.isnan(found):
        return Number(None, "the tool gives NaN")
    if abs(found) > LARGEST:
        return Number(None, "the tool gives a number too large to count with")
    return Number(found)


def _no(value: str) -> Number:
    return Number(None, f"the value is not a number: {quoted(value)}")


def quoted(value: object) -> str:
    """Words of a file inside a reason: short, one line."""
    words = " ".join(storable.cleaned(str(value)[: 4 * LONGEST_REASON]).split())
    cut = f"{words[:LONGEST_REASON]}…" if len(words) > LONGEST_REASON else words
    return f"“{cut}”"


def signed(pairs: Mapping[str, object]) -> str:
    """A signature of what is known: judge:gpt-4o|inspect_ai:0.3.100."""
    parts = []
    for key, value in pairs.items():
        said = " ".join(storable.cleaned(str(value or "")[:400]).split())
        if said:
            parts.append(f"{key}:{said.replace('|', '/')}")
    return "|".join(parts)[:LONGEST_SIGNATURE]


def mapping(value: object) -> Mapping[str, Any]:
    """The value if it is an object with fields, else one without any."""
    return value if isinstance(value, Mapping) else {}


def items(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def texts(values: Iterable[object]) -> tuple[str, ...]:
    """Those that are texts with words in them, each once."""
    found = (value for value in values if isinstance(value, str) and value.strip())
    return tuple(dict.fromkeys(found))


def keys(values: Iterable[object]) -> tuple[str, ...]:
    """Those that may be a key."""
    found = (
        str(value)
        for value in values
        if isinstance(value, str | int) and not isinstance(value, bool)
    )
    return tuple(dict.fromkeys(key for key in found if key.strip()))


def said_in(messages: object, *roles: str) -> str:
    """What messages of a conversation say, joined; a plain text is itself."""
    if isinstance(messages, str):
        return messages
    found = []
    for message in map(mapping, items(messages)):
        if message.get("role") in roles:
            found.append(content_of(message.get("content")))
    return "\n".join(filter(None, found))


def content_of(content: object) -> str:
    """The text of a message, which may be cut into parts."""
    if isinstance(content, str):
        return content
    parts = (mapping(part).get("text") for part in items(content))
    return "".join(part for part in parts if isinstance(part, str))
