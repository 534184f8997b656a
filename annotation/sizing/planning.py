"""What a study is, what its ratings vary by, and what it needs to show something."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from math import comb
from typing import NamedTuple

import numpy as np

from annotation.human_scores import one_aspect
from annotation.models import Aspect, Study
from annotation.surveys.pages import even_sizes
from scoring.stats.components import needed
from scoring.stats.components.designs import (
    Design,
    half_width,
    of_raters,
    per_prompt,
)
from scoring.stats.components.estimating import DRAWS, Components, estimate
from scoring.stats.components.needed import Goal, Planned
from scoring.stats.components.typical import WORDS, typical

RATERS = (1, 2, 3, 5)
SOME = 15  # prompts: of fewer than ten, nothing is learned
SEED = 0  # of resamples: the same ratings, the same intervals
FEW = (
    "To plan a comparison, the study needs texts of at least two systems for the same"
    " prompts."
)
ONE_PROMPT = "one prompt has no interval, because it cannot show how prompts differ"
PART = (
    "Choose the share of texts by what you can pay for: how many ratings a study needs"
    " can be worked out only if all of its texts are rated."
)


class Known(NamedTuple):
    """What the ratings of one aspect vary by, and how that is known."""

    aspect: str  # its title
    variances: Mapping[str, float]
    components: Components | None  # None: typical values
    source: str  # "12 prompts of this study"
    reason: str  # why it is not from ratings; else empty


class Sizes(NamedTuple):
    """A study as it is planned."""

    systems: int
    design: Design
    price: Decimal | None  # of one rating of a text, all questions together
    currency: str

    def enough(self, most: int) -> int:
        """At least so many ratings of a question as some prompts have, else `most`."""
        return max(most, replace(self.design, prompts=SOME).ratings(self.systems))


class Answer(NamedTuple):
    """Of the aspect that needs most."""

    known: Known
    sizes: Sizes
    goal: Goal
    power: float  # of the study as it is planned
    half_width: float  # NaN for one prompt, as is what is detectable
    detectable: float
    prompts: int | None  # with as many raters of a text; None = no number does
    raters: int | None  # with as many prompts
    plans: list[Planned]  # cheapest first
    of_raters: float  # SD that other raters would add to the difference, however many

    @property
    def more(self) -> int | None:
        """Prompts that are missing."""
        if self.prompts is None:
            return None
        return max(0, self.prompts - self.sizes.design.prompts)


def sizes(*, study: Study, pool: int | None = None) -> Sizes | None:
    """None where no prompt has texts of two systems. Two queries.

    Only prompts with texts of several systems compare them: those of the system that
    has fewest are counted, because no pair with it has more.

    Args:
        study: Which one.
        pool: People who rate, in all; None = a crowd, each page has its own.
    """
    texts = study.generations.filter(excluded_at=None).exclude(system=None).order_by()
    cells = texts.values_list("prompt_id", "system_id").distinct()
    found = list(cells)
    n_systems = Counter(prompt for prompt, _ in found)
    shared = Counter(system for prompt, system in found if n_systems[prompt] > 1)
    if not shared:
        return None
    systems = len({system for _, system in found})
    each = max(1, round(texts.count() / len(found)))
    pages = len(even_sizes(systems, study.texts_per_survey))
    pay = study.pay_per_page
    return Sizes(
        systems,
        Design(
            min(shared.values()),
            study.ratings_per_text,
            texts=each,
            pool=pool,
            together=_together(systems, study.texts_per_survey),
        ),
        pay * pages / systems if pay else None,
        study.currency,
    )


def _together(systems: int, size: int) -> float:
    """Share of the pairs of systems that stand on one page, and have the same raters.

    >>> _together(4, 4), _together(4, 2)
    (1.0, 0.3333333333333333)
    """
    met = sum(comb(n, 2) for n in even_sizes(systems, size))
    return met / comb(systems, 2)


def people(study: Study) -> int | None:
    """How many people rate in all, as far as it is known; None = a crowd. One query."""
    if not study.invited_only:
        return None
    n = study.invites.filter(revoked_at=None).count()
    return n if n >= study.ratings_per_text else None


def known(
    *,
    study: Study,
    source: Study | None,
    draws: int = DRAWS,
    most: int = one_aspect.MOST,
) -> list[Known]:
    """What ratings of each aspect vary by: from ratings of `source`, or typical values.

    An aspect takes the one with its key in the source, on its own scale; where there is
    none, typical values. Three queries an aspect at most.
    """
    others = {a.key: a for a in source.aspects.all()} if source else {}
    found = []
    for aspect in study.aspects.all():
        other = others.get(aspect.key)
        if source is None or other is None:
            reason = f"{source} has no question “{aspect.title}”" if source else ""
            found.append(_typical(aspect, reason))
        else:
            found.append(_learned(aspect, source, other, draws, most))
    return found


def _learned(
    aspect: Aspect, source: Study, other: Aspect, draws: int, most: int
) -> Known:
    rated = one_aspect.rated(study=source, aspect=other, most=most)
    rng = np.random.default_rng(SEED)
    learned = estimate(rated, rng=rng, draws=draws)
    if learned.components is None:
        return _typical(aspect, f"{source}: {learned.reason}")
    (low, high), (least, most) = aspect.ends, other.ends
    times = ((high - low) / (most - least)) ** 2
    components = learned.components._replace(
        of={name: of * times for name, of in learned.components.of.items()},
        resampled={n: of * times for n, of in learned.components.resampled.items()},
    )
    n = components.n["prompts"]
    said = f"the ratings of {n} prompts in {source}"
    return Known(aspect.title, components.of, components, said, "")


def _typical(aspect: Aspect, reason: str) -> Known:
    return Known(aspect.title, typical(*aspect.ends), None, WORDS, reason)


def answer(*, sizes: Sizes, known: list[Known], goal: Goal) -> Answer:
    """What the study needs, by the aspect whose ratings vary most.

    Raises:
        ValueError: If there is no aspect, or the goal cannot be.
    """
    if not known:
        raise ValueError("expected at least one question with a scale")
    design, goal = sizes.design, goal._replace(systems=sizes.systems)
    hardest = max(known, key=lambda one: float(per_prompt(one.variances, design)))
    variances = hardest.variances
    variance = float(per_prompt(variances, design))
    plans = needed.designs(
        variances,
        goal,
        systems=sizes.systems,
        like=design,
        raters=sorted({*RATERS, design.raters}),
        texts=(design.texts,),
        price=None if sizes.price is None else float(sizes.price),
    )
    return Answer(
        hardest,
        sizes,
        goal,
        needed.power(variance, design.prompts, goal),
        float(half_width(variances, design)),
        needed.detectable(variance, design.prompts, goal) or np.nan,
        needed.prompts_needed(variances, design, goal),
        needed.raters_needed(variances, design, goal),
        plans,
        of_raters(variances, design) ** 0.5,
    )
