"""What must hold of all rows of a file together, and beside what is there. Pure.

Rows pass one by one and are not kept: of each text a hash is remembered. Two texts with
the same hash, among 100,000 one chance in billions, would be called duplicates.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from annotation.imports._checks import (
    MOST_RATINGS,
    MOST_REFERENCES,
    SYSTEM_FACTS,
    Present,
    plain,
)
from annotation.imports._draws import Strata
from annotation.imports._numbers import Numbers
from annotation.imports._problems import Problems, shown
from annotation.imports._rows import FIRST_RATING, Row
from annotation.imports._source import Source


class First(NamedTuple):
    """Where a text was met first."""

    line: int
    position: int  # among the kept rows
    sample: int | None
    text: int  # hash, of what people see
    words: int = 0  # hash of the text as it is written


class Together:
    """Tells which rows say again what another row, or the study, says already."""

    def __init__(
        self,
        present: Present,
        problems: Problems,
        source: Source,
        *,
        merges: bool,
        again: str = "",
    ) -> None:
        self._again_is_first = again == FIRST_RATING
        # Texts with the words of another, which their raters have rated as well.
        self._copies: dict[int, list[First]] = defaultdict(list)
        self.again: list[int] = []  # lines with another rating by the same rater
        self._present, self._problems, self._merges = present, problems, merges
        self._source = source
        # What first rows say beside ratings, by position and metric or role: mostly
        # nothing.
        self._first: dict[tuple[int, str], Any] = {}
        self._keys: dict[str, First] = {}
        self._samples: dict[int, int] = {}
        self._texts: dict[int, First] = {}
        self._references: dict[int, set[int]] = defaultdict(set)
        self._strata = Strata(problems, is_new=present.is_new)
        self._raters: set[int] = set()
        self._rated: set[int] | None = None  # of the study
        self._said_no_texts = False
        # Turns by dialogue and place; the dialogue that is read, and its first line.
        self._turns: dict[tuple[int, int], First] = {}
        self._dialogue, self._before = 0, 0
        self.n_respaced = 0  # rows with the text of another but for its spaces
        self._n_ratings: Counter[int] = Counter()
        self._facts: dict[tuple[str, str], tuple[Any, str]] = {
            (name, fact): (value, "in the study")
            for name, facts in present.systems.items()
            for fact, value in facts.items()
            if value not in ("", None)
        }

    def note(self, row: Row, position: int) -> int | None:
        """Check a row; return the position of the row that it adds ratings to, if any.

        Says at most one thing of a row as a duplicate.
        """
        words = plain(row.text) if self._merges else row.text
        text = hash((row.prompt, row.system, words))
        self._check_facts(row)
        self._check_references(row)
        self._strata.note(row)
        if row.of_dialogue:
            here = First(row.line, position, None, text, hash(row.text))
            if first := self._of_one_more_rater(row, here):
                return self._merged(row, first, text)
            self._note_dialogue(row, here)
            return None
        if row.by_id:
            return self._note_by_id(row, First(row.line, position, None, text))
        if self._merges and (before := self._row_of(row, text)):
            if self._may_be_other_text(row, before, text):
                return self._rated_twice(row, before, text, position)
            return self._merged(row, before, text)
        here = First(row.line, position, row.sample, text, hash(row.text))
        first = self._texts.setdefault(text, here)
        if message := self._key(row, here) or self._sample(row):
            self._problems.add(f"duplicate: {message}", row.line)
        elif first is not here and not self._on_purpose(row, first):
            self._problems.add(f"duplicate: {_again(row, first.line)}", row.line)
        elif text in self._present.texts and not row.sample:
            self._problems.add(
                "duplicate: the study already has this text for this prompt and system",
                row.line,
            )
        elif self._merges:
            self._note_raters(row, position)
            self._note_more(row, position)
        return None

    def taken(self) -> Numbers:
        """What numbers must avoid."""
        keys = self._present.keys | set(self._keys)
        samples = self._present.samples | set(self._samples)
        return Numbers(keys, samples, len(self._present.keys))

    def _note_by_id(self, row: Row, here: First) -> int | None:
        """Ratings of a text that the study has."""
        first = self._keys.setdefault(row.key, here)
        if first is not here:
            return self._merged(row, first, here.text)
        if self._present.is_new:
            self._no_texts()
        elif row.key in self._present.invented:
            self._problems.add(
                f"{shown(row.key)} is an ID that EvalApp gave, because the file of the"
                " texts had none. Import the texts with your IDs, into a new study",
                row.line,
            )
        elif row.key not in self._present.keys:
            told = f"no text of the study has the ID {shown(row.key)}"
            self._problems.add(told, row.line)
        self._note_raters(row, here.position)
        self._note_more(row, here.position)
        return None

    def _no_texts(self) -> None:
        """Once of a file."""
        if not self._said_no_texts:
            self._said_no_texts = True
            self._problems.add(
                "The file has IDs and ratings or scores, but no texts. Import the texts"
                " first, then add this file to their study. Or choose the column that"
                ' has the texts, as "Text".'
            )

    def _on_purpose(self, row: Row, first: First) -> bool:
        """Whether a text may occur twice.

        Numbered samples may be the same: a system without sampling writes one text
        again and again. So may texts with IDs of systems that nobody names.
        """
        if first.sample and row.sample:
            return True
        return self._merges and bool(row.key) and not row.system

    def _of_one_more_rater(self, row: Row, here: First) -> First | None:
        """Where a dialogue or turn was met first, which somebody else has rated."""
        if row.messages:
            self._dialogue = here.text
            first = self._keys.get(row.key) if row.key else self._texts.get(here.text)
            again = self._merges and row.has_rater and first is not None
            self._before = first.line if again and first else 0
            return first if again else None
        assert row.turn is not None
        first = self._turns.setdefault((self._dialogue, row.turn), here)
        if first is not here:
            return first if self._before else None
        if self._before:
            self._problems.add(
                f"turn {row.turn + 1} is rated here, but not in the same dialogue on"
                f" line {self._before}: mark the same turns for all raters",
                row.line,
            )
        return None

    def _note_dialogue(self, row: Row, here: First) -> None:
        """Turns may be the same: people often begin in the same way."""
        message = self._key(row, here)
        if row.messages and not row.key and not message:
            first = self._texts.setdefault(here.text, here)
            if first is not here:
                message = f"the same dialogue as on line {first.line}"
            elif here.text in self._present.texts:
                message = "the study already has this dialogue of this system"
        if message:
            self._problems.add(f"duplicate: {message}", row.line)
        elif self._merges:
            self._note_raters(row, here.position)
            self._note_more(row, here.position)

    # One thing each -------------------------------------------------------------------

    def _merged(self, row: Row, first: First, text: int) -> int:
        if first.text != text:
            self._problems.add(
                f"ID {shown(row.key)} is also on line {first.line}, with another text,"
                " prompt or system: give each text its own ID",
                row.line,
            )
        elif row.means or not self._note_raters(row, first.position):
            self._problems.add(
                f"duplicate: the text of line {first.line}, rated again by the same"
                " rater",
                row.line,
            )
        else:
            self.n_respaced += not row.by_id and first.words != hash(row.text)
            self._compare(row, first.position)
        return first.position

    def _row_of(self, row: Row, text: int) -> First | None:
        """The row of the same text that it adds something to."""
        if row.ratings or row.means or row.edited or row.has_rater:
            first = self._keys.get(row.key) if row.key else self._texts.get(text)
            fits = first is not None and first.sample in (row.sample, None)
            return first if fits else None
        first = self._keys.get(row.key)
        if first is None or first.text != text or not row.scores:
            return None
        again = any((first.position, metric) in self._first for metric in row.scores)
        return None if again else first

    def _may_be_other_text(self, row: Row, first: First, text: int) -> bool:
        """Whether a rater has rated these words before, and no ID tells the text."""
        known = row.key or row.sample or row.means or first.text != text
        return not known and self._has_rated(row, first.position)

    def _has_rated(self, row: Row, position: int) -> bool:
        return not self._raters.isdisjoint(_named(row, position))

    def _rated_twice(
        self, row: Row, first: First, text: int, position: int
    ) -> int | None:
        """Systems may write the same words, and raters see both: the second rating of
        each is of the second text. Else the first rating counts."""
        self.again.append(row.line)
        if self._again_is_first:
            self._source.account.leave_out([row.line])
            row.ratings, row.edited, row.scores = [], [], {}
            return first.position
        for one in self._copies[text]:
            if not self._has_rated(row, one.position):
                return self._merged(row, one, text)
        self._copies[text].append(first._replace(line=row.line, position=position))
        self._note_raters(row, position)
        self._note_more(row, position)
        return None

    def _note_more(self, row: Row, position: int) -> None:
        """What the first row of a text says beside its ratings."""
        for metric, value in row.scores.items():
            self._first[position, metric] = value
        for role, value in _others(row):
            self._first[position, role] = value

    def _compare(self, row: Row, position: int) -> None:
        """Take new scores from any row of a text; else its first row counts."""
        new, account = {}, self._source.account
        for metric, value in row.scores.items():
            if (position, metric) not in self._first:
                self._first[position, metric] = new[metric] = value
            elif self._first[position, metric] != value:
                account.other_value(row.line, f"score:{metric}")
        row.scores = new
        for role, value in _others(row):
            if self._first.get((position, role)) != value:
                account.other_value(row.line, role)

    def _note_raters(self, row: Row, position: int) -> bool:
        """Whether none of the named raters has rated this text before."""
        named = _named(row, position)
        self._n_ratings[position] += len(row.ratings)
        if self._n_ratings[position] > MOST_RATINGS * 2:
            self._problems.add("the text has too many ratings", row.line)
        new = named.isdisjoint(self._raters)
        self._raters |= named
        if row.by_id and not self._present.is_new:
            self._note_rated(row)
        return new

    def _note_rated(self, row: Row) -> None:
        """What the study has of the same rater: of a file that is added twice."""
        if self._rated is None:
            self._rated = self._present.rated()
        told: list[tuple[str, str | None]] = [
            *((rating.aspect, rating.rater) for rating in row.ratings if rating.rater),
            *((mean.aspect, None) for mean in row.means),
        ]
        again = [name for name, by in told if hash((row.key, name, by)) in self._rated]
        for name in again:
            self._problems.add(
                f"duplicate: the study has this rating of {name} already", row.line
            )

    def _key(self, row: Row, here: First) -> str:
        if row.key in self._present.keys:
            return f"the study already has a text with the key {shown(row.key)}"
        first = self._keys.setdefault(row.key, here) if row.key else here
        if first is not here:
            return f"key {shown(row.key)} is already on line {first.line}"
        return ""

    def _sample(self, row: Row) -> str:
        if not row.sample or not row.system:
            return ""
        sample = hash((row.prompt, row.system, row.sample))
        told = f"sample {row.sample} of system {shown(row.system)} for this prompt"
        if sample in self._present.samples:
            return f"the study already has {told}"
        first = self._samples.setdefault(sample, row.line)
        return f"{told} is already on line {first}" if first != row.line else ""

    def _check_facts(self, row: Row) -> None:
        """A system is described once, or each time in the same way."""
        for fact in SYSTEM_FACTS:
            value = getattr(row, fact)
            if value in ("", None):
                continue
            if not row.system:
                self._problems.add(f"{fact} without a system", row.line)
                continue
            first, where = self._facts.setdefault(
                (row.system, fact), (value, f"on line {row.line}")
            )
            if first != value:
                self._problems.add(
                    f"{fact} of system {shown(row.system)} is {shown(value)} here, "
                    f"but {shown(first)} {where}",
                    row.line,
                )

    def _check_references(self, row: Row) -> None:
        """Texts of one prompt share its references, so many texts may tell many."""
        if not row.references:
            return
        found = self._references[hash(row.prompt)]
        before = len(found)
        found.update(hash(text) for text in row.references[:MOST_REFERENCES])
        if before <= MOST_REFERENCES < len(found):
            self._problems.add(
                f"the texts of this prompt have more than {MOST_REFERENCES} different "
                "references",
                row.line,
            )


def _named(row: Row, position: int) -> set[int]:
    """Who has rated which aspect of a text, as hashes."""
    return {hash((position, r.aspect, r.rater)) for r in row.ratings if r.rater}


def _again(row: Row, line: int) -> str:
    """What is the same; two failures of a system are the same, too."""
    if row.is_empty:
        return (
            f"the system gave no output to this prompt on line {line} already; if it"
            " failed twice, number its samples"
        )
    return f"the same prompt, system and text as on line {line}"


def _others(row: Row) -> Iterator[tuple[str, Any]]:
    if row.references:
        yield "reference", hash(tuple(row.references))
    for role in ("pair", "log_probability", "sample", "asked"):
        if (value := getattr(row, role)) not in (None, ""):
            yield role, value
