from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from annotation import sentences
from annotation.models import Generation, Negative, Prompt
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


@dataclass(frozen=True, slots=True)
class Source:
    """A text that negatives are made of. Read off its row once, not for each page."""

    row: Generation
    prefix: str
    about: str  # its prompt's source
    full: str
    whole: bool  # its prefix does not end inside a word, as "The car" in "The cartoon"


class Pool:
    """The texts that negatives are made of, and how often each served already.

    Hand the same pool to every page of a study: so no text and no perturbation is used
    much more often than another.
    """

    def __init__(
        self,
        *,
        generations: Sequence[Generation],
        aspects: Sequence[str],
        kinds: Sequence[str] | None = None,
    ) -> None:
        """`generations` with their prompts loaded, `aspects` the study's keys.

        `kinds` are the names of the perturbations to use; None: all that there are.
        """
        self.aspects, self.kinds = (
            list(aspects),
            frozenset(PERTURBATIONS if kinds is None else kinds),
        )
        self.n_uses: Counter[int | str] = Counter()  # by generation id, by name
        self.texts: list[Source] = []  # that can be damaged
        self.turns: list[Generation] = []  # of dialogues, and whole ones
        self.by_prompt = defaultdict(list)
        self.by_prefix = defaultdict(list)
        self.by_label = defaultdict(list)
        for generation in generations:
            prompt, source = generation.prompt, _source(generation)
            if generation.dialogue_id is not None:
                self.turns.append(generation)  # they are exchanged, never damaged
                continue
            self.texts.append(source)
            self.by_prompt[prompt.pk].append(source)
            self.by_prefix[prompt.prefix].append(source)
            self.by_label[prompt.label_id].append(source)

    def measures(self, hurts: Sequence[str]) -> bool:
        """Whether the study asks for one of these, or for none of any perturbation."""
        asked = KNOWN.intersection(self.aspects)
        return not asked or bool(asked.intersection(hurts))

    def resolve(self, hurts: Sequence[str]) -> list[str]:
        """Those of the study's aspects; all of them where it has none, as `overall`."""
        return [key for key in self.aspects if key in hurts] or self.aspects


def _source(row: Generation) -> Source:
    prompt, full = row.prompt, row.full_text
    own = prompt.prefix
    whole = not sentences.within_word(own, full[len(own) : len(own) + 1])
    return Source(row, own, prompt.source, full, whole)


@dataclass(frozen=True, slots=True)
class Here:
    """The page that a negative is made for."""

    prompt: Prompt
    prefix: str
    texts: frozenset[str]
    shortest: float
    longest: float

    def wrote(self, source: Source) -> bool:
        """Whether the text was written for what stands above this page."""
        return (source.prefix, source.about) == (self.prefix, self.prompt.source)

    def misses(self, text: str) -> float:
        """By how many characters a text leaves the range of the page's lengths."""
        return max(self.shortest - len(text), len(text) - self.longest, 0)


def _here(page: Sequence[Generation]) -> Here:
    lengths = [len(text.full_text) for text in page]
    return Here(
        prompt=page[0].prompt,
        prefix=page[0].prompt.prefix,
        texts=frozenset(text.full_text for text in page),
        shortest=min(lengths) / LENGTH_SLACK,
        longest=max(lengths) * LENGTH_SLACK,
    )


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
    rng, here = np.random.default_rng(seed), _here(page)
    for some, perturbation in _tries(here, pool, rng):
        if found := _damaged(here, some, perturbation, seed, pool):
            negative, source = found
            negative.hurts = pool.resolve(_hurts(here, source, perturbation))
            pool.n_uses.update([source.row.pk, perturbation.name])
            return negative
    raise NoNegative(f"No damaged text can be made. {advice(page)}")


def is_possible(*, page: Sequence[Generation], pool: Pool, seed: int) -> bool:
    """Whether `choose` would find a text to damage. Stops at the first, so faster."""
    rng, here = np.random.default_rng(seed), _here(page)
    return any(
        _damaged_text(source, here, perturbation, seed) is not None
        for some, perturbation in _tries(here, pool, rng)
        for source in some
    )


def _tries(
    here: Here, pool: Pool, rng: np.random.Generator
) -> Iterator[tuple[list[Source], Perturbation]]:
    """What to damage and how: the same prompt first, then prefix, then label."""
    alike = pool.by_label[here.prompt.label_id]
    # Drawn whether they are needed or not: else the same seed would draw other pages.
    strangers = _some(alike, rng)
    for group in (
        pool.by_prompt[here.prompt.pk],
        pool.by_prefix[here.prefix],
        alike,
    ):
        candidates = _candidates(_some(group, rng), here, pool)
        if not candidates:
            continue
        for perturbation in _least_used_first(here, pool, rng):
            some = candidates
            if perturbation.from_elsewhere:
                some = _candidates(strangers, here, pool)
                some = [source for source in some if not here.wrote(source)]
            yield some, perturbation


def _some(group: list[Source], rng: np.random.Generator) -> list[Source]:
    """At most N_CANDIDATES of a group, in random order."""
    n = min(len(group), N_CANDIDATES)
    return [group[i] for i in rng.choice(len(group), n, replace=False)] if n else []


def _candidates(some: list[Source], here: Here, pool: Pool) -> list[Source]:
    """Those that can stand here, least used first."""
    fitting = [
        source
        for source in some
        if (source.whole or source.prefix == here.prefix)
        # A twin of a text on the page gives itself away, whichever system wrote it.
        and _as_here(source, here) not in here.texts
    ]
    return sorted(fitting, key=lambda source: pool.n_uses[source.row.pk])


def _least_used_first(
    here: Here, pool: Pool, rng: np.random.Generator
) -> list[Perturbation]:
    # All are drawn whichever are chosen: else the same seed would draw other pages.
    drawn = rng.permutation(list(PERTURBATIONS))
    mixed = [PERTURBATIONS[name] for name in drawn if name in pool.kinds]
    if any(is_cut_off(text) for text in here.texts):
        mixed = [one for one in mixed if not one.breaks_off]
    return sorted(
        mixed, key=lambda one: (not pool.measures(one.hurts), pool.n_uses[one.name])
    )


def _damaged(
    here: Here,
    candidates: Sequence[Source],
    perturbation: Perturbation,
    seed: int,
    pool: Pool,
) -> tuple[Negative, Source] | None:
    """Of the least used candidates that it can change, the one nearest in length."""
    best: tuple[float, str, Source] | None = None
    for source in candidates:
        if best and pool.n_uses[source.row.pk] > pool.n_uses[best[2].row.pk]:
            break
        text = _damaged_text(source, here, perturbation, seed)
        if text is None:
            continue
        if best is None or here.misses(text) < best[0]:
            best = here.misses(text), text, source
        if best[0] == 0:
            break
    if best is None:
        return None
    _, text, source = best
    made = Negative(
        source=source.row, perturbation=perturbation.name, text=text, seed=seed
    )
    return made, source


def _damaged_text(
    source: Source, here: Here, perturbation: Perturbation, seed: int
) -> str | None:
    # Afresh from the seed: source, perturbation and seed are the whole recipe.
    rng = np.random.default_rng(seed)
    text = perturbation.behind(here.prefix, _as_here(source, here), rng)
    return None if text in here.texts else text


def _as_here(source: Source, here: Here) -> str:
    """The source's full text, with this page's prefix in place of its own."""
    if source.prefix == here.prefix or not here.prefix:
        return source.full
    if not source.prefix:
        return full_text(here.prefix, source.row.text)
    return here.prefix + source.full[len(source.prefix) :]


def _hurts(here: Here, source: Source, perturbation: Perturbation) -> tuple[str, ...]:
    if here.wrote(source):
        return perturbation.hurts
    return (*perturbation.hurts, "consistency")  # it was written for something else


def advice(page: Sequence[Generation]) -> str:
    """What a page lacks for which no negative can be made."""
    prompt = page[0].prompt
    label = f" with the label “{prompt.label}”" if prompt.label else ""
    return (
        f"The prompt “{prompt}”{label} needs at least one more text besides those on"
        " its page: one with two or more sentences, and the same prompt, prefix or"
        " label. Add a second text per system, or another prompt with the same label."
    )
