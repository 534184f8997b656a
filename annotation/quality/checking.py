"""Quality control: is a page rated with care?

A policy is a list of checks, made in this order. All of them are made and keep their
numbers; the first that fails is the reason.

1. rule: the hidden negative stands above the real texts (`rules.is_above`). First,
   because it says most about this page.
2. same: one value everywhere, which no strict rule catches.
3. reading: the page was in view for less time than its texts take.
4. worker: over all their pages, the worker does not rate the negatives lower. Last,
   because it speaks about the person: this page may look fine.

The checks 2 to 4 rest unless the policy asks for them. After them comes the worker's
history: who has too many discarded pages is blocked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import numpy as np

from annotation import events
from annotation.models import Aspect, Policy, Seat, Study, Verdict, Worker
from annotation.models.surveys import pseudonym
from annotation.quality import checked_pages, rules
from annotation.quality.checked_pages import Sheet

CHECKS = {
    "rule": "the negative is rated too well",
    "same": "the same score everywhere",
    "reading": "read too fast",
    "worker": "the worker does not rate damaged texts lower",
}
COMPARED_WITH = {
    Policy.Rule.ABOVE_ALL: "the best",
    Policy.Rule.ABOVE_MEAN: "the mean",
    Policy.Rule.ABOVE_ANY: "the worst",
}


class Compared(NamedTuple):
    """The ratings of a page that its policy looks at, turned so that high is good."""

    aspects: list[Aspect]
    positions: list[int]  # of the real texts on the page
    real: np.ndarray  # (texts, aspects)
    negative: np.ndarray  # (aspects,)


class Person(NamedTuple):
    """What all pages of a worker say together."""

    pages: int  # with a negative
    p: float | None  # None: nobody asked, or too few pages


class Opinion(NamedTuple):
    """What a policy says of a page, before it is written down."""

    valid: bool
    reason: str  # of the first check that failed
    numbers: dict[str, object]  # what every check saw


@dataclass(frozen=True)
class Judge:
    """A policy with the questions of its study. Reads and writes no row."""

    policy: Policy
    aspects: list[Aspect]
    scale: range

    @classmethod
    def of(cls, study: Study, policy: Policy) -> Judge:
        """One query."""
        return cls(policy, list(study.aspects.all()), study.scale)

    def opinion(self, sheet: Sheet, person: Person) -> Opinion:
        """Make all checks.

        Args:
            sheet: The page. Without a negative or a real text the rule rests.
            person: Its worker, this page included.
        """
        checks = {
            "rule": self._rule(sheet),
            "same": self._same(sheet),
            "reading": self._reading(sheet),
            "worker": self._worker(person),
        }
        made = {name: check for name, check in checks.items() if check is not None}
        numbers: dict[str, object] = {}
        for _, seen in made.values():
            numbers |= seen
        failed = [name for name, (reason, _) in made.items() if reason]
        if failed:
            numbers["failed"] = failed
        reason = made[failed[0]][0] if failed else ""
        return Opinion(not failed, reason, numbers)

    def compared(self, sheet: Sheet) -> Compared | None:
        """None where there is nothing to compare."""
        if sheet.hidden is None or len(sheet.items) < 2:
            return None
        aspects = aspects_of(self.policy, sheet.hurts, self.aspects)
        columns = [self.aspects.index(aspect) for aspect in aspects]
        ratings = sheet.ratings[:, columns].copy()
        turned = [not aspect.higher_is_better for aspect in aspects]
        ratings[:, turned] = self.scale[0] + self.scale[-1] - ratings[:, turned]
        rows = [row for row in range(len(sheet.items)) if row != sheet.hidden]
        positions = [row + 1 for row in rows]
        return Compared(aspects, positions, ratings[rows], ratings[sheet.hidden])

    def difference(self, sheet: Sheet) -> float | None:
        """Points by which the negative stands above the mean of the real texts."""
        found = self.compared(sheet)
        return float(rules.difference(found.real, found.negative)) if found else None

    def persons(self, pages: Sequence[Sheet]) -> dict[int, Person]:
        """The workers of these pages, which are all that they have handed in."""
        by_worker: dict[int, list[float]] = {page.worker_id: [] for page in pages}
        if self.policy.worker_p is None:
            return dict.fromkeys(by_worker, Person(0, None))
        for page in pages:
            if (found := self.difference(page)) is not None:
                by_worker[page.worker_id].append(found)
        return {worker: self._person(found) for worker, found in by_worker.items()}

    def _person(self, differences: list[float]) -> Person:
        n = len(differences)
        enough = n >= self.policy.worker_pages
        return Person(n, rules.worker_p(np.array(differences)) if enough else None)

    def _rule(self, sheet: Sheet) -> tuple[str, Mapping[str, object]] | None:
        found = self.compared(sheet)
        if found is None:
            return None
        rule = self.policy.rule
        above = bool(rules.is_above(rule, found.real, found.negative))
        positions = map(str, found.positions)
        return reason(rule, found) if above else "", {
            "rule": rule,
            "aspects": [aspect.key for aspect in found.aspects],
            "negative": found.negative.tolist(),
            "texts": dict(zip(positions, found.real.tolist(), strict=True)),
        }

    def _same(self, sheet: Sheet) -> tuple[str, Mapping[str, object]] | None:
        if not self.policy.same_score:
            return None
        same = bool(rules.is_same(sheet.ratings))
        said = f"Every answer on the page is {sheet.ratings.flat[0]}."
        return said if same else "", {"same": same}

    def _reading(self, sheet: Sheet) -> tuple[str, Mapping[str, object]] | None:
        fastest = self.policy.characters_per_second
        if fastest is None or sheet.characters is None:
            return None
        said = (
            f"The page has {sheet.characters:,} characters and was in view for"
            f" {sheet.seconds:.0f} seconds; at {fastest:g} a second they take"
            f" {sheet.characters / fastest:.0f}."
        )
        too_fast = sheet.seconds * fastest < sheet.characters
        seen = {"characters": sheet.characters, "seconds": round(sheet.seconds, 1)}
        return said if too_fast else "", seen

    def _worker(self, person: Person) -> tuple[str, Mapping[str, object]] | None:
        highest, (n, p) = self.policy.worker_p, person
        if highest is None or p is None:
            return None
        said = (
            f"Over {n} pages this worker does not rate the damaged texts lower:"
            f" p = {p:.3f}, above {highest:g}."
        )
        return said if p > highest else "", {"p": p, "pages": n}


# One submission -----------------------------------------------------------------------


def judge(*, seat: Seat, policy: Policy, now: datetime) -> Verdict:
    """Append a verdict on the seat's complete page, and block its worker if due.

    Call it inside the transaction that locks the worker: their other pages count.
    """
    study = seat.worker.study
    judging = Judge.of(study, policy)
    (page,) = checked_pages.read(
        study=study,
        seats=Seat.objects.filter(pk=seat.pk),
        now=now,
        texts=policy.characters_per_second is not None,
    )
    opinion = judging.opinion(page, _person(seat, judging, page, now))
    verdict = write(seat=seat, policy=policy, opinion=opinion, now=now)
    if policy.block_after and not opinion.valid:
        block_if_due(
            worker=seat.worker,
            discarded=[*_discarded_before(seat), True],
            policy=policy,
            now=now,
        )
    return verdict


def block_if_due(
    *, worker: Worker, discarded: Sequence[bool], policy: Policy, now: datetime
) -> bool:
    """Give an active worker no more pages if too many of theirs were discarded.

    Args:
        worker: Locked.
        discarded: Their pages, oldest first.
        policy: Says how many are too many.
        now: From when on.
    """
    after, within = policy.block_after, policy.block_within
    if worker.state != Worker.State.ACTIVE or after is None:
        return False
    if not rules.is_blocked(discarded, after, within):
        return False
    pages = f"the last {within} pages" if within else f"{len(discarded)} pages"
    worker.state = Worker.State.BLOCKED
    worker.state_reason = f"{after} of {pages} were discarded."
    worker.state_at = now
    worker.save(update_fields=["state", "state_reason", "state_at"])
    events.log(
        study=worker.study,
        verb="blocked-worker",
        now=now,
        about=pseudonym(worker.study, worker.pk),
        detail=worker.state_reason,
    )
    return True


def write(*, seat: Seat, policy: Policy, opinion: Opinion, now: datetime) -> Verdict:
    return Verdict.objects.create(
        seat=seat, policy=policy, judged_at=now, **opinion._asdict()
    )


def aspects_of(
    policy: Policy, hurts: Sequence[str], aspects: list[Aspect]
) -> list[Aspect]:
    """The aspects that the policy compares; all if none of those it names exists."""
    keys = {
        Policy.On.HURT: hurts,
        Policy.On.CHOSEN: policy.chosen,
        Policy.On.MEAN: [],
    }[Policy.On(policy.on)]
    return [aspect for aspect in aspects if aspect.key in keys] or aspects


def reason(rule: str, found: Compared) -> str:
    """Why a page is discarded, in a sentence with the numbers behind it."""
    means = found.real.mean(axis=1)
    limit = {
        Policy.Rule.ABOVE_ALL: means.max(),
        Policy.Rule.ABOVE_MEAN: means.mean(),
        Policy.Rule.ABOVE_ANY: means.min(),
    }[Policy.Rule(rule)]
    texts = "1 real text" if len(means) == 1 else f"{len(means)} real texts"
    return (
        f"The damaged text got {found.negative.mean():.3g}, above"
        f" {COMPARED_WITH[Policy.Rule(rule)]} of {texts} with {limit:.3g},"
        f" on {_named(found.aspects)}."
    )


def _named(aspects: list[Aspect]) -> str:
    titles = [
        aspect.title if aspect.higher_is_better else f"{aspect.title} (turned round)"
        for aspect in aspects
    ]
    if len(titles) == 1:
        return titles[0][:120]
    if len(titles) > 3:
        return f"the mean of {len(titles)} aspects"
    return f"the mean of {', '.join(titles[:-1])} and {titles[-1]}"[:150]


def _person(seat: Seat, judging: Judge, page: Sheet, now: datetime) -> Person:
    """The worker of a page; their others are read only where the policy asks."""
    others: list[Sheet] = []
    if judging.policy.worker_p is not None:
        seats = seat.worker.seats.filter(state__in=Seat.FINISHED).exclude(pk=seat.pk)
        others = checked_pages.read(study=seat.worker.study, seats=seats, now=now)
    return judging.persons([*others, page])[seat.worker_id]


def _discarded_before(seat: Seat) -> list[bool]:
    rows = seat.worker.seats.filter(state__in=Seat.FINISHED).exclude(pk=seat.pk)
    states = rows.order_by("submitted_at", "pk").values_list("state", flat=True)
    return [state == Seat.State.DISCARDED for state in states]
