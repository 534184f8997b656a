"""Where marks stand: from tags in the text, from quoted words, from offsets."""

from __future__ import annotations

from collections.abc import Iterator

from scoring.stats.spans.files.segments import Refused

OPENING, CLOSING = "<v>", "</v>"


def tagged(text: str) -> tuple[str, tuple[int, int] | None]:
    """Take the tags off a text that has one mark: `<v>` before it, `</v>` behind it.

    Returns:
        The text without tags, and the mark; None where it has no tag.

    Raises:
        Refused: "unclosed" for anything but one pair in this order.

    >>> tagged("a <v>bad</v> word")
    ('a bad word', (2, 5))
    """
    if OPENING not in text and CLOSING not in text:
        return text, None
    before, opening, rest = text.partition(OPENING)
    inside, closing, after = rest.partition(CLOSING)
    plain = before + inside + after
    if not (opening and closing) or plain != untagged(text):
        raise Refused("unclosed", text)
    return plain, (len(before), len(before) + len(inside))


def untagged(text: str) -> str:
    """The text without its tags, whatever they are."""
    return text.replace(OPENING, "").replace(CLOSING, "")


def quoted(text: str, words: str, near: int | None = None) -> tuple[int, int]:
    """Find quoted words in a text, letter by letter.

    Args:
        text: As it is stored.
        words: What is quoted; white space around it does not count.
        near: About where they start, if that is known: the nearest is taken, of two as
            near the first.

    Raises:
        Refused: "absent" where they do not stand there, or nothing is quoted;
            "ambiguous" where they stand there twice and `near` is not known.

    >>> quoted("the cat and the dog", "the", near=11)
    (12, 15)
    """
    words = words.strip()
    starts = list(_starts(text, words)) if words else []
    if not starts:
        raise Refused("absent", words)
    if len(starts) > 1 and near is None:
        raise Refused("ambiguous", words)
    start = min(starts, key=lambda at: abs(at - (near or 0)))
    return start, start + len(words)


def _starts(text: str, words: str) -> Iterator[int]:
    """Where they begin, one within the other, too."""
    start = text.find(words)
    while start >= 0:
        yield start
        start = text.find(words, start + 1)


def offsets(text: str, start: object, end: object) -> tuple[int, int]:
    """Take offsets as they are.

    Raises:
        Refused: "shape" if they are no whole numbers, "outside" if they leave the text.
    """
    if type(start) is not int or type(end) is not int:
        raise Refused("shape", f"{start} to {end}")
    if not 0 <= start <= end <= len(text):
        raise Refused("outside", f"{start} to {end}")
    return start, end
