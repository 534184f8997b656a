"""Tables of known content, written as any program might: see `test_any_table`.

Of one number each table has texts, systems, ids, raters, ratings and scores that are
known, and a dialect, an order, a shape, an encoding and a mess of its own.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass, field
from random import Random
from typing import Any

from openpyxl import Workbook

NOUNS = "lake orchard violin lantern parcel garden pebble bridge glacier meadow".split()
VERBS = "covers crosses follows shows hides carries finds leaves".split()
ODD = (
    *(
        'said "yes" twice',
        "costs 3,50 a day",
        "ends; or begins",
        "is 5",
        "größer, élan",
    ),
    *("第二个花园很安静", "مرحبا بالعالم", "it's | piped", "line one\nline two", "-99"),
)
ASPECTS = "coherence fluency relevance informativeness quality grammaticality".split()
UNNAMED = ("wit", "style", "Q1")
AGREE = "Strongly disagree|Disagree|Neutral|Agree|Strongly agree".split("|")
YES_NO = ("No", "Yes")
RATERS = ("ann", "ben", "W17", "5f3a", "Zoë")
MISSING = ("", "NA", "n/a", "NaN", "None", "-", "#N/A", "null")
SENTINELS = ("-99", "99", "999", "-9")
METRICS = ("bleu", "gpt2_perplexity", "BERTScore", "word error rate")

Rated = tuple[str, str, str, str, float]  # text, system, rater, aspect, number
Scored = tuple[str, str, float]  # text, metric, number


@dataclass
class Truth:
    texts: set[tuple[str, str]] = field(default_factory=set)  # with their system
    ids: dict[str, str] = field(default_factory=dict)  # by text
    ratings: set[Rated] = field(default_factory=set)
    scores: set[Scored] = field(default_factory=set)


@dataclass
class Scale:
    name: str
    numbers: tuple[float, ...]
    words: tuple[str, ...]  # as the file writes them


def _scales() -> tuple[Scale, ...]:
    def whole(low: int, high: int) -> Scale:
        points = tuple(range(low, high + 1))
        return Scale(f"{low} to {high}", points, tuple(map(str, points)))

    floats = tuple(f"{n}.0" for n in range(1, 6))
    return (
        *(whole(1, 5), whole(1, 5), whole(1, 7), whole(0, 1), whole(1, 10)),
        *(whole(0, 100), whole(1, 3), whole(0, 4)),
        Scale("floats", tuple(range(1, 6)), floats),
        Scale("below 0", tuple(range(-2, 3)), ("-2", "-1", "0", "1", "2")),
        Scale("agree", tuple(range(1, 6)), tuple(AGREE)),
        Scale("yes", (0, 1), YES_NO),
    )


SCALES = _scales()


class AnyTable:
    """One table, and what it says."""

    def __init__(self, number: int) -> None:
        self.random = Random(number)
        self.truth = Truth()
        pick = self.random.choice
        self.n = self.random.randint(4, 30)
        self.systems = [f"sys {n}" for n in range(self.random.randint(0, 3))]
        self.raters = list(RATERS[: self.random.choice((0, 0, 1, 2, 3, 4))])
        self.aspects = self.random.sample(ASPECTS, self.random.choice((0, 1, 1, 2, 3)))
        if self.aspects and self.random.random() < 0.1:
            self.aspects[-1] = pick(UNNAMED)
        usual = self.random.random() < 0.7  # most files have an ordinary scale
        self.scale = pick(SCALES[:4] if usual else SCALES)
        self.metrics = self.random.sample(METRICS, self.random.choice((0, 0, 1, 2)))
        self.missing = pick(MISSING)
        self.share_missing = pick((0, 0, 0.1, 0.4))
        if self.scale.numbers[-1] <= 7 and self.random.random() < 0.07:
            self.missing, self.share_missing = pick(SENTINELS), 0.1
        self.late = pick((0, 0, 0, self.n // 2))  # texts before the first rating
        self.wide = bool(self.raters) and self.random.random() < 0.3
        self.with_ids = self.random.random() < 0.5
        self.comma = self.random.random() < 0.15
        self.as_title = pick((str, str, str.title, str.upper))

    # Its rows -------------------------------------------------------------------------

    def rows(self) -> list[dict[str, Any]]:
        rows = []
        for n in range(self.n):
            rows += self._of_text(n)
        columns = list(dict.fromkeys(name for row in rows for name in row))
        self.random.shuffle(columns)
        if self.random.random() < 0.5:
            self.random.shuffle(rows)
        return [{name: row.get(name, "") for name in columns} for row in rows]

    def _of_text(self, n: int) -> list[dict[str, Any]]:
        words = self.random.choice
        text = f"The {words(NOUNS)} {words(VERBS)} the {words(NOUNS)} {n}"
        text += f" {words(ODD)}." if self.random.random() < 0.2 else "."
        system = self.systems[n % len(self.systems)] if self.systems else ""
        self.truth.texts.add((text, system))
        begin: dict[str, Any] = {"text": text}
        if self.systems:
            begin["system"] = system
        if self.with_ids:
            begin["id"] = self.truth.ids[text] = str(1000 + 7 * n)
        for metric in self.metrics:
            begin[metric] = self._score(text, metric)
        if not self.aspects:
            return [begin]
        if self.wide:
            return [begin | self._wide(n, text, system)]
        return [
            begin | self._long(n, text, system, rater) for rater in self.raters or [""]
        ]

    def _long(self, n: int, text: str, system: str, rater: str) -> dict[str, str]:
        row = {"rater": rater} if rater else {}
        for aspect in self.aspects:
            row[self.as_title(aspect)] = self._rating(n, (text, system, rater), aspect)
        return row

    def _wide(self, n: int, text: str, system: str) -> dict[str, str]:
        return {
            f"{aspect} rater {r + 1}": self._rating(
                n, (text, system, f"rater {r + 1}"), aspect
            )
            for aspect in self.aspects
            for r in range(len(self.raters))
        }

    def _rating(self, n: int, of: tuple[str, str, str], aspect: str) -> str:
        if n < self.late:
            return ""
        if self.random.random() < self.share_missing:
            return self.missing
        at = self.random.randrange(len(self.scale.numbers))
        self.truth.ratings.add((*of, aspect.lower(), self.scale.numbers[at]))
        return self.scale.words[at]

    def _score(self, text: str, metric: str) -> str:
        value = round(self.random.uniform(0.5, 40), self.random.choice((2, 4)))
        self.truth.scores.add((text, metric, value))
        return str(value).replace(".", ",") if self.comma else str(value)

    # The file -------------------------------------------------------------------------

    def written(self) -> bytes:
        rows = self.rows()
        kind = self.random.choice(("csv",) * 6 + ("jsonl", "json", "xlsx"))
        if kind == "xlsx":
            return self._workbook(rows)
        if kind != "csv":
            return self._json(rows, kind)
        return self._text(rows)

    def _text(self, rows: list[dict[str, Any]]) -> bytes:
        pick, out = self.random.choice, io.StringIO(newline="")
        delimiter = pick((",", ",", ",", ";", ";", "\t", "|"))
        end = pick(("\n", "\r\n"))
        if delimiter == ";" and self.random.random() < 0.2:
            out.write(f"sep=;{end}")
        writer = csv.DictWriter(
            out,
            fieldnames=list(rows[0]),
            delimiter=delimiter,
            lineterminator=end,
            quoting=pick((csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL)),
        )
        writer.writeheader()
        writer.writerows(rows)
        text = out.getvalue()
        encoding = pick(("utf-8", "utf-8", "utf-8-sig", "cp1252", "utf-16"))
        try:
            return text.encode(encoding)
        except UnicodeEncodeError:
            return text.encode("utf-8")

    def _json(self, rows: list[dict[str, Any]], kind: str) -> bytes:
        typed = [
            {name: _typed(name, value) for name, value in row.items()} for row in rows
        ]
        if self.random.random() < 0.5:  # records of unequal keys
            typed = [
                {k: v for k, v in row.items() if v not in ("", None)} for row in typed
            ]
        if kind == "json":
            return json.dumps(typed, ensure_ascii=False).encode()
        lines = [json.dumps(row, ensure_ascii=False) for row in typed]
        return "\n".join(lines).encode()

    def _workbook(self, rows: list[dict[str, Any]]) -> bytes:
        book, out = Workbook(), io.BytesIO()
        sheet = book.active
        sheet.append(list(rows[0]))
        for row in rows:
            cells = [_typed(name, value) for name, value in row.items()]
            sheet.append([None if cell == "" else cell for cell in cells])
        book.save(out)
        return out.getvalue()


def _typed(name: str, value: str) -> Any:
    """Numbers as numbers, as a program would write them."""
    if name in ("text", "system", "rater", "id"):
        return value
    for kind in (int, float):
        try:
            number = kind(value)
        except ValueError:
            continue
        return number if number == number else None  # NaN has no place in JSON
    return value
