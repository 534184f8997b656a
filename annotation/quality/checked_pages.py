"""Pages submitted, read as arrays: what quality control judges."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime
from functools import partial
from typing import NamedTuple

import numpy as np
from django.db.models import F, QuerySet

from annotation.models import (
    Annotation,
    Aspect,
    Item,
    PageKind,
    Prompt,
    Seat,
    Study,
    comparing,
)
from annotation.models.surveys import seconds_in_view
from annotation.models.texts import full_text
from annotation.quality import edited_texts
from annotation.quality.edited_texts import EditedText
from annotation.seats import talks
from annotation.seats.shown import sides

MOST_AT_ONCE = 5_000  # pages: of a hundred thousand, the answers alone take gigabytes

# By item and column of the aspect; None: the worker cannot say.
_Answers = dict[tuple[int, int], int | None]


class Sheet(NamedTuple):
    """One page of a worker."""

    seat_id: int
    survey_id: int
    worker_id: int
    state: str
    items: list[int]  # ids, in the order shown
    # (items, aspects) float64, as given; aspects in their order. NaN: cannot say.
    ratings: np.ndarray
    hidden: int | None  # row of the negative
    hurts: list[str]  # keys of the aspects that it should lower
    characters: int | None  # to read on the page; None where texts were not asked for
    seconds: float  # in view, or from claim to submission where nobody measured
    # Valid ratings of the same items by other people, (people, items, aspects): nobody
    # where they were not asked for.
    others: np.ndarray
    # Of a page of dialogues: rows of a damaged one that nobody damaged, rows of whole
    # dialogues, and (items, aspects) bool, what is asked; the rest is NaN.
    decoys: frozenset[int] = frozenset()
    wholes: frozenset[int] = frozenset()
    asked: np.ndarray | None = None
    # Of a page of pairs: (items,) bool, where the second text was on the left. Answers
    # are stored from the first one.
    flipped: np.ndarray | None = None
    # Of a page of corrections, whose ratings are all NaN: each text, in order.
    edits: tuple[EditedText, ...] | None = None

    @property
    def as_given(self) -> np.ndarray:
        """The answers as the worker pressed them, (items, aspects)."""
        if self.flipped is None:
            return self.ratings
        turned = self.flipped[:, np.newaxis]
        return np.where(turned, comparing.turned(self.ratings), self.ratings)

    @property
    def real(self) -> list[int]:
        """Rows of the texts that the negative stands among: no decoys, and of
        dialogues the turns."""
        apart = self.decoys | self.wholes
        rows = range(len(self.items))
        return [row for row in rows if row != self.hidden and row not in apart]

    def only_asked(self, ratings: np.ndarray, rows: list[int]) -> np.ndarray:
        """Ratings of these rows, (..., rows, aspects); what nobody asked is 0 for all,
        and not something that the worker could not say."""
        found: np.ndarray = ratings[..., rows, :]
        return found if self.asked is None else np.where(self.asked[rows], found, 0.0)


class _Page(NamedTuple):
    """What the sheets of one survey share."""

    kind: str
    prefix: str
    texts: dict[int, str]  # by item id; empty ones where texts were not asked for
    hidden: int | None  # item id of the negative
    hurts: list[str]
    decoys: frozenset[int]  # item ids
    wholes: frozenset[int]  # item ids of whole dialogues

    def asks(self, items: list[int], of_dialogues: np.ndarray) -> np.ndarray:
        """Which questions are about which items, (items, aspects)."""
        whole = np.array([item in self.wholes for item in items], dtype=bool)
        found: np.ndarray = whole[:, np.newaxis] == of_dialogues
        return found

    def characters(self, items: list[int]) -> int:
        """What there is to read: the prefix once, and how each text continues.

        Pairs have their prompts with their texts; one item of each dialogue has all
        its turns.
        """
        if self.kind in (PageKind.PAIR, PageKind.DIALOGUE):
            return sum(len(self.texts[item]) for item in items)
        full = [full_text(self.prefix, self.texts[item]) for item in items]
        return len(self.prefix) + sum(len(text) - len(self.prefix) for text in full)


def read(
    *,
    study: Study,
    seats: QuerySet[Seat],
    now: datetime,
    texts: bool = False,
    others: bool = False,
) -> list[Sheet]:
    """Read complete pages, in the order they were submitted.

    Three queries, one more with pages of corrections, two with texts, one with others.
    A page that lacks an answer, as when a worker has withdrawn theirs, is left out.

    Args:
        study: Of all these seats.
        seats: Which ones.
        now: When a page was submitted that does not say so yet.
        texts: Whether to count characters, for which the texts are loaded.
        others: Whether to read what other people gave the same texts.
    """
    about = dict(study.aspects.values_list("pk", "about"))
    column = {pk: n for n, pk in enumerate(about)}
    of_dialogues = np.array([one == Aspect.About.DIALOGUE for one in about.values()])
    # Named one by one: a query within a query keeps PostgreSQL from seeing how few rows
    # of its large tables are wanted, and it reads all of them.
    pages = list(_in_order(seats))
    surveys = sorted({page.survey_id for page in pages})
    survey_pages = _pages(surveys, texts)
    answers: dict[int, _Answers] = defaultdict(dict)
    wanted = [page.pk for page in pages]
    rows = Annotation.objects.filter(seat__in=wanted).order_by()
    for seat, item, aspect, value in rows.values_list(
        "seat_id", "item_id", "aspect_id", "value"
    ).iterator(chunk_size=5000):
        answers[seat][item, column[aspect]] = value
    corrects = any(page.kind == PageKind.EDIT for page in survey_pages.values())
    edits = edited_texts.read(seats) if corrects else {}
    found = []
    for row in pages:
        if (page := survey_pages.get(row.survey_id)) is None:
            continue
        if page.kind == PageKind.EDIT:
            own = edits.get(row.pk, {})
            found.append(_edited_sheet(row, page, own, len(column), now))
        else:
            found.append(_sheet(row, page, answers[row.pk], of_dialogues, now))
    kept = [sheet for sheet in found if sheet is not None]
    if others:
        by_survey = _valid_answers(surveys, column)
        kept = [
            sheet if sheet.edits else _with_others(sheet, by_survey[sheet.survey_id])
            for sheet in kept
        ]
    if not texts:
        return kept
    return [
        sheet._replace(characters=survey_pages[sheet.survey_id].characters(sheet.items))
        for sheet in kept
    ]


def read_all(
    *,
    study: Study,
    seats: QuerySet[Seat],
    now: datetime,
    texts: bool = False,
    others: bool = False,
) -> list[Sheet]:
    """The same of any number of pages: some surveys at a time, for they share much."""
    reading = partial(read, study=study, now=now, texts=texts, others=others)
    n = seats.count()
    if n <= MOST_AT_ONCE:
        return reading(seats=seats)
    order = list(_in_order(seats).values_list("pk", "survey"))
    at = {pk: place for place, (pk, _) in enumerate(order)}
    surveys = sorted({survey for _, survey in order})
    size = max(1, MOST_AT_ONCE * len(surveys) // n)
    found: list[Sheet] = []
    for start in range(0, len(surveys), size):
        some = seats.filter(survey__in=surveys[start : start + size])
        found += reading(seats=some)
    # Pages that were submitted while the others were read have no place among them.
    known = [sheet for sheet in found if sheet.seat_id in at]
    return sorted(known, key=lambda sheet: at[sheet.seat_id])


def _valid_answers(
    surveys: Collection[int], column: dict[int, int]
) -> dict[int, dict[int, _Answers]]:
    """By survey and worker."""
    found: dict[int, dict[int, _Answers]] = defaultdict(lambda: defaultdict(dict))
    rows = Annotation.objects.filter(
        seat__survey__in=surveys, seat__state=Seat.State.VALID
    )
    for survey, worker, item, aspect, value in rows.order_by().values_list(
        *("seat__survey_id", "seat__worker_id", "item_id", "aspect_id", "value")
    ):
        found[survey][worker][item, column[aspect]] = value
    return found


def _with_others(sheet: Sheet, answers: dict[int, _Answers]) -> Sheet:
    """Leaves out workers who lack an item of the page, as after an exclusion."""
    n_items, n_aspects = sheet.ratings.shape
    every = [(item, column) for item in sheet.items for column in range(n_aspects)]
    asked = _asked(sheet.asked, every)
    wanted = set(asked)
    rows = [
        [given[answer] if answer in wanted else None for answer in every]
        for worker, given in sorted(answers.items())
        if worker != sheet.worker_id and all(answer in given for answer in asked)
    ]
    shape = (len(rows), n_items, n_aspects)
    return sheet._replace(others=np.array(rows, dtype=np.float64).reshape(shape))


def _in_order(seats: QuerySet[Seat]) -> QuerySet[Seat]:
    return seats.order_by(F("submitted_at").asc(nulls_last=True), "pk")


def _asked(
    asked: np.ndarray | None, every: list[tuple[int, int]]
) -> list[tuple[int, int]]:
    """The answers that a page wants, of all that there could be."""
    if asked is None:
        return every
    return [one for one, wanted in zip(every, asked.flat, strict=True) if wanted]


def _sheet(
    seat: Seat,
    page: _Page,
    answers: _Answers,
    of_dialogues: np.ndarray,
    now: datetime,
) -> Sheet | None:
    n_aspects = len(of_dialogues)
    items = [item for item in seat.order if item in page.texts]
    every = [(item, column) for item in items for column in range(n_aspects)]
    is_talk = page.kind == PageKind.DIALOGUE
    asked = page.asks(items, of_dialogues) if is_talk or of_dialogues.any() else None
    wanted = _asked(asked, every)
    if not wanted or not all(answer in answers for answer in wanted):
        return None
    ratings = np.array([answers.get(answer) for answer in every], dtype=np.float64)
    return Sheet(
        seat_id=seat.pk,
        survey_id=seat.survey_id,
        worker_id=seat.worker_id,
        state=seat.state,
        items=items,
        ratings=ratings.reshape(len(items), n_aspects),
        hidden=items.index(page.hidden) if page.hidden in items else None,
        hurts=page.hurts,
        characters=None,
        seconds=_seconds(seat, seat.submitted_at or now),
        others=np.zeros((0, len(items), n_aspects)),
        decoys=frozenset(n for n, item in enumerate(items) if item in page.decoys),
        wholes=frozenset(n for n, item in enumerate(items) if item in page.wholes),
        asked=asked,
        flipped=_flipped(seat, items) if page.kind == PageKind.PAIR else None,
    )


def _edited_sheet(
    seat: Seat,
    page: _Page,
    edits: dict[int, EditedText],
    n_aspects: int,
    now: datetime,
) -> Sheet | None:
    items = [item for item in seat.order if item in page.texts]
    texts = edited_texts.in_order(items, edits)
    if not items or texts is None:
        return None
    return Sheet(
        seat_id=seat.pk,
        survey_id=seat.survey_id,
        worker_id=seat.worker_id,
        state=seat.state,
        items=items,
        ratings=np.full((len(items), n_aspects), np.nan),
        hidden=items.index(page.hidden) if page.hidden in items else None,
        hurts=page.hurts,
        characters=None,
        seconds=_seconds(seat, seat.submitted_at or now),
        others=np.zeros((0, len(items), n_aspects)),
        edits=texts,
    )


def _flipped(seat: Seat, items: list[int]) -> np.ndarray:
    return np.array([item in seat.flipped for item in items], dtype=bool)


def _seconds(seat: Seat, submitted: datetime) -> float:
    """Without a measure, the whole sitting: too long rather than too short."""
    if measured := seconds_in_view(seat.visible, seat.claimed_at, submitted):
        return measured
    return max(0.0, (submitted - seat.claimed_at).total_seconds())


def _pages(surveys: Collection[int], texts: bool) -> dict[int, _Page]:
    rows = Item.objects.filter(survey__in=surveys).select_related(
        *("negative__source", "survey", "generation", "decoy")
    )
    prefixes = {}
    if texts:
        rows = rows.select_related(
            *talks.READ,
            *("pair__first", "pair__second", "pair__prompt"),
        )
        prefixes = _prefixes(surveys)
    by_survey: dict[int, list[Item]] = defaultdict(list)
    for item in rows.order_by("pk"):
        by_survey[item.survey_id].append(item)
    return {
        survey: _page(items, prefixes.get(survey, ""), texts)
        for survey, items in by_survey.items()
    }


def _page(items: list[Item], prefix: str, texts: bool) -> _Page:
    hidden = next((item for item in items if item.negative_id), None)
    is_talk = items[0].survey.kind == PageKind.DIALOGUE
    texts_of = _texts_of_talks if is_talk else _texts
    return _Page(
        kind=items[0].survey.kind,
        prefix=prefix,
        texts=texts_of(items) if texts else dict.fromkeys((i.pk for i in items), ""),
        hidden=hidden.pk if hidden else None,
        hurts=list(hidden.negative.hurts) if hidden and hidden.negative else [],
        decoys=frozenset(item.pk for item in items if item.decoy_id),
        wholes=frozenset(
            item.pk for item in items if is_talk and item.stands_for.is_dialogue
        ),
    )


def _texts(items: list[Item]) -> dict[int, str]:
    return {item.pk: _text(item) for item in items}


def _texts_of_talks(items: list[Item]) -> dict[int, str]:
    """Each dialogue once, with its first item."""
    found, counted = {}, set()
    for pk, said in talks.of_survey(items).items():
        found[pk] = "" if said.talk in counted else said.text
        counted.add(said.talk)
    return found


def _text(item: Item) -> str:
    """Of a pair, all that there is to read: its prompt, too."""
    if item.pair is None:
        return item.text
    return item.pair.prompt.source + "".join(sides(item))


def _prefixes(surveys: Collection[int]) -> dict[int, str]:
    rows = Prompt.objects.filter(surveys__in=surveys)
    return dict(rows.order_by().values_list("surveys", "prefix"))
