"""The damaged twin of a text: the hidden check on a page of pairs."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from annotation.models import Negative
from annotation.negatives import N_CANDIDATES, Pool, Source
from annotation.perturbations import PERTURBATIONS, Perturbation, is_cut_off


def choose(*, away_from: Collection[int], pool: Pool, seed: int) -> Negative | None:
    """Damage a text, to stand beside it. Not saved yet; None if none can be damaged.

    Of texts drawn at random the least used one, those first that are not on the page
    (`away_from`, ids); by the kind of damage used least so far, those first that hurt
    what the study asks for. A text from elsewhere is no twin.
    """
    for source, perturbation, text in _made(away_from, pool, seed):
        pool.n_uses.update([source.row.pk, perturbation.name])
        return Negative(
            source=source.row,
            perturbation=perturbation.name,
            text=text,
            seed=seed,
            hurts=pool.resolve(perturbation.hurts),
        )
    return None


def is_possible(*, pool: Pool, seed: int) -> bool:
    """Whether `choose` would find a text to damage."""
    return next(_made((), pool, seed), None) is not None


def _made(
    away_from: Collection[int], pool: Pool, seed: int
) -> Iterator[tuple[Source, Perturbation, str]]:
    rng = np.random.default_rng(seed)
    texts = pool.texts
    n = min(len(texts), N_CANDIDATES)
    some = [texts[i] for i in rng.choice(len(texts), n, replace=False)] if n else []
    some.sort(key=lambda one: (one.row.pk in away_from, pool.n_uses[one.row.pk]))
    kinds = _kinds(pool, rng)
    for source in some:
        for perturbation in kinds:
            if perturbation.breaks_off and is_cut_off(source.full):
                continue
            # Afresh from the seed: source, perturbation and seed are the whole recipe.
            own = np.random.default_rng(seed)
            text = perturbation.behind(source.prefix, source.full, own)
            if text is not None and text != source.full:
                yield source, perturbation, text


def _kinds(pool: Pool, rng: np.random.Generator) -> list[Perturbation]:
    drawn = [PERTURBATIONS[name] for name in rng.permutation(list(PERTURBATIONS))]
    usable = [one for one in drawn if one.name in pool.kinds and not one.from_elsewhere]
    return sorted(
        usable, key=lambda one: (not pool.measures(one.hurts), pool.n_uses[one.name])
    )
