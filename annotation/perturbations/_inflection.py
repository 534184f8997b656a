"""Tokens of a text, what part of speech they are, and the other forms of their words.

English only: TextBlob's tagger (Brill's rules over a lexicon) and the tables of
lemminflect. Both are in their packages, so nothing is downloaded.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

# Footnote 3 of "Rethinking Text Generation Evaluation": tags of words that may inflect.
OPEN_TAGS = frozenset(
    "JJ JJR JJS NN NNS NNP NNPS RB RBR RBS VB VBD VBG VBN VBP VBZ".split()
)
_KINDS = {"J": "ADJ", "N": "NOUN", "R": "ADV", "V": "VERB"}  # by a tag's first letter

# Letters and digits, with the accents that some texts keep as characters of their own.
_RUN = r"[^\W_](?:[^\W_]|[\u0300-\u036f])*"
_SHORT = r"['’](?:s|m|d|ll|re|ve)(?![^\W_])"
# As in the Penn Treebank: "don't" is do + n't, "he's" is he + 's.
_TOKEN = re.compile(
    rf"[^\W_]+(?=n['’]t(?![^\W_]))|n['’]t(?![^\W_])|{_SHORT}|(?:[^\W\d_]\.){{2,}}"
    rf"|{_RUN}(?:(?!{_SHORT})(?:[-'’/@&]|(?<=\d)[.,:](?=\d)){_RUN})*"
    r"|(?P<mark>[^\s])(?P=mark)*",
    re.IGNORECASE,
)
_OPENING = frozenset("([{“‘«¿¡$£€#@")
_ENDING = frozenset(".!?…")


class Tokens(NamedTuple):
    """N tokens of a text, and the n + 1 gaps before, between and behind them."""

    words: tuple[str, ...]  # without any white space
    gaps: tuple[str, ...]  # white space, or nothing
    leans: tuple[str, ...]  # "<", ">" or "": a mark that touches what is beside it

    @property
    def text(self) -> str:
        """The text, to the last character."""
        pairs = zip(self.gaps, (*self.words, ""), strict=True)
        return "".join(gap + word for gap, word in pairs)

    def with_words(self, new: Mapping[int, str]) -> Tokens:
        """Other words at some positions."""
        return self._replace(
            words=tuple(new.get(i, word) for i, word in enumerate(self.words))
        )

    def in_order(self, order: Sequence[int]) -> Tokens:
        """The token that stood at order[i] at each i.

        Gaps stay where they are. But two tokens that came to stand side by side are
        parted by a space, unless one is a mark that always leans on its neighbour: so
        neither "coldThe" nor "cold ." betrays that something has moved.
        """
        words = tuple(self.words[i] for i in order)
        leans = tuple(self.leans[i] for i in order)
        gaps = list(self.gaps)
        for i in range(1, len(order)):
            has_moved = order[i] != i or order[i - 1] != i - 1
            if has_moved and "\n" not in gaps[i]:
                touching = leans[i] == "<" or leans[i - 1] == ">"
                gaps[i] = "" if touching else gaps[i] or " "
        return Tokens(words, tuple(gaps), leans)


def tokenized(text: str) -> Tokens:
    """Split a text: `tokenized(text).text == text`, whatever its white space.

    >>> tokenized("I don't like books.").words
    ('I', 'do', "n't", 'like', 'books', '.')
    """
    words, gaps, end = [], [], 0
    for match in _TOKEN.finditer(text):
        words.append(match[0])
        gaps.append(text[end : match.start()])
        end = match.end()
    gaps.append(text[end:])
    leans = [_lean(*one) for one in zip(words, gaps, gaps[1:], strict=False)]
    return Tokens(tuple(words), tuple(gaps), tuple(leans))


def _lean(word: str, before: str, behind: str) -> str:
    """To which side a mark has no space."""
    if any(map(str.isalnum, word)):
        return ""
    if word[0] in _OPENING:
        return "" if behind else ">"
    if not before:
        return "<"
    return "" if behind else ">"


def tags(words: Sequence[str]) -> list[str]:
    """Penn Treebank tags of the tokens of a text.

    >>> tags(["I", "read", "books", "."])
    ['PRP', 'VBP', 'NNS', '.']
    """
    if not words:
        return []
    # Imported at the first text: it takes two seconds, most of them nltk's.
    from textblob.en import tag

    # A new line tells the tagger that the next capital means nothing. A list of tokens
    # would be read as one of sentences.
    parts = [word + ("\n" if word[0] in _ENDING else " ") for word in words]
    tagged = tag("".join(parts)[:-1], tokenize=False)
    found = [name for _, name in tagged]
    if len(found) != len(words):
        raise ValueError(f"expected {len(words)} tags, got {len(found)}")
    return found


def inflectable(words: Sequence[str]) -> dict[int, tuple[str, ...]]:
    """Positions of words that have other forms, and those forms."""
    found = {}
    for i, (word, tag) in enumerate(zip(words, tags(words), strict=True)):
        if tag in OPEN_TAGS and (others := other_forms(word, tag)):
            found[i] = others
    return found


def other_forms(word: str, tag: str) -> tuple[str, ...]:
    """Forms of a word that differ from it, of any part of speech, in order.

    Its capitals stay. None for a word that the tables do not have.

    >>> other_forms("Books", "NNS")
    ('Book', 'Booked', 'Booking')
    """
    return tuple(like(word, form) for form in _forms(word.lower(), kind_of(tag)))


def like(model: str, word: str) -> str:
    """The word with the capitals of another."""
    if len(model) > 1 and model.isupper():
        return word.upper()
    return word[0].upper() + word[1:] if model[0].isupper() else word


@functools.lru_cache(maxsize=65_536)
def _forms(word: str, kind: str) -> tuple[str, ...]:
    from lemminflect import getAllInflections

    by_tag = getAllInflections(lemma(word, kind))
    forms = {form.lower() for forms in by_tag.values() for form in forms}
    return tuple(sorted(forms - {word}))


@functools.lru_cache(maxsize=65_536)
def lemma(word: str, kind: str) -> str:
    """What a small-lettered word is a form of; itself where the tables lack it.

    `kind` is NOUN, VERB, ADJ or ADV. Where the word is none such, as the tagger errs,
    that of any other part of speech.
    """
    from lemminflect import getAllLemmas

    found = getAllLemmas(word)
    lemmas = found.get(kind) or next(iter(found.values()), (word,))
    return lemmas[0]


@functools.lru_cache(maxsize=65_536)
def inflected(lemma: str, tag: str) -> str | None:
    """The form of a lemma for a tag; None where the tables have none.

    >>> inflected("hate", "VBD")
    'hated'
    """
    from lemminflect import getInflection

    found = getInflection(lemma, tag, inflect_oov=False)
    return found[0] if found else None


def kind_of(tag: str) -> str:
    """NOUN, VERB, ADJ or ADV, for one of OPEN_TAGS."""
    return _KINDS[tag[0]]
