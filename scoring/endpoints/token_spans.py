"""Where in a text each token of a server ends.

Servers send tokens as texts, and write them in ways of their own: " the", "Ġthe",
"▁the" or "the"; half a character as "�" or as nothing. What does not spell the text
from its beginning to its end has no places: it may be cut, or of another text.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from typing import NamedTuple

UNKNOWN = "\ufffd"
MOST_LETTERS = 64  # of a first token that the server does not name


class TokenSpans(NamedTuple):
    """The tokens of a text. The lists have one entry for each of them."""

    first: int  # that is of the text: 1 if another one stands before it, else 0
    ends: list[int | None]  # in characters; None: within one
    exact: bool  # False: white space was not compared


class _Squeezed(NamedTuple):
    """A text as it is compared, and how many characters of it are in each part."""

    text: str
    ends: list[int]  # in characters of the original, by length of what was compared


def token_spans(tokens: Sequence[str | None], text: str) -> TokenSpans | None:
    """Where tokens end. Only the first may be unnamed; it may be none of the text.

    White space is left out of the comparison where it must be, and so are spellings of
    the same characters (NFKC), as some tokenizers change both.
    """
    for squeeze in (_as_it_is, _without_space):
        for named in (_plain, _byte_level, _metaspace):
            spans = _matched_spans(
                [_named(token, named) for token in tokens], text, squeeze
            )
            if spans is not None:
                return spans
    return None


def border(spans: TokenSpans, text: str, at: int) -> int | None:
    """How many tokens stand before a place in the text.

    None if one stands on both sides, or if it is not certain that none does.
    """
    if at == 0:
        return spans.first
    if spans.exact:
        places = [k for k, end in enumerate(spans.ends) if end == at]
        # A second one has no characters: it may be half of what follows.
        return places[0] + 1 if len(places) == 1 else None
    return _beside_space(spans.ends, text, at)


def _beside_space(ends: Sequence[int | None], text: str, at: int) -> int | None:
    """The same where nobody knows which token has the white space at the border."""
    start = len(text[:at].rstrip())
    matches = [k for k, end in enumerate(ends) if end == start]
    if start == 0 or not matches or ends[matches[-1] + 1 : matches[-1] + 2] == [None]:
        return None
    if len(matches) == 1:
        return matches[0] + 1
    # Those behind the first are white space and nothing else.
    space_follows = text[at : at + 1].isspace()
    if space_follows == (start < at):
        return None
    return (matches[0] if space_follows else matches[-1]) + 1


def _matched_spans(
    tokens: Sequence[str | None],
    text: str,
    squeeze: Callable[[str], _Squeezed],
) -> TokenSpans | None:
    whole = squeeze(text)
    exact = squeeze is _as_it_is
    small = [None if token is None else squeeze(token).text for token in tokens]
    spaces = [
        bool(token) and not squeezed
        for token, squeezed in zip(tokens, small, strict=True)
    ]
    rest = small[1:]
    starts = range(min(len(whole.text), MOST_LETTERS) + 1)
    if not small:
        return None
    # The first may be a mark that begins the text, or is told by what it leaves.
    for start in starts if small[0] is None else starts[:1]:
        if (places := _places(rest, spaces[1:], whole.text, start)) is not None:
            all_places: list[int | None] = [start, *places]
            return TokenSpans(
                int(start == 0), [_end(whole, token) for token in all_places], exact
            )
    places = _places(small, spaces, whole.text, 0)
    if small[0] is None or places is None:
        return None
    return TokenSpans(0, [_end(whole, token) for token in places], exact)


def _places(
    tokens: Sequence[str | None], spaces: Sequence[bool], text: str, start: int
) -> list[int | None] | None:
    """Where each ends; None if they do not spell the text from `start` to its end."""
    ends: list[int | None] = []
    place, hidden = start, 0  # how many characters tokens without a text may have
    for token, is_space in zip(tokens, spaces, strict=True):
        if token is None:
            return None
        if is_space:
            ends.append(None if hidden else place)
        elif _is_part(token):
            hidden += max(1, len(token))
            ends.append(None)
        else:
            at = text.find(token, place, place + hidden + len(token))
            if at < 0:
                return None
            if hidden:
                ends[-1] = at
            place, hidden = at + len(token), 0
            ends.append(place)
    if not place <= len(text) <= place + hidden:
        return None
    if hidden:
        ends[-1] = len(text)
    return ends


def _is_part(token: str) -> bool:
    """Whether it is not all of its characters."""
    return not token or UNKNOWN in token


def _end(whole: _Squeezed, place: int | None) -> int | None:
    return None if place is None else whole.ends[place]


def _as_it_is(text: str) -> _Squeezed:
    return _Squeezed(text, list(range(len(text) + 1)))


def _without_space(text: str) -> _Squeezed:
    characters, ends = [], [0]
    for place, character in enumerate(text, start=1):
        for part in unicodedata.normalize("NFKC", character):
            if not part.isspace():
                characters.append(part)
                ends.append(place)
    return _Squeezed("".join(characters), ends)


def _named(token: str | None, named: Callable[[str], str]) -> str | None:
    return None if token is None else named(token)


def _plain(token: str) -> str:
    """OpenAI writes parts of characters as bytes, in letters."""
    return UNKNOWN if token.startswith("bytes:\\x") else token


def _byte_level(token: str) -> str:
    """As tokenizers of bytes call them, for the two that are in every text."""
    return token.replace("Ġ", " ").replace("Ċ", "\n")


def _metaspace(token: str) -> str:
    return token.replace("▁", " ")
