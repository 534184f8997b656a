"""What must hold of a row, of all rows together, and beside what is there. Pure."""

from __future__ import annotations

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from annotation import storable
from annotation.imports._problems import Problems, shown
from annotation.imports._rows import Row
from annotation.imports._source import Limits

MOST_RATINGS = 100  # of one text and aspect, as in a study
MOST_REFERENCES = 50  # of one prompt
LONGEST_RATER = 128
LONGEST_ASPECT = 50
SYSTEM_FACTS = ("system_kind", "system_model", "top_p", "top_k")

Prompt = tuple[str, str, str]  # prefix, label, source
Wrong = Callable[[str], None]


@dataclass
class Present:
    """What a study has already. A new one has nothing and takes any label."""

    scale: range
    labels: frozenset[str] | None = None
    aspects: frozenset[str] | None = None
    keys: set[str] = field(default_factory=set)
    samples: set[tuple[Prompt, str, int]] = field(default_factory=set)
    texts: set[tuple[Prompt, str, str]] = field(default_factory=set)
    systems: dict[str, dict[str, object]] = field(default_factory=dict)


def check_row(
    row: Row, *, present: Present, limits: Limits, problems: Problems
) -> None:
    """Whatever can be said of a row without looking at the others."""

    def wrong(message: str) -> None:
        problems.add(message, row.line)

    if not row.text.strip():
        wrong('"text" is empty')
    if len(row.references) > MOST_REFERENCES:
        wrong(f"{len(row.references):,} references, {MOST_REFERENCES} are the most")
    long = {"text": row.text, "prefix": row.prefix, "source": row.source}
    long |= {f"reference {n}": text for n, text in enumerate(row.references, 1)}
    for name, text in long.items():
        if len(text) > limits.characters:
            wrong(
                f"{name} has {len(text):,} characters, {limits.characters:,} are the "
                "most"
            )
    if said := storable.problem_in(list(_texts(row))):
        wrong(said)
    if present.labels is not None and row.label and row.label not in present.labels:
        valid = ", ".join(sorted(present.labels))
        wrong(f"label {shown(row.label)} is none of the study's: {valid}")
    _check_values(row, present=present, wrong=wrong)


def _check_values(row: Row, *, present: Present, wrong: Wrong) -> None:
    low, high = present.scale[0], present.scale[-1]
    for aspect in dict.fromkeys(row.aspects()):
        if not 0 < len(aspect) <= LONGEST_ASPECT:
            wrong(f"{shown(aspect)} cannot be an aspect: up to 50 letters, digits, -")
        elif present.aspects is not None and aspect not in present.aspects:
            valid = ", ".join(sorted(present.aspects))
            wrong(f"aspect {shown(aspect)} is none of the study's: {valid}")
    for aspect, _, value in row.ratings:
        if value not in present.scale:
            wrong(f"{aspect}: {value} is outside the scale from {low} to {high}")
    for aspect, mean, _ in row.means:
        if not low <= mean <= high:
            wrong(f"{aspect}: mean {mean:g} is outside the scale from {low} to {high}")
    _check_once(row, wrong)


def _check_once(row: Row, wrong: Wrong) -> None:
    """One mean for an aspect, or its ratings; one rating of a named rater."""
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
            wrong(f"{aspect}: {n:,} ratings, {MOST_RATINGS} are the most of a text")
    for (aspect, rater), n in raters.items():
        if n > 1:
            wrong(f"{aspect}: rater {shown(rater)} stands there twice")
        if len(rater) > LONGEST_RATER:
            wrong(f"{aspect}: the rater's name is longer than {LONGEST_RATER}")


def check_together(rows: list[Row], *, present: Present, problems: Problems) -> None:
    """Number the samples and texts that have none, and refuse what is there twice."""
    twice = _Twice(present, problems)
    for row in rows:
        twice.note(row)
    _check_systems(rows, present=present, problems=problems)
    _check_references(rows, problems)
    _number_samples(rows, present)
    _number_keys(rows, present)


class _Twice:
    """Finds rows that say again what another row, or the study, says already."""

    def __init__(self, present: Present, problems: Problems) -> None:
        self._present, self._problems = present, problems
        self._keys: dict[str, int] = {}
        self._samples: dict[tuple[Prompt, str, int], int] = {}
        self._texts: dict[tuple[Prompt, str, str], Row] = {}

    def note(self, row: Row) -> None:
        """Say at most one thing of a row: it is a duplicate in one way."""
        text = (row.prompt, row.system, row.text)
        first = self._texts.setdefault(text, row)
        if message := self._key(row) or self._sample(row):
            self._problems.add(f"duplicate: {message}", row.line)
        elif first is not row and not (first.sample and row.sample):
            # Numbered samples may be the same on purpose: a system without sampling
            # writes one text again and again.
            self._problems.add(
                f"duplicate: the same prompt, system and text as on line {first.line}",
                row.line,
            )
        elif text in self._present.texts and not row.sample:
            self._problems.add(
                "duplicate: the study has this text of this prompt and system already",
                row.line,
            )

    def _key(self, row: Row) -> str:
        if row.key in self._present.keys:
            return f"the study has a text with the key {shown(row.key)} already"
        first = self._keys.setdefault(row.key, row.line) if row.key else row.line
        if first != row.line:
            return f"key {shown(row.key)} stands on line {first} already"
        return ""

    def _sample(self, row: Row) -> str:
        if not row.sample or not row.system:
            return ""
        sample = (row.prompt, row.system, row.sample)
        told = f"sample {row.sample} of system {shown(row.system)} for this prompt"
        if sample in self._present.samples:
            return f"the study has {told} already"
        first = self._samples.setdefault(sample, row.line)
        return f"{told} stands on line {first} already" if first != row.line else ""


def _check_systems(rows: list[Row], *, present: Present, problems: Problems) -> None:
    """A system is described once, or each time in the same way."""
    told: dict[tuple[str, str], tuple[Any, str]] = {
        (name, fact): (value, "in the study")
        for name, facts in present.systems.items()
        for fact, value in facts.items()
        if value not in ("", None)
    }
    for row in rows:
        for fact in SYSTEM_FACTS:
            value = getattr(row, fact)
            if value in ("", None):
                continue
            if not row.system:
                problems.add(f"{fact} without a system", row.line)
                continue
            first, where = told.setdefault(
                (row.system, fact), (value, f"on line {row.line}")
            )
            if first != value:
                problems.add(
                    f"{fact} of system {shown(row.system)} is {shown(value)} here, "
                    f"but {shown(first)} {where}",
                    row.line,
                )


def _check_references(rows: list[Row], problems: Problems) -> None:
    """Texts of one prompt share its references, so many texts may tell many."""
    told: dict[Prompt, set[str]] = defaultdict(set)
    for row in rows:
        found = told[row.prompt]
        before = len(found)
        found.update(row.references[:MOST_REFERENCES])
        if before <= MOST_REFERENCES < len(found):
            problems.add(
                f"the texts of this prompt have more than {MOST_REFERENCES} different "
                "references",
                row.line,
            )


def _number_samples(rows: Iterable[Row], present: Present) -> None:
    """Give the k-th text of a system for a prompt the number k, in file order."""
    taken: dict[tuple[Prompt, str], set[int]] = defaultdict(set)
    for prompt, system, sample in present.samples:
        taken[prompt, system].add(sample)
    for row in rows:
        if row.sample:
            taken[row.prompt, row.system].add(row.sample)
    last: Counter[tuple[Prompt, str]] = Counter()
    for row in rows:
        if row.sample:
            continue
        group = (row.prompt, row.system)
        sample = last[group] + 1
        while sample in taken[group]:
            sample += 1
        row.sample = last[group] = sample


def _number_keys(rows: Iterable[Row], present: Present) -> None:
    """A text without an id of its own is called by its number in the study."""
    taken = present.keys | {row.key for row in rows if row.key}
    number = len(present.keys)
    for row in rows:
        number += 1
        if not row.key:
            while str(number) in taken:
                number += 1
            row.key = str(number)
            taken.add(row.key)


def _texts(row: Row) -> Iterable[str]:
    for column in dataclasses.fields(row):
        value = getattr(row, column.name)
        if isinstance(value, str):
            yield value
    yield from row.references
    yield from row.aspects()
    yield from (rating.rater for rating in row.ratings)
