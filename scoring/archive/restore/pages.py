"""Pages of raters: who they were is not known, only which answers belong together."""

from __future__ import annotations

import math
import uuid
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from annotation.models import Place, Seat, Study, Verdict, Worker
from annotation.models.surveys import digest_of, pseudonym
from scoring.archive.parquet import Mismatch
from scoring.archive.restore.damaged import Sets
from scoring.archive.restore.folder import Folder, Row
from scoring.archive.restore.texts import Known
from scoring.models import Publication

AT_ONCE = 500  # rows
LONGEST_PAGE = 10 * 365 * 24 * 3600  # seconds
MOST_ON_A_PAGE = 1000
STATES = {Seat.State.VALID.value, Seat.State.DISCARDED.value}
AGREED = "These ratings were published with the data set {name}."


@dataclass(slots=True)
class Page:
    """What the rows of one page say of it."""

    first: Row
    places: dict[int, int] = field(default_factory=dict)  # position -> id of the item


@dataclass(frozen=True, slots=True)
class Seats:
    """Pages by number, and what is on them."""

    by_page: dict[int, Seat]
    sets: Sets


def restore(
    *, study: Study, folder: Folder, known: Known, damaged: Sets, now: datetime
) -> Seats:
    """Make workers, places and seats, in the order of their pages."""
    found = _pages(folder, known, damaged)
    if not found:
        return Seats({}, damaged)
    workers = _workers(study, folder, {page.first["rater"] for page in found.values()})
    seats: dict[int, Seat] = {}
    places: list[Place] = []
    numbers: dict[int, int] = {}
    for number, page in sorted(found.items()):
        survey = damaged.surveys[page.first["survey"]]
        numbers[survey.number] = numbers.get(survey.number, 0) + 1
        place = Place(
            survey=survey,
            study=study,
            number=numbers[survey.number],
            free=False,
            shuffle=0,
        )
        places.append(place)
        seats[number] = _seat(page, place, workers[page.first["rater"]], now)
    Place.objects.bulk_create(places, batch_size=AT_ONCE)
    Seat.objects.bulk_create(seats.values(), batch_size=AT_ONCE)
    _judge(study, found, seats, now)
    study.state, study.closed_at = Study.State.CLOSED, now
    study.save(update_fields=["state", "closed_at"])
    return Seats(seats, damaged)


def _pages(folder: Folder, known: Known, damaged: Sets) -> dict[int, Page]:
    found: dict[int, Page] = {}
    for row in folder.rows("ratings"):
        if row["page"] is None:
            continue
        page = found.setdefault(row["page"], Page(row))
        _check(page.first, row)
        if row["position"] is not None:
            page.places[row["position"]] = item_of(row, known, damaged)
    return found


def item_of(row: Row, known: Known, damaged: Sets) -> int:
    """What on its page a rating is of."""
    text = known.text("ratings", row["text"]) if row["text"] else None
    item = damaged.items.get((row["survey"], text))
    if item is None:
        raise Mismatch(f"ratings: page {row['page']} shows no such text.")
    return item.pk


def _check(first: Row, row: Row) -> None:
    """All rows of a page say the same of it."""
    same = ("survey", "rater", "state", "informed")
    if any(first[name] != row[name] for name in same) or row["survey"] is None:
        raise Mismatch(f"ratings: rows of page {row['page']} contradict each other.")
    if row["state"] not in STATES or not row["rater"]:
        raise Mismatch(f"ratings: page {row['page']} has no rater, or no known state.")
    if row["seconds"] is not None and not 0 <= row["seconds"] <= LONGEST_PAGE:
        raise Mismatch(f"ratings: page {row['page']} took {row['seconds']} seconds.")
    if row["position"] is not None and not 1 <= row["position"] <= MOST_ON_A_PAGE:
        raise Mismatch(f"ratings: {row['position']} is no position on a page.")


def _workers(study: Study, folder: Folder, codes: set[str]) -> dict[str, Worker]:
    """As many workers as codes, whose pseudonyms are in the order of the codes.

    Statistics take raters in turn: in another order, last digits would be others.
    """
    words = AGREED.format(name=folder.name[:100])
    made = [
        Worker(
            study=study,
            platform=study.platform,
            external_id=str(uuid.uuid4()),
            consent=words,
        )
        for _ in codes
    ]
    Worker.objects.bulk_create(made, batch_size=AT_ONCE)
    in_order = sorted(made, key=lambda worker: pseudonym(study, worker.pk))
    Publication.objects.create(study=study, consents=[digest_of(words)])
    return dict(zip(sorted(codes), in_order, strict=True))


def _seat(page: Page, place: Place, worker: Worker, now: datetime) -> Seat:
    seconds = page.first["seconds"]
    spent = timedelta(microseconds=round((seconds or 0) * 1e6))
    # What was in view is bounded by the sitting: that has the very number.
    visible = {} if seconds is None else {"1": math.ceil(seconds * 1000)}
    last = max(page.places, default=0)
    return Seat(
        survey=place.survey,
        place=place,
        worker=worker,
        state=page.first["state"],
        order=[page.places.get(at, 0) for at in range(1, last + 1)],
        claimed_at=now - spent,
        submitted_at=now,
        visible=visible,
        informed=page.first["informed"],
        consent=worker.consent_digest,
    )


def _judge(
    study: Study, pages: dict[int, Page], seats: dict[int, Seat], now: datetime
) -> None:
    policy = study.current_policy()
    Verdict.objects.bulk_create(
        [
            Verdict(
                seat=seats[number],
                policy=policy,
                valid=page.first["state"] == Seat.State.VALID,
                reason=page.first["reason"][:2000],
                judged_at=now,
            )
            for number, page in sorted(pages.items())
        ],
        batch_size=AT_ONCE,
    )
