"""Which columns of a row belong to which system, by their names and cells. Pure.

The names of columns hold a system's name and what stands in the column: gpt4_output,
gpt4_coherence, llama_output, llama_coherence; or the system's name alone, where the
cells are its texts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from annotation.imports._account import filled
from annotation.imports._cells import is_missing, number
from annotation.imports._names import (
    ASPECTS,
    METRICS,
    OF_COMMENTS,
    OF_PROMPTS,
    USUAL,
    looks_like_system,
)
from annotation.imports._verbs import MOST, Part
from annotation.imports.files import Record

FEWEST_WORDS = 3  # of a text on average, where its name does not say that it is one
MOST_WORDS = 8  # of a system's name
LONG = 20  # characters of a text in a script without spaces
_WORDS = re.compile(r"[^\W_]+")
_SINGULAR = (
    "output response completion continuation generation hypothesis hyp translation"
    " summary story text answer prediction pred candidate reply tgt mt result"
)
OUTPUTS = frozenset(
    word for one in _SINGULAR.split() for word in (one, f"{one}s")
) | frozenset(("summaries", "stories", "hypotheses", "replies", "generated"))
FILLERS = frozenset("model models system systems by from of the".split())
SMALL = frozenset("by from of the".split())  # words that are part of no name
VALUES = ASPECTS | METRICS
ANY_VALUE = ("score", "scores", "rating", "ratings")
# What a name says beside a system's: nobody calls a system so.
_ROLES = ("prompt", "prefix", "source", "label", "reference", "edited", "rater", "role")
OTHERS = (
    (
        OF_PROMPTS
        | frozenset(
            word for role in _ROLES for one in USUAL[role] for word in one.split()
        )
    )
    - {"human", "a", "b", "2", "3"}
    - OUTPUTS
)
COMPARED = frozenset(
    "reference references ref refs source src edited corrected target targets gold"
    " original originals".split()
)
PLACES = frozenset("a b c d e f left right first second third one two three".split())


class Word(NamedTuple):
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Wide:
    """A row with texts of several systems."""

    texts: Mapping[str, str]  # column by system, as the names write it
    parts: Mapping[str, Part]  # of all columns that belong to a system
    without_system: Collection[str]  # ratings that do not say of which system
    names: Collection[str]  # of all columns, as far as they were seen
    has_stem: bool  # whether names of columns say that they hold texts
    is_sure: bool = False
    looks_so: bool = False  # whether anything but the cells says that these are systems

    def part_of(self, column: str) -> Part | None:
        """Fields of objects may turn up late."""
        if column in self.names:
            return self.parts.get(column)
        if part := _part(column, _by_words(self.texts)):
            return part
        system, has_stem = _owner(column)
        is_text = self.has_stem and has_stem and not _is_other(column, has_stem=True)
        return Part(system, "text") if is_text else None

    def has_own(self, usual: Collection[str]) -> bool:
        """Whether each text has its own such column: model_a, model_b; id_a, id_b."""
        return not self._own.isdisjoint(usual)

    @cached_property
    def _own(self) -> frozenset[str]:
        return frozenset(" ".join(plain(part.name)) for part in self.parts.values())


def words_of(name: str) -> list[Word]:
    """The words of a name; output1 and outputA are two."""
    words = []
    for match in _WORDS.finditer(name[:200]):
        text, start = match[0], match.start()
        head = text.rstrip("0123456789")
        if head == text and text[-1:].isupper():
            head = text[:-1]
        if head != text and head.lower() in OUTPUTS | VALUES | FILLERS:
            words.append(Word(head, start, start + len(head)))
            start += len(head)
        words.append(Word(name[start : match.end()], start, match.end()))
    return words


def plain(name: str) -> list[str]:
    return [word.text.lower() for word in words_of(name)]


def _joined(name: str, words: Sequence[Word]) -> str:
    """As the name writes them, where nothing stands between."""
    if words and _is_together(name, words):
        return name[words[0].start : words[-1].end]
    return " ".join(word.text for word in words)


def _is_together(name: str, words: Sequence[Word]) -> bool:
    whole = name[words[0].start : words[-1].end] if words else ""
    return [word.text for word in words_of(whole)] == [word.text for word in words]


def _owner(name: str) -> tuple[str, bool]:
    """The system in the name of a column with texts; whether it says "output", too."""
    words = words_of(name)
    rest = [word for word in words if word.text.lower() not in OUTPUTS | SMALL]
    has_stem = any(word.text.lower() in OUTPUTS for word in words)
    if not has_stem:
        return name.strip(), False
    named = [word for word in rest if word.text.lower() not in FILLERS]
    # Model A is A, and model_outputs.gpt4 is gpt4; but "our model" is called so.
    is_one = _is_together(name, rest) and not _is_place(_joined(name, named))
    return _joined(name, rest if is_one else named or rest), True


def wide(columns: Collection[str], first: Sequence[Record]) -> Wide | None:
    """None: a row has the text of one system."""
    names = list(columns)[:MOST]
    texts, has_stem = _texts(names, first)
    if len(texts) < 2:
        return None
    unnamed = [s for s, column in texts.items() if has_stem and s == column]
    parts = _parts(names, texts, unnamed)
    alone = [name for name in names if name not in parts]
    if any(_is_of_one_text(name, texts) for name in alone):
        return None
    rated = [name for name in alone if _is_rated(name, first)]
    valued = {part.item for part in parts.values() if part.name != "text"}
    looks_so = has_stem or bool(valued) or any(map(looks_like_system, texts))
    if rated and not (has_stem or valued):
        return None  # which of the texts they are about, a person says
    if not looks_so and not any(map(_is_other, alone)):
        return None  # title, body: nothing is there that both answer
    row = Wide(texts, parts, rated, names, has_stem, looks_so=looks_so)
    is_named = row.has_own(USUAL["system"]) or not any(map(_is_place, texts))
    scheme = has_stem or valued >= set(texts)
    return replace(row, is_sure=scheme and is_named and not (rated or unnamed))


def _parts(
    names: Sequence[str], texts: Mapping[str, str], unnamed: Sequence[str]
) -> dict[str, Part]:
    """Where each column goes that belongs to a system.

    Of output, score, output_b, score_b the first two name none: they belong together.
    """
    parts = {column: Part(system, "text") for system, column in texts.items()}
    systems = _by_words(texts)
    for name in names:
        if name not in parts and (part := _part(name, systems)):
            parts[name] = part
    values = {part.name for part in parts.values()}
    for name in names if unnamed else ():
        if name not in parts and name in values:
            parts[name] = Part(unnamed[0], name)
    return parts


def repeated(columns: Collection[str]) -> dict[str, str]:
    """Names for columns of a header that has each name twice or more.

    Of text, score, text, score third is called "text (2)" here, and "text.1" by pandas.
    """
    by_base: dict[str, list[str]] = {}
    for name in columns:
        base, n = _numbered(name)
        if n and base in columns:
            by_base.setdefault(base, [base]).append(name)
    if not any(_owner(base) == ("", True) for base in by_base):
        return {}
    return {
        name: f"{base} {place}"
        for base, names in by_base.items()
        for place, name in enumerate(names, start=1)
    }


def _numbered(name: str) -> tuple[str, str]:
    """text (2) and text.1 -> text, and the number."""
    if name.endswith(")"):
        base, _, n = name[:-1].rpartition(" (")
    else:
        base, _, n = name.rpartition(".")
    return (base, n) if n.isdigit() else (name, "")


def _texts(
    names: Sequence[str], first: Sequence[Record]
) -> tuple[dict[str, str], bool]:
    """Columns with texts by system, and whether their names say that they are texts."""
    stemmed: dict[str, str] = {}
    bare: dict[str, str] = {}
    for name in names:
        system, has_stem = _owner(name)
        if _is_other(name, has_stem=has_stem) or not _holds_texts(
            name, first, is_named=has_stem
        ):
            continue
        if has_stem:
            stemmed.setdefault(system, name)
        elif not VALUES.intersection(plain(name)):
            bare.setdefault(system, name)
    if "" in stemmed:
        others = [system for system in stemmed if system]
        if not others or not all(_is_place(s) or looks_like_system(s) for s in others):
            return {}, False
        return {system or name: name for system, name in stemmed.items()}, True
    if len(stemmed) > 1:
        return stemmed, True
    return {**stemmed, **bare}, False


def _is_other(name: str, *, has_stem: bool = False) -> bool:
    """Whether it holds what texts answer or are compared with, or a comment.

    A system may be called "no prompt", beside a word for texts.
    """
    words = set(plain(name))
    if name.rstrip().endswith("?") or len(words) > MOST_WORDS:
        return True  # what people were asked, and no name
    if OF_COMMENTS.search(" ".join(plain(name))) or words & COMPARED:
        return True
    rest = words - OUTPUTS - FILLERS
    return bool(words & OTHERS) and (not has_stem or rest <= OTHERS)


def _holds_texts(name: str, first: Sequence[Record], *, is_named: bool) -> bool:
    """Sentences; or, under a name that says so, anything that is no number."""
    cells = [c for r in first if filled(c := r.cells.get(name)) and not is_missing(c)]
    texts = [text for text in cells if isinstance(text, str)]
    if not texts or len(texts) < len(cells):
        return False
    if any(text[:1] in "{[" and text[-1:] in "}]" for text in texts):
        return False
    words = sum(len(text.split()) for text in texts) / len(texts)
    if words >= FEWEST_WORDS:
        return True
    if is_named and not VALUES.intersection(plain(name)):
        return all(number(text) is None for text in texts)
    return any(len(text) > LONG and not text.isascii() for text in texts)


def _by_words(texts: Collection[str]) -> dict[tuple[str, ...], str]:
    return {tuple(plain(system)): system for system in texts}


def _part(column: str, systems: Mapping[tuple[str, ...], str]) -> Part | None:
    """What a column holds of a system that it names; the longest name counts."""
    words = words_of(column)
    spelled = [word.text.lower() for word in words]
    for length in range(len(spelled) - 1, 0, -1):
        for at in range(len(spelled) - length + 1):
            own = tuple(spelled[at : at + length])
            if own in systems and _may_be(at, spelled, own):
                rest = [*words[:at], *words[at + length :]]
                return Part(systems[own], _value_name(column, rest))
    return None


def _may_be(at: int, plain: Sequence[str], own: Sequence[str]) -> bool:
    """Letters and numbers stand at an end, or behind what they are about."""
    if at == 0 or at + len(own) == len(plain) or not _is_place(" ".join(own)):
        return True
    return plain[at - 1] in VALUES | OUTPUTS | FILLERS


def _value_name(column: str, rest: Sequence[Word]) -> str:
    """ "scores.gpt4.coherence" -> coherence; "gpt4_rating" -> rating."""
    words = [word for word in rest if word.text.lower() not in OUTPUTS] or list(rest)
    named = [word for word in words if word.text.lower() not in FILLERS] or words
    if len(named) > 1 and named[0].text.lower() in ANY_VALUE:
        others = {word.text.lower() for word in named[1:]}
        named = named[1:] if others & VALUES else named
    return _joined(column, named)


def _is_of_one_text(name: str, texts: Mapping[str, str]) -> bool:
    """Whether the row has a system, or a text of its own."""
    words = " ".join(plain(name))
    of_samples = all(system.isdigit() for system in texts)
    is_text = words in USUAL["text"] and words not in COMPARED
    return is_text or (words in USUAL["system"] and not of_samples)


def _is_rated(name: str, first: Sequence[Record]) -> bool:
    if not VALUES.intersection(plain(name)):
        return False
    cells = [c for r in first if filled(c := r.cells.get(name))]
    numbers = [c for c in cells if isinstance(c, list) or number(c) is not None]
    return 2 * len(numbers) > len(cells)


def _is_place(system: str) -> bool:
    """Whether it says where the text stands, not who wrote it."""
    return system.isdigit() or system.lower() in PLACES


def listed(systems: Iterator[str] | Collection[str]) -> str:
    """a, b and c."""
    *others, last = list(systems)
    return f"{', '.join(others)} and {last}" if others else last
