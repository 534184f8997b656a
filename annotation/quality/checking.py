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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

import numpy as np

from annotation.models import Aspect, Policy, Seat, Study, Verdict
from annotation.quality import (
    blocking,
    checked_pages,
    edit_checks,
    odds,
    reasons,
    rules,
)
from annotation.quality.checked_pages import Sheet
from annotation.quality.common_scale import CommonScale
from annotation.quality.odds import Odds
from annotation.quality.pair_answers import PairAnswers

CHECKS = {
    "rule": "damaged text rated too high",
    "untouched": "damaged text not corrected",
    "changes": "too few or too many words changed",
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
# In the numbers of a verdict on a page of pairs, in place of the rule.
PAIR_RULE = "pair"


class Compared(NamedTuple):
    """The ratings of a page that its policy looks at, turned so that high is good."""

    aspects: list[Aspect]
    columns: list[int]  # of these among all aspects
    positions: list[int]  # of the real texts on the page
    real: np.ndarray  # (texts, aspects), in the common unit
    negative: np.ndarray  # (aspects,)


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
class Judge:
    """A policy with the questions of its study. Reads and writes no row."""

    policy: Policy
    aspects: list[Aspect]
    scale: CommonScale

    @classmethod
    def of(cls, study: Study, policy: Policy) -> Judge:
        """One query."""
        aspects = list(study.aspects.all())
        return cls(policy, aspects, CommonScale.of(aspects))

    @cached_property
    def pairs(self) -> PairAnswers:
        return PairAnswers.of(self.policy.study, self.scale.width)

    @cached_property
    def scales(self) -> odds.Scales:
        return odds.Scales(self.scale.width, tuple(self.scale.steps))

    def opinion(self, sheet: Sheet, person: Person) -> Opinion:
        """Make all checks.

        Args:
            sheet: The page. Without a negative or a real text the rule rests.
            person: Its worker, this page included.
        """
        checks = {
            "rule": self._rule(sheet),
            "untouched": edit_checks.untouched(self.policy, sheet),
            "changes": edit_checks.changes(self.policy, sheet),
            "same": self._same(sheet),
            "reading": self._reading(sheet),
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

    def compared(self, sheet: Sheet) -> Compared | None:
        """None where there is nothing to compare.

        Left out are aspects on which the worker could not rate the negative, and then
        real texts that they could not rate on one of the others.
        """
        if sheet.hidden is None or len(sheet.items) < 2 or sheet.edits:
            return None
        if sheet.flipped is not None:
            return self._compared_pair(sheet, sheet.hidden)
        ratings = self.scale.turned(sheet.ratings, self.aspects)
        unsaid = np.isnan(ratings)
        wanted = aspects_of(self.policy, sheet.hurts, self.aspects)
        columns = [self.aspects.index(aspect) for aspect in wanted]
        columns = [column for column in columns if not unsaid[sheet.hidden, column]]
        rows = [row for row in sheet.real if not unsaid[row, columns].any()]
        if not (columns and rows):
            return None
        return Compared(
            aspects=[self.aspects[column] for column in columns],
            columns=columns,
            positions=[row + 1 for row in rows],
            real=ratings[np.ix_(rows, columns)],
            negative=ratings[sheet.hidden, columns],
        )

    def _compared_pair(self, sheet: Sheet, hidden: int) -> Compared | None:
        """A text and its damaged twin: the damaged one, seen from the other at 0."""
        wanted = aspects_of(self.policy, sheet.hurts, self.aspects)
        answers = self.pairs.signed(sheet.ratings[hidden])
        columns = [self.aspects.index(aspect) for aspect in wanted]
        columns = [column for column in columns if not np.isnan(answers[column])]
        if not columns:
            return None
        return Compared(
            aspects=[self.aspects[column] for column in columns],
            columns=columns,
            positions=[hidden + 1],
            real=np.zeros((1, len(columns))),
            negative=answers[columns],
        )

    def difference(self, sheet: Sheet) -> float | None:
        """Points by which the negative stands above the mean of the real texts."""
        found = self.compared(sheet)
        return float(rules.difference(found.real, found.negative)) if found else None

    def persons(self, pages: Sequence[Sheet]) -> dict[int, Person]:
        """The workers of these pages, which are all that they have submitted."""
        by_worker: dict[int, list[Sheet]] = defaultdict(list)
        for page in pages:
            by_worker[page.worker_id].append(page)
        return {worker: self._person(found) for worker, found in by_worker.items()}

    def _person(self, pages: list[Sheet]) -> Person:
        pages = [page for page in pages if not page.edits]  # of answers on a scale
        policy, enough = self.policy, self.policy.worker_pages
        found, p, odds_found = 0, None, None
        if policy.worker_p is not None:
            differences = [self.difference(page) for page in pages]
            kept = np.array([d for d in differences if d is not None])
            found = len(kept)
            p = rules.worker_p(kept) if found >= enough else None
        if policy.chance_odds is not None and len(pages) >= enough:
            seen = [self._seen(page) for page in pages]
            odds_found = odds.over(seen, self.scales)
        same = sum(self._is_same(page) for page in pages)
        return Person(found, p, odds_found, same, len(pages))

    def _seen(self, page: Sheet) -> odds.Seen:
        real, found = page.real, self.compared(page)
        if page.flipped is not None:
            return self.pairs.see(
                own=self.pairs.signed(page.ratings[real]),
                check=found.negative if found else None,
                others=self.pairs.signed(page.others[:, real]),
                unit=self.scales.unit,
            )
        negative = np.vstack([found.negative, found.real]) if found else None
        return odds.see(
            real=self.scale.common(page.only_asked(page.ratings, real)),
            negative=negative,
            others=self.scale.common(page.only_asked(page.others, real)),
            scales=self.scales,
            compared=found.columns if found else None,
        )

    def _is_same(self, page: Sheet) -> bool:
        groups = None if page.flipped is not None else self.scale.groups
        return bool(rules.is_same(page.as_given, groups, page.asked))

    def _rule(self, sheet: Sheet) -> tuple[str, Mapping[str, object]] | None:
        found = self.compared(sheet)
        if found is None:
            return None
        rule = self.policy.rule
        above = _where_above(self.policy, found)
        positions = map(str, found.positions)
        numbers: dict[str, object] = {
            "rule": rule if sheet.flipped is None else PAIR_RULE,
            "aspects": [aspect.key for aspect in found.aspects],
            "negative": _numbers(found.negative),
            "texts": dict(zip(positions, map(_numbers, found.real), strict=True)),
        }
        if self.scale.unit:
            numbers["unit"] = self.scale.unit
        if above and sheet.flipped is not None:
            return reasons.of_pair(above), numbers
        said = reasons.of_rule(rule, above, self.scale.unit) if above else ""
        return said, numbers

    def _same(self, sheet: Sheet) -> tuple[str, Mapping[str, object]] | None:
        if not self.policy.same_score or sheet.edits:
            return None
        same = self._is_same(sheet)
        said = reasons.of_same(sheet, self.scale.is_mixed)
        fastest = self.policy.same_faster_than
        if fastest is None:
            return f"{said}." if same else "", {"same": same}
        failed = same and _too_fast(sheet, fastest)
        said += f", and it has {reasons.read_in(sheet, fastest)}"
        return said if failed else "", {"same": same, **_speed(sheet)}

    def _reading(self, sheet: Sheet) -> tuple[str, Mapping[str, object]] | None:
        fastest = self.policy.characters_per_second
        if fastest is None or sheet.characters is None:
            return None
        said = f"The page has {reasons.read_in(sheet, fastest)}"
        return said if _too_fast(sheet, fastest) else "", _speed(sheet)

    def _pattern(self, person: Person) -> tuple[str, Mapping[str, object]] | None:
        limit, n = self.policy.same_pages, person.all_pages
        if limit is None or n < limit:
            return None
        said = f"On {person.same} of {n} pages every answer of this worker is the same."
        failed = person.same >= limit and 2 * person.same > n
        return said if failed else "", {"same_pages": person.same, "all_pages": n}

    def _chance(self, person: Person) -> tuple[str, Mapping[str, object]] | None:
        limit, found = self.policy.chance_odds, person.odds
        if limit is None or found is None:
            return None
        numbers = found._asdict() | {"times": round(found.times, 3)}
        unit = self.scale.unit
        said = reasons.by_chance(found, limit, unit) if found.times > limit else ""
        return said, {"odds": numbers}

    def _worker(self, person: Person) -> tuple[str, Mapping[str, object]] | None:
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


def aspects_of(
    policy: Policy, hurts: Sequence[str], aspects: list[Aspect]
) -> list[Aspect]:
    """The aspects that the policy compares; all if none of those it names exists."""
    keys = {
        Policy.On.HURT: hurts,
        Policy.On.CHOSEN: policy.chosen,
        Policy.On.MEAN: [],
        Policy.On.ANY: [],
    }[Policy.On(policy.on)]
    return [aspect for aspect in aspects if aspect.key in keys] or aspects


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


def _too_fast(sheet: Sheet, fastest: float) -> bool:
    """Without texts there is nothing to read, and nobody is too fast."""
    return sheet.characters is not None and sheet.seconds * fastest < sheet.characters


def _speed(sheet: Sheet) -> dict[str, object]:
    return {"characters": sheet.characters, "seconds": round(sheet.seconds, 1)}


def _person(seat: Seat, judging: Judge, page: Sheet, now: datetime) -> Person:
    """The worker of a page; their others are read only where the policy asks."""
    earlier: list[Sheet] = []
    if judging.policy.looks_back:
        seats = seat.worker.seats.filter(state__in=Seat.FINISHED).exclude(pk=seat.pk)
        earlier = checked_pages.read(
            study=seat.worker.study,
            seats=seats,
            now=now,
            others=judging.policy.with_others,
        )
    return judging.persons([*earlier, page])[seat.worker_id]
