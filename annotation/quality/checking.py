"""Quality control: is a page rated with care?

A policy is a list of checks, made in this order. All of them are made and keep their
numbers; the first that fails is the reason.

1. rule: the hidden negative stands above the real texts (`rules.is_above`). First,
   because it says most about this page. On a page of corrections instead:
   untouched, the negative was left as it is; and changes, of the real texts so few or
   so many words were changed that someone should look, or the page is discarded.
2. same: one value everywhere, which no strict rule catches; where the policy says so,
   only on a page that was read faster than people read.
3. reading: the page was in view for less time than its texts take.
4. pattern: one value everywhere on most of the worker's pages, at any speed.
5. chance: all their pages together look answered by chance (`odds`).
6. worker: over all their pages, the worker does not rate the negatives lower.

The checks 2 to 6 rest unless the policy asks for them. The last three speak about the
person: this page may look fine. What 4 and 5 say holds for all pages of the worker, so
earlier ones are judged again (`rejudging.reach_back`). After them comes the worker's
history: who has too many discarded pages is blocked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import numpy as np

from annotation import page_kinds
from annotation.careless import odds, rules
from annotation.careless.common_scale import CommonScale
from annotation.careless.odds import Odds
from annotation.models import Policy, Seat, Study, Verdict
from annotation.page_kinds.matrix import Compared, PageMatrix, Result, Terms
from annotation.quality import blocking, checked_pages, reasons

# Made after the rule, and after what kinds of pages have of their own.
ON_ANY_PAGE = {
    "same": "same answer everywhere",
    "reading": "read too fast",
    "pattern": "same answer everywhere on most pages of the worker",
    "chance": "the worker's answers look random",
    "worker": "the worker does not rate damaged texts lower",
}
# Hold for all pages of a worker, whenever they were submitted.
REACHING = ("pattern", "chance")
# In the numbers of a verdict: why the other pages of the worker are discarded, too.
ALL_PAGES = "all_pages_reason"
# In the numbers of a verdict that a person gave about the worker, not about the page.
# `judged_by` does not tell: it is cleared when that person's account is deleted.
BY_HAND = "decided"


def titles() -> dict[str, str]:
    """What is wrong with a page that fails a check, in the order they are made."""
    own = {
        name: check.title
        for kind in page_kinds.every()
        for name, check in kind.checks.own.items()
    }
    return {"rule": "damaged text rated too high", **own, **ON_ANY_PAGE}


class Person(NamedTuple):
    """What all pages of a worker say together."""

    pages: int  # with a negative
    p: float | None  # None: nobody asked, or too few pages
    odds: Odds | None = None  # likewise
    same: int = 0  # pages with the same answer everywhere
    all_pages: int = 0


class Opinion(NamedTuple):
    """What a policy says of a page, before it is written down."""

    valid: bool
    reason: str  # of the first check that failed
    numbers: dict[str, object]  # what every check saw


@dataclass(frozen=True)
class Judge(Terms):
    """What a policy says of pages. Reads and writes no row."""

    @classmethod
    def of(cls, study: Study, policy: Policy) -> Judge:
        """One query."""
        aspects = list(study.aspects.all())
        return cls(policy, aspects, CommonScale.of(aspects))

    def opinion(self, page: PageMatrix, person: Person) -> Opinion:
        """Make all checks.

        Args:
            page: The page. Without a negative or a real text the rule rests.
            person: Its worker, this page included.
        """
        checks = {
            "rule": self._rule(page),
            **page.own_checks(self.policy),
            "same": self._same(page),
            "reading": self._reading(page),
            "pattern": self._pattern(person),
            "chance": self._chance(person),
            "worker": self._worker(person),
        }
        made = {name: check for name, check in checks.items() if check is not None}
        numbers: dict[str, object] = {}
        for _, seen in made.values():
            numbers |= seen
        failed = [name for name, (reason, _) in made.items() if reason]
        if failed:
            numbers["failed"] = failed
        for name in [name for name in failed if name in REACHING][:1]:
            numbers[ALL_PAGES] = made[name][0]
        reason = made[failed[0]][0] if failed else ""
        return Opinion(not failed, reason, numbers)

    def difference(self, page: PageMatrix) -> float | None:
        """Points by which the negative stands above the mean of the real texts."""
        compared = page.compared(self)
        if compared is None:
            return None
        return float(rules.difference(compared.real, compared.negative))

    def persons(self, pages: Sequence[PageMatrix]) -> dict[int, Person]:
        """The workers of these pages, which are all that they have submitted."""
        by_worker: dict[int, list[PageMatrix]] = defaultdict(list)
        for page in pages:
            by_worker[page.worker_id].append(page)
        return {worker: self._person(found) for worker, found in by_worker.items()}

    def _person(self, pages: list[PageMatrix]) -> Person:
        pages = [page for page in pages if page.is_rated]
        policy, enough = self.policy, self.policy.worker_pages
        found, p, odds_found = 0, None, None
        if policy.worker_p is not None:
            differences = [self.difference(page) for page in pages]
            kept = np.array([d for d in differences if d is not None])
            found = len(kept)
            p = rules.worker_p(kept) if found >= enough else None
        if policy.chance_odds is not None and len(pages) >= enough:
            seen = [page.seen(self) for page in pages]
            odds_found = odds.over(seen, self.scales)
        same = sum(bool(page.is_same(self.scale)) for page in pages)
        return Person(found, p, odds_found, same, len(pages))

    def _rule(self, page: PageMatrix) -> Result:
        compared = page.compared(self)
        if compared is None:
            return None
        above = _where_above(self.policy, compared)
        positions = map(str, compared.positions)
        numbers: dict[str, object] = {
            "rule": page.rule or self.policy.rule,
            "aspects": [aspect.key for aspect in compared.aspects],
            "negative": _numbers(compared.negative),
            "texts": dict(zip(positions, map(_numbers, compared.real), strict=True)),
        }
        if self.scale.unit:
            numbers["unit"] = self.scale.unit
        return page.why_above(above, self) if above else "", numbers

    def _same(self, page: PageMatrix) -> Result:
        same = page.is_same(self.scale)
        if not self.policy.same_score or same is None:
            return None
        said = reasons.of_same(page, self.scale.is_mixed)
        fastest = self.policy.same_faster_than
        if fastest is None:
            return f"{said}." if same else "", {"same": same}
        failed = same and _too_fast(page, fastest)
        said += f", and it has {reasons.read_in(page, fastest)}"
        return said if failed else "", {"same": same, **_speed(page)}

    def _reading(self, page: PageMatrix) -> Result:
        fastest = self.policy.characters_per_second
        if fastest is None or page.characters is None:
            return None
        said = f"The page has {reasons.read_in(page, fastest)}"
        return said if _too_fast(page, fastest) else "", _speed(page)

    def _pattern(self, person: Person) -> Result:
        limit, n = self.policy.same_pages, person.all_pages
        if limit is None or n < limit:
            return None
        said = f"On {person.same} of {n} pages every answer of this worker is the same."
        failed = person.same >= limit and 2 * person.same > n
        return said if failed else "", {"same_pages": person.same, "all_pages": n}

    def _chance(self, person: Person) -> Result:
        limit, found = self.policy.chance_odds, person.odds
        if limit is None or found is None:
            return None
        numbers = found._asdict() | {"times": round(found.times, 3)}
        unit = self.scale.unit
        said = reasons.by_chance(found, limit, unit) if found.times > limit else ""
        return said, {"odds": numbers}

    def _worker(self, person: Person) -> Result:
        highest, n, p = self.policy.worker_p, person.pages, person.p
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
        texts=policy.needs_texts,
        others=policy.with_others,
    )
    opinion = judging.opinion(page, _person(seat, judging, page, now))
    verdict = write(seat=seat, policy=policy, opinion=opinion, now=now)
    if policy.block_after and not opinion.valid:
        blocking.block_if_due(
            worker=seat.worker,
            discarded=[*blocking.discarded_before(seat), True],
            policy=policy,
            now=now,
        )
    return verdict


def write(*, seat: Seat, policy: Policy, opinion: Opinion, now: datetime) -> Verdict:
    return Verdict.objects.create(
        seat=seat, policy=policy, judged_at=now, **opinion._asdict()
    )


def _where_above(policy: Policy, found: Compared) -> Compared | None:
    """What the rule holds for: all that is compared, or the first such aspect."""
    if policy.on != Policy.On.ANY:
        above = bool(rules.is_above(policy.rule, found.real, found.negative))
        return found if above else None
    for k in np.flatnonzero(rules.by_aspect(policy.rule, found.real, found.negative)):
        one = slice(k, k + 1)
        return found._replace(
            aspects=found.aspects[one],
            real=found.real[:, one],
            negative=found.negative[one],
        )
    return None


def _numbers(ratings: np.ndarray) -> list[float]:
    """As JSON keeps them: points of a scale as whole numbers."""
    return [int(one) if one == int(one) else round(one, 9) for one in ratings.tolist()]


def _too_fast(page: PageMatrix, fastest: float) -> bool:
    """Without texts there is nothing to read, and nobody is too fast."""
    return page.characters is not None and page.seconds * fastest < page.characters


def _speed(page: PageMatrix) -> dict[str, object]:
    return {"characters": page.characters, "seconds": round(page.seconds, 1)}


def _person(seat: Seat, judging: Judge, page: PageMatrix, now: datetime) -> Person:
    """The worker of a page; their others are read only where the policy asks."""
    earlier: list[PageMatrix] = []
    if judging.policy.looks_back:
        seats = seat.worker.seats.filter(state__in=Seat.FINISHED).exclude(pk=seat.pk)
        earlier = checked_pages.read(
            study=seat.worker.study,
            seats=seats,
            now=now,
            others=judging.policy.with_others,
        )
    return judging.persons([*earlier, page])[seat.worker_id]
