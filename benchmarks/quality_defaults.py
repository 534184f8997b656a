"""Which workers the default checks catch by which page; what honest people lose.

python -m benchmarks.quality_defaults [--workers 600] [--data DATA]

Every page is judged by `Judge`, with the policy that new studies begin with. Pages are
made up as in a simulation, or put together of real people's ratings (MANS, HANNA).
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalapp.settings")

import argparse
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import django
import numpy as np

django.setup()

from annotation import imports, surveys  # noqa: E402
from annotation.careless import rules  # noqa: E402
from annotation.careless.common_scale import CommonScale  # noqa: E402
from annotation.kinds.ratings.matrix import RatingMatrix  # noqa: E402
from annotation.models import Aspect, Study  # noqa: E402
from annotation.models.first_policy import first_policy  # noqa: E402
from annotation.quality.checking import REACHING, Judge  # noqa: E402
from annotation.quality.rater_kinds import (  # noqa: E402
    PAGE_SPREAD,
    SPEED_SPREAD,
    characters_per_second,
)
from annotation.simulation import (  # noqa: E402
    catching,
    rehearsing,
    sample,
    simulate,
)
from annotation.simulation.simulating import kind_of  # noqa: E402
from benchmarks.quality_pages import (  # noqa: E402
    KEYS,
    PAGES,
    SCALE,
    Case,
    Rated,
    cases,
    simulated,
)

AT = (1, 2, 4, 8, 16)
CARELESS = ("fast-clicker", "straight-lining", "patient-straight", "random")
DRAWS = 1000
# Of the whole studies; about 7 pages each.
WORKERS = 20
MIX = {
    **{"careful": 0.5, "noisy": 0.15, "random": 0.1, "straight-lining": 0.1},
    **{"patient-straight": 0.1, "fast-clicker": 0.05},
}
ODDS, OUTCOMES = (10, 20, 50, 100), ("caught", "lost")


class Played(NamedTuple):
    """What became of one worker."""

    own: list[bool]  # pages that are discarded for themselves
    found: list[bool]  # after each page: whether all of theirs are
    by_rule: int  # pages that the damaged text alone discards
    blocked: bool

    def discarded(self, n: int) -> list[bool]:
        """Of the first n pages, when n are in: later discards counted."""
        n = min(n, len(self.own))
        return [True] * n if self.found[n - 1] else self.own[:n]


# Workers on pages ---------------------------------------------------------------------


def judge_of(
    hurts: int, n_aspects: int, odds: float | None = None
) -> tuple[Judge, list[str]]:
    """With the policy of new studies, or with other odds in it."""
    study = Study(scale_min=SCALE[0], scale_max=SCALE[-1])
    aspects = [Aspect(study=study, key=key, title=key) for key in KEYS[:n_aspects]]
    policy = first_policy(study)
    policy.chance_odds = odds or policy.chance_odds
    return Judge(policy, aspects, CommonScale.of(aspects)), list(KEYS[:hurts])


def play(
    judging: Judge, hurts: list[str], pages: Sequence[Rated], seconds: np.ndarray
) -> Played:
    """Hand the pages in one after the other, until there are no more or they block."""
    policy = judging.policy
    assert policy.block_after is not None  # new studies block
    sheets: list[RatingMatrix] = []
    own: list[bool] = []
    found: list[bool] = []
    by_rule, blocked = 0, False
    for number, (page, taken) in enumerate(zip(pages, seconds, strict=True)):
        sheets.append(_sheet(number, page, float(taken), hurts))
        person = judging.persons(sheets)[0]
        failed = judging.opinion(sheets[-1], person).numbers.get("failed", [])
        assert isinstance(failed, list)
        by_rule += "rule" in failed
        own.append(bool({*failed} - {*REACHING}))
        found.append(bool({*failed} & {*REACHING}))
        discarded = Played(own, found, 0, False).discarded(len(own))
        if rules.is_blocked(discarded, policy.block_after, policy.block_within):
            blocked = True
            break
    return Played(own, found, by_rule, blocked)


def _sheet(number: int, page: Rated, seconds: float, hurts: list[str]) -> RatingMatrix:
    return RatingMatrix(
        seat_id=number,
        survey_id=number,
        worker_id=0,
        state="valid",
        items=list(range(len(page.ratings))),
        ratings=page.ratings,
        hidden=len(page.ratings) - 1,
        hurts=hurts,
        characters=page.characters,
        seconds=seconds,
        others=page.others,
    )


def seconds_of(
    kind: str, pages: Sequence[Rated], rng: np.random.Generator
) -> np.ndarray:
    speed = characters_per_second(kind) * np.exp(rng.normal(0, SPEED_SPREAD))
    characters = np.array([page.characters for page in pages])
    paces = rng.uniform(*PAGE_SPREAD, size=len(pages))
    return np.asarray(characters / speed * paces)


# What came out ------------------------------------------------------------------------


def run(
    case: Case,
    kind: str,
    workers: int,
    *,
    with_others: bool = True,
    odds: float | None = None,
) -> list[Played]:
    """The same workers, whatever the odds."""
    rng = np.random.default_rng([2022, workers, *map(ord, case.name + kind)])
    found = []
    for _ in range(workers):
        pages = case.pages(kind, rng)
        if not with_others:
            pages = [page._replace(others=page.others[:0]) for page in pages]
        judging, hurts = judge_of(case.hurts, pages[0].ratings.shape[1], odds)
        found.append(play(judging, hurts, pages, seconds_of(kind, pages, rng)))
    return found


def caught_by(played: Sequence[Played], page: int) -> str:
    """Who was stopped earlier stays as they were."""
    return share(sum(all(one.discarded(page)) for one in played), len(played))


def share(k: int, n: int) -> str:
    """In per cent, with Wilson's interval and what it is a share of."""
    if not n:
        return "—"
    low, high = catching.wilson(k, n) or (0.0, 0.0)
    return f"{100 * k / n:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def share_lost(played: Sequence[Played], n: int) -> float:
    """Of the first n pages of each."""
    discarded = [one.discarded(n) for one in played]
    return sum(map(sum, discarded)) / sum(map(len, discarded))


def lost(played: Sequence[Played], n: int, rng: np.random.Generator) -> str:
    """The same in per cent; the interval draws workers."""
    discarded = [one.discarded(n) for one in played]
    pages, gone = (np.array([*map(f, discarded)]) for f in (len, sum))
    k = len(played)
    counts = rng.multinomial(k, np.full(k, 1 / k), size=DRAWS)
    low, high = np.quantile((counts @ gone) / (counts @ pages), [0.025, 0.975])
    share = share_lost(played, n)
    return f"{100 * share:.2f} ({100 * low:.2f} to {100 * high:.2f})"


def bound(hurts: int, workers: int) -> list[str]:
    """Random workers caught by the best test of the damaged text that there is.

    After Neyman and Pearson: the ratio of the two densities of the difference, decided
    once, at page 4 or 8, at a loss of 5 % of noisy workers and with no other check.
    """
    rng = np.random.default_rng(hurts)
    case = simulated(hurts)
    judging, keys = judge_of(hurts, len(KEYS))
    edges = np.arange(-4.126, 4.3, 0.25)
    seen = {}
    for kind in ("noisy", "random"):
        rows = [
            [
                judging.difference(_sheet(0, page, 1.0, keys)) or 0.0
                for page in case.pages(kind, rng)[:8]
            ]
            for _ in range(2 * workers)
        ]
        seen[kind] = np.digitize(np.array(rows), edges)
    counts = {
        kind: np.bincount(found.ravel(), minlength=len(edges) + 1) + 0.5
        for kind, found in seen.items()
    }
    ratio = np.log(counts["random"] / counts["random"].sum())
    ratio = ratio - np.log(counts["noisy"] / counts["noisy"].sum())
    told = []
    for n in (4, 8):
        noisy = ratio[seen["noisy"][:, :n]].sum(axis=1)
        random = ratio[seen["random"][:, :n]].sum(axis=1)
        told.append(f"{100 * np.mean(random > np.quantile(noisy, 0.95)):.0f}")
    return told


def row(*cells: str) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)


def careless_table(found: Sequence[Case], workers: int) -> None:
    print("\n## Careless workers: caught, in %\n")
    row("study", "workers", *(f"by page {n}" for n in AT))
    row(*["---"] * (2 + len(AT)))
    for case in found:
        for kind in CARELESS:
            played = run(case, kind, workers)
            row(case.name, kind, *(caught_by(played, n) for n in AT))
        played = run(case, "random", workers, with_others=False)
        told = "random, no others yet"
        row(case.name, told, *(caught_by(played, n) for n in AT))


def honest_table(found: Sequence[Case], workers: int) -> None:
    rng = np.random.default_rng(1)
    print("\n## Honest people: pages lost, in %\n")
    row(
        *("study", "people", "first 8 pages", f"{PAGES} pages"),
        *("by the damaged text alone", "people caught", "people stopped"),
    )
    row(*["---"] * 7)
    for case in found:
        for kind, called in case.honest.items():
            played = run(case, kind, workers)
            pages = sum(len(one.own) for one in played)
            row(
                *(case.name, called, lost(played, 8, rng), lost(played, PAGES, rng)),
                f"{100 * sum(one.by_rule for one in played) / pages:.2f}",
                caught_by(played, PAGES),
                f"{100 * np.mean([one.blocked for one in played]):.1f}",
            )


def bound_table(workers: int) -> None:
    print("\n## Bound: random workers caught by the damaged text alone, in %\n")
    row("hurt aspects", "at page 4", "at page 8")
    row(*["---"] * 3)
    for hurts in (1, 2, 3):
        row(str(hurts), *bound(hurts, 4 * workers))


def odds_table(found: Sequence[Case], workers: int) -> None:
    print("\n## Other odds: random caught by page 8, noisy pages lost by then, in %\n")
    row("study", *(f"odds {odds}, {what}" for odds in ODDS for what in OUTCOMES))
    row(*["---"] * (1 + len(ODDS) * len(OUTCOMES)))
    for case in found:
        cells = []
        for odds in ODDS:
            random = run(case, "random", workers // 2, odds=odds)
            noisy = run(case, "noisy", workers // 2, odds=odds)
            caught = np.mean([all(one.discarded(8)) for one in random])
            cells += [f"{100 * caught:.0f}", f"{100 * share_lost(noisy, 8):.1f}"]
        row(case.name, *cells)


def studies_table(n: int) -> None:
    """The sample study, opened and rated n times through the functions people use."""
    caught: dict[tuple[str, int], list[int]] = defaultdict(lambda: [0, 0])
    pages: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for seed in range(n):
        with rehearsing.in_memory():
            study = sample_study()
            rng = np.random.default_rng(seed)
            done = simulate(study=study, workers=WORKERS, mix=MIX, rng=rng)
            people = {worker: kind_of(worker) for worker in study.workers.all()}
            for kind, by_page in catching.by_page(people).items():
                for one in by_page:
                    caught[kind, one.page][0] += one.caught
                    caught[kind, one.page][1] += one.workers
                pages[kind][0] += done.discarded.get(kind, 0)
                pages[kind][1] += done.submitted[kind]
    print(f"\n## {n} whole studies through the database, in %\n")
    ats = [f"caught by page {page}" for page in catching.PAGES]
    row("workers", "pages", "discarded in the end", *ats)
    row(*["---"] * (3 + len(ats)))
    for kind, (lost_pages, all_pages) in pages.items():
        shares = [share(*caught[kind, page]) for page in catching.PAGES]
        row(kind, str(all_pages), share(lost_pages, all_pages), *shares)


def sample_study() -> Study:
    """As an import makes it: with the policy that new studies begin with."""
    with sample.PATH.open("rb") as file:
        study = imports.run(
            study_name="sample",
            format=sample.FORMAT,
            file=file,
            file_name=sample.PATH.name,
            owner=None,
            options={"ratings_per_text": 5},
        ).study
    surveys.open_study(study=study)
    return study


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=600)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--studies", type=int, default=20)
    options = parser.parse_args()
    found = list(cases(options.data))
    careless_table(found, options.workers)
    honest_table(found, options.workers)
    bound_table(options.workers)
    odds_table(found, options.workers)
    studies_table(options.studies)


if __name__ == "__main__":
    main()
