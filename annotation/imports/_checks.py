"""What must hold of a row, of all rows together, and beside what is there. Pure."""

from __future__ import annotations

import dataclasses
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from operator import attrgetter

from annotation import storable
from annotation.imports._problems import Problems, shown
from annotation.imports._rows import Row
from annotation.imports._source import Limits

MOST_RATINGS = 1_000  # of one text and aspect; DICES has 123
MOST_REFERENCES = 50  # of one prompt, or of one text
LONGEST_RATER = 128
LONGEST_ASPECT = 50
WORDS = {"text": "texts or turns", "dialogue": "whole dialogues"}  # Aspect.about
SYSTEM_FACTS = ("system_kind", "system_model", "top_p", "top_k")

NO_TEXT = "without a text, a row needs its system and its prompt or source"

Prompt = tuple[str, str, str]  # prefix, label, source
_TEXTS_OF = attrgetter(
    *(column.name for column in dataclasses.fields(Row) if column.type == "str")
)
Wrong = Callable[[str], None]


@dataclass
class Present:
    """What a study has already. A new one has nothing and takes any label."""

    scale: range
    scales: dict[str, range] = field(default_factory=dict)  # of aspects with their own
    labels: frozenset[str] | None = None
    aspects: frozenset[str] | None = None
    about: dict[str, str] = field(default_factory=dict)  # of aspects: Aspect.about
    keys: set[str] = field(default_factory=set)
    # Hashes, as texts would fill the memory: of prompt, system and sample, or text.
    samples: set[int] = field(default_factory=set)
    texts: set[int] = field(default_factory=set)
    systems: dict[str, dict[str, object]] = field(default_factory=dict)
    invented: frozenset[str] = frozenset()  # ids that EvalApp gave to texts
    # Hashes of id, aspect and rater of the ratings that are there; asked for by need.
    rated: Callable[[], set[int]] = set

    @property
    def is_new(self) -> bool:
        """Whether it has no texts yet."""
        return not self.keys


def plain(text: str) -> str:
    """Without what nobody sees, to compare texts.

    A space at the end, other line ends, or an accent in two characters, made two texts
    with one rating each of one with two.
    """
    composed = text if text.isascii() else unicodedata.normalize("NFC", text)
    return " ".join(composed.split())


def check_row(
    row: Row, *, present: Present, limits: Limits, problems: Problems
) -> None:
    """Whatever can be said of a row without looking at the others."""

    def wrong(message: str) -> None:
        problems.add(message, row.line)

    empty = row.is_empty and not row.may_be_empty and not row.by_id
    if empty and row.line not in problems.bad_lines:
        wrong(f'"text" is empty: {NO_TEXT}')
    if len(row.references) > MOST_REFERENCES:
        wrong(f"{len(row.references):,} references; the most is {MOST_REFERENCES}")
    if len(row.edited) > MOST_REFERENCES:
        wrong(f"{len(row.edited):,} corrected texts; the most is {MOST_REFERENCES}")
    long = [("text", row.text), ("prefix", row.prefix), ("source", row.source)]
    long += ((f"reference {n}", text) for n, text in enumerate(row.references, 1))
    long += ((f"corrected text {n}", text) for n, text in enumerate(row.edited, 1))
    for name, text in long:
        if len(text) > limits.characters:
            wrong(
                f"{name} has {len(text):,} characters; the most is"
                f" {limits.characters:,}. Shorten it, or ask your operator to raise"
                " UPLOAD_MAX_CHARACTERS"
            )
    # One look at all of them; only where it finds something, one at each.
    texts = list(_texts(row))
    if storable.REFUSED.search("\n".join(texts)):
        wrong(str(storable.problem_in(texts)))
    if present.labels is not None and row.label and row.label not in present.labels:
        valid = ", ".join(sorted(present.labels))
        wrong(f"label {shown(row.label)} is not one of the study's labels: {valid}")
    _check_values(row, present=present, wrong=wrong)


def _check_values(row: Row, *, present: Present, wrong: Wrong) -> None:
    for aspect in dict.fromkeys(row.aspects()):
        if not 0 < len(aspect) <= LONGEST_ASPECT:
            wrong(f"{shown(aspect)} cannot be an aspect: up to 50 letters, digits, -")
        elif present.aspects is not None and aspect not in present.aspects:
            valid = ", ".join(sorted(present.aspects))
            wrong(f"aspect {shown(aspect)} is not one of the study's aspects: {valid}")
        elif present.about.get(aspect, row.about) != row.about:
            asked, rated = WORDS[present.about[aspect]], WORDS[row.about]
            wrong(f"{aspect} is asked of {asked} in the study, and rated of {rated}")
    for aspect, _, value in row.ratings:
        scale = present.scales.get(aspect, present.scale)
        if value not in scale:
            wrong(f"{aspect}: {value} is {_outside(scale)}")
    for aspect, mean, _ in row.means:
        scale = present.scales.get(aspect, present.scale)
        if not scale[0] <= mean <= scale[-1]:
            wrong(f"{aspect}: mean {mean:g} is {_outside(scale)}")
    _check_once(row, wrong)


def _outside(scale: range) -> str:
    return f"outside the scale from {scale[0]} to {scale[-1]}"


def _check_once(row: Row, wrong: Wrong) -> None:
    """One mean for an aspect, or its ratings; one rating of a named rater."""
    if len(row.ratings) + len(row.means) < 2 and not any(r.rater for r in row.ratings):
        return  # most rows, and counting takes long
    means = Counter(mean.aspect for mean in row.means)
    ratings = Counter(rating.aspect for rating in row.ratings)
    raters = Counter((r.aspect, r.rater) for r in row.ratings if r.rater)
    for aspect, n in means.items():
        if n > 1:
            wrong(f"{aspect}: two means")
        if aspect in ratings:
            wrong(f"{aspect}: both ratings and a mean; give the ratings only")
    for aspect, n in ratings.items():
        if n > MOST_RATINGS:
            wrong(f"{aspect}: {n:,} ratings; the most for one text is {MOST_RATINGS:,}")
    for (aspect, rater), n in raters.items():
        if n > 1:
            wrong(f"{aspect}: rater {shown(rater)} occurs twice")
        if len(rater) > LONGEST_RATER:
            wrong(f"{aspect}: the rater's name is longer than {LONGEST_RATER}")


def _texts(row: Row) -> Iterable[str]:
    for value in _TEXTS_OF(row):
        if value:
            yield value
    yield from row.references
    yield from row.edited
    yield from row.aspects()
    yield from (rating.rater for rating in row.ratings)
