"""JSON read strictly: no key twice, no endless nesting; NaN if asked for. Pure."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple, NoReturn

from annotation.imports._problems import shown

_SPACE = re.compile(r"[ \t\n\r]*")


class JSONError(ValueError):
    """The message says what is wrong, `position` where in the text."""

    def __init__(self, message: str, position: int = 0) -> None:
        super().__init__(message)
        self.position = position


class Member(NamedTuple):
    """One key of an object, and where the key and its value begin."""

    key: str
    value: Any
    key_at: int
    value_at: int


def _no_constant(name: str) -> NoReturn:
    raise JSONError(f"{name} is not a number: leave the field out or write null")


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) < len(pairs):
        ((twice, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise JSONError(f"the key {shown(twice)} occurs twice")
    return made


_decoder = json.JSONDecoder(
    parse_constant=_no_constant, object_pairs_hook=_no_key_twice
)


class Lenient:
    """Reads what Python and pandas write for missing numbers as null, and counts it."""

    def __init__(self) -> None:
        self.n_missing = 0
        self._decoder = json.JSONDecoder(
            parse_constant=self._missing, object_pairs_hook=_no_key_twice
        )

    def _missing(self, name: str) -> None:
        self.n_missing += 1

    def loads(self, text: str) -> Any:
        return loads(text, self._decoder)

    def notes(self) -> list[str]:
        n = self.n_missing
        told = "1 value" if n == 1 else f"{n:,} values"
        return [f"{told} NaN or Infinity: taken as missing."] if n else []


def loads(text: str, decoder: json.JSONDecoder = _decoder) -> Any:
    start = _after_space(text, 0)
    value, end = _value(text, start, decoder)
    if _after_space(text, end) != len(text):
        raise JSONError("extra text after the object", end)
    return value


def members(text: str, at: int, *, alone: bool = False) -> Iterator[Member]:
    """Yield the keys of the object that begins at `at`, one after the other.

    So an error inside a large document can say its line, and a key that occurs
    twice is seen. With `alone` nothing but white space may follow the object.
    """
    at = _expect(text, at, "{")
    seen: set[str] = set()
    while text[at : at + 1] != "}":
        if seen:
            at = _expect(text, at, ",")
        key_at = at
        key, at = _value(text, at)
        if not isinstance(key, str) or key in seen:
            raise JSONError("expected another key in quotes", key_at)
        seen.add(key)
        value_at = _expect(text, _after_space(text, at), ":")
        value, at = _value(text, value_at)
        at = _after_space(text, at)
        yield Member(key, value, key_at, value_at)
    if alone and _after_space(text, at + 1) != len(text):
        raise JSONError("extra text after the object", at)


def _value(text: str, at: int, decoder: json.JSONDecoder = _decoder) -> tuple[Any, int]:
    try:
        return decoder.raw_decode(text, at)
    except JSONError as error:
        raise JSONError(str(error), at) from error
    except json.JSONDecodeError as error:
        message = f"{error.msg} in column {error.colno}"
        raise JSONError(message, error.pos) from error
    except RecursionError as error:
        raise JSONError("nested too deeply", at) from error
    except ValueError as error:  # a number of thousands of digits
        raise JSONError("a number has too many digits", at) from error


def _expect(text: str, at: int, char: str) -> int:
    if text[at : at + 1] != char:
        raise JSONError(f"expected {char}", at)
    return _after_space(text, at + 1)


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
