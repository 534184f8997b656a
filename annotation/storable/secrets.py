"""A key, a token or a password in what a server repeats of it: blacked out."""

from __future__ import annotations

import base64
import functools
import re

# What servers without keys are sent for one, such as "EMPTY", is a word and no secret.
SHORTEST = 6
DEEPEST = 3  # an escape that is escaped again: bounded, so that no text is slow


def hidden(text: str, secret: str, instead: str) -> str:
    """The text without the secret, however a server spells it."""
    if len(secret) < SHORTEST:
        return text
    return _spelled(secret).sub(instead, text)


@functools.lru_cache(maxsize=64)
def _spelled(secret: str) -> re.Pattern[str]:
    """As it is; as JSON, addresses and HTML escape it, character by character; and in
    Base64 of something that holds it."""
    escaped = "".join(map(_any_of, secret))
    return re.compile("|".join([escaped, *map(_in_base64, _base64s(secret))]))


def _any_of(one: str) -> str:
    code = ord(one)
    ways = (
        rf"\\{{0,{DEEPEST}}}{re.escape(one)}",
        rf"\\{{1,{DEEPEST}}}u{_hex(code, 4)}",
        rf"%(?:25){{0,{DEEPEST}}}{_hex(code, 2)}",
        rf"&(?:amp;)?#0{{0,4}}{code};",
        rf"&(?:amp;)?#[xX]0{{0,4}}{_hex(code, 1)};",
    )
    return f"(?:{'|'.join(ways)})"


def _hex(code: int, digits: int) -> str:
    return "".join(
        f"[{digit}{digit.upper()}]" if digit.isalpha() else digit
        for digit in f"{code:0{digits}x}"
    )


def _base64s(secret: str) -> list[str]:
    """What it becomes at each of three places in what is encoded, without the ends,
    which hold bits of its neighbours."""
    found = []
    for before in range(3):
        coded = base64.b64encode(b"\0" * before + secret.encode()).decode().rstrip("=")
        is_whole = (before + len(secret.encode())) % 3 == 0
        found.append(coded[(0, 2, 3)[before] : None if is_whole else -1])
    return found


def _in_base64(coded: str) -> str:
    """In the alphabet of addresses, too, and with its line breaks and escapes."""
    ways = {"+": r"(?:[+-]|%2[bB])", "/": r"(?:\\?/|_|%2[fF])"}
    return "(?:\\\\r|\\\\n|[\r\n]){0,4}".join(ways.get(one, one) for one in coded)
