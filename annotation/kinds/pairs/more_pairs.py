"""Ask about more pairs of a study, those first about which least is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from django.db import transaction

from annotation.kinds.pairs import drawing as pairs
from annotation.kinds.pairs.drawing import Duel
from annotation.models import Generation, Pair, Study, Survey
from annotation.page_kinds import NewPages
from annotation.surveys import drawing, planning
from annotation.surveys.planning import Cut, Draw, DrawError
from evalapp import seeds
from evalapp.seeds import OfStudy

# Of the difference of the strengths of two systems, by their ids.
Variances = Mapping[frozenset[int], float]


def draw_more_pairs(
    *, study: Study, n: int, variances: Variances | None = None
) -> list[Survey]:
    """Put so many pairs that nobody was asked about yet on new pages.

    With `variances` each pair is drawn with a chance in proportion to that of its
    systems, at most 1, which is kept with the pair; without, all have the same chance.
    Fewer are drawn if there are no more.

    Raises:
        DrawError: If workers may take seats, no pair is left, or no check can be made.
    """
    study.refresh_from_db()
    drawing.refuse_drawing_more(study)
    draw = _draw(study, n, variances)
    plan = planning.plan(study, draw)
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        drawing.refuse_drawing_more(locked)
        if planning.next_number(locked) != draw.first:
            return []  # a second click was faster
        return drawing.add_surveys(locked, plan, draw.first)


def _draw(study: Study, n: int, variances: Variances | None) -> Draw:
    if not study.compares_texts:
        raise DrawError("This study has no pages of pairs.")
    texts, first = planning.texts(study), planning.next_number(study)
    left = _left(study, texts)
    if not left:
        raise DrawError("All pairs of this study have been drawn already.")
    rng = seeds.rng(study.seed, OfStudy.MORE_PAIRS, first)
    weights = np.array([_weight(duel, variances) for duel in left])
    chances = inclusion(weights, n)
    drawn = sorted(systematic(chances, rng))
    taken = [left[at]._replace(probability=float(chances[at])) for at in drawn]
    part = study.page_kinds.index("pair")
    pages = [
        Cut(part, "pair", units)
        for units in pairs.on_pages(taken, study.texts_per_survey)
    ]
    return Draw(pages, planning.pool_so_far(study, texts), first)


def _left(study: Study, texts: Sequence[Generation]) -> list[Duel]:
    drawn = Pair.objects.filter(survey__study=study, second__isnull=False)
    asked = {frozenset(both) for both in drawn.values_list("first", "second")}
    new = NewPages(texts, {text.pk for text in texts})
    rng = np.random.default_rng(0)  # draws nothing where all pairs are wanted
    possible = pairs.draw(new=new, per_text=None, rng=rng)
    return [d for d in possible if frozenset((d.first.pk, d.second.pk)) not in asked]


def _weight(duel: Duel, variances: Variances | None) -> float:
    systems = frozenset(
        one.system_id for one in (duel.first, duel.second) if one.system_id
    )
    return 1.0 if variances is None else variances[systems]


def inclusion(weights: Sequence[float] | np.ndarray, n: int) -> np.ndarray:
    """Chances in proportion to the weights, at most 1, that add up to n.

    A chance that would exceed 1 becomes 1; the others are scaled to make up the sum.

    >>> inclusion([1, 1, 8], 2).tolist()
    [0.5, 0.5, 1.0]
    """
    weights = np.asarray(weights, float)
    if n >= len(weights):
        return np.ones(len(weights))
    sure = np.zeros(len(weights), bool)
    while True:
        chances = np.where(sure, 1.0, 0.0)
        rest = ~sure
        chances[rest] = (n - sure.sum()) * weights[rest] / weights[rest].sum()
        if (chances <= 1).all():
            return chances
        sure |= chances > 1


def systematic(chances: np.ndarray, rng: np.random.Generator) -> set[int]:
    """Which are drawn, each with its chance, as many as the chances add up to."""
    order = rng.permutation(len(chances))
    total = np.cumsum(chances[order])
    n = int(round(float(total[-1])))
    at = np.searchsorted(total, rng.random() + np.arange(n), side="right")
    return {int(order[place]) for place in np.minimum(at, len(order) - 1)}
