"""What people of `crowd.py` mark in the texts of a page, and what the site has of it.

Offsets are counted here from the page as it was sent, not by functions of the site.
"""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from typing import Any

Place = tuple[int, int]  # start and end, in characters of what a page shows
CLEAN, MARKED = re.compile(r"clean-\d+"), re.compile(r"marks-(\d+)")
MOST = 4  # marks of one text


class MarkedTexts(HTMLParser):
    """The texts of a page in which errors are marked, by position."""

    def __init__(self, body: str) -> None:
        super().__init__()
        self.texts: dict[int, str] = {}
        self.fixed: dict[int, int] = defaultdict(int)  # characters not to be marked
        self.categories: set[str] = set()
        self.severities: set[str] = set()
        self._spans: list[str] = []  # that are open within a text
        self._text = ""
        self._fixed = 0
        self.feed(body)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = {name: value or "" for name, value in attrs}
        if tag == "span" and (self._spans or has.get("data-side") == "text"):
            if not self._spans:
                self._text, self._fixed = "", 0
            self._spans.append("fixed" if "data-fixed" in has else "")
        if position := MARKED.fullmatch(has.get("name", "")):
            # The fields of a text stand below it.
            self.texts[int(position[1])] = self._text
            self.fixed[int(position[1])] = self._fixed
        if "data-category" in has:
            self.categories.add(has["data-category"])
        if "data-severity" in has:
            self.severities.add(has["data-severity"])

    def handle_data(self, data: str) -> None:
        if self._spans:
            self._text += data
            self._fixed += len(data) if "fixed" in self._spans else 0

    def handle_endtag(self, tag: str) -> None:
        if tag == "span" and self._spans:
            self._spans.pop()

    def answers(
        self, at: int, damage: Sequence[Place], rng: random.Random, careless: bool
    ) -> dict[str, str]:
        """What somebody marks, by field: of the damaged text what is damaged, or, who
        is careless, nothing; of the others some places, over one another too."""
        fields = {}
        for position in self.texts:
            places = self._at_random(position, rng)
            if position == at:
                places = [] if careless else list(damage)
            rows = [self._row(position, place, rng) for place in places]
            fields[f"marks-{position}"] = json.dumps(rows, ensure_ascii=False)
            fields[f"clean-{position}"] = "0" if rows else "1"
        return fields

    def _at_random(self, position: int, rng: random.Random) -> list[Place]:
        low, high = self.fixed[position], len(self.texts[position])
        ends = (sorted(rng.choices(range(low, high + 1), k=2)) for _ in range(MOST))
        return [(start, end) for start, end in ends][: rng.randint(0, MOST)]

    def _row(self, position: int, place: Place, rng: random.Random) -> dict[str, Any]:
        start, end = place
        return {
            "start": start,
            "end": end,
            "category": rng.choice(sorted(self.categories) or [""]),
            "severity": rng.choice(sorted(self.severities) or [""]),
            "side": "text",
            "words": self.texts[position][start:end],
        }


def damage_of(negative: Any) -> list[Place]:
    """What a careful reader marks: damaged words, and places where some are gone."""
    from annotation.kinds.spans.matrix import of_negative

    done = of_negative(negative, negative.survey.prompt)
    ends = [at for _, at in done.places] + [len(negative.text)]
    places = [done.places[n] for n in done.words]
    places += [(ends[max(0, gap - 1)],) * 2 for gap in done.gaps]
    return [
        (shown(negative.text[:start]), shown(negative.text[:end]))
        for start, end in places
    ]


def shown(text: str) -> int:
    """Characters of it on a page, which shows each end of a line as one."""
    return len(text.replace("\r\n", "\n"))


def stored() -> Iterator[tuple[tuple[str, str], str]]:
    """(seat, field) and value, as a page has it, of all that is stored.

    A mark whose words are not those of the stored text at its place is none.
    """
    from annotation.kinds.spans.models import SpanMark

    rows: dict[tuple[str, int], list[dict[str, Any]]] = defaultdict(list)
    found = SpanMark.objects.select_related("seat", "item__generation__prompt")
    for mark in found.select_related("item__negative").order_by("item", "number"):
        at = mark.seat.order.index(mark.item_id) + 1
        marked = rows[str(mark.seat.public_id), at]
        text = (mark.item.negative or mark.item.generation).text
        if mark.number and text[mark.start : mark.end] == mark.words:
            marked.append(
                {
                    "start": shown(text[: mark.start]),
                    "end": shown(text[: mark.end]),
                    "category": mark.category,
                    "severity": mark.severity,
                    "side": mark.side,
                    "words": mark.words.replace("\r\n", "\n"),
                }
            )
    for (seat, at), marked in rows.items():
        yield (seat, f"marks-{at}"), json.dumps(marked, ensure_ascii=False)
        yield (seat, f"clean-{at}"), "0" if marked else "1"


def n_unmarked(study: Any) -> int:
    """Texts on valid pages in which nobody marked an error, nor said there is none."""
    from annotation.models import Seat

    seats = Seat.objects.filter(survey__study=study, survey__kind="spans")
    return sum(
        len({*seat.order} - {*seat.span_marks.values_list("item", flat=True)})
        for seat in seats.filter(state="valid")
    )
