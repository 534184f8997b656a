"""Places in a pattern that take something of the text, and what goes there.

Several controls of one text come in with what it has already, its label and its source:

    label     positive; keywords: boat, storm     parts with ; between
    source    persona: a tired sailor             a line of its own

A part or line "name: value" is a control with that name. What is behind it is taken as
it stands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from scoring.metrics._engine.base import Example
from scoring.metrics._engine.labels import folded

TEXT = "<gen_result>"  # where a pattern takes the text
MASK = "<mask_token>"  # where it has its gap, whatever the model's own gap token is
PREFIX = "<prefix>"
CONTINUATION = "<continuation>"
SOURCE = "<source>"
CONTROL = "<control>"

# In the words of a page.
MEANINGS = {
    TEXT: "the whole text, with its prefix",
    PREFIX: "the prefix: how the text had to begin",
    CONTINUATION: "the text without its prefix",
    SOURCE: "the source: what the text answers, such as a document or a dialogue",
    CONTROL: "what was asked of the text: keywords, a plot, a persona",
    MASK: "the gap that the model fills",
}
# What a text without it is told to lack.
_MISSING = {
    TEXT: "the text is empty",
    PREFIX: "there is no prefix",
    CONTINUATION: "nothing follows the prefix",
    SOURCE: "there is no source",
}
_ANY = re.compile("<[a-z_]+>")
LONGEST_NAME = 64  # characters; a sentence with a colon in it is no control


class Attribute(NamedTuple):
    """One of the things that a text was asked to be."""

    name: str  # folded; empty: it has none
    value: str


def attributes(label: str) -> list[Attribute]:
    """The parts of a label, in order.

    >>> [tuple(one) for one in attributes("positive; Keywords: boat, storm")]
    [('', 'positive'), ('keywords', 'boat, storm')]
    """
    return [_attribute(part) for part in label.split(";") if part.strip()]


def control_of(example: Example, name: str) -> str:
    """The value of a control, "" if the text has none.

    Without a name it is the whole label. The label comes before the source, and the
    first of two before the second.

    >>> control_of(Example("It left.", source="Plot: the ferry leaves"), "plot")
    'the ferry leaves'
    """
    if not name:
        return example.label.strip()
    lines = map(_attribute, example.source.splitlines())
    wanted = folded(name)
    found = (one for one in [*attributes(example.label), *lines] if one.name == wanted)
    return next((one.value for one in found), "")


def values(example: Example, control: str = "") -> dict[str, str]:
    """What goes to each place but the gap, "" where the text has nothing."""
    text, prefix = example.text, example.prefix
    rest = text[len(prefix) :] if text.startswith(prefix) else text
    return {
        TEXT: text,
        PREFIX: prefix,
        CONTINUATION: rest.strip(),
        SOURCE: example.source,
        CONTROL: control_of(example, control),
    }


def missing(pattern: str, given: Mapping[str, str], control: str = "") -> str | None:
    """Why a pattern cannot be filled, if so."""
    for place in used(pattern):
        if place in given and not given[place].strip():
            none = (
                f"there is no control {control!r}" if control else "there is no label"
            )
            return _MISSING.get(place, none)
    return None


def filled(pattern: str, given: Mapping[str, str]) -> str:
    """A pattern with everything in its place, all at once: a text may hold "<prefix>".

    >>> filled("<source> So: <prefix>", {"<source>": "A <prefix>.", "<prefix>": "It"})
    'A <prefix>. So: It'
    """
    return _ANY.sub(lambda found: given.get(found[0], found[0]), pattern)


def used(pattern: str) -> list[str]:
    """Everything in a pattern that looks like a place, in order."""
    return _ANY.findall(pattern)


def _attribute(written: str) -> Attribute:
    name, _, value = written.strip().partition(":")
    if name.strip() and value.strip() and len(name) <= LONGEST_NAME:
        return Attribute(folded(name), value.strip())
    return Attribute("", written.strip())
