from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from annotation.models import Generation, Negative
from annotation.models.texts import full_text
from annotation.perturbations import PERTURBATIONS, Perturbation, is_cut_off

# Enough to find a text that was not used yet; a study may have 100,000 of them.
N_CANDIDATES = 24

# By this factor a negative may be longer or shorter than the page's other texts.
LENGTH_SLACK = 1.1


# The aspects that some perturbation is known to hurt.
KNOWN = frozenset(key for one in PERTURBATIONS.values() for key in one.hurts)


class NoNegative(Exception):
    """No text can be damaged for a page. The message says what would help."""


class Pool:
    """The texts that negatives are made of, and how often each served already.

    Hand the same pool to every page of a study: so no text and no perturbation is used
    much more often than another.
    """

    def __init__(self, *, generations: Sequence[Generation], aspects: Sequence[str]):
        """`generations` with their prompts loaded, `aspects` the study's keys."""
        self.aspects = list(aspects)
        self.n_uses: Counter[int | str] = Counter()  # by generation id, by name
        self.by_prompt = defaultdict(list)
        self.by_prefix = defaultdict(list)
        self.by_label = defaultdict(list)
        for generation in generations:
            prompt = generation.prompt
            self.by_prompt[prompt.pk].append(generation)
            self.by_prefix[prompt.prefix].append(generation)
            self.by_label[prompt.label_id].append(generation)

    def measures(self, hurts: Sequence[str]) -> bool:
        """Whether the study asks for one of these, or for none of any perturbation."""
        asked = KNOWN.intersection(self.aspects)
        return not asked or bool(asked.intersection(hurts))

    def resolve(self, hurts: Sequence[str]) -> list[str]:
        """Those of the study's aspects; all of them where it has none, as `overall`."""
        return [key for key in self.aspects if key in hurts] or self.aspects


def choose(*, page: Sequence[Generation], pool: Pool, seed: int) -> Negative:
    """Damage a text for a page of real texts, which share a prompt. Not saved yet.

    1. Take a text of the same prompt that is not on the page; failing that, one with
       the same prefix; failing that, put one with the same label behind this prefix.
    2. Damage it by the perturbation used least so far, or the next that can change it;
       those first that hurt what the study asks for. What is damage by where it stands
       takes a text of another prefix or source from the start.
    3. Of the texts used least so far, take one that ends about as long as its
       neighbours on the page.

    Raises:
        NoNegative: If the study has no such text.
    """
    rng = np.random.default_rng(seed)
    elsewhere = _from_elsewhere(page, pool, rng)
    for candidates in filter(None, _tiers(page, pool, rng)):
        for perturbation in _least_used_first(page, pool, rng):
            some = elsewhere if perturbation.from_elsewhere else candidates
            negative = _damaged(page, some, perturbation, seed, pool)
            if negative is None:
                continue
            negative.hurts = pool.resolve(_hurts(page, negative.source, perturbation))
            pool.n_uses.update([negative.source.pk, perturbation.name])
            return negative
    raise NoNegative(f"No damaged text can be made. {advice(page)}")


def is_possible(*, page: Sequence[Generation], pool: Pool, seed: int) -> bool:
    """Whether `choose` would find a text to damage. Quicker: any text will do."""
    rng = np.random.default_rng(seed)
    elsewhere = _from_elsewhere(page, pool, rng)
    return any(
        _damaged_text(source, page, perturbation, seed) is not None
        for candidates in filter(None, _tiers(page, pool, rng))
        for perturbation in _least_used_first(page, pool, rng)
        for source in (elsewhere if perturbation.from_elsewhere else candidates)
    )


def _tiers(
    page: Sequence[Generation], pool: Pool, rng: np.random.Generator
) -> Iterator[list[Generation]]:
    """Candidates of the same prompt, then prefix, then label; least used first."""
    prompt = page[0].prompt
    groups = (
        pool.by_prompt[prompt.pk],
        pool.by_prefix[prompt.prefix],
        pool.by_label[prompt.label_id],
    )
    for group in groups:
        yield _candidates(group, page, pool, rng)


def _from_elsewhere(
    page: Sequence[Generation], pool: Pool, rng: np.random.Generator
) -> list[Generation]:
    """Candidates of the same label, written for another prefix or source."""
    some = _candidates(pool.by_label[page[0].prompt.label_id], page, pool, rng)
    return [text for text in some if not _was_written_here(text, page)]


def _was_written_here(text: Generation, page: Sequence[Generation]) -> bool:
    here, there = page[0].prompt, text.prompt
    return (here.prefix, here.source) == (there.prefix, there.source)


def _candidates(
    group: list[Generation],
    page: Sequence[Generation],
    pool: Pool,
    rng: np.random.Generator,
) -> list[Generation]:
    # A twin of a text on the page gives itself away, whichever system wrote it.
    on_page = {text.full_text for text in page}
    some = [
        text
        for text in _some(group, rng)
        if _can_stand_here(text, page) and _as_here(text, page) not in on_page
    ]
    return sorted(some, key=lambda text: pool.n_uses[text.pk])


def _can_stand_here(text: Generation, page: Sequence[Generation]) -> bool:
    """Not where its own prefix ends inside a word: "The car" begins "The cartoon"."""
    own = text.prompt.prefix
    behind = text.full_text[len(own) : len(own) + 1]
    whole = not (own and own[-1].isalnum() and behind.isalnum())
    return whole or own == page[0].prompt.prefix


def _some(group: list[Generation], rng: np.random.Generator) -> list[Generation]:
    """At most N_CANDIDATES of a group, in random order."""
    n = min(len(group), N_CANDIDATES)
    return [group[i] for i in rng.choice(len(group), n, replace=False)] if n else []


def _least_used_first(
    page: Sequence[Generation], pool: Pool, rng: np.random.Generator
) -> list[Perturbation]:
    mixed = [PERTURBATIONS[name] for name in rng.permutation(list(PERTURBATIONS))]
    if any(is_cut_off(text.full_text) for text in page):
        mixed = [one for one in mixed if not one.breaks_off]
    return sorted(
        mixed, key=lambda one: (not pool.measures(one.hurts), pool.n_uses[one.name])
    )


def _damaged(
    page: Sequence[Generation],
    candidates: Sequence[Generation],
    perturbation: Perturbation,
    seed: int,
    pool: Pool,
) -> Negative | None:
    """Of the least used candidates that it can change, the one nearest in length."""
    real = {text.full_text for text in page}
    made: list[Negative] = []
    for source in candidates:
        if made and pool.n_uses[source.pk] > pool.n_uses[made[0].source.pk]:
            break
        text = _damaged_text(source, page, perturbation, seed)
        if text is None:
            continue
        made.append(
            Negative(
                source=source, perturbation=perturbation.name, text=text, seed=seed
            )
        )
        if _too_long_or_short(text, real) == 0:
            break
    return min(made, key=lambda n: _too_long_or_short(n.text, real), default=None)


def _damaged_text(
    source: Generation,
    page: Sequence[Generation],
    perturbation: Perturbation,
    seed: int,
) -> str | None:
    # Afresh from the seed: source, perturbation and seed are the whole recipe.
    rng = np.random.default_rng(seed)
    prefix = page[0].prompt.prefix
    text = perturbation.behind(prefix, _as_here(source, page), rng)
    is_twin = text is not None and any(text == other.full_text for other in page)
    return None if is_twin else text


def _too_long_or_short(text: str, real: Collection[str]) -> float:
    """By how many characters a text leaves the range of the page's lengths."""
    lengths = [len(other) for other in real]
    shortest, longest = min(lengths) / LENGTH_SLACK, max(lengths) * LENGTH_SLACK
    return max(shortest - len(text), len(text) - longest, 0)


def _as_here(source: Generation, page: Sequence[Generation]) -> str:
    """The source's full text, with this page's prefix in place of its own."""
    prefix, own = page[0].prompt.prefix, source.prompt.prefix
    if own == prefix or not prefix:
        return source.full_text
    if not own:
        return full_text(prefix, source.text)
    return prefix + source.full_text[len(own) :]


def _hurts(
    page: Sequence[Generation], source: Generation, perturbation: Perturbation
) -> tuple[str, ...]:
    if _was_written_here(source, page):
        return perturbation.hurts
    return (*perturbation.hurts, "consistency")  # it was written for something else


def advice(page: Sequence[Generation]) -> str:
    """What a page lacks for which no negative can be made."""
    prompt = page[0].prompt
    label = f" with the label “{prompt.label}”" if prompt.label else ""
    return (
        f"The prompt “{prompt}”{label} needs, beside the texts on its page, at least"
        " one more text of the same prompt, the same prefix or the same label, with two"
        " sentences or more. Add a second sample per system, or another prompt with the"
        " same label."
    )
