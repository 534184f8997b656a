"""What a researcher should look at: workers, texts and pages, with the reason for each.

Reads only, and no more queries for a thousand workers than for ten. The newest pages
are read, up to `thresholds.MOST_PAGES`; what is left out is said.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any, NamedTuple
from uuid import UUID

from django.core.cache import cache
from django.db.models import Count, Max, Q

from annotation.kept import Kept, is_large
from annotation.kept import read as read_kept
from annotation.models import Dismissal, Report, Seat, Study, Worker
from annotation.models.surveys import pseudonym
from annotation.watching import (
    canaries,
    copying,
    findings,
    monitor,
    raters,
    reports,
    thresholds,
)
from annotation.watching.findings import Finding, Severity
from annotation.watching.raters import Rater
from annotation.watching.thresholds import Limits

State = Worker.State
GROWING = frozenset({"reported", "comment", "informed"})  # one more is news
LEFT_OUT = (State.EXCLUDED, State.WITHDRAWN)  # someone decided about them already


class Kind(IntEnum):
    WORKER = 1
    TEXT = 2
    STUDY = 3


class Page(NamedTuple):
    """A page to go to."""

    pk: int
    seat: UUID
    survey: int
    state: str
    comment: str
    informed: bool
    pasted: int | None = None  # characters, into text fields


@dataclass(frozen=True, slots=True)
class Subject:
    """Who or what to look at, and why."""

    kind: Kind
    name: str  # pseudonym, or key of the text
    findings: list[Finding]
    worker: UUID | None = None
    handled: str = ""  # why it is less urgent
    pages: dict[int, Page] = field(default_factory=dict)  # by seat, newest first
    dismissal: Dismissal | None = None  # that still covers all of it

    @property
    def entry(self) -> str:
        """Names it in a form."""
        return f"{self.kind.name.lower()}:{self.worker or self.name}"

    @property
    def severity(self) -> Severity:
        most = max(finding.severity for finding in self.findings)
        return min(most, Severity.NOTE) if self.handled else most

    @property
    def is_text(self) -> bool:
        return self.kind == Kind.TEXT

    def shown(self) -> list[tuple[Finding, list[Page], int]]:
        """The findings, worst first, each with pages to go to and how many are not."""
        rows = []
        for finding in sorted(self.findings, key=lambda one: -one.severity):
            found = [self.pages[pk] for pk in finding.seats if pk in self.pages]
            first = found[: thresholds.MOST_LINKS]
            rows.append((finding, first, len(found) - len(first)))
        return rows


@dataclass(frozen=True, slots=True)
class Attention:
    """Everything that needs a look, most urgent first."""

    subjects: list[Subject]
    workers: int  # looked at
    all_workers: int  # with a page submitted
    young: int  # with too few pages to tell
    limits: Limits
    pages: int  # of these workers
    dismissed: list[Subject] = field(default_factory=list)
    kept: Kept[Any] | None = None  # where a worker looks at the pages

    @property
    def is_kept(self) -> bool:
        """Whether it may be some seconds old."""
        return self.pages >= thresholds.MANY_PAGES

    @property
    def shown(self) -> list[Subject]:
        return self.subjects[: thresholds.MOST_SHOWN]

    @property
    def hidden(self) -> int:
        return len(self.subjects) - len(self.shown)

    def of(self, worker: Worker) -> Subject | None:
        """What is to be looked at of this worker."""
        found = (one for one in self.subjects if one.worker == worker.public_id)
        return next(found, None)

    def n(self, severity: Severity) -> int:
        return sum(one.severity == severity for one in self.subjects)

    @property
    def n_urgent(self) -> int:
        return self.n(Severity.URGENT)

    @property
    def n_look(self) -> int:
        return self.n(Severity.LOOK)


def read(*, study: Study) -> Attention:
    """Look at the newest pages.

    Reports, and who answers like a model, as of now; the rest is kept until a page
    comes.
    """
    found = _lately(study)
    dismissals = study.dismissals.select_related("by")
    by_entry = {one.entry: one for one in dismissals}
    subjects = [*_with_copies(study, found.subjects), *_reported(study)]
    subjects.sort(key=lambda one: (-one.severity, one.kind, -len(one.findings)))
    told = [_with_dismissal(one, by_entry) for one in subjects]
    return replace(
        found,
        subjects=[one for one in told if one.dismissal is None],
        dismissed=[one for one in told if one.dismissal is not None],
    )


def _with_dismissal(subject: Subject, by_entry: dict[str, Dismissal]) -> Subject:
    """Unless it shows more than was seen: then someone has to look again."""
    one = by_entry.get(subject.entry)
    if one is None or any(
        seen.severity > one.seen.get(seen.kind, [0])[0]
        or (seen.kind in GROWING and len(seen.seats) > one.seen[seen.kind][1])
        for seen in subject.findings
    ):
        return subject
    return replace(subject, dismissal=one)


def _lately(study: Study) -> Attention:
    """All but the reports. A decision is seen at once, new pages after a while."""
    if is_large(study):
        kept = read_kept(study=study, name="attention")
        known = kept.value or Attention([], 0, 0, 0, _limits(study), 0)
        return replace(known, kept=kept, subjects=_undecided(study, known.subjects))
    last = study.events.aggregate(last=Max("pk"))["last"]
    key = f"attention:{study.public_id}:{last}"
    found: Attention | None = cache.get(key)
    if found is None:
        found = monitor.computed_once(
            study=study, name="attention", compute=lambda: of_pages(study)
        )
        if found.pages >= thresholds.MANY_PAGES:
            cache.set(key, found, timeout=thresholds.SECONDS_KEPT)
    return found


def _with_copies(study: Study, subjects: Iterable[Subject]) -> list[Subject]:
    """And those whose answers are a judge's. One query, two more where there are any.

    Apart from the pages, which `scoring` knows nothing of: its figures come later.
    """
    listed = list(subjects)
    held = {pk: one for pk, one in copying.read(study=study).items() if one.stands_out}
    if not held:
        return listed
    rows = study.workers.filter(pk__in=held).exclude(state__in=LEFT_OUT)
    workers = list(rows.order_by("pk"))
    pages = _pages(workers)
    at = {one.worker: place for place, one in enumerate(listed)}
    for worker in workers:
        own = pages.get(worker.pk, [])
        seen = findings.copied(held[worker.pk], [page.pk for page in own])
        if seen is None or not own:
            continue
        place = at.get(worker.public_id)
        if place is None:
            listed.append(_subject(study, worker, own, [seen]))
        else:
            known = listed[place]
            listed[place] = replace(known, findings=[*known.findings, seen])
    return listed


def _undecided(study: Study, subjects: Iterable[Subject]) -> list[Subject]:
    """Without workers about whom someone has decided since. One query."""
    gone = study.workers.filter(state__in=LEFT_OUT).values_list("public_id", flat=True)
    decided = set(gone)
    return [one for one in subjects if one.worker not in decided]


def _limits(study: Study) -> Limits:
    return thresholds.of(study.current_policy())


def of_pages(study: Study, variant: str = "") -> Attention:
    """What the newest pages show, without the reports. For `kept`, too."""
    limits = _limits(study)
    workers, total = _newest(study)
    found = raters.raters(study=study, workers=workers)
    pages = _pages(workers)
    words = _words(workers, pages)
    usual = findings.usual_agreement(found.values())
    extra = findings.joined(
        findings.repeated(words),
        findings.all_pasted(
            {pk: [(page.pk, page.pasted) for page in own] for pk, own in pages.items()}
        ),
        findings.all_followed(canaries.read(study=study, workers=workers)),
    )
    subjects = []
    for worker in workers:
        own, rater = pages[worker.pk], found[worker.pk]
        seen = _of_worker(worker, rater, own, limits, usual)
        seen += extra[worker.pk]
        if seen:
            subjects.append(_subject(study, worker, own, seen))
    young = sum(found[worker.pk].pages < limits.pages for worker in workers)
    subjects += _of_study(study)
    n_pages = sum(len(own) for own in pages.values())
    return Attention(subjects, len(workers), total, young, limits, n_pages)


def _of_worker(
    worker: Worker,
    rater: Rater,
    pages: Sequence[Page],
    limits: Limits,
    usual: float | None,
) -> list[Finding]:
    newest = [page.pk for page in pages]
    discarded = [page.pk for page in pages if page.state == Seat.State.DISCARDED]
    comments = [(page.pk, page.comment) for page in pages if page.comment]
    some: list[Finding | None] = [
        findings.discarded(rater, discarded),
        findings.changes(rater, limits),
        findings.comments(comments),
    ]
    if rater.pages >= limits.pages:  # else there is too little to tell
        some += [
            findings.fast(rater, limits),
            findings.same(rater, limits),
            findings.agreement(rater, usual, newest),
            findings.odds(rater, limits, newest),
            findings.side(rater, newest),
        ]
    return [finding for finding in some if finding is not None]


def _subject(
    study: Study, worker: Worker, pages: Sequence[Page], seen: list[Finding]
) -> Subject:
    handled = ""
    if not any(page.state == Seat.State.VALID for page in pages):
        handled = "None of their pages counts."
    return Subject(
        kind=Kind.WORKER,
        name=pseudonym(study, worker.pk),
        findings=seen,
        worker=worker.public_id,
        handled=handled,
        pages={page.pk: page for page in pages},
    )


def _newest(study: Study) -> tuple[list[Worker], int]:
    """The workers who submitted pages last, up to the limit; and how many there are."""
    finished = Q(seats__state__in=Seat.FINISHED)
    rows = (
        study.workers.exclude(state__in=LEFT_OUT)
        .annotate(
            n=Count("seats", filter=finished),
            last=Max("seats__submitted_at", filter=finished),
        )
        .filter(n__gt=0)
        .order_by("-last", "-pk")
    )
    found: list[Worker] = []
    pages = 0
    for worker in rows[: thresholds.MOST_WORKERS]:
        pages += worker.n
        if found and pages > thresholds.MOST_PAGES:
            break
        found.append(worker)
    return found, rows.count()


def _pages(workers: Sequence[Worker]) -> dict[int, list[Page]]:
    """By worker, newest first. One query."""
    rows = Seat.objects.filter(worker__in=workers, state__in=Seat.FINISHED)
    found: dict[int, list[Page]] = defaultdict(list)
    for worker, *row in rows.order_by("-submitted_at", "-pk").values_list(
        *("worker_id", "pk", "public_id", "survey__number", "state", "comment"),
        *("informed", "pasted"),
    ):
        found[worker].append(Page(*row))
    return found


def _words(
    workers: Sequence[Worker], pages: dict[int, list[Page]]
) -> Iterable[findings.Words]:
    """What they wrote in their own words. One query."""
    rows = Report.objects.filter(seat__worker__in=workers).order_by("pk")
    said = list(rows.values_list("seat__worker_id", "seat_id", "reason"))
    said += [
        (worker, page.pk, page.comment)
        for worker, own in pages.items()
        for page in own
        if page.comment
    ]
    return [findings.Words(*row) for row in said]


def _of_study(study: Study) -> list[Subject]:
    """Pages that came after the debriefing. One query."""
    seats = Seat.objects.filter(survey__study=study, informed=True)
    rows = (
        seats.filter(state=Seat.State.VALID)
        .order_by("-pk")
        .values_list(
            *("pk", "public_id", "survey__number", "state", "comment", "informed")
        )
    )
    pages = [Page(*row) for row in rows[: thresholds.MOST_PAGES]]
    if not pages:
        return []
    seen = [findings.informed([page.pk for page in pages])]
    by_seat = {page.pk: page for page in pages}
    return [Subject(Kind.STUDY, "After the debriefing", seen, pages=by_seat)]


def _reported(study: Study) -> list[Subject]:
    """Texts whose reports wait for someone. One query."""
    found = []
    for text in reports.waiting(study=study):
        pages = {
            report.seat_id: Page(
                report.seat_id,
                report.seat.public_id,
                text.item.survey.number,
                report.seat.state,
                "",
                False,
            )
            for report in text.reports
        }
        real = text.item.generation is not None
        found.append(
            Subject(
                kind=Kind.TEXT if real else Kind.STUDY,
                name=reports.name_of(text.item),
                findings=[findings.reported(text.reports)],
                pages=pages,
            )
        )
    return found
