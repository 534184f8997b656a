"""Read and clean the collections that the bundled models are trained on.

A document is a review, a newsgroup message, or some pages of a book; its paragraphs
are separated by line breaks. Which documents are held out is a matter of their words
alone, so it stays the same whatever else is read, and copies never part.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

HELD_OUT = 50  # one document in so many is held out
MIN_WORDS = 15  # shorter documents tell nothing about how sentences follow each other
PAGE = 4000  # characters of a book that make a document, at least

IMDB = {
    "train_pos": "positive",
    "train_neg": "negative",
    "test_pos": "positive",
    "test_neg": "negative",
    "train_unsup": "",
}

_WORD = re.compile(r"[a-z0-9]+")
_BREAK = re.compile(r"\s*<br\s*/?>\s*", re.IGNORECASE)
_BLANK = re.compile(r"\n[ \t\r]*\n")

_SIGNATURE = re.compile(r"^-- ?$", re.MULTILINE)
_QUOTED = re.compile(r"^[ \t]*(?:[>|:}#\]]|\w{1,4}>).*$", re.MULTILINE)
_ATTRIBUTION = re.compile(
    r"^(?:In (?:article|message|<).*\n?){0,1}.{0,90}"
    r"\b(?:writes|wrote|writes that|said|says|writes in .{0,40})[:.]{1,3}[ \t]*$"
    r"|^In (?:article|message)? ?<.*$",
    re.MULTILINE,
)
_HEADER = re.compile(r"^[A-Z][\w-]{2,30}: .*$", re.MULTILINE)

_BOILERPLATE = re.compile(
    r"gutenberg|distributed proofread|proofreading team|transcriber|etext was produced"
    r"|extensive research did not|copyright on this publication|^produced by "
    r"|^\W*(?:illustration|footnote)|all rights reserved|^end of (?:the )?project",
    re.IGNORECASE,
)


class Document(NamedTuple):
    """One text to learn from."""

    source: str  # one of SOURCES
    text: str  # paragraphs, a line each
    label: str = ""  # "positive", "negative", or the newsgroup


def read(data: Path) -> Iterator[Document]:
    """All documents of all collections, without copies of one another."""
    seen: set[str] = set()
    for source, reader in SOURCES.items():
        for document in reader(data / f"text_{source}"):
            name = key(document.text)
            if name not in seen and len(document.text.split()) >= MIN_WORDS:
                seen.add(name)
                yield document


def words(text: str) -> list[str]:
    """Lower-case words and numbers: what makes two texts the same."""
    return _WORD.findall(text.lower())


def key(text: str) -> str:
    """The same for texts that differ in case, punctuation or white space alone."""
    return hashlib.sha256(" ".join(words(text)).encode()).hexdigest()


def is_held_out(text: str) -> bool:
    return int(key(text)[:8], 16) % HELD_OUT == 0


def imdb(folder: Path) -> Iterator[Document]:
    for name, label in IMDB.items():
        for row in rows(folder / f"{name}.jsonl.gz"):
            yield Document("imdb", review(row["text"]), label)


def newsgroups(folder: Path) -> Iterator[Document]:
    for row in rows(folder / "20_newsgroups.jsonl.gz"):
        yield Document("20newsgroups", message(row["text"]), row["group"])


def books(folder: Path) -> Iterator[Document]:
    for path in sorted(folder.glob("*.txt")):
        text = path.read_text(encoding="utf-8", errors="replace")
        yield from (Document("books", page, path.stem) for page in pages(text))


SOURCES: dict[str, Callable[[Path], Iterable[Document]]] = {
    "imdb": imdb,
    "20newsgroups": newsgroups,
    "books": books,
}


def review(text: str) -> str:
    """Without the breaks of its web page.

    >>> review("Good.<br /><br />Really  good.")
    'Good.\\nReally good.'
    """
    return _joined(_BREAK.split(text))


def message(text: str) -> str:
    """The body, without what others wrote, the signature, tables and encoded files."""
    body = text.replace("\r", "").partition("\n\n")[2]
    body = _SIGNATURE.split(body, maxsplit=1)[0]
    body = _QUOTED.sub("", _ATTRIBUTION.sub("", body))
    paragraphs = []
    for number, paragraph in enumerate(_BLANK.split(body)):
        # A second header stands at the start of answers to frequent questions.
        own = paragraph if number else _HEADER.sub("", paragraph)
        lines = [line for line in own.split("\n") if _is_prose(line)]
        paragraphs.append(" ".join(lines))
    return _joined(one for one in paragraphs if len(one.split()) >= 4)


def pages(text: str) -> Iterator[str]:
    """Paragraphs of a book, some thousand characters together, without headings."""
    waiting: list[str] = []
    for paragraph in _BLANK.split(text):
        plain = " ".join(paragraph.replace("_", "").split())
        if _BOILERPLATE.search(plain) or not any(map(str.islower, plain)):
            continue
        waiting.append(plain)
        if sum(map(len, waiting)) >= PAGE:
            yield _joined(waiting)
            waiting = []
    yield _joined(waiting)


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Lines of a compressed file, parsed."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def _joined(paragraphs: Iterable[str]) -> str:
    clean = (" ".join(paragraph.split()) for paragraph in paragraphs)
    return "\n".join(one for one in clean if one)


def _is_prose(line: str) -> bool:
    """Letters above all. Not strict: a lost line breaks a sentence."""
    line = line.strip()
    plain = sum(one.isalnum() or one in " .,:'\"?!-;()$%/#" for one in line)
    return plain > 0.9 * len(line) and sum(map(str.isalpha, line)) > 0.55 * len(line)
