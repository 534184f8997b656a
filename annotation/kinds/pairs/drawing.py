"""Pages of pairs: two texts for one prompt, and a text beside its damaged twin."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.kinds._texts import more_items_than, outside_dialogues
from annotation.models import (
    Generation,
    Item,
    Negative,
    Pair,
    Prompt,
    Study,
    Survey,
)
from annotation.negatives import NoNegative, Pool, twins
from annotation.page_kinds import NewPages, Units
from annotation.surveys import pages

System = int | None
Met = defaultdict[frozenset[System], int]  # how often two systems were compared

NO_TWIN = (
    "No text of this study can be damaged: texts with two or more sentences can. Add"
    " some, or run the pages without a damaged text."
)


class Duel(NamedTuple):
    """Two texts that are to be compared."""

    first: Generation
    second: Generation
    probability: float  # with which it was drawn among all pairs of its prompt


class PairDrawing:
    """Texts of different systems for a prompt are compared two by two."""

    def why_not(self, study: Study) -> str:
        if has_pairs(study):
            return ""
        return (
            "There are no pairs to compare: no two systems have texts for the same"
            " prompt. Import texts of another system for the same prompts."
        )

    def cut(
        self, study: Study, new: NewPages, rng: np.random.Generator
    ) -> Iterator[Units]:
        drawn = draw(new=new, per_text=study.pairs_per_text, rng=rng)
        return on_pages(drawn, study.texts_per_survey)

    def damage(self, units: Units, pool: Pool, seed: int) -> Negative:
        made = twins.choose(away_from=_texts(units), pool=pool, seed=seed)
        if made is None:
            raise NoNegative(NO_TWIN)
        return made

    def can_damage(self, units: Units, pool: Pool, seed: int) -> bool:
        return twins.is_possible(pool=pool, seed=seed)

    def advice(self, units: Units) -> str:
        return NO_TWIN

    def prompt(self, units: Units, negative: Negative | None) -> Prompt:
        text: Generation = units[0].first if negative is None else negative.source
        return text.prompt

    def items(
        self, survey: Survey, units: Units, negative: Negative | None
    ) -> list[Item]:
        items = [
            Item(survey=survey, pair=_pair(survey, duel), part=survey.part)
            for duel in units
        ]
        if negative is not None:
            twin = Pair(
                survey=survey, prompt=negative.source.prompt, first=negative.source
            )
            items.append(
                Item(survey=survey, negative=negative, pair=twin, part=survey.part)
            )
        return items

    def save_related(self, items: Sequence[Item]) -> None:
        Pair.objects.bulk_create([item.pair for item in items if item.pair])

    def is_outdated(self, study: Study, surveys: QuerySet[Survey]) -> bool:
        return more_items_than(study, surveys)

    def undrawn(self, study: Study) -> QuerySet[Generation]:
        """Texts with another system's for their prompt that stand in no pair."""
        beside = Generation.objects.filter(
            prompt=OuterRef("prompt"),
            sample=OuterRef("sample"),
            excluded_at=None,
            system__isnull=False,
        ).exclude(system=OuterRef("system"))
        shown = Pair.objects.filter(
            Q(first=OuterRef("pk")) | Q(second=OuterRef("pk")), second__isnull=False
        )
        return outside_dialogues(study).filter(
            Exists(beside), ~Exists(shown), system__isnull=False
        )


def has_pairs(study: Study) -> bool:
    """Whether two systems wrote for the same prompt."""
    texts = outside_dialogues(study).filter(system__isnull=False).order_by()
    other = texts.filter(prompt=OuterRef("prompt"), sample=OuterRef("sample"))
    return texts.filter(Exists(other.filter(system__gt=OuterRef("system")))).exists()


def on_pages(duels: Sequence[Duel], size: int) -> Iterator[Units]:
    """At most `size` of them on a page, those of one prompt far from each other."""
    spread, start = _apart(duels), 0
    for n in pages.even_sizes(len(spread), size):
        yield spread[start : start + n]
        start += n


def draw(
    *, new: NewPages, per_text: int | None, rng: np.random.Generator
) -> list[Duel]:
    """The pairs to ask, in the order of prompts.

    The k-th texts of two systems for a prompt may be a pair. With `per_text` each text
    stands in at least so many pairs, or all that there are; taken are those whose
    systems were compared least so far, so that all systems meet about equally often.
    """
    met: Met = defaultdict(int)
    found = []
    for texts in _groups(new.texts):
        possible = [
            (one, other)
            for one, other in combinations(texts, 2)
            if one.pk in new.fresh or other.pk in new.fresh
        ]
        taken = _some(possible, per_text, met, rng)
        share = len(taken) / len(possible) if possible else 1.0
        found += [Duel(one, other, share) for one, other in taken]
    return found


def _groups(texts: Sequence[Generation]) -> Iterator[list[Generation]]:
    """Texts that may be compared: one of each system for a prompt."""
    by_place: dict[tuple[int, int], list[Generation]] = defaultdict(list)
    for text in texts:
        if text.system_id is not None and text.dialogue_id is None:
            by_place[text.prompt_id, text.sample].append(text)
    yield from by_place.values()


_Couple = tuple[Generation, Generation]


def _some(
    possible: Sequence[_Couple],
    per_text: int | None,
    met: Met,
    rng: np.random.Generator,
) -> list[_Couple]:
    """Enough pairs for every text, those first whose systems met least."""
    if per_text is None:
        return list(possible)
    left = [possible[i] for i in rng.permutation(len(possible))]
    n_of: Counter[int] = Counter()
    taken = []
    for text in dict.fromkeys(one.pk for couple in left for one in couple):
        while n_of[text] < per_text:
            own = [couple for couple in left if text in (couple[0].pk, couple[1].pk)]
            if not own:
                break
            best = min(own, key=lambda couple: _cost(couple, met, n_of))
            left.remove(best)
            taken.append(best)
            met[_systems(best)] += 1
            n_of.update(one.pk for one in best)
    return taken


def _cost(couple: _Couple, met: Met, n_of: Counter[int]) -> tuple[int, int]:
    return met[_systems(couple)], sum(n_of[one.pk] for one in couple)


def _systems(couple: _Couple) -> frozenset[System]:
    return frozenset(one.system_id for one in couple)


def _apart(duels: Sequence[Duel]) -> list[Duel]:
    """In an order in which those of one prompt stand far from each other.

    Pairs of one prompt share texts: judged on one page, one choice would lead to the
    next.
    """
    n_of: Counter[int] = Counter()
    ranked = []
    for place, duel in enumerate(duels):
        ranked.append((n_of[duel.first.prompt_id], place, duel))
        n_of[duel.first.prompt_id] += 1
    return [duel for _, _, duel in sorted(ranked, key=lambda one: one[:2])]


def _pair(survey: Survey, duel: Duel) -> Pair:
    first, second = sorted((duel.first, duel.second), key=lambda text: text.pk)
    return Pair(
        survey=survey,
        prompt=first.prompt,
        first=first,
        second=second,
        probability=duel.probability,
    )


def _texts(units: Units) -> set[int]:
    return {text.pk for duel in units for text in (duel.first, duel.second)}
