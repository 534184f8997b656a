"""What more ratings would bring to a study that runs, from its own ratings so far."""

from __future__ import annotations

from collections.abc import Mapping
from math import floor, log, log10
from typing import NamedTuple

import numpy as np
from django.core.cache import cache
from django.db.models import Count

from annotation import sizing
from annotation.human_scores import one_aspect
from annotation.models import Aspect, Seat, Study
from scoring.stats.components import needed
from scoring.stats.components.designs import per_prompt
from scoring.stats.components.estimating import FEW_PROMPTS, estimate
from scoring.stats.components.needed import Goal

# Differences that a sentence names: these times powers of ten.
ROUND = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
SMALLER = 0.9  # times what can be shown now: less is no news
# Ratings that are read while someone waits: what they vary by is known to some percent.
MOST = 600
GROWTH = 1.1  # of the pages that are in, until what they vary by is estimated again
KEPT = 60 * 60


class Learned(NamedTuple):
    """Variances by effect, or why there are none."""

    variances: Mapping[str, float]
    reason: str


def sentence(*, study: Study, aspect: Aspect) -> str:
    """One sentence or two for Monitor; empty where more ratings cannot be asked for.

    Six queries at most. What ratings vary by is kept until a tenth more pages are in.
    """
    running = study.state in (Study.State.OPEN, Study.State.PAUSED)
    if not running or study.rates_part:
        return ""
    sizes = sizing.sizes(study=study, pool=sizing.people(study))
    if sizes is None:
        return ""
    if sizes.design.prompts < FEW_PROMPTS:
        return (
            f"With {FEW_PROMPTS} prompts or more, you can read here what more ratings"
            f" would bring: the systems of this study have only {sizes.design.prompts}"
            " in common."
        )
    learned = _learned(study, aspect, sizes.enough(MOST))
    if learned.reason:
        return f"What more ratings would bring is not known yet: {learned.reason}."
    return in_words(sizes, learned.variances)


def in_words(sizes: sizing.Sizes, variances: Mapping[str, float]) -> str:
    """What the study can show when all is rated, and what it takes to show less."""
    design = sizes.design
    variance = float(per_prompt(variances, design))
    if variance == 0:
        return (
            "You do not need more ratings: prompts do not differ in which system is"
            " better."
        )
    of_pairs = Goal(1.0, systems=sizes.systems)
    shown = needed.detectable(variance, design.prompts, of_pairs)
    assert shown is not None  # ten prompts or more
    goal = of_pairs._replace(difference=below(SMALLER * shown))
    more = needed.prompts_needed(variances, design, goal)
    begin = (
        f"With all {sizing.n_of(design.prompts, 'prompt')} rated, this study will"
        f" probably show a difference of {shown:.2g} or more between two systems."
    )
    if more is None:
        return begin
    extra = more - design.prompts
    another = f"Another {'prompt' if extra == 1 else f'{extra:,} prompts'} would show"
    raters = needed.raters_needed(variances, design, goal)
    if raters is None:
        rest = "more ratings per text would not help"
    else:
        rest = f"so would {sizing.n_of(raters - design.raters, 'more rating')} per text"
    return f"{begin} {another} a difference of {goal.difference:g}; {rest}."


def below(value: float) -> float:
    """The largest round number that is not above.

    >>> below(0.34), below(0.09), below(12)
    (0.3, 0.08, 10.0)
    """
    power = floor(log10(value))
    steps = [step * 10.0**power for step in ROUND]
    return round(max(step for step in steps if step <= value * (1 + 1e-9)), 9)


def _learned(study: Study, aspect: Aspect, most: int) -> Learned:
    """What the ratings vary by, the first ones; estimated again as they grow."""
    valid = Seat.objects.filter(survey__study=study, state=Seat.State.VALID)
    n = valid.aggregate(n=Count("pk"))["n"]
    grown = round(log(n + 1) / log(GROWTH))
    key = f"learned:{study.public_id}:{aspect.pk}:{grown}"
    found: Learned | None = cache.get(key)
    if found is None:
        found = _estimated(study, aspect, most)
        cache.set(key, found, timeout=KEPT)
    return found


def _estimated(study: Study, aspect: Aspect, most: int) -> Learned:
    rated = one_aspect.rated(study=study, aspect=aspect, most=most)
    found = estimate(rated, rng=np.random.default_rng(0), draws=0)
    if found.components is None:
        return Learned({}, found.reason or "")
    return Learned(dict(found.components.of), "")
