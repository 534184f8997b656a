"""What a policy will catch and what honest work it will cost, before anyone is paid.

Careless work is exact: the chance of each page of the study, averaged over its pages.
Honest work needs a model of honest people, that of `simulation`, and is estimated on
thousands of made-up pages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from annotation.careless import odds, rules
from annotation.careless.common_scale import CommonScale
from annotation.models import Aspect, Policy, Study
from annotation.page_kinds.matrix import aspects_of
from annotation.quality.page_shapes import Shape
from annotation.quality.rater_kinds import KINDS, TEXT_SPREAD, Kind

# Workers who read and do their best. What is discarded of theirs is lost.
HONEST = {name: KINDS[name] for name in ("careful", "noisy")}
# Real texts of a page lie evenly between these, as the simulated systems do.
LOWEST, HIGHEST = 2.2, 4.2
# Made up of each kind: a share of pages is then known to one point, of workers to five.
PAGES = 8000
WORKERS = 400
# Fewer for the odds, which are computed again for each page; to four points.
ODDS_WORKERS = 150
BY_PAGE = (4, 8)


class Side(NamedTuple):
    """One rule, with the rest of the policy: shares of pages that it discards."""

    rule: str
    label: str
    chosen: bool  # it is the policy's own
    random: float  # exact
    same: float  # a straight-liner, fast where the policy asks for that; exact
    honest: dict[str, float]  # by kind of `HONEST`, estimated


class WorkerSide(NamedTuple):
    """Share of workers that the test over all their pages calls careless."""

    pages: int  # each has submitted
    careless: dict[str, float]
    honest: dict[str, float]


class OddsSide(NamedTuple):
    """Share of workers whose odds of answers by chance pass the limit, by a page.

    With the damaged text alone, as for the first who rate a study: agreement with
    others, once it can be seen, finds more.
    """

    by_page: tuple[int, ...]
    shares: dict[str, list[float]]  # "random" and the kinds of `HONEST`


class Power(NamedTuple):
    pages: int
    sides: list[Side]
    worker: WorkerSide | None  # None: the policy does not test workers
    odds: OddsSide | None  # likewise


class Made(NamedTuple):
    """Pages of one shape that simulated people rated, turned so that high is good."""

    worker: np.ndarray  # (n,) whose page
    page: np.ndarray  # (n,) which of theirs
    shape: Shape
    real: np.ndarray  # (n, texts, aspects)
    negative: np.ndarray  # (n, aspects)


def table(*, steps: Sequence[int]) -> list[tuple[int, list[float]]]:
    """Chance to catch a random rater with 2 to 5 real texts, by rule. Exact.

    Args:
        steps: Points of the scale of each aspect that is compared.
    """
    return [
        (
            texts,
            [
                rules.chance_to_catch(rule, texts=texts, steps=steps)
                for rule in rules.RULES
            ],
        )
        for texts in range(2, 6)
    ]


def of_policy(
    *, study: Study, policy: Policy, found: Counter[Shape], rng: np.random.Generator
) -> Power:
    """Both sides of a policy, and of the other two rules in its place.

    Args:
        study: For its aspects and their scales.
        policy: Saved or not.
        found: `shapes` of the study, not empty.
        rng: For the honest side.
    """
    aspects = list(study.aspects.filter(about=Aspect.About.TEXT))
    made = {
        name: list(_made(found, aspects, (PAGES, 1), kind, rng))
        for name, kind in HONEST.items()
    }
    sides = [
        Side(
            rule=rule.value,
            label=rule.label,
            chosen=rule == policy.rule,
            random=_random(rule, policy, found, aspects),
            same=1.0 if policy.same_score else 0.0,
            honest={
                name: _discarded(rule, policy, pages, aspects)
                for name, pages in made.items()
            },
        )
        for rule in map(Policy.Rule, rules.RULES)
    ]
    worker = _of_workers(policy, found, aspects, rng)
    by_chance = _of_odds(policy, found, aspects, rng)
    return Power(found.total(), sides, worker, by_chance)


def _of_workers(
    policy: Policy,
    found: Counter[Shape],
    aspects: list[Aspect],
    rng: np.random.Generator,
) -> WorkerSide | None:
    if policy.worker_p is None:
        return None
    size = (WORKERS, policy.worker_pages)
    failing = {
        name: _failing(policy, list(_made(found, aspects, size, kind, rng)), aspects)
        for name, kind in [*HONEST.items(), ("random", None)]
    }
    # A straight-liner has differences of zero only: p is 1.
    careless = {"random": failing.pop("random"), "same": 1.0}
    return WorkerSide(policy.worker_pages, careless, failing)


def _of_odds(
    policy: Policy,
    found: Counter[Shape],
    aspects: list[Aspect],
    rng: np.random.Generator,
) -> OddsSide | None:
    if policy.chance_odds is None:
        return None
    size, shares = (ODDS_WORKERS, BY_PAGE[-1]), {}
    for name, kind in [("random", None), *HONEST.items()]:
        made = _made(found, aspects, size, kind, rng)
        seen = _seen(policy, list(made), aspects)
        shares[name] = _passing(policy, seen, _scales(aspects))
    return OddsSide(BY_PAGE, shares)


def _scales(aspects: list[Aspect]) -> odds.Scales:
    common = CommonScale.of(aspects)
    return odds.Scales(common.width, tuple(common.steps))


def _seen(
    policy: Policy, made: list[Made], aspects: list[Aspect]
) -> list[dict[int, odds.Seen]]:
    """What each page says, by worker and page."""
    found: list[dict[int, odds.Seen]] = [{} for _ in range(ODDS_WORKERS)]
    scales = _scales(aspects)
    for pages in made:
        real, negative = _compared(policy, pages, aspects)
        columns = _columns(policy, pages.shape, aspects)
        for n, (worker, page) in enumerate(zip(pages.worker, pages.page, strict=True)):
            found[worker][page] = odds.see(
                real=pages.real[n],
                negative=np.vstack([negative[n], real[n]]),
                others=np.zeros((0, *pages.real[n].shape)),
                scales=scales,
                compared=columns,
            )
    return found


def _passing(
    policy: Policy, seen: list[dict[int, odds.Seen]], scales: odds.Scales
) -> list[float]:
    """Share of workers who are over the limit at some page up to each of `BY_PAGE`."""
    assert policy.chance_odds is not None
    first = []
    for pages in seen:
        in_order = [pages[n] for n in sorted(pages)]
        over = (
            n
            for n in range(policy.worker_pages, len(in_order) + 1)
            if odds.over(in_order[:n], scales).times > policy.chance_odds
        )
        first.append(next(over, np.inf))
    return [float(np.mean(np.array(first) <= page)) for page in BY_PAGE]


# Careless: exact ----------------------------------------------------------------------


def _random(
    rule: str, policy: Policy, found: Counter[Shape], aspects: list[Aspect]
) -> float:
    """A strict rule never catches a page of one value, so the two chances add up.

    Of all kinds, taking the time that reading takes. Of people who never say that they
    cannot say.
    """
    chance, steps = 0.0, CommonScale.of(aspects).steps
    for shape, n in found.items():
        compared = [steps[at] for at in _columns(policy, shape, aspects)]
        each = policy.on == Policy.On.ANY
        caught = rules.chance_to_catch(
            rule, texts=shape.texts, steps=compared, each=each
        )
        if policy.same_score and policy.same_faster_than is None:
            caught += rules.chance_of_same(texts=shape.texts + 1, steps=steps)
        chance += n * caught
    return chance / found.total()


# Honest: estimated --------------------------------------------------------------------


def _made(
    found: Counter[Shape],
    aspects: list[Aspect],
    size: tuple[int, int],
    kind: Kind | None,
    rng: np.random.Generator,
) -> Iterator[Made]:
    """Let workers rate pages, of shapes as frequent as in the study.

    Args:
        found, aspects: The study's.
        size: Workers, and pages of each.
        kind: Of all these workers; None answers by chance.
        rng: For everything.
    """
    kinds_of_page = sorted(found)
    weights = np.array([found[shape] for shape in kinds_of_page], dtype=float)
    which = rng.choice(len(weights), size=size, p=weights / weights.sum())
    bias = rng.normal(0, kind.bias if kind else 0, size=size[0])
    scale = CommonScale.of(aspects)
    for number, shape in enumerate(kinds_of_page):
        worker, page = np.nonzero(which == number)
        n = (len(worker), shape.texts + 1, len(aspects))
        if kind is None:
            ratings = scale.by_chance(rng, n)
        else:
            noise = rng.normal(0, kind.noise, size=n) + bias[worker, None, None]
            felt = _truth(shape, aspects, kind.drop, len(worker), rng) + noise
            ratings = scale.on_scale(felt)
        yield Made(worker, page, shape, ratings[:, :-1], ratings[:, -1])


def _truth(
    shape: Shape, aspects: list[Aspect], drop: float, n: int, rng: np.random.Generator
) -> np.ndarray:
    """True qualities on n pages, the negative last, shape (n, texts + 1, aspects)."""
    means = np.linspace(LOWEST, HIGHEST, shape.texts)
    if shape.texts == 1:
        means = np.array([(LOWEST + HIGHEST) / 2])
    source = rng.choice(means, size=(n, 1))  # by any of the systems
    each = np.concatenate([np.broadcast_to(means, (n, shape.texts)), source], axis=1)
    spread = rng.normal(0, TEXT_SPREAD, size=(n, shape.texts + 1, len(aspects)))
    truth = each[..., None] + spread
    hurt = np.array([aspect.key in shape.hurts for aspect in aspects])
    truth[:, -1] -= drop * hurt
    return truth


def _discarded(
    rule: str, policy: Policy, made: list[Made], aspects: list[Aspect]
) -> float:
    n_discarded = 0
    for pages in made:
        real, negative = _compared(policy, pages, aspects)
        discarded = (
            rules.by_aspect(rule, real, negative).any(axis=-1)
            if policy.on == Policy.On.ANY
            else rules.is_above(rule, real, negative)
        )
        if policy.same_score and policy.same_faster_than is None:
            every = np.concatenate([pages.real, pages.negative[:, None]], axis=1)
            discarded |= rules.is_same(every, CommonScale.of(aspects).groups)
        n_discarded += int(discarded.sum())
    return n_discarded / sum(len(pages.worker) for pages in made)


def _failing(policy: Policy, made: list[Made], aspects: list[Aspect]) -> float:
    assert policy.worker_p is not None
    n_workers = max(int(pages.worker.max(initial=-1)) for pages in made) + 1
    differences = np.zeros((n_workers, policy.worker_pages))
    for pages in made:
        found = rules.difference(*_compared(policy, pages, aspects))
        differences[pages.worker, pages.page] = found
    failed = [rules.worker_p(row) > policy.worker_p for row in differences]
    return float(np.mean(failed))


def _compared(
    policy: Policy, pages: Made, aspects: list[Aspect]
) -> tuple[np.ndarray, np.ndarray]:
    """In the common unit."""
    columns, scale = _columns(policy, pages.shape, aspects), CommonScale.of(aspects)
    real, negative = scale.common(pages.real), scale.common(pages.negative)
    return real[:, :, columns], negative[:, columns]


def _columns(policy: Policy, shape: Shape, aspects: list[Aspect]) -> list[int]:
    """Of the aspects that the policy compares on such a page."""
    compared = aspects_of(policy, shape.hurts, aspects)
    return [aspects.index(aspect) for aspect in compared]
