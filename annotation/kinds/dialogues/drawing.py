"""Pages of dialogues, and a damaged one among them: one turn is from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from django.db.models import Count, Exists, OuterRef, QuerySet

from annotation.kinds._texts import not_excluded
from annotation.models import (
    Dialogue,
    Generation,
    Item,
    Negative,
    Prompt,
    Study,
    Survey,
)
from annotation.negatives import N_CANDIDATES, NoNegative, Pool
from annotation.page_kinds import NewPages, Units
from annotation.perturbations import EXCHANGE
from annotation.surveys import pages

# Aspects that suffer where a turn does not belong; of a study without one of them, all.
HURTS = frozenset(
    "coherence coherent consistency consistent relevance relevant correctness correct"
    " appropriateness appropriate semantically-appropriate specificity specific"
    " understanding sensibleness sensible overall".split()
)
NO_EXCHANGE = (
    "No damaged dialogue can be made for a page: it needs a question about turns, a"
    " dialogue with a marked turn that is not on the page, and another one with a turn"
    " of the same role. Add dialogues, put fewer on a page, or run the pages without a"
    " damaged one."
)


class Talk(NamedTuple):
    """A dialogue with the texts of it that people are asked about."""

    dialogue: Dialogue
    texts: list[Generation]


class DialogueDrawing:
    """Each dialogue is on one page, with all that is asked about it."""

    def cut(
        self, study: Study, new: NewPages, rng: np.random.Generator
    ) -> Iterator[Units]:
        asked = _asked(study)
        talks = _talks([text for text in new.texts if text.is_dialogue in asked])
        fresh = [
            talk for talk in talks if any(one.pk in new.fresh for one in talk.texts)
        ]
        drawn = [fresh[i] for i in rng.permutation(len(fresh))]
        start = 0
        for n in pages.even_sizes(len(drawn), study.texts_per_survey):
            yield drawn[start : start + n]
            start += n

    def damage(self, units: Units, pool: Pool, seed: int) -> Negative:
        exchange = next(_exchanges(units, pool, seed), None)
        if exchange is None:
            raise NoNegative(NO_EXCHANGE)
        source, text = exchange
        pool.n_uses.update([source.pk, EXCHANGE])
        hurts = [key for key in pool.aspects if key in HURTS] or pool.aspects
        return Negative(
            source=source, perturbation=EXCHANGE, text=text, seed=seed, hurts=hurts
        )

    def can_damage(self, units: Units, pool: Pool, seed: int) -> bool:
        return next(_exchanges(units, pool, seed), None) is not None

    def advice(self, units: Units) -> str:
        return NO_EXCHANGE

    def prompt(self, units: Units, negative: Negative | None) -> Prompt:
        prompt: Prompt = units[0].texts[0].prompt
        return prompt

    def items(
        self, survey: Survey, units: Units, negative: Negative | None
    ) -> list[Item]:
        part = survey.part
        items = [
            Item(survey=survey, generation=text, part=part)
            for talk in units
            for text in talk.texts
        ]
        if negative is not None:
            items += _damaged(survey, negative)
        return items

    def why_not(self, study: Study) -> str:
        texts = not_excluded(study).filter(dialogue__isnull=False)
        if not texts.exists():
            return (
                "There are no dialogues. Import some: messages in jsonl, or a table"
                " with a row for each turn."
            )
        if not texts.asked_about().exists():
            return (
                "No question is about what there is to rate: ask one of whole"
                " dialogues, or import dialogues with marked turns."
            )
        return ""

    def save_related(self, items: Sequence[Item]) -> None:
        """Texts are there already."""

    def is_outdated(self, study: Study, surveys: QuerySet[Survey]) -> bool:
        """Also where a text is on a page that nobody asks about."""
        dialogues = Count("items__generation__dialogue", distinct=True)
        sizes = surveys.annotate(n=dialogues)
        items = Item.objects.filter(survey__in=surveys, generation__isnull=False)
        asked_about = study.generations.asked_about()
        return (
            sizes.filter(n__gt=study.texts_per_survey).exists()
            or items.exclude(generation__in=asked_about).exists()
        )

    def undrawn(self, study: Study) -> QuerySet[Generation]:
        """What is asked about dialogues and is on no page of them."""
        shown = Item.objects.filter(generation=OuterRef("pk"), survey__kind="dialogue")
        asked = not_excluded(study).filter(dialogue__isnull=False).asked_about()
        return asked.filter(~Exists(shown))


def _asked(study: Study) -> set[bool]:
    """Whether questions are about whole dialogues, about turns, or about both."""
    return {aspect.is_of_dialogue for aspect in study.aspects.all()}


def _talks(texts: Sequence[Generation]) -> list[Talk]:
    talks: dict[int, Talk] = {}
    for text in texts:
        if (dialogue := text.dialogue) is not None:
            talks.setdefault(dialogue.pk, Talk(dialogue, [])).texts.append(text)
    # As they came: a copy of the study must draw the same.
    return [talks[pk] for pk in sorted(talks)]


def _exchanges(
    units: Sequence[Talk], pool: Pool, seed: int
) -> Iterator[tuple[Generation, str]]:
    """Marked turns, the least used first, each with one from elsewhere for it."""
    if not pool.aspects:  # nobody would be asked about the exchanged turn
        return
    rng = np.random.default_rng(seed)
    here = {talk.dialogue.pk for talk in units}
    turns = [
        one
        for one in pool.turns
        if one.turn is not None and one.dialogue_id not in here
    ]
    sources = _sample(turns, rng)
    sources.sort(key=lambda one: (pool.n_uses[one.pk], len(one.turns_before) < 1))
    candidates = _sample(pool.turns, rng)
    for source in sources:
        text = _stranger(source, candidates, here)
        if text is not None:
            yield source, text


def _sample(rows: Sequence[Generation], rng: np.random.Generator) -> list[Generation]:
    n = min(len(rows), N_CANDIDATES)
    return [rows[i] for i in rng.choice(len(rows), n, replace=False)] if n else []


def _stranger(
    source: Generation, candidates: Sequence[Generation], here: set[int]
) -> str | None:
    """A turn of the same role out of another dialogue, about as long as the source."""
    (turn_of_source,) = source.own_turn
    assert source.dialogue is not None
    texts_here = {turn.text.strip() for turn in source.dialogue.turns}
    texts = [
        turn.text
        for one in candidates
        if one.dialogue is not None
        and one.dialogue_id != source.dialogue_id
        and one.dialogue_id not in here
        for turn in one.dialogue.turns
        if turn.role == turn_of_source.role and turn.text.strip() not in texts_here
    ]
    length = len(turn_of_source.text)
    return min(texts, key=lambda text: abs(len(text) - length), default=None)


def _damaged(survey: Survey, negative: Negative) -> list[Item]:
    """The copy of a dialogue with all that is asked about it; the negative last."""
    texts = not_excluded(survey.study).filter(dialogue=negative.source.dialogue_id)
    decoys = [
        Item(survey=survey, decoy=text, part=survey.part)
        for text in texts.asked_about().order_by("pk")
        if text.pk != negative.source_id
    ]
    return [*decoys, Item(survey=survey, negative=negative, part=survey.part)]
